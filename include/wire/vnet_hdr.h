/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a TAP with IFF_VNET_HDR puts in front of each frame: struct virtio_net_hdr of
 * ten bytes [VIRTIO 5.1.6], [linux/virtio_net.h]. The names are ours so that both
 * can be included.
 */
#ifndef NCMD_WIRE_VNET_HDR_H
#define NCMD_WIRE_VNET_HDR_H

#include <stdint.h>
#include <string.h>

#define VNET_HDR_LEN	     10u /* TUNSETVNETHDRSZ: with 14 more the IP header is 4-aligned */

#define VNET_PACKET_MAX	     65557u /* IP packet of 65535 bytes, Ethernet header, two VLAN tags */

#define VNET_FLAG_NEEDS_CSUM 0x01u /* the checksum field holds the pseudo-header sum */

#define VNET_GSO_NONE	     0u
#define VNET_GSO_TCPV4	     1u
#define VNET_GSO_TCPV6	     4u
#define VNET_GSO_UDP_L4	     5u
#define VNET_GSO_ECN	     0x80u /* set beside a TCP type: the packet carries CWR */

/*
 * Numbers in the byte order of the machine: what the kernel gives unless
 * TUNSETVNETLE is set, which on little-endian machines is the same [facts tap-offload 4].
 */
struct vnet_hdr {
	uint8_t flags;
	uint8_t gso_type;
	uint16_t hdr_len; /* a hint that can be wrong: never used when it comes from the kernel */
	uint16_t gso_size; /* payload bytes of a full segment */
	uint16_t csum_start; /* bytes from the start of the frame */
	uint16_t csum_offset; /* bytes from csum_start */
};
_Static_assert(sizeof(struct vnet_hdr) == VNET_HDR_LEN, "VIRTIO 5.1.6");

/* The header that starts at p, which need not be aligned. */
static inline struct vnet_hdr vnet_hdr_at(const uint8_t p[static VNET_HDR_LEN])
{
	struct vnet_hdr h;

	memcpy(&h, p, sizeof(h));
	return h;
}

/* Writes all ten bytes to p, which need not be aligned. */
static inline void vnet_hdr_put(uint8_t p[static VNET_HDR_LEN], const struct vnet_hdr *h)
{
	memcpy(p, h, sizeof(*h));
}

#endif
