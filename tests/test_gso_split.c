/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checksums completed and packets cut into frames (facts tap-offload 10.1 to 10.4).
 * Every expected frame is built from nothing by build(), with a slow checksum,
 * and compared byte for byte after its NTB was finished.
 */
#include "unit.h"

#include "wire/gso_split.h"
#include "wire/ntb_write.h"

#define PACKET_MAX 70000

/* A frame, or a packet that becomes frames, in words. */
struct spec {
	uint8_t gso_type; /* 1: TCP over IPv4, 4: over IPv6, 5: UDP; plus 0x80 */
	bool ipv6; /* for UDP */
	uint16_t gso_size;
	uint32_t payload_len;
	uint16_t hdr_len;
	uint8_t tags; /* VLAN */
	uint8_t ip_options; /* bytes, IPv4; or of a hop-by-hop header, IPv6 */
	uint8_t tcp_options; /* bytes */
	uint8_t flags; /* TCP */
	uint16_t id; /* IPv4 */
	bool may_fragment;
	uint32_t sequence;
	uint32_t partial; /* 0: finished; else the length in the pseudo header is all there is */
};

static const struct spec v1 = {
	.gso_type = 1, .gso_size = 100, .payload_len = 250, .flags = 0x98,
	.id = 0xfffe, .sequence = 0x01020304,
};
static const struct spec v4 = {
	.gso_type = 5, .gso_size = 100, .payload_len = 250, .id = 7, .may_fragment = true,
};
static const struct spec v5 = {
	.gso_type = 4, .gso_size = 100, .payload_len = 250, .flags = 0x19, .sequence = 0xffffffc0,
};

static bool is_udp(const struct spec *s)
{
	return s->gso_type == 5;
}

static bool is_ipv6(const struct spec *s)
{
	return (s->gso_type & 0x7f) == 4 || s->ipv6;
}

static size_t network_at(const struct spec *s)
{
	return 14 + 4u * s->tags;
}

static size_t transport_at(const struct spec *s)
{
	return network_at(s) + (is_ipv6(s) ? 40 : 20) + s->ip_options;
}

static size_t header_len(const struct spec *s)
{
	return transport_at(s) + (is_udp(s) ? 8u : 20u + s->tcp_options);
}

static uint32_t slow_sum(uint32_t sum, const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		sum += i % 2 ? bytes[i] : (uint32_t)bytes[i] << 8;
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return (sum & 0xffff) + (sum >> 16);
}

static void put16(uint8_t *at, uint32_t v)
{
	at[0] = (uint8_t)(v >> 8);
	at[1] = (uint8_t)v;
}

static void put32(uint8_t *at, uint32_t v)
{
	put16(at, v >> 16);
	put16(at + 2, v);
}

static uint32_t get16(const uint8_t *at)
{
	return (uint32_t)at[0] << 8 | at[1];
}

/* 10.9.0.1 to 10.9.0.2, or fd00:9::1 to fd00:9::2; `len` bytes behind the IP header proper. */
static void build_network(uint8_t *ip, const struct spec *s, uint32_t len)
{
	static const uint8_t v4_addresses[] = { 10, 9, 0, 1, 10, 9, 0, 2 };
	uint8_t protocol = is_udp(s) ? 17 : 6;

	if (is_ipv6(s)) {
		put32(ip, 0x60012345);
		put16(ip + 4, len + s->ip_options);
		ip[6] = s->ip_options ? 0 : protocol;
		ip[7] = 64;
		put32(ip + 8, 0xfd000009);
		put32(ip + 24, 0xfd000009);
		ip[23] = 1;
		ip[39] = 2;
		if (s->ip_options) {
			ip[40] = protocol;
			ip[41] = (uint8_t)(s->ip_options / 8 - 1);
			memset(ip + 42, 0, s->ip_options - 2u);
		}
		return;
	}
	ip[0] = (uint8_t)(0x45 + s->ip_options / 4);
	put16(ip + 2, 20 + s->ip_options + len);
	put16(ip + 4, s->id);
	ip[6] = s->may_fragment ? 0 : 0x40;
	ip[8] = 64;
	ip[9] = protocol;
	memcpy(ip + 12, v4_addresses, 8);
	memset(ip + 20, 1, s->ip_options);
	put16(ip + 10, ~slow_sum(0, ip, 20u + s->ip_options));
}

static void build_transport(uint8_t *at, const struct spec *s, uint32_t len)
{
	if (is_udp(s)) {
		put16(at, 5000);
		put16(at + 2, 5001);
		put16(at + 4, len);
		return;
	}
	put16(at, 5001);
	put16(at + 2, 40000);
	put32(at + 4, s->sequence);
	put32(at + 8, 0x0a0b0c0d);
	at[12] = (uint8_t)((20 + s->tcp_options) / 4 << 4);
	at[13] = s->flags;
	put16(at + 14, 0x2000);
	for (uint8_t i = 0; i < s->tcp_options; i++)
		at[20 + i] = (uint8_t)(0xc0 + i);
}

/* Builds the frame in zeroed memory and returns its length. */
static size_t build(uint8_t *frame, const struct spec *s, const uint8_t *payload)
{
	static const uint8_t ethernet[] = { 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1 };
	uint8_t *ip = frame + network_at(s);
	uint8_t *transport = frame + transport_at(s);
	size_t len = header_len(s) + s->payload_len;
	uint32_t transport_len = (uint32_t)(len - transport_at(s));
	uint32_t sum;

	memset(frame, 0, header_len(s));
	memcpy(frame, ethernet, 12);
	for (uint32_t i = 0; i < s->tags; i++)
		put32(frame + 12 + 4 * i, i + 1 == s->tags ? 0x81002005 : 0x88a80007);
	put16(ip - 2, is_ipv6(s) ? 0x86dd : 0x0800);
	build_network(ip, s, transport_len);
	build_transport(transport, s, transport_len);
	memcpy(frame + header_len(s), payload, s->payload_len);
	sum = slow_sum(is_udp(s) ? 17 : 6, ip + (is_ipv6(s) ? 8 : 12), is_ipv6(s) ? 32 : 8);
	sum = slow_sum(sum + transport_len, NULL, 0);
	if (!s->partial)
		sum = ~slow_sum(sum, transport, transport_len) & 0xffff;
	put16(transport + (is_udp(s) ? 6 : 16), sum == 0 && is_udp(s) ? 0xffff : sum);
	return len;
}

/* The frame that segment number i of the packet has to be. */
static size_t build_segment(uint8_t *frame, const struct spec *s, const uint8_t *payload,
			    uint32_t i)
{
	struct spec segment = *s;
	uint32_t offset = i * s->gso_size;

	segment.partial = 0;
	segment.payload_len -= offset;
	if (segment.payload_len > s->gso_size) {
		segment.payload_len = s->gso_size;
		segment.flags &= 0xf6;
	}
	if (i > 0)
		segment.flags &= 0x7f;
	segment.id = (uint16_t)(segment.id + i);
	segment.sequence += offset;
	return build(frame, &segment, payload + offset);
}

/* One packet on its way through NTBs. */
struct job {
	const struct spec *spec;
	const uint8_t *payload;
	struct gso_packet packet;
	struct gso_split split;
	struct ntb_write_shape shape;
	struct ntb_write w;
	uint8_t *ntb;
	size_t packet_len;
	uint32_t segments; /* checked */
};

static struct vnet_hdr vnet_hdr_of(const struct spec *s)
{
	return (struct vnet_hdr){
		.flags = 1,
		.gso_type = s->gso_type,
		.hdr_len = s->hdr_len,
		.gso_size = s->gso_size,
		.csum_start = (uint16_t)transport_at(s),
		.csum_offset = is_udp(s) ? 6 : 16,
	};
}

static void begin_ntb(struct job *j)
{
	j->ntb = malloc(j->shape.max_size);
	assert_non_null(j->ntb);
	memset(j->ntb, 0xa5, j->shape.max_size);
	ntb_write_begin(&j->w, &j->shape, j->ntb);
}

static void finish_ntb(struct job *j)
{
	static uint8_t expected[PACKET_MAX];
	bool needs_zlp;

	ntb_write_finish(&j->w, 0, &needs_zlp);
	for (uint16_t i = 0; i < j->w.datagrams; i++) {
		size_t len = build_segment(expected, j->spec, j->payload, j->segments++);

		assert_int_equal(j->w.entry[i].len, len);
		assert_memory_equal(j->ntb + j->w.entry[i].index, expected, len);
	}
	free(j->ntb);
}

static void read_packet(struct job *j)
{
	static uint8_t whole[PACKET_MAX];
	struct spec packet = *j->spec;

	packet.partial = 1;
	j->packet_len = build(whole, &packet, j->payload);
	j->packet = (struct gso_packet){
		.hdr = vnet_hdr_of(j->spec),
		.bytes = exact_copy(whole, j->packet_len),
		.len = j->packet_len,
	};
}

/*
 * Reads the packet behind `before` bytes of other traffic, splits it, and checks every
 * NTB when it is closed. Returns the number of NTBs it took.
 */
static unsigned int run(const struct spec *spec, uint32_t ntb_size, size_t before)
{
	static uint8_t payload[PACKET_MAX];
	struct job j = {
		.spec = spec,
		.payload = payload,
		.shape = { .max_size = ntb_size, .divisor = 4, .alignment = 4, .max_packet = 512 },
	};
	uint32_t segments = (spec->payload_len + spec->gso_size - 1) / spec->gso_size;
	unsigned int ntbs = 1;

	for (size_t i = 0; i < sizeof(payload); i++)
		payload[i] = (uint8_t)(i % 251);
	begin_ntb(&j);
	if (before) {
		ntb_write_commit(&j.w, before);
		j.w.datagrams = 0; /* it only takes up room */
	}
	read_packet(&j);
	assert_int_equal(gso_split_begin(&j.split, &j.packet, ntb_write_largest(&j.shape)), GSO_OK);
	while (!gso_split_is_done(&j.split)) {
		size_t room;
		uint8_t *slot = ntb_write_slot(&j.w, &room);
		size_t len = gso_split_next(&j.split, slot, room);

		if (len) {
			assert_true(len <= room);
			ntb_write_commit(&j.w, len);
			continue;
		}
		assert_true(j.w.datagrams > 0 || j.w.fill > 16); /* else it will never fit */
		finish_ntb(&j);
		begin_ntb(&j);
		ntbs++;
	}
	assert_int_equal(gso_split_next(&j.split, j.ntb, 65536), 0);
	finish_ntb(&j);
	assert_int_equal(j.segments, segments);
	free((void *)(uintptr_t)j.packet.bytes);
	return ntbs;
}

struct frame_facts { /* of facts tap-offload 10.1, in hex but for the length */
	size_t len;
	uint32_t ip_length, id, ip_checksum, flags_or_length, checksum;
	uint32_t sequence;
};

static void check_vector(const struct spec *spec, uint32_t field, const struct frame_facts *facts)
{
	uint8_t payload[250], frame[512];
	size_t ip = network_at(spec), t = transport_at(spec);
	struct spec packet = *spec;

	for (size_t i = 0; i < sizeof(payload); i++)
		payload[i] = (uint8_t)i;
	packet.partial = 1;
	build(frame, &packet, payload);
	assert_int_equal(get16(frame + t + (is_udp(spec) ? 6 : 16)), field);
	for (uint32_t i = 0; i < 3; i++) {
		const struct frame_facts *f = &facts[i];

		assert_int_equal(build_segment(frame, spec, payload, i), f->len);
		assert_int_equal(get16(frame + ip + (is_ipv6(spec) ? 4 : 2)), f->ip_length);
		if (!is_ipv6(spec)) {
			assert_int_equal(get16(frame + ip + 4), f->id);
			assert_int_equal(get16(frame + ip + 10), f->ip_checksum);
		}
		if (is_udp(spec)) {
			assert_int_equal(get16(frame + t + 4), f->flags_or_length);
			assert_int_equal(get16(frame + t + 6), f->checksum);
			continue;
		}
		assert_int_equal(get16(frame + t + 4) << 16 | get16(frame + t + 6), f->sequence);
		assert_int_equal(frame[t + 13], f->flags_or_length);
		assert_int_equal(get16(frame + t + 16), f->checksum);
	}
	/* The frames of build_segment() are right, and so is what equals them. */
	run(spec, 16384, 0);
}

static void vectors(void **state)
{
	static const struct frame_facts f1[] = {
		{ 154, 0x8c, 0xfffe, 0x2659, 0x90, 0x1527, 0x01020304 },
		{ 154, 0x8c, 0xffff, 0x2658, 0x10, 0x79a7, 0x01020368 },
		{ 104, 0x5a, 0x0000, 0x268a, 0x18, 0xbac7, 0x010203cc },
	};
	static const struct frame_facts f4[] = {
		{ 142, 0x80, 7, 0x6652, 0x6c, 0x2823, 0 },
		{ 142, 0x80, 8, 0x6651, 0x6c, 0x8c87, 0 },
		{ 92, 0x4e, 9, 0x6682, 0x3a, 0xce45, 0 },
	};
	static const struct frame_facts f5[] = {
		{ 174, 0x78, 0, 0, 0x10, 0x33ea, 0xffffffc0 },
		{ 174, 0x78, 0, 0, 0x10, 0x97eb, 0x00000024 },
		{ 124, 0x46, 0, 0, 0x19, 0xd90a, 0x00000088 },
	};

	(void)state;
	check_vector(&v1, 0x1529, f1);
	check_vector(&v4, 0x1528, f4);
	check_vector(&v5, 0xfb2a, f5);
}

#define BULK4 .gso_type = 1, .gso_size = 1448, .tcp_options = 12, .flags = 0x18
#define BULK6 .gso_type = 4, .gso_size = 1428, .tcp_options = 12, .flags = 0x18

static void shapes(void **state)
{
	static const struct spec rows[] = {
		{ BULK4, .payload_len = 1448 },
		{ BULK4, .payload_len = 1449 }, /* a tail of one byte */
		{ BULK4, .payload_len = 2896 },
		{ BULK4, .payload_len = 5000, .tags = 1 },
		{ BULK4, .payload_len = 5000, .tags = 2 },
		{ BULK6, .payload_len = 5000, .tags = 2 },
		{ BULK6, .payload_len = 5000, .ip_options = 8 }, /* csum_start 62 */
		{ .gso_type = 1, .gso_size = 1, .payload_len = 40, .flags = 0x11 },
		{ .gso_type = 1, .gso_size = 7, .payload_len = 99, .flags = 0x99 },
		{ .gso_type = 1, .gso_size = 500, .payload_len = 1501, .ip_options = 40 },
		{ .gso_type = 1, .gso_size = 501, .payload_len = 2000, .tcp_options = 40 },
		{ .gso_type = 4, .gso_size = 501, .payload_len = 2000, .tcp_options = 40 },
		{ .gso_type = 0x81, .gso_size = 100, .payload_len = 350, .flags = 0xd8 },
		{ .gso_type = 0x84, .gso_size = 100, .payload_len = 350, .flags = 0xf9 },
		{ .gso_type = 1, .gso_size = 100, .payload_len = 60, .flags = 0x99 },
		{ .gso_type = 5, .gso_size = 1000, .payload_len = 4001, .id = 0xffff },
		{ .gso_type = 5, .gso_size = 1000, .payload_len = 4001, .ipv6 = true },
		{ .gso_type = 5, .gso_size = 999, .payload_len = 4001, .ipv6 = true, .ip_options = 16 },
		{ BULK4, .payload_len = 5000, .hdr_len = 10 },
		{ BULK4, .payload_len = 5000, .hdr_len = 5066 },
		{ BULK4, .payload_len = 5000, .hdr_len = 65535 },
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		run(&rows[i], 16384, 0);
		run(&rows[i], 2048, 0);
		run(&rows[i], 2048, 1000);
		run(&rows[i], 2048, 1950);
	}
}

static void resumed_in_ntbs(void **state)
{
	static const struct spec longest = { BULK4, .payload_len = 45 * 1448 };

	(void)state;
	assert_int_equal(header_len(&longest) + longest.payload_len, 65226);
	assert_int_equal(run(&longest, 16384, 0), 5); /* ten full-size frames in each */
	assert_int_equal(run(&longest, 2048, 0), 45);
	assert_int_equal(run(&longest, 2048, 1300), 46);
}

static void random_packets(void **state)
{
	uint32_t seed = 0x47534f31;

	(void)state;
	for (int round = 0; round < 1500; round++) {
		struct spec s = {
			.gso_type = (uint8_t[]){ 1, 4, 5, 0x81 }[random_range(&seed, 0, 3)],
			.ipv6 = false,
			.gso_size = (uint16_t)random_range(&seed, 1, random_range(&seed, 2, 1448)),
			.hdr_len = (uint16_t)random_next(&seed),
			.tags = (uint8_t)random_range(&seed, 0, 2),
			.ip_options = (uint8_t)(8 * random_range(&seed, 0, 5)),
			.tcp_options = (uint8_t)(4 * random_range(&seed, 0, 10)),
			.flags = (uint8_t)random_next(&seed),
			.id = (uint16_t)random_next(&seed),
			.may_fragment = random_range(&seed, 0, 1),
			.sequence = random_next(&seed),
		};

		s.ipv6 = s.gso_type == 5 && random_range(&seed, 0, 1);
		s.payload_len = random_range(&seed, 1, random_range(&seed, 0, 4) ? 60u * s.gso_size : 99);
		if (s.payload_len > 65000)
			s.payload_len = 65000;
		run(&s, random_range(&seed, 0, 1) ? 16384 : 2048, random_range(&seed, 0, 500));
	}
}

/* A slot too short loses nothing, and the source is left alone. */
static void source_is_only_read(void **state)
{
	static uint8_t packet_bytes[PACKET_MAX], before[PACKET_MAX], payload[PACKET_MAX];
	static uint8_t expected[2000], slot[2000];
	struct spec s = { BULK4, .payload_len = 9000, .partial = 1 };
	size_t len = build(packet_bytes, &s, payload);
	struct gso_packet packet = {
		.hdr = vnet_hdr_of(&s), .bytes = packet_bytes, .len = len,
	};
	struct gso_split split;

	(void)state;
	memcpy(before, packet_bytes, len);
	assert_int_equal(gso_split_begin(&split, &packet, 1514), GSO_OK);
	for (uint32_t i = 0; i < 7; i++) {
		assert_int_equal(gso_split_next(&split, slot, 14), 0);
		assert_false(gso_split_is_done(&split));
		len = build_segment(expected, &s, payload, i);
		assert_int_equal(gso_split_next(&split, slot, len - 1), 0);
		assert_int_equal(gso_split_next(&split, slot, len), len);
		assert_memory_equal(slot, expected, len);
	}
	assert_true(gso_split_is_done(&split));
	assert_memory_equal(before, packet_bytes, sizeof(before));
}

/* A segment whose checksum is 0, which UDP cannot say. */
static void udp_zero(void **state)
{
	uint8_t packet_bytes[256] = { 0 }, payload[20] = { 0 }, expected[128], slot[128];
	struct spec s = { .gso_type = 5, .gso_size = 10, .payload_len = 20, .partial = 1 };
	struct gso_packet packet = { .hdr = vnet_hdr_of(&s), .bytes = packet_bytes };
	struct gso_split split;

	(void)state;
	build_segment(expected, &s, payload, 1);
	memcpy(payload + 10, expected + 40, 2);
	assert_int_equal(build_segment(expected, &s, payload, 1), 52);
	assert_int_equal(get16(expected + 40), 0xffff);
	packet.len = build(packet_bytes, &s, payload);
	assert_int_equal(gso_split_begin(&split, &packet, 1514), GSO_OK);
	assert_int_equal(gso_split_next(&split, slot, sizeof(slot)), 52);
	assert_int_equal(gso_split_next(&split, slot, sizeof(slot)), 52);
	assert_memory_equal(slot, expected, 52);
}

/* A segment left out changes no other. */
static void skipped_segment(void **state)
{
	static uint8_t packet_bytes[PACKET_MAX], payload[PACKET_MAX], expected[2000], slot[2000];
	struct spec s = { BULK4, .payload_len = 9000, .id = 0xfffe, .partial = 1 };
	struct gso_packet packet = { .hdr = vnet_hdr_of(&s), .bytes = packet_bytes };
	struct gso_split split;

	(void)state;
	packet.len = build(packet_bytes, &s, payload);
	for (uint32_t skipped = 0; skipped < 7; skipped++) {
		assert_int_equal(gso_split_begin(&split, &packet, 1514), GSO_OK);
		for (uint32_t i = 0; i < 7; i++) {
			size_t len = build_segment(expected, &s, payload, i);

			assert_int_equal(gso_split_next_len(&split), len);
			if (i == skipped) {
				gso_split_skip(&split);
				continue;
			}
			assert_int_equal(gso_split_next(&split, slot, sizeof(slot)), len);
			assert_memory_equal(slot, expected, len);
		}
		assert_true(gso_split_is_done(&split));
		assert_int_equal(gso_split_next_len(&split), 0);
	}
}

static enum gso_verdict judge(const uint8_t *bytes, size_t len, const struct vnet_hdr *hdr,
			      size_t max_datagram)
{
	static struct gso_split split;
	const struct gso_packet packet = {
		.hdr = *hdr, .bytes = exact_copy(bytes, len), .len = len,
	};
	enum gso_verdict v = gso_split_begin(&split, &packet, max_datagram);

	free((void *)(uintptr_t)packet.bytes);
	return v;
}

static void rejected(void **state)
{
	enum { HDR_FLAGS = 1000, GSO_TYPE, SIZE, START, OFFSET, MAX, NOTHING };
	static const struct {
		const char *what;
		const struct spec *spec;
		int at; /* byte of the frame, or one of the above */
		uint16_t value;
		enum gso_verdict verdict;
	} rows[] = {
		{ "nothing", &v1, NOTHING, 0, GSO_OK },
		{ "flags 0 with GSO", &v1, HDR_FLAGS, 0, GSO_NO_CSUM },
		{ "flags 2 with GSO", &v1, HDR_FLAGS, 2, GSO_NO_CSUM },
		{ "flags 3", &v1, HDR_FLAGS, 3, GSO_OK },
		{ "gso_size 0", &v1, SIZE, 0, GSO_BAD_SIZE },
		{ "type 0", &v1, GSO_TYPE, 0, GSO_BAD_TYPE },
		{ "type 0 with ECN", &v1, GSO_TYPE, 0x80, GSO_BAD_TYPE },
		{ "UFO", &v4, GSO_TYPE, 3, GSO_BAD_TYPE },
		{ "type 2", &v1, GSO_TYPE, 2, GSO_BAD_TYPE },
		{ "type 6", &v1, GSO_TYPE, 6, GSO_BAD_TYPE },
		{ "type 0x41", &v1, GSO_TYPE, 0x41, GSO_BAD_TYPE },
		{ "UDP with ECN", &v4, GSO_TYPE, 0x85, GSO_BAD_TYPE },
		{ "TCPv4 type, IPv6 frame", &v5, GSO_TYPE, 1, GSO_BAD_NETWORK_HEADER },
		{ "TCPv6 type, IPv4 frame", &v1, GSO_TYPE, 4, GSO_BAD_NETWORK_HEADER },
		{ "ARP", &v1, 13, 0x06, GSO_BAD_NETWORK_HEADER },
		{ "IPv4 type, version 6", &v1, 14, 0x65, GSO_BAD_NETWORK_HEADER },
		{ "IPv4 header of 16", &v1, 14, 0x44, GSO_BAD_NETWORK_HEADER },
		{ "IPv4 header of 24", &v1, 14, 0x46, GSO_BAD_CSUM_START },
		{ "IPv4 carries UDP", &v1, 23, 17, GSO_BAD_NETWORK_HEADER },
		{ "IPv4 carries TCP", &v4, 23, 6, GSO_BAD_NETWORK_HEADER },
		{ "IPv6 type, version 4", &v5, 14, 0x40, GSO_BAD_NETWORK_HEADER },
		{ "IPv6 carries UDP", &v5, 20, 17, GSO_BAD_NETWORK_HEADER },
		{ "csum_start 13", &v1, START, 13, GSO_BAD_CSUM_START },
		{ "csum_start at L3", &v1, START, 14, GSO_BAD_CSUM_START },
		{ "csum_start behind the end", &v1, START, 305, GSO_BAD_CSUM_START },
		{ "IPv6 csum_start 53", &v5, START, 53, GSO_BAD_CSUM_START },
		{ "IPv6 csum_start 0", &v5, START, 0, GSO_BAD_CSUM_START },
		{ "IPv6 csum_start behind the end", &v5, START, 325, GSO_BAD_CSUM_START },
		{ "IPv6 csum_start 65535", &v5, START, 65535, GSO_BAD_CSUM_START },
		{ "IPv6 headers of 260", &v5, START, 240, GSO_HEADERS_TOO_LONG },
		{ "csum_offset 6 with TCP", &v1, OFFSET, 6, GSO_BAD_CSUM_OFFSET },
		{ "csum_offset 16 with UDP", &v4, OFFSET, 16, GSO_BAD_CSUM_OFFSET },
		{ "doff 4", &v1, 46, 0x40, GSO_BAD_TRANSPORT_HEADER },
		{ "doff 0", &v5, 66, 0x00, GSO_BAD_TRANSPORT_HEADER },
		{ "segment of the largest datagram", &v1, MAX, 154, GSO_OK },
		{ "segment over it", &v1, MAX, 153, GSO_TOO_BIG },
		{ "short packet, long gso_size", &v1, SIZE, 65535, GSO_OK },
	};
	uint8_t payload[250] = { 0 }, frame[512];

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct spec s = *rows[i].spec;
		struct vnet_hdr hdr = vnet_hdr_of(&s);
		size_t max_datagram = 1514, len;
		enum gso_verdict v;

		s.partial = 1;
		len = build(frame, &s, payload);
		switch (rows[i].at) {
		case HDR_FLAGS:
			hdr.flags = (uint8_t)rows[i].value;
			break;
		case GSO_TYPE:
			hdr.gso_type = (uint8_t)rows[i].value;
			break;
		case SIZE:
			hdr.gso_size = rows[i].value;
			break;
		case START:
			hdr.csum_start = rows[i].value;
			break;
		case OFFSET:
			hdr.csum_offset = rows[i].value;
			break;
		case MAX:
			max_datagram = rows[i].value;
			break;
		case NOTHING:
			break;
		default:
			frame[rows[i].at] = (uint8_t)rows[i].value;
		}
		v = judge(frame, len, &hdr, max_datagram);
		if (v != rows[i].verdict)
			fail_msg("%s: %s", rows[i].what, gso_verdict_name(v));
	}
}

static void cut_short(void **state)
{
	static const struct spec deep = {
		.gso_type = 4, .gso_size = 100, .payload_len = 250, .tags = 2,
		.ip_options = 16, .tcp_options = 20,
	};
	static const struct spec *const rows[] = { &v1, &v4, &v5, &deep };
	uint8_t payload[250] = { 0 }, frame[512];

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct spec s = *rows[i];
		struct vnet_hdr hdr = vnet_hdr_of(&s);

		s.partial = 1;
		build(frame, &s, payload);
		for (size_t len = 0; len <= header_len(&s); len++) {
			enum gso_verdict v = judge(frame, len, &hdr, 1514);

			if (len < 14 || len >= transport_at(&s) ||
			    (len >= network_at(&s) && len < network_at(&s) + (is_ipv6(&s) ? 40 : 20)))
				assert_int_equal(v, GSO_TRUNCATED);
			else
				assert_true(v != GSO_OK);
		}
		assert_int_equal(judge(frame, header_len(&s) + 1, &hdr, 1514), GSO_OK);
	}
}

static void too_long(void **state)
{
	static uint8_t payload[PACKET_MAX], frame[PACKET_MAX];
	struct spec s = { BULK4, .payload_len = 65535 - 52, .tags = 2, .partial = 1 };
	struct vnet_hdr hdr = vnet_hdr_of(&s);
	size_t len = build(frame, &s, payload);

	(void)state;
	assert_int_equal(len, 14 + 8 + 65535);
	assert_int_equal(judge(frame, len, &hdr, 1522), GSO_OK);
	assert_int_equal(judge(frame, len + 1, &hdr, 1522), GSO_PACKET_TOO_LONG);
	run(&s, 16384, 0);
}

static enum gso_verdict complete(uint8_t *frame, size_t len, struct vnet_hdr hdr)
{
	uint8_t *copy = exact_copy(frame, len);
	enum gso_verdict v = gso_complete(&hdr, copy, len);

	if (v != GSO_OK)
		assert_memory_equal(copy, frame, len);
	memcpy(frame, copy, len);
	free(copy);
	return v;
}

/* V2, V3 and what 10.2 says of frames without GSO. */
static void completed(void **state)
{
	struct vnet_hdr tcp = { 1, 0, 0, 0, 34, 16 }, udp = { 1, 0, 0, 0, 34, 6 };
	struct spec s2 = {
		.gso_type = 1, .payload_len = 5, .flags = 0x18, .id = 1, .sequence = 1, .partial = 1,
	};
	struct spec s3 = {
		.gso_type = 5, .payload_len = 2, .id = 1, .may_fragment = true, .partial = 1,
	};
	uint8_t frame[128], before[128];
	size_t len = build(frame, &s2, (const uint8_t *)"hello");

	(void)state;
	put32(frame + 42, 2); /* acknowledgment and window of V2 */
	put16(frame + 48, 100);
	assert_int_equal(get16(frame + 50), 0x1434);
	memcpy(before, frame, len);
	assert_int_equal(complete(frame, len, tcp), GSO_OK);
	assert_int_equal(get16(frame + 50), 0xa7b0);
	put16(before + 50, 0xa7b0);
	assert_memory_equal(before, frame, len);

	len = build(frame, &s3, (const uint8_t *)"\xc4\xb4");
	assert_int_equal(get16(frame + 40), 0x1430);
	assert_int_equal(complete(frame, len, udp), GSO_OK);
	assert_int_equal(get16(frame + 40), 0xffff);

	len = build(frame, &s3, (const uint8_t *)"\xc4\xb4");
	memcpy(before, frame, len);
	udp.flags = 0; /* a wrong checksum passes */
	assert_int_equal(complete(frame, len, udp), GSO_OK);
	udp.flags = 2;
	assert_int_equal(complete(frame, len, udp), GSO_OK);
	assert_memory_equal(before, frame, len);
}

static void completed_anywhere(void **state)
{
	uint32_t seed = 0x6373756d;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		uint8_t frame[128], before[128];
		size_t len = random_range(&seed, 0, sizeof(frame));
		struct vnet_hdr hdr = {
			.flags = 1,
			.csum_start = (uint16_t)random_range(&seed, 0, 130),
			.csum_offset = (uint16_t)(round % 100 ? 2 * random_range(&seed, 0, 8) :
							       random_next(&seed)),
		};
		size_t field = (size_t)hdr.csum_start + hdr.csum_offset;
		enum gso_verdict v;
		uint32_t sum;

		for (size_t i = 0; i < sizeof(frame); i++)
			before[i] = frame[i] = (uint8_t)random_next(&seed);
		v = complete(frame, len, hdr);
		if (hdr.csum_start < 14 || hdr.csum_start > len) {
			assert_int_equal(v, GSO_BAD_CSUM_START);
			continue;
		}
		if (field + 2 > len) {
			assert_int_equal(v, GSO_BAD_CSUM_OFFSET);
			continue;
		}
		assert_int_equal(v, GSO_OK);
		sum = ~slow_sum(0, before + hdr.csum_start, len - hdr.csum_start) & 0xffff;
		if (sum == 0 && hdr.csum_offset == 6)
			sum = 0xffff;
		put16(before + field, sum);
		assert_memory_equal(before, frame, sizeof(frame));
	}
}

static void names(void **state)
{
	(void)state;
	for (int v = 0; v < GSO_VERDICT_COUNT; v++)
		assert_memory_equal(gso_verdict_name((enum gso_verdict)v), "gso_", 4);
	assert_string_equal(gso_verdict_name(GSO_TOO_BIG), "gso_too_big");
	assert_string_equal(gso_verdict_name(GSO_VERDICT_COUNT), "gso_unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vectors),
		cmocka_unit_test(shapes),
		cmocka_unit_test(resumed_in_ntbs),
		cmocka_unit_test(random_packets),
		cmocka_unit_test(source_is_only_read),
		cmocka_unit_test(skipped_segment),
		cmocka_unit_test(udp_zero),
		cmocka_unit_test(rejected),
		cmocka_unit_test(cut_short),
		cmocka_unit_test(too_long),
		cmocka_unit_test(completed),
		cmocka_unit_test(completed_anywhere),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests_name("gso_split", tests, NULL, NULL);
}
