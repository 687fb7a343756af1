/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any packet behind any virtio header: ten bytes of header, one unused, one for the
 * NTBs, then the packet. Segments fit, carry all of the payload in order and have right
 * checksums; hdr_len changes nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "unit.h"
#include "wire/gso_split.h"
#include "wire/ntb_write.h"

#define MAX_DATAGRAM 1518

static void must(bool promise)
{
	if (!promise)
		abort();
}

static uint32_t slow_sum(uint32_t sum, const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		sum += i % 2 ? bytes[i] : (uint32_t)bytes[i] << 8;
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return (sum & 0xffff) + (sum >> 16);
}

static uint32_t get16(const uint8_t *at)
{
	return (uint32_t)at[0] << 8 | at[1];
}

struct source {
	struct vnet_hdr hdr;
	const uint8_t *bytes;
	size_t len;
};

/*
 * The packet says with its checksum field what the pseudo header sums to; that with the
 * segment's own length is what the segment has to sum up with.
 */
static void check_checksums(const struct source *in, const struct gso_split *s,
			    const uint8_t *segment, size_t len)
{
	size_t at = in->hdr.csum_start;
	uint32_t sum = get16(in->bytes + at + in->hdr.csum_offset);

	sum = slow_sum(sum + (0xffff ^ (uint32_t)(in->len - at)) + (uint32_t)(len - at), NULL, 0);
	must(slow_sum(sum, segment + at, len - at) == 0xffff);
	if (!s->ipv6)
		must(slow_sum(0, segment + s->network, at - s->network) == 0xffff);
}

static uint32_t digest(uint32_t sum, const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		sum = (sum ^ bytes[i]) * 16777619u;
	return sum;
}

/* Splits into the NTB, which is begun anew when it is full. */
static uint32_t take_segments(const struct source *in, struct gso_split *s, struct ntb_write *w)
{
	size_t offset = s->header_len;
	uint32_t sum = 2166136261u;

	while (!gso_split_is_done(s)) {
		size_t room;
		uint8_t *slot = ntb_write_slot(w, &room);
		size_t len = gso_split_next(s, slot, room);

		if (len == 0) {
			must(w->fill > 12);
			memset(w->ntb, 0xee, w->shape->max_size);
			ntb_write_begin(w, w->shape, w->ntb);
			continue;
		}
		must(len <= room && len <= MAX_DATAGRAM && len > s->header_len);
		must(memcmp(slot + s->header_len, in->bytes + offset, len - s->header_len) == 0);
		check_checksums(in, s, slot, len);
		sum = digest(sum, slot, s->header_len); /* the payload was compared */
		offset += len - s->header_len;
		ntb_write_commit(w, len);
	}
	must(offset == in->len);
	return sum;
}

/* The verdict, or a number that stands for all segments. */
static uint32_t split(const struct source *in, uint32_t ntb_size, uint32_t fill)
{
	struct ntb_write_shape shape = {
		.max_size = ntb_size, .divisor = 4, .alignment = 4, .max_packet = 512,
	};
	uint8_t *memory = malloc(ntb_size);
	struct gso_packet packet = { .hdr = in->hdr };
	struct ntb_write w;
	struct gso_split s;
	uint32_t result;

	must(memory != NULL);
	ntb_write_begin(&w, &shape, memory);
	ntb_write_commit(&w, fill);
	w.datagrams = 0; /* it only takes up room */
	packet.bytes = exact_copy(in->bytes, in->len);
	packet.len = in->len;
	result = gso_split_begin(&s, &packet, MAX_DATAGRAM);
	must(gso_verdict_name((enum gso_verdict)result) != NULL);
	if (result == GSO_OK)
		result = take_segments(in, &s, &w);
	free((void *)(uintptr_t)packet.bytes);
	free(memory);
	return result;
}

static void complete(const struct source *in)
{
	uint8_t *frame = exact_copy(in->bytes, in->len);
	size_t field = (size_t)in->hdr.csum_start + in->hdr.csum_offset;
	enum gso_verdict v = gso_complete(&in->hdr, frame, in->len);

	if (v != GSO_OK || !(in->hdr.flags & 1)) {
		must(memcmp(frame, in->bytes, in->len) == 0);
	} else {
		must(field + 2 <= in->len);
		must(memcmp(frame, in->bytes, field) == 0);
		must(memcmp(frame + field + 2, in->bytes + field + 2, in->len - field - 2) == 0);
	}
	free(frame);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct source in;
	uint32_t result;

	if (size < 12)
		return 0;
	in.hdr = vnet_hdr_at(data);
	in.bytes = data + 12;
	in.len = size - 12;
	complete(&in);
	result = split(&in, data[11] & 1 ? 2048 : 16384, 4u * (data[11] & 0xfe));
	in.hdr.hdr_len ^= 0x5555;
	must(split(&in, 16384, 0) == result);
	must(split(&in, 2048, 0) == result);
	return 0;
}

/* Ethernet to TCP or UDP header; the lengths in them are not looked at. */
size_t fuzz_seed(size_t i, uint8_t *buf, size_t cap)
{
	static const uint8_t ethernet[] = { 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1 };
	static const uint8_t ip4[] = { 8, 0, 0x45, 0, 1, 0x22, 0xff, 0xfe, 0x40, 0, 64, 6,
				       0, 0, 10, 9, 0, 1, 10, 9, 0, 2 };
	static const uint8_t ip6[] = { 0x86, 0xdd, 0x60, 1, 0x23, 0x45, 1, 0x0e, 6, 64,
				       0xfd, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
				       0xfd, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2 };
	static const uint8_t transport[] = { 0x13, 0x89, 0x9c, 0x40, 1, 2, 3, 4, 10, 11, 12, 13,
					     0x50, 0x98, 0x20, 0, 0x15, 0x29, 0, 0 };
	static const struct {
		uint8_t type, tags, unused, ntb;
		bool ipv6;
		uint16_t gso_size, payload;
	} rows[] = {
		{ 1, 0, 189, 0, false, 100, 250 },  { 4, 0, 189, 1, true, 100, 250 },
		{ 5, 0, 10, 201, false, 100, 250 }, { 5, 1, 0, 1, true, 1000, 9000 },
		{ 1, 2, 4, 131, false, 1448, 9000 }, { 0x81, 1, 250, 0, false, 3, 90 },
		{ 0, 0, 0, 0, false, 0, 33 },	     { 4, 0, 255, 255, true, 1440, 20000 },
	};
	struct vnet_hdr hdr = { .flags = 1 };
	uint8_t *at = buf + 12;
	size_t ip_len;

	if (i >= ROWS(rows) || cap < 128u + rows[i].payload)
		return 0;
	ip_len = rows[i].ipv6 ? sizeof(ip6) : sizeof(ip4);
	hdr.gso_type = rows[i].type;
	hdr.gso_size = rows[i].gso_size;
	hdr.csum_start = (uint16_t)(12 + 4 * rows[i].tags + ip_len);
	hdr.csum_offset = rows[i].type == 5 ? 6 : 16;
	vnet_hdr_put(buf, &hdr);
	buf[10] = rows[i].unused;
	buf[11] = rows[i].ntb;
	memcpy(at, ethernet, sizeof(ethernet));
	at += sizeof(ethernet);
	for (unsigned int tag = 0; tag < rows[i].tags; tag++, at += 4)
		memcpy(at, "\x81\x00\x20\x05", 4);
	memcpy(at, rows[i].ipv6 ? ip6 : ip4, ip_len);
	if (rows[i].type == 5)
		at[rows[i].ipv6 ? 8 : 11] = 17;
	at += ip_len;
	memcpy(at, transport, sizeof(transport));
	at += sizeof(transport);
	for (size_t n = 0; n < rows[i].payload; n++)
		*at++ = (uint8_t)n;
	return (size_t)(at - buf);
}
