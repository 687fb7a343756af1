/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The TAP device: one Ethernet frame a read or write, or with offloads one packet of
 * up to 64 KiB that the kernel leaves to be cut, or takes joined.
 */
#ifndef NCMD_PORT_TAP_H
#define NCMD_PORT_TAP_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "port/log.h"
#include "wire/gro_join.h"
#include "wire/vnet_hdr.h"

struct tap {
	int fd; /* O_NONBLOCK; watch it edge-triggered and read until -EAGAIN */
	char name[IFNAMSIZ];
	bool carrier;
	bool vnet; /* every read and write has a virtio header: offloads are possible */
	bool segments; /* reads may bring packets of more than one datagram */
};

/*
 * Makes the interface `name`, or takes over a persistent one; carrier is off. With
 * `offload` it has virtio headers and, where the kernel has them, TCP and UDP segmentation.
 * 0 or -errno with *f filled.
 */
int tap_open(struct tap *t, const char *name, bool persist, bool offload, struct failure *f);
void tap_close(struct tap *t);

/*
 * Whether the kernel may leave packets uncut for reads (TSO, USO); no effect without `vnet`.
 * On a slow wire one such packet is a long wait for all others.
 */
void tap_want_segments(struct tap *t, bool wanted);

/* The largest packet a read may bring, in bytes, when datagrams have at most `max_datagram`. */
size_t tap_packet_max(const struct tap *t, size_t max_datagram);

/*
 * One packet, scattered over at most two pieces; its length without the virtio header, which
 * goes to *hdr (all zero without `vnet`), or -errno (-EAGAIN: none). A longer one is cut off.
 */
ssize_t tap_read(struct tap *t, struct vnet_hdr *hdr, const struct iovec *iov, int n);

/*
 * One packet as gro_join_seal() prepares it: a virtio header at the start of the first
 * piece, which is left out without `vnet`. 0 or -errno.
 */
int tap_write(struct tap *t, const struct gro_piece *piece, unsigned int n);

/* The release of the kernel whose TAP it is, for messages. Never NULL. */
const char *tap_kernel_release(void);

/* Says to the kernel whether a host listens. Without TUNSETCARRIER (before 5.0) does nothing. */
void tap_set_carrier(struct tap *t, bool on);

#endif
