/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef NCMD_DRY_RUN_H
#define NCMD_DRY_RUN_H

#include <stdio.h>

#include "ncmd/config.h"

/* Says, for `ncmd -n`, what a start with this configuration would do, then every setting. Changes
 * nothing. */
void dry_run_print(const struct config *c, FILE *to);

#endif
