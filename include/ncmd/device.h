/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The USB device by one of its transports, and which one: the only place that knows there are
 * several. Order of life: device_open, device_bind, device_close.
 */
#ifndef NCMD_DEVICE_H
#define NCMD_DEVICE_H

#include <stdbool.h>

#include "ncmd/config.h"
#include "port/functionfs.h"
#include "port/gadget.h"
#include "port/gadgetfs.h"
#include "port/log.h"
#include "wire/ncm_control.h"
#include "wire/ncm_descriptors.h"

struct device {
	const struct config *config;
	enum config_transport kind; /* functionfs or gadgetfs, once it is open */
	struct transport *transport;
	bool configfs; /* `gadget` is open */
	struct gadget gadget;
	struct gadget_identity identity; /* of a gadget that GadgetFS stands in for */
	char others[GADGET_OTHERS_MAX]; /* its other functions, for people; empty: none */
	char mac[USB_DEVICE_MAC_TEXT];
	struct functionfs functionfs;
	struct gadgetfs gadgetfs;
};

/* What the configuration offers the host, in the terms of wire/. Pure. */
struct ncm_offer device_offer(const struct config *c);
void device_descriptors(const struct config *c, struct ncm_descriptors *d);
void device_gadget_plan(const struct config *c, struct gadget_plan *plan);

/*
 * Removes what a killed ncmd left and opens the transport that the configuration asks for; for
 * "auto" FunctionFS if it takes NCM, else GadgetFS, but that only if no function is lost or
 * `fallback` permits it. Says in the log which one, and why. Nothing is on the bus yet. 0 or -errno
 * with *f filled.
 */
int device_open(struct device *d, const struct config *c, struct failure *f);

/* Binds to the UDC. Control events may come before it returns. */
int device_bind(struct device *d, struct failure *f);

/* The UDC it is bound to. */
const char *device_udc(const struct device *d);

/* Takes it off the bus and everything down; without waiting for the host. */
int device_close(struct device *d, struct failure *f);

#endif
