/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A USB cable for tests: a SOCK_SEQPACKET socket, one packet a bulk transfer. Both
 * ends are alike; each is enabled from the start, at a speed that is given.
 */
#ifndef NCMD_PORT_CABLE_H
#define NCMD_PORT_CABLE_H

#include "port/log.h"
#include "port/transport.h"

struct cable {
	struct transport base;
	int socket; /* owned */
	struct transport_link link;
	bool enable_pending, close_pending, closed;
	struct transfer *out[TRANSPORT_QUEUE_MAX]; /* armed reads, a ring: oldest first */
	unsigned int out_first, n_out;
	struct transfer *sent[TRANSPORT_QUEUE_MAX]; /* sent, not yet reaped */
	unsigned int n_sent;
};

/* Takes over `socket`, made non-blocking. 0 or -errno with *f filled. */
int cable_open(struct cable *c, int socket, enum usb_speed speed, struct failure *f);
void cable_close(struct cable *c);

#endif
