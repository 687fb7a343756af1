/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the name of an endpoint file of GadgetFS says. A controller's driver names its
 * endpoints: "ep2in", "ep1out-bulk", "ep5in-int" (number, direction, type), "ep3" (either
 * direction), "ep-a" (any number, any direction), "ep-bin". Where the name says nothing, the
 * endpoint can be anything.
 */
#ifndef NCMD_WIRE_USB_ENDPOINT_H
#define NCMD_WIRE_USB_ENDPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/ncm_descriptors.h"

#define USB_ENDPOINT_NAME_MAX 16 /* as in the kernel's gadgetfs, NUL included */

struct usb_endpoint_name {
	uint8_t number; /* 1 ... 15; 0: any */
	char letter; /* of "ep-a"; NUL otherwise */
	bool in, out; /* directions it can have */
	bool bulk, interrupt; /* types it can have */
};

/* False if `name` names no endpoint, or endpoint 0. */
bool usb_endpoint_parse(const char *name, struct usb_endpoint_name *endpoint);

/* Which names serve which purpose: indices into the list given. */
struct usb_endpoint_choice {
	unsigned int notify, bulk_in, bulk_out;
	struct ncm_endpoints address; /* for the descriptors */
};

/*
 * Chooses three of `n` names (at most 64 are looked at), whatever their order: of those that
 * can be the one wanted the most special, then that with the lowest number. False if there
 * are not enough.
 */
bool usb_endpoint_choose(const char (*name)[USB_ENDPOINT_NAME_MAX], unsigned int n,
			 struct usb_endpoint_choice *choice);

#endif
