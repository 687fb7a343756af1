/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file system of GadgetFS: its mount, its control file, which is named after the first UDC
 * without a gadget, and the endpoint files that appear once it is bound.
 */
#ifndef NCMD_PORT_GADGETFS_FILES_H
#define NCMD_PORT_GADGETFS_FILES_H

#include <stdbool.h>

#include "port/log.h"
#include "wire/usb_endpoint.h"

#define GADGETFS_ENDPOINTS_MAX 64

struct gadgetfs_mount {
	char at[400];
	bool mounted;
	char control[64]; /* name of the control file: the gadget's name */
	char udc[64]; /* the UDC it will take */
};

/*
 * Mounts it and finds out which UDC it takes: that has to be `udc`, unless that is "auto".
 * 0 or -errno with *f filled, which tells a missing module from a missing or busy UDC.
 */
int gadgetfs_mount(struct gadgetfs_mount *m, const char *at, const char *udc, struct failure *f);

/* Unmounts and removes the directory. */
void gadgetfs_unmount(struct gadgetfs_mount *m);

/* Opens a file in it, O_RDWR | O_NONBLOCK | O_CLOEXEC. The descriptor or -errno. */
int gadgetfs_file(const struct gadgetfs_mount *m, const char *name);

/* The names of the endpoint files there are; how many. */
unsigned int gadgetfs_endpoints(const struct gadgetfs_mount *m,
				char name[static GADGETFS_ENDPOINTS_MAX][USB_ENDPOINT_NAME_MAX]);

#endif
