/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The transport over GadgetFS, which every kernel with the module gadgetfs has: the whole
 * device is ours, with one configuration that holds NCM and nothing else. Full and high speed.
 *
 * Who owns what: everything is the loop's, but for the order that a helper has been given:
 * `stage` has ep0 from an order to its result, `writer` one transfer on its endpoint's file.
 * Both copy what they send, so no memory is shared. Files are closed by the loop, after it has
 * called the helper back.
 */
#ifndef NCMD_PORT_GADGETFS_H
#define NCMD_PORT_GADGETFS_H

#include <linux/usb/gadgetfs.h>
#include <stdbool.h>

#include "port/aio_guard.h"
#include "port/ep0_stage.h"
#include "port/ep_aio.h"
#include "port/ep_writer.h"
#include "port/gadgetfs_files.h"
#include "port/log.h"
#include "port/transport.h"
#include "wire/ncm_descriptors.h"
#include "wire/usb_device.h"

/* What the device is. */
struct gadgetfs_plan {
	const char *udc; /* a name in /sys/class/udc, or "auto" */
	struct ncm_identity identity;
	struct ncm_descriptors function; /* endpoint numbers are found, strings set here */
	const char *string[USB_STRINGS]; /* UTF-8; live as long as the transport */
	enum usb_speed fastest; /* super counts as high */
};

#define GADGETFS_WRITERS    2
#define GADGETFS_EVENTS_MAX 5 /* the kernel queues no more */

struct gadgetfs {
	struct transport base; /* first: the ops cast back */
	struct ep_aio aio;
	struct aio_guard guard;
	struct ep0_stage stage;
	struct ep_writer writer[GADGETFS_WRITERS]; /* of ENDPOINT_NOTIFY and ENDPOINT_BULK_IN */
	struct gadgetfs_mount mount;
	struct gadgetfs_plan plan;
	struct usb_device device;
	char endpoint_file[ENDPOINTS][USB_ENDPOINT_NAME_MAX];
	int ep0;
	int ep[ENDPOINTS]; /* -1: not configured */
	int watch; /* epoll of ep0, the stage's result and `wake`: base.event_fd */
	int wake; /* an eventfd: there is an event that did not come from ep0 */
	enum usb_speed speed;
	bool enabled; /* the flows were told ENABLE, and not DISABLE since */
	bool suspended;
	bool say_bind, say_resume; /* events to come that the kernel does not have */
	struct usb_gadgetfs_event event[GADGETFS_EVENTS_MAX];
	unsigned int event_next, events;
	struct usb_setup setup; /* the request being answered */
	bool ours; /* its answer does not concern the link */
	bool aborted; /* the host gave up a request: ep0 may have to be freed from it */
};

/*
 * Mounts GadgetFS at `mount_point` (made if missing); nothing is on the bus yet. On failure
 * everything is undone, -errno is returned and *f says what to do.
 */
int gadgetfs_open(struct gadgetfs *g, const char *mount_point, const struct gadgetfs_plan *plan,
		  struct failure *f);

/* Binds to the UDC. 0 or -errno with *f filled; control events may come at once. */
int gadgetfs_bind(struct gadgetfs *g, struct failure *f);

/* The UDC, as /sys/class/udc has it; for logs. */
const char *gadgetfs_udc(const struct gadgetfs *g);

/* Off the bus; every transfer ends. No helper runs any more. */
void gadgetfs_unbind(struct gadgetfs *g);

/* Unmounts and frees; after gadgetfs_unbind(). */
void gadgetfs_close(struct gadgetfs *g);

#endif
