/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Segmentation [facts tap-offload 5.2, 5.3], field by field as the kernel's own
 * (tcp_gso_segment(), __udp_gso_segment()). Sums of all that is the same in every
 * segment are made once; a segment adds its length, sequence, flags and payload.
 */
#include "wire/gso_split.h"

#include "wire/bytes.h"
#include "wire/csum.h"
#include "wire/frame.h"
#include "wire/ncm_spec.h"

#define IP_PACKET_MAX 65535u

enum gso_verdict gso_complete(const struct vnet_hdr *hdr, uint8_t *frame, size_t len)
{
	size_t start = hdr->csum_start;
	size_t field = start + hdr->csum_offset;
	uint32_t sum;
	be16 csum;

	if (!(hdr->flags & VNET_FLAG_NEEDS_CSUM))
		return GSO_OK;
	if (start < ETHERNET_HEADER_LEN || start > len)
		return GSO_BAD_CSUM_START;
	if (field + sizeof(csum) > len)
		return GSO_BAD_CSUM_OFFSET;
	/* The field holds the sum of the pseudo header and is summed with the rest. */
	sum = csum_of(frame + start, len - start);
	csum = be16_of(hdr->csum_offset == UDP_CHECKSUM_OFFSET ? csum_finish_udp(sum) :
								 csum_finish(sum));
	memcpy(frame + field, &csum, sizeof(csum));
	return GSO_OK;
}

static enum gso_verdict judge_hdr(struct gso_split *s, const struct vnet_hdr *hdr)
{
	switch (hdr->gso_type & ~VNET_GSO_ECN) {
	case VNET_GSO_TCPV4:
	case VNET_GSO_TCPV6:
		break;
	case VNET_GSO_UDP_L4:
		if (!(hdr->gso_type & VNET_GSO_ECN))
			break;
		return GSO_BAD_TYPE;
	default:
		return GSO_BAD_TYPE;
	}
	if (!(hdr->flags & VNET_FLAG_NEEDS_CSUM))
		return GSO_NO_CSUM;
	if (hdr->gso_size == 0)
		return GSO_BAD_SIZE;
	s->udp = hdr->gso_type == VNET_GSO_UDP_L4;
	s->gso_size = hdr->gso_size;
	s->transport = hdr->csum_start;
	if (hdr->csum_offset != (s->udp ? UDP_CHECKSUM_OFFSET : TCP_CHECKSUM_OFFSET))
		return GSO_BAD_CSUM_OFFSET;
	return GSO_OK;
}

/* IPv4: options, but nothing else, between the header and csum_start. */
static enum gso_verdict judge_ipv4(const struct gso_split *s, size_t len)
{
	const struct ipv4_header *ip = (const void *)(s->header + s->network);

	if (len < s->network + sizeof(*ip))
		return GSO_TRUNCATED;
	if (ip->version_ihl >> 4 != 4 ||
	    ip->protocol != (s->udp ? IP_PROTOCOL_UDP : IP_PROTOCOL_TCP))
		return GSO_BAD_NETWORK_HEADER;
	if ((ip->version_ihl & 0x0f) * 4u < sizeof(*ip))
		return GSO_BAD_NETWORK_HEADER;
	if (s->transport != s->network + (ip->version_ihl & 0x0f) * 4u)
		return GSO_BAD_CSUM_START;
	return GSO_OK;
}

/* IPv6: whatever lies between the header and csum_start is copied, not understood. */
static enum gso_verdict judge_ipv6(const struct gso_split *s, size_t len)
{
	const struct ipv6_header *ip = (const void *)(s->header + s->network);

	if (len < s->network + sizeof(*ip))
		return GSO_TRUNCATED;
	if (ip->version_class_flow[0] >> 4 != 6)
		return GSO_BAD_NETWORK_HEADER;
	if (s->transport < s->network + sizeof(*ip))
		return GSO_BAD_CSUM_START;
	if (s->transport == s->network + sizeof(*ip) &&
	    ip->next_header != (s->udp ? IP_PROTOCOL_UDP : IP_PROTOCOL_TCP))
		return GSO_BAD_NETWORK_HEADER;
	return GSO_OK;
}

/* `len` bytes of the packet are in s->header. */
static enum gso_verdict judge_network(struct gso_split *s, uint8_t gso_type, size_t len)
{
	uint16_t ethertype = 0;

	s->network = (uint16_t)frame_network_header(s->header, len, &ethertype);
	if (s->network == 0)
		return len < ETHERNET_HEADER_LEN ? GSO_TRUNCATED : GSO_BAD_NETWORK_HEADER;
	s->ipv6 = ethertype == ETHERTYPE_IPV6;
	if (!s->ipv6 && ethertype != ETHERTYPE_IPV4)
		return GSO_BAD_NETWORK_HEADER;
	if (!s->udp && s->ipv6 != ((gso_type & ~VNET_GSO_ECN) == VNET_GSO_TCPV6))
		return GSO_BAD_NETWORK_HEADER;
	return s->ipv6 ? judge_ipv6(s, len) : judge_ipv4(s, len);
}

static enum gso_verdict judge_transport(struct gso_split *s, size_t len)
{
	size_t transport_len = s->udp ? sizeof(struct udp_header) : sizeof(struct tcp_header);
	const struct tcp_header *tcp;

	if (s->transport + transport_len > sizeof(s->header))
		return GSO_HEADERS_TOO_LONG;
	if (s->transport + transport_len > len)
		return GSO_TRUNCATED;
	if (!s->udp) {
		tcp = (const void *)(s->header + s->transport);
		if ((tcp->offset >> 4) * 4u < transport_len)
			return GSO_BAD_TRANSPORT_HEADER;
		transport_len = (tcp->offset >> 4) * 4u;
	}
	s->header_len = (uint16_t)(s->transport + transport_len);
	if (s->header_len > sizeof(s->header))
		return GSO_HEADERS_TOO_LONG;
	return s->header_len > len ? GSO_TRUNCATED : GSO_OK;
}

static enum gso_verdict judge_lengths(const struct gso_split *s, size_t len, size_t max_datagram)
{
	size_t payload = len - s->header_len;

	if (payload == 0)
		return GSO_TRUNCATED;
	if (len - s->network > IP_PACKET_MAX)
		return GSO_PACKET_TOO_LONG;
	if (s->header_len + (payload < s->gso_size ? payload : s->gso_size) > max_datagram)
		return GSO_TOO_BIG;
	return GSO_OK;
}

static void prepare_ipv4(struct gso_split *s)
{
	struct ipv4_header *ip = (void *)(s->header + s->network);

	s->id = be16_get(ip->id);
	ip->total_length = ip->id = ip->checksum = be16_of(0);
	s->network_sum = csum_of(s->header + s->network, s->transport - s->network);
}

/*
 * The field of the packet is its pseudo-header sum with the length of the whole; taking
 * that length out of it leaves addresses and protocol. As the kernel does, and not from
 * the IP header: with a source route the final destination is not there.
 */
static void prepare_transport(struct gso_split *s, size_t len)
{
	uint8_t *at = s->header + s->transport;
	uint32_t whole = csum_finish((uint32_t)(len - s->transport)); /* ~n is -n */
	struct tcp_header *tcp = (void *)at;
	struct udp_header *udp = (void *)at;

	if (s->udp) {
		s->transport_sum = be16_get(udp->checksum);
		udp->length = udp->checksum = be16_of(0);
	} else {
		s->transport_sum = be16_get(tcp->checksum);
		s->sequence = be32_get(tcp->sequence);
		s->flags = tcp->flags;
		tcp->sequence = be32_of(0);
		tcp->checksum = be16_of(0);
		tcp->flags = 0;
	}
	s->transport_sum += whole + csum_of(at, (size_t)s->header_len - s->transport);
}

enum gso_verdict gso_split_begin(struct gso_split *s, const struct gso_packet *packet,
				 size_t max_datagram)
{
	size_t len = packet->len;
	size_t gathered = len < sizeof(s->header) ? len : sizeof(s->header);
	enum gso_verdict v = judge_hdr(s, &packet->hdr);

	if (v != GSO_OK)
		return v;
	if (gathered)
		memcpy(s->header, packet->bytes, gathered);
	v = judge_network(s, packet->hdr.gso_type, gathered);
	if (v == GSO_OK)
		v = s->transport > len ? GSO_BAD_CSUM_START : judge_transport(s, gathered);
	if (v == GSO_OK)
		v = judge_lengths(s, len, max_datagram);
	if (v != GSO_OK)
		return v;
	if (!s->ipv6)
		prepare_ipv4(s);
	prepare_transport(s, len);
	s->offset = 0;
	s->payload = packet->bytes + s->header_len;
	s->payload_len = len - s->header_len;
	return GSO_OK;
}

static void put_network(const struct gso_split *s, uint8_t *at, size_t len, uint16_t id)
{
	struct ipv4_header *ip4 = (void *)at;
	struct ipv6_header *ip6 = (void *)at;

	if (s->ipv6) {
		ip6->payload_length = be16_of((uint16_t)(len - sizeof(*ip6)));
		return;
	}
	ip4->total_length = be16_of((uint16_t)len);
	ip4->id = be16_of(id);
	ip4->checksum = be16_of(csum_finish(s->network_sum + (uint32_t)len + id));
}

/* `len`: transport header and payload; `sum`: of the payload. */
static void put_transport(const struct gso_split *s, uint8_t *at, size_t len, uint32_t sum,
			  uint32_t offset)
{
	struct tcp_header *tcp = (void *)at;
	struct udp_header *udp = (void *)at;
	uint32_t sequence = s->sequence + offset;
	uint8_t flags = s->flags;

	sum += s->transport_sum + (uint32_t)len;
	if (s->udp) {
		udp->length = be16_of((uint16_t)len);
		udp->checksum = be16_of(csum_finish_udp(sum + (uint32_t)len));
		return;
	}
	if (offset != 0)
		flags &= (uint8_t)~TCP_CWR;
	if (!gso_split_is_done(s))
		flags &= (uint8_t) ~(TCP_FIN | TCP_PSH);
	tcp->sequence = be32_of(sequence);
	tcp->flags = flags;
	sum += (sequence >> 16) + (sequence & 0xffff) + flags;
	tcp->checksum = be16_of(csum_finish(sum));
}

static size_t next_payload(const struct gso_split *s)
{
	return s->payload_len < s->gso_size ? s->payload_len : s->gso_size;
}

size_t gso_split_next_len(const struct gso_split *s)
{
	return gso_split_is_done(s) ? 0 : s->header_len + next_payload(s);
}

static void advance(struct gso_split *s, size_t payload)
{
	s->payload += payload;
	s->payload_len -= payload;
	s->offset += (uint32_t)payload;
	s->id++;
}

void gso_split_skip(struct gso_split *s)
{
	advance(s, next_payload(s));
}

size_t gso_split_next(struct gso_split *s, uint8_t *slot, size_t room)
{
	size_t payload = next_payload(s);
	size_t len = s->header_len + payload;
	uint16_t id = s->id;
	uint32_t offset = s->offset;
	uint32_t sum;

	if (payload == 0 || len > room)
		return 0;
	sum = csum_copy(slot + s->header_len, s->payload, payload);
	advance(s, payload);
	memcpy(slot, s->header, s->header_len);
	put_network(s, slot + s->network, len - s->network, id);
	put_transport(s, slot + s->transport, len - s->transport, sum, offset);
	return len;
}

const char *gso_verdict_name(enum gso_verdict v)
{
	static const char *const names[GSO_VERDICT_COUNT] = {
		[GSO_OK] = "gso_ok",
		[GSO_BAD_TYPE] = "gso_bad_type",
		[GSO_NO_CSUM] = "gso_no_csum",
		[GSO_BAD_SIZE] = "gso_bad_size",
		[GSO_BAD_NETWORK_HEADER] = "gso_bad_network_header",
		[GSO_BAD_CSUM_START] = "gso_bad_csum_start",
		[GSO_BAD_CSUM_OFFSET] = "gso_bad_csum_offset",
		[GSO_BAD_TRANSPORT_HEADER] = "gso_bad_transport_header",
		[GSO_TRUNCATED] = "gso_truncated",
		[GSO_HEADERS_TOO_LONG] = "gso_headers_too_long",
		[GSO_PACKET_TOO_LONG] = "gso_packet_too_long",
		[GSO_TOO_BIG] = "gso_too_big",
	};

	return (unsigned int)v < GSO_VERDICT_COUNT ? names[v] : "gso_unknown";
}
