/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The TAP device: one Ethernet frame a read or write. */
#ifndef NCMD_PORT_TAP_H
#define NCMD_PORT_TAP_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "port/log.h"

struct tap {
	int fd; /* O_NONBLOCK; watch it edge-triggered and read until -EAGAIN */
	char name[IFNAMSIZ];
	bool carrier;
};

/*
 * Makes the interface `name`, or takes over a persistent one; carrier is off.
 * 0 or -errno with *f filled.
 */
int tap_open(struct tap *t, const char *name, bool persist, struct failure *f);
void tap_close(struct tap *t);

/* One frame, scattered; its length, or -errno (-EAGAIN: none). A longer frame is cut. */
ssize_t tap_read(struct tap *t, const struct iovec *iov, int n);

/* One frame; 0 or -errno. */
int tap_write(struct tap *t, const uint8_t *frame, size_t len);

/* Says to the kernel whether a host listens. Without TUNSETCARRIER (before 5.0) does nothing. */
void tap_set_carrier(struct tap *t, bool on);

#endif
