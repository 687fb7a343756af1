/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The profiles: what a few settings are by default, chosen together for one purpose.
 * Private to the config family and what prints it.
 */
#ifndef NCMD_CONFIG_PROFILE_H
#define NCMD_CONFIG_PROFILE_H

#include "ncmd/config.h"

/* "latency", "throughput": as the file says it. NULL behind the last one. */
const char *config_profile_name(unsigned int profile);

/* Gives the settings of a profile its values, whatever they were. */
void config_profile_apply(struct config *c, enum config_profile profile);

#endif
