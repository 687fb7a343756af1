/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Joining [facts tap-offload 6], narrower than the kernel's GRO (tcp_gro_receive()):
 * what was joined is cut by the kernel, when it forwards it, into the very frames it
 * was made of.
 */
#include "wire/gro_join.h"

#include "wire/bytes.h"
#include "wire/csum.h"
#include "wire/ncm_spec.h"

#define IP_PACKET_MAX 65535u

/* Offsets in an untagged frame; those in the TCP header are relative to it. */
#define IP_AT	     ETHERNET_HEADER_LEN
#define TCP_FLAGS_AT 13u

#define PROBE_FRAME_LEN (GRO_JOIN_PROBE_LEN / 2)

void gro_join_begin(struct gro_join *j, unsigned int frames_max)
{
	if (frames_max > GRO_JOIN_FRAMES_MAX)
		frames_max = GRO_JOIN_FRAMES_MAX;
	j->frames_max = frames_max > 1 ? frames_max : 1;
	j->frames = 0;
	j->push = true; /* nothing goes on from here */
}

static const struct ipv4_header *ipv4_of(const uint8_t *frame)
{
	return (const void *)(frame + IP_AT);
}

static const struct ipv6_header *ipv6_of(const uint8_t *frame)
{
	return (const void *)(frame + IP_AT);
}

static const struct tcp_header *tcp_of(const uint8_t *frame, const struct frame_tcp *t)
{
	return (const void *)(frame + t->tcp);
}

/* Not 0 if the four bytes at `at` differ; any byte order will do for that. */
static uint32_t differ32(const uint8_t *a, const uint8_t *b, size_t at)
{
	uint32_t va, vb;

	memcpy(&va, a + at, sizeof(va));
	memcpy(&vb, b + at, sizeof(vb));
	return va ^ vb;
}

static uint32_t differ16(const uint8_t *a, const uint8_t *b, size_t at)
{
	uint16_t va, vb;

	memcpy(&va, a + at, sizeof(va));
	memcpy(&vb, b + at, sizeof(vb));
	return va ^ vb;
}

/* Ethernet addresses and type, version, TOS or class and flow, fragment bits, TTL, addresses. */
static bool is_same_path(const uint8_t *a, const uint8_t *b, bool ipv6)
{
	uint32_t differ =
		differ32(a, b, 0) | differ32(a, b, 4) | differ32(a, b, 8) | differ32(a, b, 12);

	if (!ipv6) { /* not total length, ID, checksum */
		differ |= differ32(a, b, 20) | differ32(a, b, 26) | differ32(a, b, 30);
		return differ == 0;
	}
	differ |= differ16(a, b, 16) | differ16(a, b, 20); /* not payload length */
	for (size_t at = 22; at < 54; at += 4)
		differ |= differ32(a, b, at);
	return differ == 0;
}

/* Ports, acknowledgment, flags but PSH, window, urgent pointer, options; both have `len` bytes. */
static bool is_same_state(const uint8_t *a, const uint8_t *b, size_t len)
{
	uint32_t differ =
		differ32(a, b, 0) | differ32(a, b, 8) | differ16(a, b, 14) | differ16(a, b, 18);

	differ |= (a[TCP_FLAGS_AT] ^ b[TCP_FLAGS_AT]) & ~TCP_PSH;
	for (size_t at = sizeof(struct tcp_header); at < len; at += 4)
		differ |= differ32(a, b, at);
	return differ == 0;
}

static uint32_t pseudo_sum(const uint8_t *frame, const struct frame_tcp *t, uint32_t tcp_len)
{
	if (t->ipv6)
		return csum_pseudo6(ipv6_of(frame)->addresses, IP_PROTOCOL_TCP, tcp_len);
	return csum_pseudo4(ipv4_of(frame)->addresses, IP_PROTOCOL_TCP, tcp_len);
}

/* Whether both checksums of the frame are right. */
static bool is_intact(const uint8_t *frame, const struct frame_tcp *t)
{
	uint32_t tcp_len = (uint32_t)(t->header_len - t->tcp) + t->payload_len;
	uint32_t sum = pseudo_sum(frame, t, tcp_len) + csum_of(frame + t->tcp, tcp_len);

	if (csum_fold(sum) != 0xffff)
		return false;
	return t->ipv6 || csum_of(frame + IP_AT, sizeof(struct ipv4_header)) == 0xffff;
}

/* Starts a run; with `t` NULL one that nothing continues. */
static void start(struct gro_join *j, const uint8_t *frame, size_t len, const struct frame_tcp *t)
{
	const struct tcp_header *tcp;
	uint32_t sequence, ports;

	j->first = frame;
	j->first_len = len;
	j->frames = 1;
	j->closed = true;
	j->goes_on = false;
	if (!t || j->frames_max == 1)
		return;
	tcp = tcp_of(frame, t);
	sequence = be32_get(tcp->sequence);
	memcpy(&ports, tcp, sizeof(ports));
	j->goes_on = !j->push && sequence == j->next_sequence && ports == j->ports;
	j->ports = ports;
	j->tcp = *t;
	j->payload_len = t->payload_len;
	j->next_sequence = sequence + t->payload_len;
	j->any_id = t->ipv6 || be16_get(ipv4_of(frame)->fragment) & IPV4_DONT_FRAGMENT;
	j->id = t->ipv6 ? 0 : be16_get(ipv4_of(frame)->id);
	j->verified = false;
	j->push = tcp->flags & TCP_PSH;
	j->closed = j->push;
}

/* Whether the headers of the frame continue the run. */
static bool may_follow(const struct gro_join *j, const uint8_t *frame, const struct frame_tcp *t)
{
	const struct frame_tcp *a = &j->tcp;

	/* Whether both are IPv4 or both IPv6 is_same_path() finds in the type. */
	if (t->header_len != a->header_len || t->payload_len > a->payload_len)
		return false;
	if (be32_get(tcp_of(frame, t)->sequence) != j->next_sequence)
		return false;
	if (!j->any_id && be16_get(ipv4_of(frame)->id) != (uint16_t)(j->id + j->frames))
		return false;
	if (a->header_len - IP_AT + j->payload_len + t->payload_len > IP_PACKET_MAX)
		return false;
	return is_same_path(j->first, frame, t->ipv6) &&
	       is_same_state(j->first + t->tcp, frame + t->tcp, (size_t)(t->header_len - t->tcp));
}

static void append(struct gro_join *j, const uint8_t *frame, const struct frame_tcp *t)
{
	j->frames++;
	j->piece[j->frames] = (struct gro_piece){ frame + t->header_len, t->payload_len };
	j->payload_len += t->payload_len;
	j->next_sequence += t->payload_len;
	j->push = tcp_of(frame, t)->flags & TCP_PSH;
	j->closed = j->push || t->payload_len < j->tcp.payload_len || j->frames == j->frames_max;
}

bool gro_join_add(struct gro_join *j, const uint8_t *frame, size_t len)
{
	struct frame_tcp t;
	bool candidate;

	if (j->frames && j->closed)
		return false;
	candidate = frame_is_tcp_data(frame, len, &t);
	if (!j->frames) {
		start(j, frame, len, candidate ? &t : NULL);
		return true;
	}
	if (!candidate || !may_follow(j, frame, &t))
		return false;
	/* Only now: most frames that stay alone are never summed. */
	if (!j->verified && !is_intact(j->first, &j->tcp))
		return false;
	j->verified = true;
	if (!is_intact(frame, &t))
		return false;
	append(j, frame, &t);
	return true;
}

/* The headers of the joined packet, behind the virtio header. */
static void patch_headers(const struct gro_join *j, uint8_t *at)
{
	const struct frame_tcp *t = &j->tcp;
	uint32_t tcp_len = (uint32_t)(t->header_len - t->tcp) + j->payload_len;
	struct ipv4_header *ip4 = (void *)(at + IP_AT);
	struct ipv6_header *ip6 = (void *)(at + IP_AT);
	struct tcp_header *tcp = (void *)(at + t->tcp);

	memcpy(at, j->first, t->header_len);
	if (t->ipv6) {
		ip6->payload_length = be16_of((uint16_t)tcp_len);
	} else {
		ip4->total_length = be16_of((uint16_t)(tcp_len + sizeof(*ip4)));
		ip4->checksum = be16_of(0);
		ip4->checksum = be16_of(csum_finish(csum_of(at + IP_AT, sizeof(*ip4))));
	}
	if (j->push)
		tcp->flags |= TCP_PSH;
	/* Not complemented: the kernel, or a device, adds the rest to it. */
	tcp->checksum = be16_of(csum_fold(pseudo_sum(at, t, tcp_len)));
}

unsigned int gro_join_seal(struct gro_join *j)
{
	const struct frame_tcp *t = &j->tcp;
	struct vnet_hdr hdr = { .flags = 0 };

	if (!j->frames)
		return 0;
	j->closed = true;
	j->piece[0] = (struct gro_piece){ j->header, VNET_HDR_LEN };
	j->piece[1] = (struct gro_piece){ j->first, j->first_len };
	if (j->frames > 1) {
		hdr.flags = VNET_FLAG_NEEDS_CSUM;
		hdr.gso_type = t->ipv6 ? VNET_GSO_TCPV6 : VNET_GSO_TCPV4;
		hdr.hdr_len = t->header_len;
		hdr.gso_size = t->payload_len;
		hdr.csum_start = t->tcp;
		hdr.csum_offset = TCP_CHECKSUM_OFFSET;
		patch_headers(j, j->header + VNET_HDR_LEN);
		j->piece[0].len += t->header_len;
		j->piece[1].bytes += t->header_len;
		j->piece[1].len -= t->header_len;
	}
	vnet_hdr_put(j->header, &hdr);
	return 1 + j->frames;
}

struct gro_piece gro_join_frame(const struct gro_join *j, unsigned int i)
{
	if (i == 0)
		return (struct gro_piece){ j->first, j->first_len };
	return (struct gro_piece){ j->piece[1 + i].bytes - j->tcp.header_len,
				   j->piece[1 + i].len + j->tcp.header_len };
}

/* A TCP segment of `payload` bytes at `sequence`, from nobody to nobody, with a TTL of 0. */
static size_t probe_segment(uint8_t frame[static PROBE_FRAME_LEN], uint32_t sequence, uint16_t payload)
{
	static const uint8_t start[] = {
		0x02, 0, 0, 0, 0, 0xfe, 0x02, 0, 0, 0, 0, 0xfd, 0x08, 0x00, /* Ethernet */
		0x45, 0, 0, 0, 0, 1, 0x40, 0, 0, IP_PROTOCOL_TCP, 0, 0, /* IPv4, DF */
		192, 0, 2, 1, 192, 0, 2, 2, /* RFC 5737 */
		0, 9, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0x50, TCP_ACK, 1, 0, 0, 0, 0, 0,
	};
	struct ipv4_header *ip = (void *)(frame + ETHERNET_HEADER_LEN);
	struct tcp_header *tcp = (void *)(ip + 1);
	uint16_t tcp_len = (uint16_t)(sizeof(*tcp) + payload);

	memcpy(frame, start, sizeof(start));
	memset(frame + sizeof(start), 0, payload);
	ip->total_length = be16_of((uint16_t)(sizeof(*ip) + tcp_len));
	ip->checksum = be16_of(csum_finish(csum_of((const uint8_t *)ip, sizeof(*ip))));
	tcp->sequence = be32_of(sequence);
	tcp->checksum = be16_of(
		csum_finish(csum_pseudo4(ip->addresses, IP_PROTOCOL_TCP, tcp_len) +
			    csum_of((const uint8_t *)tcp, tcp_len)));
	return ETHERNET_HEADER_LEN + sizeof(*ip) + tcp_len;
}

void gro_join_probe(struct gro_join *j, uint8_t memory[static GRO_JOIN_PROBE_LEN])
{
	uint8_t *second = memory + PROBE_FRAME_LEN;

	gro_join_begin(j, 2);
	gro_join_add(j, memory, probe_segment(memory, 0, 8));
	gro_join_add(j, second, probe_segment(second, 8, 4));
}
