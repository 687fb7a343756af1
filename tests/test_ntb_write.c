/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The NTB writer: byte-exact blocks, every limit, and for random traffic the
 * properties that the strictest hosts check (cases W03, W04, W05) plus the way back
 * through the reader.
 */
#include "unit.h"

#include "ntb_vectors.h"
#include "wire/bytes.h"
#include "wire/crc32.h"
#include "wire/ncm_spec.h"
#include "wire/ntb_read.h"
#include "wire/ntb_write.h"

/* What f_ncm offers, and the packet of high speed. */
#define OFFER .max_size = 16384, .divisor = 4, .alignment = 4
#define USUAL OFFER, .max_packet = 512

static const struct ntb_write_shape usual = { USUAL };

/* One NTB under test: memory of exactly max_size bytes, and the frames put into it. */
struct block {
	struct ntb_write_shape shape;
	struct ntb_write w;
	uint8_t *memory;
	uint32_t frames;
	uint16_t frame_len[NTB_WRITE_MAX_DATAGRAMS];
	uint32_t len; /* of the finished block */
	bool needs_zlp;
};

static void begin(struct block *b, const struct ntb_write_shape *shape)
{
	memset(b, 0, sizeof(*b));
	b->shape = *shape;
	b->memory = malloc(shape->max_size);
	assert_non_null(b->memory);
	memset(b->memory, 0xa5, shape->max_size); /* so that gaps left as they were are seen */
	ntb_write_begin(&b->w, &b->shape, b->memory);
}

static bool add(struct block *b, size_t len)
{
	size_t room;
	uint8_t *slot = ntb_write_slot(&b->w, &room);
	bool fits = len <= room && room > 0;

	assert_int_equal(ntb_write_is_full_for(&b->w, len), !fits);
	if (!fits)
		return false;
	ntb_vector_frame(slot, len);
	ntb_write_commit(&b->w, len);
	b->frame_len[b->frames++] = (uint16_t)len;
	assert_int_equal(b->w.datagrams, b->frames);
	return true;
}

static void finish(struct block *b, uint16_t sequence)
{
	b->needs_zlp = !b->needs_zlp; /* whatever it was, it is written */
	b->len = ntb_write_finish(&b->w, sequence, &b->needs_zlp);
}

static void end(struct block *b)
{
	free(b->memory);
}

/* Reads the block back with the project's own reader. */
static void check_round_trip(const struct block *b)
{
	struct ntb_read_rules rules = {
		.format = b->shape.format,
		.crc = b->shape.crc,
		.ntb_out_max_size = b->shape.max_size,
		.max_datagram_len = 65535,
	};
	static uint8_t frame[65536];
	struct ntb_read r;
	struct ntb_datagram d;

	ntb_read_begin(&r, &rules, b->memory, b->len);
	for (uint32_t i = 0; i < b->frames; i++) {
		assert_int_equal(ntb_read_next(&r, &d), NTB_DATAGRAM);
		assert_int_equal(d.len, b->frame_len[i]);
		ntb_vector_frame(frame, d.len);
		assert_memory_equal(d.bytes, frame, d.len);
	}
	assert_int_equal(ntb_read_next(&r, &d), NTB_END);
	assert_int_equal(r.ntbs, 1);
}

static uint32_t field(const struct block *b, size_t at16, size_t at32)
{
	return b->shape.format == NTB_FORMAT_16 ? le16_at(b->memory + at16) :
						  le32_at(b->memory + at32);
}

static void check_zero(const struct block *b, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		assert_int_equal(b->memory[i], 0);
}

/* The offsets below are those of NTB16 and NTB32 [NCM10 3.2, 3.3]. */
static void check_header(const struct block *b, uint16_t sequence)
{
	bool is16 = b->shape.format == NTB_FORMAT_16;

	assert_memory_equal(b->memory, is16 ? "NCMH" : "ncmh", 4);
	assert_int_equal(le16_at(b->memory + 4), is16 ? 12 : 16); /* wHeaderLength */
	assert_int_equal(le16_at(b->memory + 6), sequence);
	assert_int_equal(field(b, 8, 8), b->len); /* wBlockLength is the transfer */
}

/* From `end` on there is nothing but the padding. */
static void check_end(const struct block *b, uint32_t end)
{
	assert_true(b->len >= end && b->len - end <= 1);
	check_zero(b, end, b->len);
}

/* The entries in the table, or those it has room for. */
static uint32_t table_end(const struct block *b, uint32_t ndp_index, uint32_t datagrams)
{
	return ndp_index + (b->shape.format == NTB_FORMAT_16 ? 8 + 4 * (datagrams + 1) :
								16 + 8 * (datagrams + 1));
}

static void check_table(const struct block *b, uint32_t ndp_index)
{
	bool is16 = b->shape.format == NTB_FORMAT_16;
	const uint8_t *ndp = b->memory + ndp_index;
	uint32_t entries = b->frames ? b->frames + 1 : 2;
	uint32_t ndp_len = is16 ? 8 + 4 * entries : 16 + 8 * entries;
	uint32_t terminator = ndp_index + ndp_len - (is16 ? 4 : 8);

	assert_int_equal(ndp_index % b->shape.alignment, 0);
	assert_memory_equal(ndp, is16 ? b->shape.crc ? "NCM1" : "NCM0" :
					b->shape.crc ? "ncm1" : "ncm0", 4);
	assert_int_equal(le16_at(ndp + 4), ndp_len); /* wLength */
	if (is16)
		assert_int_equal(le16_at(ndp + 6), 0); /* wNextNdpIndex: never a chain */
	else
		check_zero(b, ndp_index + 6, ndp_index + 16); /* reserved, next, reserved */
	check_zero(b, terminator, ndp_index + ndp_len);
	if (b->shape.ndp == NTB_NDP_START)
		assert_true(ndp_index < (is16 ? 12u : 16u) + b->shape.alignment);
	else
		check_end(b, ndp_index + ndp_len);
}

static void check_datagrams(const struct block *b, uint32_t ndp_index)
{
	bool is16 = b->shape.format == NTB_FORMAT_16;
	bool first = b->shape.ndp == NTB_NDP_START;
	uint16_t limit = b->shape.max_datagrams;
	uint32_t fill = is16 ? 12 : 16;

	if (limit == 0 || limit > NTB_WRITE_MAX_DATAGRAMS)
		limit = NTB_WRITE_MAX_DATAGRAMS;
	if (first) {
		fill = table_end(b, ndp_index, limit);
		check_zero(b, table_end(b, ndp_index, b->frames), fill);
	}
	for (uint32_t i = 0; i < b->frames; i++) {
		uint32_t index = field(b, ndp_index + 8 + 4 * i, ndp_index + 16 + 8 * i);
		uint32_t len = field(b, ndp_index + 10 + 4 * i, ndp_index + 20 + 8 * i);

		assert_true(index >= fill); /* in order, and none overlaps */
		assert_int_equal((index + 14) % b->shape.divisor, b->shape.remainder);
		assert_int_equal(len, b->frame_len[i] + (b->shape.crc ? 4u : 0u));
		check_zero(b, fill, index);
		fill = index + len;
		if (b->shape.crc)
			assert_int_equal(le32_at(b->memory + fill - 4),
					 crc32_ethernet(b->memory + index, len - 4));
	}
	if (first) {
		check_end(b, fill);
		return;
	}
	assert_true(fill <= ndp_index);
	check_zero(b, fill, ndp_index);
}

/* Everything that holds for every block. */
static void check_properties(const struct block *b, uint16_t sequence)
{
	uint32_t ndp_index = field(b, 10, 12);

	check_header(b, sequence);
	check_table(b, ndp_index);
	check_datagrams(b, ndp_index);
	assert_true(b->len <= b->shape.max_size);
	if (b->len % b->shape.max_packet == 0 && b->len < b->shape.max_size)
		assert_true(b->shape.ending == NTB_ENDING_ZLP && b->needs_zlp);
	else
		assert_false(b->needs_zlp);
	check_round_trip(b);
}

struct exact {
	const char *name;
	struct ntb_write_shape shape;
	uint16_t sequence;
	uint16_t frame_len[3]; /* 0: no more */
	const char *recipe; /* see ntb_recipe_build() */
};

static void byte_exact(void **state)
{
	static const struct exact rows[] = {
		{ "empty NTB16", { USUAL }, 0, { 0 },
		  "4e434d48 0c00 0000 1c00 0c00 " /* wHeaderLength, wSequence, block, NDP */
		  "4e434d30 1000 0000 0000 0000 0000 0000" }, /* wLength, wNextNdpIndex, ... */
		{ "empty NTB32", { USUAL, .format = NTB_FORMAT_32 }, 0, { 0 },
		  "6e636d68 1000 0000 30000000 10000000 "
		  "6e636d30 2000 0000 00000000 00000000 Z16" },
		{ "one frame", { USUAL }, 0x1234, { 60 },
		  "4e434d48 0c00 3412 5c00 4c00 "
		  "0000 F60 0000 " /* the payload at 28, the NDP at 76 */
		  "4e434d30 1000 0000 0e00 3c00 0000 0000" },
		{ "two frames", { USUAL }, 0, { 61, 14 },
		  "4e434d48 0c00 0000 7000 5c00 "
		  "0000 F61 000000 F14 " /* at 14 and 78; 78 + 14 = 92 needs no gap */
		  "4e434d30 1400 0000 0e00 3d00 4e00 0e00 0000 0000" },
		{ "payload remainder 2", { USUAL, .remainder = 2 }, 0, { 60 },
		  "4e434d48 0c00 0000 5800 4800 F60 "
		  "4e434d30 1000 0000 0c00 3c00 0000 0000" },
		{ "divisor 64, alignment 32",
		  { .max_size = 2048, .divisor = 64, .alignment = 32, .max_packet = 64 }, 0,
		  { 60 },
		  "4e434d48 0c00 0000 9000 8000 Z38 F60 Z18 " /* 50 + 14 = 64; 110; 128 */
		  "4e434d30 1000 0000 3200 3c00 0000 0000" },
		{ "NDP first, room for two", { USUAL, .ndp = NTB_NDP_START, .max_datagrams = 2 }, 5,
		  { 60 },
		  "4e434d48 0c00 0500 5e00 0c00 "
		  "4e434d30 1000 0000 2200 3c00 0000 0000 00000000 0000 F60" },
		{ "NDP first and full", { USUAL, .ndp = NTB_NDP_START, .max_datagrams = 2 }, 0,
		  { 61, 14 },
		  "4e434d48 0c00 0000 7000 0c00 "
		  "4e434d30 1400 0000 2200 3d00 6200 0e00 0000 0000 0000 F61 000000 F14" },
		{ "NDP first, NTB32", { USUAL, .format = NTB_FORMAT_32, .ndp = NTB_NDP_START,
					.max_datagrams = 1 }, 0, { 60 },
		  "6e636d68 1000 0000 6e000000 10000000 "
		  "6e636d30 2000 0000 00000000 00000000 32000000 3c000000 Z8 0000 F60" },
		{ "CRC", { USUAL, .crc = true }, 0, { 60 },
		  "4e434d48 0c00 0000 6000 5000 0000 F60 9e5d15b2 0000 "
		  "4e434d31 1000 0000 0e00 4000 0000 0000" },
		{ "NTB32", { USUAL, .format = NTB_FORMAT_32 }, 1, { 60 },
		  "6e636d68 1000 0100 70000000 50000000 0000 F60 0000 "
		  "6e636d30 2000 0000 00000000 00000000 12000000 3c000000 Z8" },
		{ "NTB32 with CRC", { USUAL, .format = NTB_FORMAT_32, .crc = true }, 0, { 60 },
		  "6e636d68 1000 0000 74000000 54000000 0000 F60 9e5d15b2 0000 "
		  "6e636d31 2000 0000 00000000 00000000 12000000 40000000 Z8" },
	};
	static uint8_t expected[2048];

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct block b;
		size_t len = ntb_recipe_build(rows[i].recipe, expected, sizeof(expected));

		begin(&b, &rows[i].shape);
		for (size_t f = 0; f < 3 && rows[i].frame_len[f]; f++)
			assert_true(add(&b, rows[i].frame_len[f]));
		finish(&b, rows[i].sequence);
		if (b.len != len || memcmp(b.memory, expected, len) != 0)
			print_error("%s:\n", rows[i].name);
		assert_int_equal(b.len, len);
		assert_memory_equal(b.memory, expected, len);
		check_properties(&b, rows[i].sequence);
		end(&b);
	}
}

/*
 * One frame makes a block of len + 32 (NTH 12, gap 2, NDP 16, gap 2) where len is a
 * multiple of 4: 480 bytes make 512.
 */
static void ends_of_transfers(void **state)
{
	static const struct {
		struct ntb_write_shape shape;
		uint16_t frame_len;
		uint32_t len;
		bool needs_zlp;
	} rows[] = {
		{ { USUAL }, 476, 508, false },
		{ { USUAL }, 480, 513, false },
		{ { USUAL }, 484, 516, false },
		{ { USUAL, .ending = NTB_ENDING_ZLP }, 476, 508, false },
		{ { USUAL, .ending = NTB_ENDING_ZLP }, 480, 512, true },
		{ { USUAL, .ending = NTB_ENDING_ZLP }, 484, 516, false },
		{ { USUAL, .format = NTB_FORMAT_32 }, 460, 513, false },
		{ { OFFER, .max_packet = 64 }, 480, 513, false },
		{ { OFFER, .max_packet = 64 }, 32, 65, false },
		{ { OFFER, .max_packet = 1024 }, 480, 512, false },
		{ { OFFER, .max_packet = 1024 }, 992, 1025, false },
		/* exactly dwNtbInMaxSize: the host's buffer is full, nothing more is due */
		{ { .max_size = 2048, .divisor = 4, .alignment = 4, .max_packet = 512 },
		  2016, 2048, false },
		{ { .max_size = 2048, .divisor = 4, .alignment = 4, .max_packet = 512,
		    .ending = NTB_ENDING_ZLP },
		  2016, 2048, false },
		{ { .max_size = 2049, .divisor = 4, .alignment = 4, .max_packet = 512 },
		  2016, 2049, false },
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct block b;

		begin(&b, &rows[i].shape);
		assert_true(add(&b, rows[i].frame_len));
		finish(&b, 0);
		assert_int_equal(b.len, rows[i].len);
		assert_int_equal(b.needs_zlp, rows[i].needs_zlp);
		check_properties(&b, 0);
		end(&b);
	}
}

static void datagram_limit(void **state)
{
	static const struct {
		uint16_t max_datagrams;
		uint32_t taken; /* of frames of 14 bytes in 16 KiB */
	} rows[] = {
		{ 1, 1 },
		{ 31, 31 },
		{ 240, 240 },
		{ 0, NTB_WRITE_MAX_DATAGRAMS },
		{ 241, NTB_WRITE_MAX_DATAGRAMS },
		{ 65535, NTB_WRITE_MAX_DATAGRAMS },
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct ntb_write_shape shape = usual;
		struct block b;
		size_t room;

		shape.max_datagrams = rows[i].max_datagrams;
		begin(&b, &shape);
		while (add(&b, 14))
			;
		assert_int_equal(b.frames, rows[i].taken);
		ntb_write_slot(&b.w, &room);
		assert_int_equal(room, 0);
		assert_true(ntb_write_is_full_for(&b.w, 0));
		finish(&b, 7);
		check_properties(&b, 7);
		end(&b);
	}
}

/* 16 KiB hold ten full-size frames, as f_ncm's do. */
static void full_size_frames(void **state)
{
	struct block b;

	(void)state;
	begin(&b, &usual);
	while (add(&b, 1514))
		;
	assert_int_equal(b.frames, 10);
	assert_true(add(&b, 600)); /* a shorter one still goes in */
	finish(&b, 0);
	check_properties(&b, 0);
	end(&b);
}

/* The room is what it is said to be: that many bytes fit, one more does not. */
static void room_is_exact(void **state)
{
	static const struct ntb_write_shape shapes[] = {
		{ USUAL },
		{ USUAL, .crc = true },
		{ USUAL, .remainder = 2 },
		{ USUAL, .ndp = NTB_NDP_START, .max_datagrams = 8 },
		{ USUAL, .format = NTB_FORMAT_32 },
		{ USUAL, .format = NTB_FORMAT_32, .crc = true },
		{ .max_size = 2048, .divisor = 4, .alignment = 4, .max_packet = 64 },
		{ .max_size = 2051, .divisor = 32, .alignment = 64, .max_packet = 64 },
		{ .max_size = 65535, .divisor = 4, .alignment = 4, .max_packet = 512 },
		{ .max_size = 65536, .divisor = 4, .alignment = 4, .max_packet = 512 },
		{ .max_size = 131072, .divisor = 4, .alignment = 4, .max_packet = 1024 },
	};

	(void)state;
	for (size_t i = 0; i < ROWS(shapes); i++) {
		struct block b;
		size_t room;

		begin(&b, &shapes[i]);
		ntb_write_slot(&b.w, &room);
		assert_int_equal(room, ntb_write_largest(&shapes[i]));
		assert_true(room + 128 > (shapes[i].max_size > 65535 ? 65535 : shapes[i].max_size));
		assert_true(ntb_write_is_full_for(&b.w, room + 1));
		assert_true(add(&b, room));
		finish(&b, 0);
		check_properties(&b, 0);
		end(&b);
	}
}

static void largest_of_small_shapes(void **state)
{
	struct ntb_write_shape shape = { .divisor = 4, .alignment = 4, .max_packet = 64 };

	(void)state;
	shape.max_size = 43; /* NTH 12, gap 2, NDP 16 on a multiple of 4: 10 bytes are left */
	assert_int_equal(ntb_write_largest(&shape), 0);
	shape.max_size = 44;
	assert_int_equal(ntb_write_largest(&shape), 14);
	shape.max_size = 48; /* the NDP at 32: from 14 on 18 bytes */
	assert_int_equal(ntb_write_largest(&shape), 18);
	shape.max_size = 0;
	assert_int_equal(ntb_write_largest(&shape), 0);
}

/* 65536 with NTB16 would be wBlockLength 0 (cases N06). */
static void ntb16_stays_below_64k(void **state)
{
	struct ntb_write_shape shape = usual;
	struct block b;

	(void)state;
	shape.max_size = 131072;
	for (size_t len = 1500; len < 1514; len++) {
		begin(&b, &shape);
		while (add(&b, len))
			;
		assert_true(b.frames > 40);
		finish(&b, 0);
		assert_true(b.len <= 65535);
		check_properties(&b, 0);
		end(&b);
	}
	shape.format = NTB_FORMAT_32;
	begin(&b, &shape);
	while (add(&b, 1514))
		;
	finish(&b, 0);
	assert_true(b.len > 120000);
	check_properties(&b, 0);
	end(&b);
}

/* A caller's mistake costs the datagram, never a byte of memory. */
static void wrong_lengths_are_not_taken(void **state)
{
	struct block b;
	size_t room, again;

	(void)state;
	begin(&b, &usual);
	ntb_write_slot(&b.w, &room);
	ntb_write_commit(&b.w, room + 1);
	ntb_write_commit(&b.w, SIZE_MAX);
	ntb_write_commit(&b.w, 0);
	ntb_write_commit(&b.w, 13);
	ntb_write_slot(&b.w, &again);
	assert_int_equal(again, room);
	assert_int_equal(b.w.datagrams, 0);
	finish(&b, 0);
	check_properties(&b, 0);
	end(&b);
}

/* What was written into a slot and not committed never reaches the host. */
static void scribbled_slots_do_not_leak(void **state)
{
	static const uint32_t frames[] = { 0, 1, 3 };

	(void)state;
	for (size_t i = 0; i < ROWS(frames); i++) {
		struct block b;
		uint8_t *slot;
		size_t room;

		begin(&b, &usual);
		for (uint32_t f = 0; f < frames[i]; f++)
			assert_true(add(&b, 61));
		slot = ntb_write_slot(&b.w, &room);
		memset(slot, 0x5a, room);
		finish(&b, 0);
		check_properties(&b, 0);
		end(&b);
	}
}

/* The same memory and the same writer serve one NTB after the other. */
static void begins_again(void **state)
{
	struct block b;

	(void)state;
	begin(&b, &usual);
	while (add(&b, 1514))
		;
	finish(&b, 0xffff);
	check_properties(&b, 0xffff);
	ntb_write_begin(&b.w, &b.shape, b.memory);
	b.frames = 0;
	assert_true(add(&b, 42));
	finish(&b, 0);
	assert_int_equal(b.len, 72);
	check_properties(&b, 0);
	end(&b);
}

static struct ntb_write_shape random_shape(uint32_t *seed, enum ntb_format format)
{
	static const uint16_t packets[] = { 64, 512, 1024 };
	struct ntb_write_shape shape = {
		.format = format,
		.crc = random_range(seed, 0, 3) == 0,
		.ending = random_range(seed, 0, 1) ? NTB_ENDING_PAD : NTB_ENDING_ZLP,
		.ndp = random_range(seed, 0, 1) ? NTB_NDP_END : NTB_NDP_START,
		.max_size = random_range(seed, 0, 1) ? random_range(seed, 2048, 20000) :
						       random_range(seed, 2, 16) * 1024,
		.max_datagrams = (uint16_t)random_range(seed, 0, 50),
		.divisor = (uint16_t)(4u << random_range(seed, 0, 4)),
		.alignment = (uint16_t)(4u << random_range(seed, 0, 3)),
		.max_packet = packets[random_range(seed, 0, 2)],
	};

	shape.remainder = (uint16_t)random_range(seed, 0, shape.divisor - 1u);
	return shape;
}

static void random_traffic(enum ntb_format format, uint32_t seed)
{
	unsigned int multiples = 0;

	for (int round = 0; round < 2000; round++) {
		struct ntb_write_shape shape = random_shape(&seed, format);
		uint32_t longest = random_range(&seed, 0, 1) ? 1514 : 120;
		uint32_t frames = random_range(&seed, 0, 60);
		uint16_t sequence = (uint16_t)random_next(&seed);
		struct block b;

		begin(&b, &shape);
		while (b.frames < frames && add(&b, random_range(&seed, 14, longest)))
			;
		finish(&b, sequence);
		check_properties(&b, sequence);
		multiples += b.len % shape.max_packet <= 1;
		end(&b);
	}
	assert_true(multiples > 10); /* the ends of transfers were met, too */
}

static void random_traffic_16(void **state)
{
	(void)state;
	random_traffic(NTB_FORMAT_16, 0x4e434d30);
}

static void random_traffic_32(void **state)
{
	(void)state;
	random_traffic(NTB_FORMAT_32, 0x6e636d30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(byte_exact),
		cmocka_unit_test(ends_of_transfers),
		cmocka_unit_test(datagram_limit),
		cmocka_unit_test(full_size_frames),
		cmocka_unit_test(room_is_exact),
		cmocka_unit_test(largest_of_small_shapes),
		cmocka_unit_test(ntb16_stays_below_64k),
		cmocka_unit_test(wrong_lengths_are_not_taken),
		cmocka_unit_test(scribbled_slots_do_not_leak),
		cmocka_unit_test(begins_again),
		cmocka_unit_test(random_traffic_16),
		cmocka_unit_test(random_traffic_32),
	};

	return cmocka_run_group_tests_name("ntb_write", tests, NULL, NULL);
}
