/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Segments joined (facts tap-offload 10.1 V6, 10.3, 10.4). Each write is taken apart
 * again with gso_split, so that joined frames are compared byte for byte with what was
 * added; the checksums of what is added come from a slow sum.
 */
#include <stdio.h>

#include "unit.h"

#include "wire/gro_join.h"
#include "wire/gso_split.h"

#define FRAMES_MAX 100

/* One segment; zero is the first of the usual flow: see usual(). */
struct segment {
	bool ipv6;
	uint16_t payload_len;
	uint32_t sequence, ack;
	uint16_t id;
	uint8_t flags;
	uint8_t options; /* bytes */
	uint32_t timestamp; /* in the options */
	uint8_t payload; /* its first byte, the others count on */
};

struct frame {
	uint8_t *bytes; /* exactly `len` of them */
	size_t len;
};

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

static bool is_v6(const uint8_t *frame)
{
	return frame[12] == 0x86;
}

static size_t tcp_at(const uint8_t *frame)
{
	return is_v6(frame) ? 54 : 34;
}

static uint32_t pseudo(const uint8_t *frame, size_t len)
{
	size_t at = is_v6(frame) ? 22 : 26;

	return slow_sum((uint32_t)(6 + len - tcp_at(frame)), frame + at, tcp_at(frame) - at);
}

/* Makes both checksums right. */
static void repair(uint8_t *frame, size_t len)
{
	size_t tcp = tcp_at(frame);

	if (!is_v6(frame)) {
		put16(frame + 24, 0);
		put16(frame + 24, ~slow_sum(0, frame + 14, 20));
	}
	put16(frame + tcp + 16, 0);
	put16(frame + tcp + 16, ~slow_sum(pseudo(frame, len), frame + tcp, len - tcp));
}

static struct frame build(const struct segment *s)
{
	static const uint8_t start4[] = {
		2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0,
		0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 6, 0, 0, 10, 9, 0, 1, 10, 9, 0, 2,
	};
	static const uint8_t start6[] = {
		2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x86, 0xdd, 0x60, 1, 0x23, 0x45, 0, 0, 6, 64,
		0xfd, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
		0xfd, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,
	};
	size_t tcp = s->ipv6 ? sizeof(start6) : sizeof(start4);
	size_t header_len = tcp + 20 + s->options;
	struct frame f = { NULL, header_len + s->payload_len };

	f.bytes = calloc(1, f.len);
	assert_non_null(f.bytes);
	memcpy(f.bytes, s->ipv6 ? start6 : start4, tcp);
	if (s->ipv6) {
		put16(f.bytes + 18, (uint32_t)(f.len - 54));
	} else {
		put16(f.bytes + 16, (uint32_t)(f.len - 14));
		put16(f.bytes + 18, s->id);
	}
	put16(f.bytes + tcp, 5001);
	put16(f.bytes + tcp + 2, 40000);
	put32(f.bytes + tcp + 4, s->sequence);
	put32(f.bytes + tcp + 8, s->ack);
	f.bytes[tcp + 12] = (uint8_t)((20 + s->options) / 4 << 4);
	f.bytes[tcp + 13] = s->flags;
	put16(f.bytes + tcp + 14, 500);
	memset(f.bytes + tcp + 20, 1, s->options);
	if (s->options >= 4)
		put32(f.bytes + header_len - 4, s->timestamp);
	for (size_t i = 0; i < s->payload_len; i++)
		f.bytes[header_len + i] = (uint8_t)(s->payload + i);
	repair(f.bytes, f.len);
	return f;
}

/* Number i of a flow of full segments. */
static struct segment usual(unsigned int i, bool ipv6)
{
	return (struct segment){
		.ipv6 = ipv6,
		.payload_len = 100,
		.sequence = 1000 + 100 * i,
		.ack = 5,
		.id = (uint16_t)(0x10 + i),
		.flags = 0x10,
		.options = 12,
		.payload = (uint8_t)(100 * i),
	};
}

/* What was added, and what was written of it. */
struct job {
	struct gro_join join;
	struct frame frame[FRAMES_MAX];
	unsigned int added, written;
	char runs[256]; /* frames in each write: "2 1 " */
	uint8_t write[70000]; /* the last one */
	size_t write_len;
	bool any_id; /* IDs are not consecutive: joined frames differ in them */
};

static void begin(struct job *j, unsigned int frames_max)
{
	memset(j, 0, sizeof(*j));
	gro_join_begin(&j->join, frames_max);
	assert_int_equal(gro_join_seal(&j->join), 0);
}

static void check_single(const struct job *j)
{
	static const uint8_t zero[10];
	const struct frame *f = &j->frame[j->written];

	assert_memory_equal(j->write, zero, 10);
	assert_int_equal(j->write_len, 10 + f->len);
	assert_memory_equal(j->write + 10, f->bytes, f->len);
}

/* Cuts the write and compares with the frames it was made of. */
static void check_joined(const struct job *j)
{
	static uint8_t slot[2000];
	struct gso_packet packet = {
		.hdr = vnet_hdr_at(j->write),
		.bytes = exact_copy(j->write + 10, j->write_len - 10),
		.len = j->write_len - 10,
	};
	const uint8_t *first = j->frame[j->written].bytes;
	size_t tcp = tcp_at(first);
	struct gso_split split;

	assert_int_equal(packet.hdr.flags, 1);
	assert_int_equal(packet.hdr.gso_type, is_v6(first) ? 4 : 1);
	assert_int_equal(packet.hdr.hdr_len, tcp + (size_t)(first[tcp + 12] >> 4) * 4);
	assert_int_equal(packet.hdr.gso_size, j->frame[j->written].len - packet.hdr.hdr_len);
	assert_int_equal(packet.hdr.csum_start, tcp);
	assert_int_equal(packet.hdr.csum_offset, 16);
	assert_int_equal(get16(packet.bytes + tcp + 16), pseudo(packet.bytes, packet.len));
	if (!is_v6(first))
		assert_int_equal(slow_sum(0, packet.bytes + 14, 20), 0xffff);
	assert_int_equal(gso_split_begin(&split, &packet, sizeof(slot)), GSO_OK);
	for (unsigned int i = 0; i < j->join.frames; i++) {
		const struct frame *f = &j->frame[j->written + i];

		assert_int_equal(gso_split_next(&split, slot, sizeof(slot)), f->len);
		if (j->any_id) {
			memcpy(slot + 18, f->bytes + 18, 2);
			memcpy(slot + 24, f->bytes + 24, 2);
		}
		assert_memory_equal(slot, f->bytes, f->len);
	}
	assert_true(gso_split_is_done(&split));
	free((void *)(uintptr_t)packet.bytes);
}

static void deliver(struct job *j)
{
	unsigned int pieces = gro_join_seal(&j->join);
	unsigned int frames = j->join.frames;
	char run[16];

	if (pieces == 0)
		return;
	assert_int_equal(pieces, 1 + frames);
	j->write_len = 0;
	for (unsigned int i = 0; i < pieces; i++) {
		memcpy(j->write + j->write_len, j->join.piece[i].bytes, j->join.piece[i].len);
		j->write_len += j->join.piece[i].len;
	}
	assert_true(j->write_len <= 10 + 14 + 65535);
	if (frames == 1)
		check_single(j);
	else
		check_joined(j);
	for (unsigned int i = 0; i < frames; i++) { /* what a second try would write */
		struct gro_piece piece = gro_join_frame(&j->join, i);

		assert_ptr_equal(piece.bytes, j->frame[j->written + i].bytes);
		assert_int_equal(piece.len, j->frame[j->written + i].len);
	}
	snprintf(run, sizeof(run), "%u ", frames);
	strncat(j->runs, run, sizeof(j->runs) - strlen(j->runs) - 1);
	j->written += frames;
	gro_join_reset(&j->join);
}

/* Takes the frame, which is freed by end(). */
static void add(struct job *j, struct frame f)
{
	uint8_t *before = exact_copy(f.bytes, f.len);

	j->frame[j->added++] = f;
	if (!gro_join_add(&j->join, f.bytes, f.len)) {
		deliver(j);
		assert_true(gro_join_add(&j->join, f.bytes, f.len));
	}
	assert_memory_equal(before, f.bytes, f.len);
	free(before);
}

static void end(struct job *j, const char *runs)
{
	deliver(j);
	assert_string_equal(j->runs, runs);
	assert_int_equal(j->written, j->added);
	for (unsigned int i = 0; i < j->added; i++)
		free(j->frame[i].bytes);
}

static void vector_v6(void **state)
{
	struct segment a = usual(0, false), b = usual(1, false);
	static struct job j;
	struct vnet_hdr hdr;

	(void)state;
	a.options = b.options = 0;
	b.payload_len = 60;
	b.flags = 0x18;
	begin(&j, 64);
	add(&j, build(&a));
	add(&j, build(&b));
	assert_int_equal(get16(j.frame[0].bytes + 50), 0x49e4);
	assert_int_equal(get16(j.frame[1].bytes + 50), 0xb822);
	deliver(&j);
	hdr = vnet_hdr_at(j.write);
	assert_memory_equal(&hdr, (&(struct vnet_hdr){ 1, 1, 54, 100, 34, 16 }), sizeof(hdr));
	assert_int_equal(j.write_len - 10, 214);
	assert_int_equal(get16(j.write + 10 + 16), 0x00c8);
	assert_int_equal(get16(j.write + 10 + 18), 0x10);
	assert_int_equal(get16(j.write + 10 + 24), 0x260c);
	assert_int_equal(j.write[10 + 47], 0x18);
	assert_int_equal(get16(j.write + 10 + 50), 0x14cf);
	end(&j, "2 ");
}

/* A flow of six segments in which one differs, in words or in one byte of its frame. */
struct odd_one {
	const char *what;
	const char *runs;
	unsigned int which; /* 0 ... 5 */
	int16_t sequence, payload_len; /* to add */
	uint8_t flags; /* instead */
	size_t at; /* byte to change, and mend the checksums */
	uint8_t change;
	bool ipv6;
	bool broken; /* do not mend */
};

static void run_odd_one(const struct odd_one *o)
{
	static struct job j;
	uint32_t sequence = 0;

	begin(&j, 64);
	for (unsigned int i = 0; i < 6; i++) {
		struct segment s = usual(i, o->ipv6);
		struct frame f;

		if (i > 0)
			s.sequence = sequence;
		if (i == o->which) {
			s.sequence += (uint32_t)(int32_t)o->sequence;
			s.payload_len = (uint16_t)(s.payload_len + o->payload_len);
			s.flags = o->flags ? o->flags : s.flags;
		}
		sequence = s.sequence + s.payload_len;
		f = build(&s);
		if (i == o->which && o->change) {
			f.bytes[o->at] ^= o->change;
			if (!o->broken && (is_v6(f.bytes) || f.bytes[12] == 8))
				repair(f.bytes, f.len);
		}
		add(&j, f);
	}
	deliver(&j);
	if (strcmp(j.runs, o->runs) != 0)
		fail_msg("%s: %s, not %s", o->what, j.runs, o->runs);
	end(&j, o->runs);
}

static void odd_ones(void **state)
{
	static const struct odd_one rows[] = {
		{ "none", "6 ", 0 },
		{ "none", "6 ", 0, .ipv6 = true },
		{ "PSH in the middle", "3 3 ", 2, .flags = 0x18 },
		{ "PSH first", "1 5 ", 0, .flags = 0x18 },
		{ "PSH last", "6 ", 5, .flags = 0x18 },
		{ "shorter", "3 3 ", 2, .payload_len = -1 },
		{ "longer", "2 2 2 ", 2, .payload_len = 1 },
		{ "longer first", "2 4 ", 0, .payload_len = 50 },
		{ "gap", "2 4 ", 2, .sequence = 1 },
		{ "overlap", "2 4 ", 2, .sequence = -1 },
		{ "again", "2 4 ", 2, .sequence = -100 },
		{ "pure ACK", "2 1 3 ", 2, .payload_len = -100 },
		{ "pure ACK first", "1 5 ", 0, .payload_len = -100 },
		{ "SYN", "2 1 3 ", 2, .flags = 0x12 },
		{ "FIN", "2 1 3 ", 2, .flags = 0x11 },
		{ "RST", "2 1 3 ", 2, .flags = 0x14 },
		{ "URG", "2 1 3 ", 2, .flags = 0x30 },
		{ "ECE", "2 1 3 ", 2, .flags = 0x50 },
		{ "CWR", "2 1 3 ", 2, .flags = 0x90 },
		{ "header length", "2 1 3 ", 2, .payload_len = -4, .at = 46, .change = 0xf0 },
		{ "AE", "2 1 3 ", 2, .at = 46, .change = 1 },
		{ "ack", "2 1 3 ", 2, .at = 45, .change = 1 },
		{ "ack, high byte", "2 1 3 ", 2, .at = 42, .change = 1 },
		{ "window", "2 1 3 ", 2, .at = 49, .change = 1 },
		{ "urgent pointer", "2 1 3 ", 2, .at = 52, .change = 1 },
		{ "first option", "2 1 3 ", 2, .at = 54, .change = 4 },
		{ "last option", "2 1 3 ", 2, .at = 65, .change = 4 },
		{ "source port", "2 1 3 ", 2, .at = 35, .change = 4 },
		{ "destination port", "2 1 3 ", 2, .at = 36, .change = 4 },
		{ "source address", "2 1 3 ", 2, .at = 26, .change = 4 },
		{ "destination address", "2 1 3 ", 2, .at = 33, .change = 4 },
		{ "TTL", "2 1 3 ", 2, .at = 22, .change = 1 },
		{ "DSCP", "2 1 3 ", 2, .at = 15, .change = 0x40 },
		{ "CE", "2 1 3 ", 2, .at = 15, .change = 3 },
		{ "DF", "2 1 3 ", 2, .at = 20, .change = 0x40 },
		{ "reserved bit", "2 1 3 ", 2, .at = 20, .change = 0x80 },
		{ "more fragments", "2 1 3 ", 2, .at = 20, .change = 0x20 },
		{ "fragment offset", "2 1 3 ", 2, .at = 21, .change = 1 },
		{ "destination MAC", "2 1 3 ", 2, .at = 0, .change = 2 },
		{ "source MAC", "2 1 3 ", 2, .at = 11, .change = 2 },
		{ "IP length", "2 1 3 ", 2, .at = 17, .change = 1 },
		{ "ARP", "2 1 3 ", 2, .at = 13, .change = 6 },
		{ "VLAN", "2 1 3 ", 2, .at = 12, .change = 0x89 },
		{ "protocol", "2 1 3 ", 2, .at = 23, .change = 1 },
		{ "hop limit", "2 1 3 ", 2, .at = 21, .change = 1, .ipv6 = true },
		{ "next header", "2 1 3 ", 2, .at = 20, .change = 6, .ipv6 = true },
		{ "class", "2 1 3 ", 2, .at = 14, .change = 1, .ipv6 = true },
		{ "CE", "2 1 3 ", 2, .at = 15, .change = 0x30, .ipv6 = true },
		{ "flow label", "2 1 3 ", 2, .at = 17, .change = 1, .ipv6 = true },
		{ "source address", "2 1 3 ", 2, .at = 22, .change = 1, .ipv6 = true },
		{ "destination address", "2 1 3 ", 2, .at = 53, .change = 1, .ipv6 = true },
		{ "source port", "2 1 3 ", 2, .at = 54, .change = 1, .ipv6 = true },
		{ "last option", "2 1 3 ", 2, .at = 85, .change = 1, .ipv6 = true },
		{ "IP checksum", "2 1 3 ", 2, .at = 24, .change = 1, .broken = true },
		{ "TCP checksum", "2 1 3 ", 2, .at = 50, .change = 1, .broken = true },
		{ "payload", "2 1 3 ", 2, .at = 165, .change = 1, .broken = true },
		{ "payload of the first", "1 5 ", 0, .at = 100, .change = 1, .broken = true },
		{ "IP checksum of the first", "1 5 ", 0, .at = 25, .change = 1, .broken = true },
		{ "payload of the last", "5 1 ", 5, .at = 100, .change = 1, .broken = true },
		{ "payload", "2 1 3 ", 2, .at = 185, .change = 1, .ipv6 = true, .broken = true },
		{ "address", "2 1 3 ", 2, .at = 40, .change = 1, .ipv6 = true, .broken = true },
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++)
		run_odd_one(&rows[i]);
}

/* All frames bad, in the same way; none is joined, none changed. */
static void all_bad(void **state)
{
	static struct job j;

	(void)state;
	begin(&j, 64);
	for (unsigned int i = 0; i < 4; i++) {
		struct segment s = usual(i, i % 2);
		struct frame f = build(&s);

		f.bytes[f.len - 1] ^= 0x80;
		add(&j, f);
	}
	end(&j, "1 1 1 1 ");
}

static void interleaved(void **state)
{
	static struct job j;

	(void)state;
	begin(&j, 64);
	for (unsigned int i = 0; i < 6; i++) {
		struct segment s = usual(i / 2, i % 2);

		add(&j, build(&s));
	}
	end(&j, "1 1 1 1 1 1 ");
}

/* Without DF an ID counts by one; with it, it means nothing. */
static void ids(void **state)
{
	static const struct {
		bool dont_fragment;
		uint16_t first, step;
		const char *runs;
	} rows[] = {
		{ false, 10, 1, "4 " },	    { false, 0xfffe, 1, "4 " }, { false, 10, 2, "1 1 1 1 " },
		{ false, 10, 0, "1 1 1 1 " }, { true, 10, 2, "4 " },	 { true, 0, 0, "4 " },
		{ true, 10, 0xffff, "4 " },
	};
	static struct job j;

	(void)state;
	for (size_t r = 0; r < ROWS(rows); r++) {
		begin(&j, 64);
		j.any_id = rows[r].step != 1;
		for (unsigned int i = 0; i < 4; i++) {
			struct segment s = usual(i, false);
			struct frame f;

			s.id = (uint16_t)(rows[r].first + i * rows[r].step);
			f = build(&s);
			f.bytes[20] = rows[r].dont_fragment ? 0x40 : 0;
			repair(f.bytes, f.len);
			add(&j, f);
		}
		end(&j, rows[r].runs);
	}
}

static void sequence_wrap(void **state)
{
	static struct job j;

	(void)state;
	begin(&j, 64);
	for (unsigned int i = 0; i < 4; i++) {
		struct segment s = usual(i, false);

		s.sequence += 0xffffff00u - 1000;
		add(&j, build(&s));
	}
	end(&j, "4 ");
}

/* A run begins where the last one of its stream ended, or it does not. */
static void goes_on(void **state)
{
	static const struct {
		unsigned int segment;
		uint8_t flags, other_port;
		bool goes_on;
	} rows[] = {
		{ 0, 0x10, 0, false }, /* nothing was before it */
		{ 1, 0x10, 0, true },
		{ 2, 0x18, 0, true },
		{ 3, 0x10, 0, false }, /* behind a PSH */
		{ 5, 0x10, 0, false }, /* 4 is missing */
		{ 6, 0x10, 0, true },
		{ 7, 0x10, 1, false }, /* of another stream */
		{ 8, 0x10, 1, true },
		{ 9, 0x11, 1, false }, /* FIN: none that can be joined */
		{ 9, 0x10, 1, true },
	};
	static struct job j;

	(void)state;
	begin(&j, 64);
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct segment s = usual(rows[i].segment, i % 2);
		struct frame f;

		s.flags = rows[i].flags;
		f = build(&s);
		f.bytes[tcp_at(f.bytes) + 1] ^= rows[i].other_port;
		repair(f.bytes, f.len);
		add(&j, f);
		assert_int_equal(j.join.goes_on, rows[i].goes_on);
		deliver(&j);
	}
	end(&j, "1 1 1 1 1 1 1 1 1 1 ");
	/* Nor from what was before it began anew. */
	begin(&j, 64);
	for (unsigned int i = 0; i < 2; i++) {
		struct segment s = usual(i, false);

		gro_join_begin(&j.join, 64);
		add(&j, build(&s));
		assert_false(j.join.goes_on);
		deliver(&j);
	}
	end(&j, "1 1 ");
}

/* Bytes behind the IP packet, as a bridging host sends them; nothing of it is lost. */
static void padded(void **state)
{
	static struct job j;

	(void)state;
	begin(&j, 64);
	for (unsigned int i = 0; i < 3; i++) {
		struct segment s = usual(i, false);
		struct frame f = build(&s);

		if (i == 1) {
			f.bytes = realloc(f.bytes, f.len + 6);
			assert_non_null(f.bytes);
			memset(f.bytes + f.len, 0, 6);
			f.len += 6;
		}
		add(&j, f);
	}
	end(&j, "1 1 1 ");
}

static void limits(void **state)
{
	static struct job j;

	(void)state;
	begin(&j, 64);
	for (unsigned int i = 0; i < 40; i++) {
		struct segment s = usual(i, false);

		add(&j, build(&s));
	}
	end(&j, "40 ");
	for (unsigned int frames_max = 0; frames_max <= 4; frames_max++) {
		static const char *const runs[] = {
			"1 1 1 1 1 1 1 ", "1 1 1 1 1 1 1 ", "2 2 2 1 ", "3 3 1 ", "4 3 ",
		};

		begin(&j, frames_max);
		for (unsigned int i = 0; i < 7; i++) {
			struct segment s = usual(i, true);

			add(&j, build(&s));
		}
		end(&j, runs[frames_max]);
	}
	begin(&j, 1000);
	for (unsigned int i = 0; i < 70; i++) {
		struct segment s = usual(i, false);

		add(&j, build(&s));
	}
	end(&j, "64 6 ");
}

/* 65535 bytes of IP packet: just as many, and one too many. */
static void total_length(void **state)
{
	static const struct {
		bool ipv6;
		uint16_t payload_len, last;
		const char *runs;
	} rows[] = {
		{ false, 1448, 1448, "45 1 " },
		{ false, 1460, 1460, "44 2 " }, /* 45 are 65700 */
		{ false, 1456, 15, "44 2 " }, /* 45 are 65520, without headers */
		{ false, 1455, 8, "46 " }, /* 65475 + 8 + 52 */
		{ false, 1455, 9, "45 1 " },
		{ true, 1454, 33, "46 " }, /* 65430 + 33 + 72 */
		{ true, 1454, 34, "45 1 " },
	};
	static struct job j;

	(void)state;
	for (size_t r = 0; r < ROWS(rows); r++) {
		begin(&j, 64);
		for (unsigned int i = 0; i < 46; i++) {
			struct segment s = usual(i, rows[r].ipv6);

			s.sequence = i * rows[r].payload_len;
			s.payload_len = i == 45 ? rows[r].last : rows[r].payload_len;
			add(&j, build(&s));
		}
		end(&j, rows[r].runs);
	}
}

/* Frames too short for anything, and an empty one, still pass in order. */
static void short_frames(void **state)
{
	static struct job j;

	(void)state;
	begin(&j, 64);
	for (unsigned int len = 14; len < 60; len++) {
		struct segment s = usual(0, len % 2);
		struct frame whole = build(&s);

		add(&j, (struct frame){ exact_copy(whole.bytes, len), len });
		free(whole.bytes);
	}
	deliver(&j);
	assert_int_equal(strlen(j.runs), 2 * (60 - 14));
	end(&j, j.runs);
}

/*
 * A joined packet of full segments, cut and joined again, is the same packet: join(split())
 * is nothing. The way there and back is checked by deliver().
 */
static void there_and_back(void **state)
{
	static struct job j, k;
	static uint8_t slot[2000];

	(void)state;
	for (unsigned int ipv6 = 0; ipv6 < 2; ipv6++) {
		struct gso_packet packet = { .bytes = j.write + 10 };
		struct gso_split split;
		size_t len;

		begin(&j, 64);
		for (unsigned int i = 0; i < 20; i++) {
			struct segment s = usual(i, ipv6);

			s.flags = i == 19 ? 0x18 : 0x10;
			add(&j, build(&s));
		}
		end(&j, "20 ");
		packet.hdr = vnet_hdr_at(j.write);
		packet.len = j.write_len - 10;
		assert_int_equal(gso_split_begin(&split, &packet, 1514), GSO_OK);
		begin(&k, 64);
		while ((len = gso_split_next(&split, slot, sizeof(slot))) > 0)
			add(&k, (struct frame){ exact_copy(slot, len), len });
		end(&k, "20 ");
		assert_int_equal(k.write_len, j.write_len);
		assert_memory_equal(k.write, j.write, j.write_len);
	}
}

/* Two right segments of 8 and 4 bytes, which are joined. */
static void probe(void **state)
{
	uint8_t memory[GRO_JOIN_PROBE_LEN];
	struct gro_join j;

	(void)state;
	gro_join_probe(&j, memory);
	assert_int_equal(j.frames, 2);
	assert_int_equal(gro_join_seal(&j), 3);
	assert_int_equal(j.payload_len, 12);
	assert_int_equal(vnet_hdr_at(j.header).gso_size, 8);
	for (unsigned int i = 0; i < 2; i++) {
		struct gro_piece f = gro_join_frame(&j, i);

		assert_int_equal(f.len, i == 0 ? 62 : 58);
		assert_int_equal(f.bytes[22], 0); /* TTL */
		assert_int_equal(slow_sum(0, f.bytes + 14, 20), 0xffff);
	}
}

static void random_traffic(void **state)
{
	uint32_t seed = 0x47524f31, sequence = 0, joined = 0;
	static struct job j;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		unsigned int frames = random_range(&seed, 1, 60);
		struct segment s = usual(0, random_range(&seed, 0, 1));
		uint16_t full = (uint16_t)random_range(&seed, 1, 300);

		begin(&j, random_range(&seed, 1, 70));
		s.options = (uint8_t)(4 * random_range(&seed, 0, 10));
		for (unsigned int i = 0; i < frames; i++) {
			uint32_t luck = random_range(&seed, 0, 40);
			struct frame f;

			s.payload_len = full;
			s.sequence = sequence;
			s.id++;
			s.flags = luck == 0 ? 0x18 : luck == 1 ? (uint8_t)random_next(&seed) : 0x10;
			s.ack += luck == 2;
			s.payload_len = (uint16_t)(luck == 3 ? random_range(&seed, 0, 300) : full);
			s.sequence += luck == 4 ? random_next(&seed) : 0;
			s.ipv6 ^= luck == 5;
			s.payload = (uint8_t)random_next(&seed);
			s.timestamp += luck == 6;
			sequence = s.sequence + s.payload_len;
			f = build(&s);
			if (luck == 7)
				f.bytes[random_range(&seed, 0, (uint32_t)f.len - 1)] ^= 1;
			add(&j, f);
		}
		deliver(&j);
		joined += (uint32_t)strlen(j.runs) / 2 < frames;
		end(&j, j.runs);
	}
	assert_true(joined > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vector_v6),
		cmocka_unit_test(odd_ones),
		cmocka_unit_test(all_bad),
		cmocka_unit_test(interleaved),
		cmocka_unit_test(ids),
		cmocka_unit_test(sequence_wrap),
		cmocka_unit_test(goes_on),
		cmocka_unit_test(padded),
		cmocka_unit_test(limits),
		cmocka_unit_test(total_length),
		cmocka_unit_test(short_frames),
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(probe),
		cmocka_unit_test(random_traffic),
	};

	return cmocka_run_group_tests_name("gro_join", tests, NULL, NULL);
}
