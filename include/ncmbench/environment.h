/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a figure says nothing without: the kernel, the speed of the cable, the device controller,
 * the host's driver and its timer. One end of the cable sees half of it; the rest has to be told.
 */
#ifndef NCMBENCH_ENVIRONMENT_H
#define NCMBENCH_ENVIRONMENT_H

#include <json-c/json_types.h>
#include <stdbool.h>
#include <stddef.h>

#define ENVIRONMENT_TOLD_MAX 32

/* What the user says, as KEY=VALUE; it counts more than what is found. Points into argv. */
struct environment_told {
	const char *pair[ENVIRONMENT_TOLD_MAX];
	size_t count;
};

/* False if it is no KEY=VALUE with a key of small letters, digits and '_', or one too many. */
bool environment_tell(struct environment_told *told, const char *pair);

/*
 * An object with the members known of: kernel, interface, role ("host" for an interface of a USB
 * host's driver, "device" for one that a UDC serves), speed, udc, host_driver, host_tx_timer_us and
 * the other settings of cdc_ncm as in cdc_ncm.h. `interface` NULL: the one towards `peer`.
 * json_object_put() it.
 */
json_object *environment_find(const char *peer, const char *interface,
			      const struct environment_told *told);

/* The members without which a figure says nothing. NULL behind the last one. */
extern const char *const environment_needed[];

/* Those that are not in it, ", " between them. False if none is missing. */
bool environment_lacks(json_object *environment, char *names, size_t size);

#endif
