/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The gadget in configfs, through libusbgx: the only file that knows it. Order of
 * life: gadget_open, gadget_create, [FunctionFS is mounted and described], gadget_bind,
 * gadget_unbind, gadget_remove, gadget_close.
 */
#ifndef NCMD_PORT_GADGET_H
#define NCMD_PORT_GADGET_H

#include <stdbool.h>
#include <stdint.h>

#include "port/log.h"

struct usbg_state;
struct usbg_gadget;

struct gadget_plan {
	const char *name; /* of the gadget, and of its FunctionFS instance */
	const char *udc; /* "auto": the first one without a gadget */
	const char *scheme; /* file with a libusbgx scheme; NULL or "": built from the rest */
	const char *max_speed; /* "full", "high", "super"; NULL: what the UDC can */
	uint16_t vendor_id, product_id, bcd_device;
	const char *manufacturer, *product, *serial, *configuration;
	uint16_t max_power_ma;
	bool self_powered;
};

struct gadget {
	struct usbg_state *state;
	struct usbg_gadget *gadget; /* NULL: none made */
	char udc[64]; /* after gadget_bind */
	bool bound;
};

/* Reads configfs. 0 or -errno with *f filled. */
int gadget_open(struct gadget *g, struct failure *f);

/*
 * Removes a gadget of this name that an earlier run left; the caller holds the
 * instance's lock, so nobody owns it. 0 also if there is none; *found says which.
 */
int gadget_clean(struct gadget *g, const char *name, bool *found, struct failure *f);

/* Makes it, without binding. A half-made gadget is removed on failure. */
int gadget_create(struct gadget *g, const struct gadget_plan *plan, struct failure *f);

/* What a gadget says of itself, strings in UTF-8. */
struct gadget_identity {
	uint16_t vendor_id, product_id, bcd_device;
	uint16_t max_power_ma;
	bool self_powered;
	char manufacturer[127], product[127], serial[127];
};

#define GADGET_OTHERS_MAX 256

/*
 * What the gadget made is, as far as configfs tells, else *i is left alone; and which functions it
 * holds beside the FunctionFS instance `name`: "acm.usb0, mass_storage.0", or nothing.
 */
void gadget_describe(struct gadget *g, const char *name, struct gadget_identity *i,
		     char others[static GADGET_OTHERS_MAX]);

/* Binds to the UDC of the plan. Control events may come before it returns. */
int gadget_bind(struct gadget *g, const struct gadget_plan *plan, struct failure *f);

void gadget_unbind(struct gadget *g);

/* Removes it from configfs, whatever functions it holds. */
int gadget_remove(struct gadget *g, struct failure *f);
void gadget_close(struct gadget *g);

#endif
