/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The headers inside an Ethernet frame, as far as offloads need them. All structs
 * have alignment 1, so they lie over the bytes of a frame. What is not understood is
 * "not a candidate": such a frame passes unchanged.
 */
#ifndef NCMD_WIRE_FRAME_H
#define NCMD_WIRE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/bytes.h"

#define ETHERTYPE_IPV4	  0x0800u
#define ETHERTYPE_IPV6	  0x86ddu
#define ETHERTYPE_VLAN	  0x8100u /* [802.1Q 9.6]: C-tag */
#define ETHERTYPE_SERVICE 0x88a8u /* S-tag */

#define IP_PROTOCOL_TCP	  6u
#define IP_PROTOCOL_UDP	  17u

struct ipv4_header { /* [RFC 791 3.1] */
	uint8_t version_ihl;
	uint8_t tos;
	be16 total_length;
	be16 id;
	be16 fragment;
	uint8_t ttl;
	uint8_t protocol;
	be16 checksum;
	uint8_t addresses[8]; /* source, destination */
};
_Static_assert(sizeof(struct ipv4_header) == 20, "RFC 791 3.1");

/* Bits of `fragment`. */
#define IPV4_DONT_FRAGMENT   0x4000u
#define IPV4_FRAGMENT_FIELDS 0x3fffu /* more-fragments and the offset */

struct ipv6_header { /* [RFC 8200 3] */
	uint8_t version_class_flow[4];
	be16 payload_length;
	uint8_t next_header;
	uint8_t hop_limit;
	uint8_t addresses[32]; /* source, destination */
};
_Static_assert(sizeof(struct ipv6_header) == 40, "RFC 8200 3");

struct tcp_header { /* [RFC 9293 3.1] */
	be16 source, destination;
	be32 sequence;
	be32 acknowledgment;
	uint8_t offset; /* high nibble: header length in 32-bit words; low one: reserved, AE */
	uint8_t flags;
	be16 window;
	be16 checksum;
	be16 urgent;
};
_Static_assert(sizeof(struct tcp_header) == 20, "RFC 9293 3.1");

#define TCP_FIN		    0x01u
#define TCP_PSH		    0x08u
#define TCP_ACK		    0x10u
#define TCP_CWR		    0x80u

#define TCP_CHECKSUM_OFFSET 16u
#define TCP_HEADER_MAX	    60u

struct udp_header { /* [RFC 768] */
	be16 source, destination;
	be16 length;
	be16 checksum;
};
_Static_assert(sizeof(struct udp_header) == 8, "RFC 768");

#define UDP_CHECKSUM_OFFSET 6u

/*
 * Where the network header of the frame starts, behind the Ethernet header and at
 * most two VLAN tags, and its type in *ethertype. 0, and *ethertype untouched, if the
 * frame is too short or has more tags. The network header itself may be cut short.
 */
size_t frame_network_header(const uint8_t *frame, size_t len, uint16_t *ethertype);

/* A TCP segment that may be joined with others. */
struct frame_tcp {
	bool ipv6;
	uint16_t tcp; /* offset of the TCP header: 34 or 54 */
	uint16_t header_len; /* Ethernet, IP and TCP: offset of the payload */
	uint16_t payload_len; /* >= 1 */
};

/*
 * Whether the frame is untagged TCP over IPv4 without options or fragments, or over
 * IPv6 without extension headers; with payload, without padding, its flags ACK or
 * ACK+PSH and nothing else. Checksums are not looked at. Fills *out only if so.
 */
bool frame_is_tcp_data(const uint8_t *frame, size_t len, struct frame_tcp *out);

/*
 * A number that all frames of one flow have in common: of addresses, protocol and
 * ports where they are found (not in fragments), else of the Ethernet header. Well
 * mixed, so a few of its bits will do.
 */
uint32_t frame_flow_hash(const uint8_t *frame, size_t len);

#endif
