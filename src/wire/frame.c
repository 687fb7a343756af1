/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Offsets of the headers in an Ethernet frame. The conditions for joining are those of
 * the kernel's GRO where it has them, and narrower [facts tap-offload 6.1].
 */
#include "wire/frame.h"

#include "wire/ncm_spec.h"

#define ETHERTYPE_AT  12u
#define VLAN_TAGS_MAX 2

static uint16_t be16_at(const uint8_t *p)
{
	be16 v;

	memcpy(&v, p, sizeof(v));
	return be16_get(v);
}

size_t frame_network_header(const uint8_t *frame, size_t len, uint16_t *ethertype)
{
	size_t at = ETHERTYPE_AT;
	uint16_t type;

	for (int tags = 0; at + sizeof(be16) <= len; tags++) {
		type = be16_at(frame + at);
		if (type != ETHERTYPE_VLAN && type != ETHERTYPE_SERVICE) {
			*ethertype = type;
			return at + sizeof(be16);
		}
		if (tags == VLAN_TAGS_MAX)
			return 0;
		at += ETHERNET_VLAN_TAG_LEN;
	}
	return 0;
}

/* `ip_len`: bytes of the frame behind the Ethernet header, at least an IPv4 header. */
static bool is_plain_ipv4_tcp(const struct ipv4_header *ip, size_t ip_len)
{
	return ip->version_ihl == 0x45 && ip->protocol == IP_PROTOCOL_TCP &&
	       be16_get(ip->total_length) == ip_len &&
	       (be16_get(ip->fragment) & IPV4_FRAGMENT_FIELDS) == 0;
}

/* `ip_len` as above, at least an IPv6 header. */
static bool is_plain_ipv6_tcp(const struct ipv6_header *ip, size_t ip_len)
{
	return ip->version_class_flow[0] >> 4 == 6 && ip->next_header == IP_PROTOCOL_TCP &&
	       be16_get(ip->payload_length) + sizeof(*ip) == ip_len;
}

bool frame_is_tcp_data(const uint8_t *frame, size_t len, struct frame_tcp *out)
{
	const uint8_t *ip = frame + ETHERNET_HEADER_LEN;
	const struct tcp_header *tcp;
	size_t tcp_at, header_len;
	uint16_t type;

	if (len < ETHERNET_HEADER_LEN + sizeof(struct ipv4_header) + sizeof(*tcp))
		return false;
	type = be16_at(frame + ETHERTYPE_AT);
	if (type == ETHERTYPE_IPV4) {
		tcp_at = ETHERNET_HEADER_LEN + sizeof(struct ipv4_header);
		if (!is_plain_ipv4_tcp((const void *)ip, len - ETHERNET_HEADER_LEN))
			return false;
	} else if (type == ETHERTYPE_IPV6) {
		tcp_at = ETHERNET_HEADER_LEN + sizeof(struct ipv6_header);
		if (len < tcp_at + sizeof(*tcp) ||
		    !is_plain_ipv6_tcp((const void *)ip, len - ETHERNET_HEADER_LEN))
			return false;
	} else {
		return false;
	}
	tcp = (const void *)(frame + tcp_at);
	header_len = tcp_at + (tcp->offset >> 4) * 4u;
	if (header_len < tcp_at + sizeof(*tcp) || header_len >= len)
		return false;
	if ((tcp->offset & 0x0f) != 0 || (tcp->flags & ~TCP_PSH) != TCP_ACK)
		return false;
	out->ipv6 = type == ETHERTYPE_IPV6;
	out->tcp = (uint16_t)tcp_at;
	out->header_len = (uint16_t)header_len;
	out->payload_len = (uint16_t)(len - header_len);
	return true;
}

/* One step of FNV-1a on 32-bit words, and what spreads a sum of such steps over all bits. */
static uint32_t mix(uint32_t hash, const uint8_t *bytes, size_t words)
{
	for (size_t i = 0; i < words; i++) {
		uint32_t w;

		memcpy(&w, bytes + i * sizeof(w), sizeof(w));
		hash = (hash ^ w) * 0x01000193u;
	}
	return hash;
}

static uint32_t spread(uint32_t hash)
{
	hash ^= hash >> 16;
	hash *= 0x85ebca6bu;
	return hash ^ hash >> 13;
}

static bool has_ports(uint8_t protocol)
{
	return protocol == IP_PROTOCOL_TCP || protocol == IP_PROTOCOL_UDP;
}

uint32_t frame_flow_hash(const uint8_t *frame, size_t len)
{
	uint32_t hash = 0x811c9dc5u;
	uint16_t type = 0;
	size_t at = frame_network_header(frame, len, &type);

	if (at && type == ETHERTYPE_IPV4 && at + sizeof(struct ipv4_header) <= len) {
		const struct ipv4_header *ip = (const void *)(frame + at);
		size_t ports = at + (ip->version_ihl & 0x0f) * 4u;

		hash = mix(hash ^ ip->protocol, ip->addresses, 2);
		if (has_ports(ip->protocol) && ports + 4 <= len &&
		    !(be16_get(ip->fragment) & IPV4_FRAGMENT_FIELDS))
			hash = mix(hash, frame + ports, 1);
	} else if (at && type == ETHERTYPE_IPV6 && at + sizeof(struct ipv6_header) <= len) {
		const struct ipv6_header *ip = (const void *)(frame + at);

		at += sizeof(*ip);
		hash = mix(hash ^ ip->next_header, ip->addresses, 8);
		if (has_ports(ip->next_header) && at + 4 <= len)
			hash = mix(hash, frame + at, 1);
	} else if (len >= ETHERNET_HEADER_LEN) {
		hash = mix(hash ^ type, frame, 3);
	}
	return spread(hash);
}
