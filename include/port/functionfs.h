/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The transport over FunctionFS: one mounted instance, its ep0 and its three
 * endpoint files. Needs alternate settings (Linux 6.10) and a usb_f_fs that takes
 * CDC descriptors (kernel/ in this repository).
 */
#ifndef NCMD_PORT_FUNCTIONFS_H
#define NCMD_PORT_FUNCTIONFS_H

#include <linux/usb/functionfs.h>
#include <stdbool.h>

#include "port/ep0_stage.h"
#include "port/ep_aio.h"
#include "port/log.h"
#include "port/transport.h"

#define FUNCTIONFS_EVENTS_MAX 4 /* the kernel returns no more per read */

struct functionfs {
	struct transport base; /* first: the ops cast back */
	struct ep_aio aio;
	struct ep0_stage stage;
	char mount_point[256];
	bool mounted;
	int ep0;
	int ep[ENDPOINTS];
	int watch; /* epoll of ep0 and the stage's result: base.event_fd */
	struct usb_functionfs_event event[FUNCTIONFS_EVENTS_MAX];
	unsigned int event_next, events;
	struct usb_setup setup; /* the request being answered */
};

/* What functionfs_open() writes to ep0. */
struct functionfs_blobs {
	const uint8_t *descriptors;
	size_t descriptors_len;
	const uint8_t *strings;
	size_t strings_len;
};

/*
 * Mounts instance `name` at `mount_point` (made if missing), writes the blobs and
 * opens the endpoints; the gadget may be bound afterwards. On failure everything
 * is undone, -errno is returned and *f says what to do: a stock kernel, which
 * refuses the NCM descriptors, is told from any other trouble.
 */
int functionfs_open(struct functionfs *ffs, const char *name, const char *mount_point,
		    const struct functionfs_blobs *blobs, struct failure *f);

/* Interrupts a pending control stage, so that unbinding cannot wait for the host. */
void functionfs_quiet(struct functionfs *ffs);

/* Closes the endpoints, unmounts, removes the mount point. */
void functionfs_close(struct functionfs *ffs);

/*
 * Whether the kernel's FunctionFS has alternate settings (f_fs.c's get_alt, Linux
 * 6.10): by release number where that is enough, else by the symbol.
 */
bool functionfs_has_altsettings(void);

#endif
