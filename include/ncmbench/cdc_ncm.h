/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The settings of the Linux host's driver, in /sys/class/net/INTERFACE/cdc_ncm (the same for MBIM
 * devices). sysfs shows the interfaces of the network namespace it was mounted in.
 */
#ifndef NCMBENCH_CDC_NCM_H
#define NCMBENCH_CDC_NCM_H

#include <stdbool.h>
#include <stddef.h>

#include "port/log.h"

struct cdc_ncm_setting {
	const char *name; /* of the file */
	const char *key; /* in the environment of a result; NULL: not there */
	bool writable; /* else the device said it when it was plugged in */
	const char *meaning;
};

extern const struct cdc_ncm_setting cdc_ncm_settings[];
extern const size_t cdc_ncm_settings_count;

/* Has this interface such settings, as far as this sysfs shows? */
bool cdc_ncm_has(const char *interface);

/* False if the file is not there or holds no number. */
bool cdc_ncm_get(const char *interface, const char *name, unsigned long *value);

/*
 * "NAME=VALUE", VALUE decimal. Reads it back: a value the kernel has made into another one is
 * a failure too, but for the byte it may add to tx_max. 0 or -errno with *f filled.
 */
int cdc_ncm_set(const char *interface, const char *assignment, struct failure *f);

#endif
