/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel leaves to a device with offloads, done before a frame reaches USB:
 * completes checksums, and cuts one large TCP or UDP packet into frames.
 *
 *	gso_complete()		gso_type 0: the checksum, in place
 *	gso_split_begin()	any other: judges the packet
 *	gso_split_next()	one segment, finished, straight into a slot of an NTB
 *
 * A packet of 64 KiB is 4.5 NTBs of 16 KiB, so the splitter stops after any segment
 * and goes on in another NTB: it is a state, not a loop. Each payload byte is copied
 * once and summed on the way.
 */
#ifndef NCMD_WIRE_GSO_SPLIT_H
#define NCMD_WIRE_GSO_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/vnet_hdr.h"

/* Ethernet, two tags, IPv6, TCP with options: 122; the rest is for extension headers. */
#define GSO_HEADER_MAX 256

/* Each value but the first names one fault; gso_verdict_name() is its counter's name. */
enum gso_verdict {
	GSO_OK,
	GSO_BAD_TYPE, /* gso_type that was not asked for */
	GSO_NO_CSUM, /* a GSO type without VNET_FLAG_NEEDS_CSUM */
	GSO_BAD_SIZE, /* gso_size is 0 */
	GSO_BAD_NETWORK_HEADER, /* not the IP version of the type, or not its protocol */
	GSO_BAD_CSUM_START, /* inside another header, or behind the end */
	GSO_BAD_CSUM_OFFSET, /* not where the protocol has its checksum, or behind the end */
	GSO_BAD_TRANSPORT_HEADER, /* TCP header length below 20 */
	GSO_TRUNCATED, /* ends in the headers, or right behind them */
	GSO_HEADERS_TOO_LONG, /* more than GSO_HEADER_MAX */
	GSO_PACKET_TOO_LONG, /* IP packet longer than 65535 bytes */
	GSO_TOO_BIG, /* a segment would exceed the largest datagram: the MTU was changed */

	GSO_VERDICT_COUNT
};

/* One packet as read from the TAP; it stays the caller's. */
struct gso_packet {
	struct vnet_hdr hdr;
	const uint8_t *bytes; /* overlap no slot */
	size_t len;
};

struct gso_split {
	uint8_t header[GSO_HEADER_MAX]; /* of every segment; fields that differ are 0 */
	const uint8_t *payload; /* what is not yet sent */
	size_t payload_len;
	uint32_t offset; /* payload bytes sent */
	uint32_t sequence; /* TCP, of segment 0 */
	uint32_t network_sum; /* IPv4 header without total length and ID */
	uint32_t transport_sum; /* pseudo header without length, and transport header */
	uint16_t id; /* IPv4, of the next segment */
	uint16_t gso_size;
	uint16_t header_len; /* all headers: offset of the payload in a segment */
	uint16_t network, transport; /* offsets of the headers */
	uint8_t flags; /* TCP, of the packet */
	bool ipv6, udp;
};

/*
 * The checksum of a frame with gso_type 0, in place [VIRTIO 5.1.6.2]. Without
 * VNET_FLAG_NEEDS_CSUM the frame is left as it is. Anything but GSO_OK: the frame
 * is unchanged and must not be sent.
 */
enum gso_verdict gso_complete(const struct vnet_hdr *hdr, uint8_t *frame, size_t len);

/*
 * Judges a packet with a gso_type other than 0 for segments of at most `max_datagram`
 * bytes. GSO_OK: *s is set up, there is at least one segment, and the bytes of the
 * packet must stay until the last one. Anything else: drop the packet. hdr_len is not
 * used. Writes nothing but *s.
 */
enum gso_verdict gso_split_begin(struct gso_split *s, const struct gso_packet *packet,
				 size_t max_datagram);

/*
 * Writes the next segment to `slot` and returns its length; 0 if it is longer than
 * `room` (nothing is lost: call again with another slot) or there is none.
 */
size_t gso_split_next(struct gso_split *s, uint8_t *slot, size_t room);

/* The length of the next segment; 0 if there is none. */
size_t gso_split_next_len(const struct gso_split *s);

/* Leaves the next segment out, as if the wire had lost it; the others are as they would be. */
void gso_split_skip(struct gso_split *s);

/* Whether all segments were written or left out. */
static inline bool gso_split_is_done(const struct gso_split *s)
{
	return s->payload_len == 0;
}

/* "gso_bad_type" and so on; the name of a counter. Never NULL. */
const char *gso_verdict_name(enum gso_verdict v);

#endif
