/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The settings of a run as a scenario file has them: one table of names, units and limits. */
#ifndef NCMD_SIM_SETTINGS_H
#define NCMD_SIM_SETTINGS_H

#include <libconfig.h>

#include "sim/world.h"

/* One line for people: what is wrong, and on which line of the file. */
struct sim_why {
	char text[256];
};

/* Fills *why and returns false; `at` may be NULL. */
bool sim_wrong(struct sim_why *why, const config_setting_t *at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* What holds without a file: full speed, xHCI, cdc_ncm, a NuttX device, no traffic, 10 s. */
void sim_settings_default(struct sim_run_settings *s);

/*
 * Takes over what the group says and leaves the rest. Members that are none of its own are
 * refused unless they are in `others`, a list that ends with NULL.
 */
bool sim_settings_read(struct sim_run_settings *s, const config_setting_t *group,
		       const char *const *others, struct sim_why *why);

/* Whether the settings make sense together. */
bool sim_settings_check(const struct sim_run_settings *s, const config_setting_t *at,
			struct sim_why *why);

#endif
