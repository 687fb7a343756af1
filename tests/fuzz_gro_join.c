/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any series of datagrams: one byte of options, then records of a 16-bit length and so
 * many bytes. Nothing is lost, changed or reordered; what was joined can be cut into
 * the same frames, and each of them had right checksums.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "unit.h"
#include "wire/gro_join.h"
#include "wire/gso_split.h"

#define FRAMES_MAX 200

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

static void put16(uint8_t *at, uint32_t v)
{
	at[0] = (uint8_t)(v >> 8);
	at[1] = (uint8_t)v;
}

/* Of TCP and pseudo header; 0xffff if right. The frame is long enough. */
static uint32_t tcp_sum(const uint8_t *frame, size_t len)
{
	size_t tcp = frame[12] == 8 ? 34 : 54;
	size_t addresses = frame[12] == 8 ? 26 : 22;
	uint32_t sum = (uint32_t)(6 + len - tcp);

	return slow_sum(slow_sum(sum, frame + addresses, tcp - addresses), frame + tcp, len - tcp);
}

/* Makes lengths and checksums right, if there is room for them: else nothing would be joined. */
static void repair(uint8_t *frame, size_t len)
{
	size_t tcp;

	if (len < 75)
		return;
	tcp = frame[12] == 8 ? 34 : 54;
	if (tcp == 34) {
		put16(frame + 16, (uint32_t)len - 14);
		put16(frame + 24, 0);
		put16(frame + 24, ~slow_sum(0, frame + 14, 20));
	} else {
		put16(frame + 18, (uint32_t)len - 54);
	}
	put16(frame + tcp + 16, 0);
	put16(frame + tcp + 16, ~tcp_sum(frame, len));
}

struct job {
	struct gro_join join;
	uint8_t *frame[FRAMES_MAX], *original[FRAMES_MAX];
	size_t len[FRAMES_MAX];
	unsigned int added, written;
};

static bool is_same_field(const uint8_t *a, const uint8_t *b, size_t at)
{
	static const uint8_t other_zero[2] = { 0xff, 0xff };

	return memcmp(a + at, b + at, 2) == 0 ||
	       (memcmp(b + at, other_zero, 2) == 0 && a[at] == 0 && a[at + 1] == 0);
}

/* Equal but for the ID where DF is set, and for 0xffff instead of 0 in a checksum. */
static void must_be_same(uint8_t *segment, const uint8_t *frame, size_t len)
{
	size_t tcp = frame[12] == 8 ? 34 : 54;

	if (tcp == 34) {
		if (frame[20] & 0x40)
			memcpy(segment + 18, frame + 18, 2);
		else
			must(is_same_field(segment, frame, 24));
		memcpy(segment + 24, frame + 24, 2);
		must(slow_sum(0, frame + 14, 20) == 0xffff);
	}
	must(is_same_field(segment, frame, tcp + 16));
	memcpy(segment + tcp + 16, frame + tcp + 16, 2);
	must(memcmp(segment, frame, len) == 0);
	must(tcp_sum(frame, len) == 0xffff);
}

static void check_joined(const struct job *j, const uint8_t *write, size_t write_len)
{
	static uint8_t slot[65536];
	struct gso_packet packet = {
		.hdr = vnet_hdr_at(write),
		.bytes = exact_copy(write + 10, write_len - 10),
		.len = write_len - 10,
	};
	struct gso_split split;

	must(gso_split_begin(&split, &packet, sizeof(slot)) == GSO_OK);
	for (unsigned int i = j->written; i < j->written + j->join.frames; i++) {
		must(gso_split_next(&split, slot, sizeof(slot)) == j->len[i]);
		must_be_same(slot, j->original[i], j->len[i]);
	}
	must(gso_split_is_done(&split));
	free((void *)(uintptr_t)packet.bytes);
}

static void deliver(struct job *j)
{
	static const uint8_t zero[10];
	static uint8_t write[10 + 14 + 65535 + 1];
	unsigned int pieces = gro_join_seal(&j->join);
	size_t len = 0;

	must(pieces == (j->join.frames ? 1 + j->join.frames : 0));
	must(j->join.frames <= j->join.frames_max);
	if (pieces == 0)
		return;
	for (unsigned int i = 0; i < pieces; i++) {
		must(j->join.piece[i].len < sizeof(write) - len);
		memcpy(write + len, j->join.piece[i].bytes, j->join.piece[i].len);
		len += j->join.piece[i].len;
	}
	if (j->join.frames == 1) {
		must(len == 10 + j->len[j->written] && memcmp(write, zero, 10) == 0);
		must(memcmp(write + 10, j->original[j->written], len - 10) == 0);
	} else {
		check_joined(j, write, len);
	}
	for (unsigned int i = 0; i < j->join.frames; i++) {
		struct gro_piece piece = gro_join_frame(&j->join, i);

		must(piece.bytes == j->frame[j->written + i]);
		must(piece.len == j->len[j->written + i]);
		must(memcmp(piece.bytes, j->original[j->written + i], piece.len) == 0);
	}
	j->written += j->join.frames;
	gro_join_reset(&j->join);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct job j;
	size_t at = 1;

	if (size == 0)
		return 0;
	j.added = j.written = 0;
	gro_join_begin(&j.join, data[0] & 2 ? data[0] >> 2 : GRO_JOIN_FRAMES_MAX);
	while (size - at >= 2 && j.added < FRAMES_MAX) {
		size_t len = (size_t)data[at] << 8 | data[at + 1];
		unsigned int i = j.added++;

		at += 2;
		len = len < size - at ? len : size - at;
		j.frame[i] = exact_copy(data + at, len);
		if (data[0] & 1)
			repair(j.frame[i], len);
		j.original[i] = exact_copy(j.frame[i], len);
		j.len[i] = len;
		at += len;
		if (!gro_join_add(&j.join, j.frame[i], len)) {
			deliver(&j);
			must(gro_join_add(&j.join, j.frame[i], len));
		}
	}
	deliver(&j);
	must(j.written == j.added);
	for (unsigned int i = 0; i < j.added; i++) {
		free(j.frame[i]);
		free(j.original[i]);
	}
	return 0;
}

/* Flows of equal segments, IPv4 and IPv6, of several lengths. */
size_t fuzz_seed(size_t i, uint8_t *buf, size_t cap)
{
	static const uint8_t ip4[] = { 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0, 0x45, 0, 0, 0,
				       0, 9, 0x40, 0, 64, 6, 0, 0, 10, 9, 0, 1, 10, 9, 0, 2 };
	static const uint8_t ip6[] = { 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x86, 0xdd, 0x60, 1,
				       0x23, 0x45, 0, 0, 6, 64,
				       0xfd, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
				       0xfd, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2 };
	static const uint8_t tcp[] = { 0x13, 0x89, 0x9c, 0x40, 0xff, 0xff, 0xff, 0, 0, 0, 0, 2,
				       0x60, 0x10, 1, 0xf4, 0, 0, 0, 0, 1, 1, 1, 1 };
	static const uint16_t payloads[] = { 30, 100, 500 };
	bool ipv6 = i % 2;
	uint16_t payload = payloads[i / 2 % 3];
	size_t ip_len = ipv6 ? sizeof(ip6) : sizeof(ip4);
	size_t len = ip_len + sizeof(tcp) + payload;
	uint32_t sequence = 0xffffff00;
	uint8_t *at = buf + 1;

	if (i >= 6 || cap < 65000)
		return 0;
	buf[0] = 1;
	for (unsigned int n = 0; n < 40; n++, at += len) {
		put16(at, (uint32_t)len);
		at += 2;
		memcpy(at, ipv6 ? ip6 : ip4, ip_len);
		if (!ipv6) {
			at[19] = (uint8_t)n;
			at[20] = n < 20 ? 0x40 : 0;
		}
		memcpy(at + ip_len, tcp, sizeof(tcp));
		put16(at + ip_len + 4, sequence >> 16);
		put16(at + ip_len + 6, sequence);
		memset(at + len - payload, (int)n, payload);
		sequence += payload;
	}
	return (size_t)(at - buf);
}
