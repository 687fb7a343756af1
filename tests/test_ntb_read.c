/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The NTB reader against every vector of tests/ntb_vectors.c and against the rows
 * below: a transfer as text, the rules in force, and what is to be heard about it.
 */
#include "unit.h"

#include "ntb_vectors.h"
#include "wire/bytes.h"
#include "wire/crc32.h"
#include "wire/ntb_read.h"

/* What a function says that offers NTB16 only: the rules of the vectors. */
#define RULES .ntb_out_max_size = 16384, .max_datagram_len = 1518

static const struct ntb_read_rules ntb16 = { RULES };
static const struct ntb_read_rules ntb32 = { RULES, .format = NTB_FORMAT_32 };
static const struct ntb_read_rules ntb16_crc = { RULES, .crc = true };
static const struct ntb_read_rules ntb32_crc = { RULES, .format = NTB_FORMAT_32, .crc = true };

/* NTH16 with wHeaderLength 12, wSequence 0; NDP16; entries; see ntb_recipe_build(). */
#define NTH16(block, ndp) "4e434d48 0c00 0000 " block " " ndp " "
#define NDP16(len, next) "4e434d30 " len " " next " "
#define NDP16_CRC(len, next) "4e434d31 " len " " next " "
#define ENTRY(index, len) index " " len " "
#define LAST "0000 0000 "
#define BASE_A NTH16("5800", "0c00") NDP16("1000", "0000") ENTRY("1c00", "3c00") LAST "F60 "

/* The same in 32 bits: wHeaderLength 16, wSequence 0. */
#define NTH32(block, ndp) "6e636d68 1000 0000 " block " " ndp " "
#define NDP32(len, next) "6e636d30 " len " 0000 " next " 00000000 "
#define LAST32 "00000000 00000000 "
#define BASE_A32 \
	NTH32("6c000000", "10000000") NDP32("2000", "00000000") \
	ENTRY("30000000", "3c000000") LAST32 "F60 "

static void check_datagram(const struct ntb_vector *v, const uint8_t *transfer, size_t len,
			   const struct ntb_datagram *d)
{
	uint8_t frame[2048];

	assert_true(d->bytes >= transfer && d->bytes <= transfer + len);
	assert_true(d->len <= len - (size_t)(d->bytes - transfer));
	if (d->len != v->frame_len)
		fail_msg("%s: a datagram of %zu bytes", v->name, d->len);
	ntb_vector_frame(frame, d->len);
	assert_memory_equal(d->bytes, frame, d->len);
}

/* Reads the transfer and compares every verdict with the vector's. */
static void check_transfer(const struct ntb_vector *v, const struct ntb_read_rules *rules,
			   const uint8_t *transfer, size_t len)
{
	struct ntb_read r;
	struct ntb_datagram d;
	enum ntb_verdict verdict;
	unsigned int results = 0;
	char expected[64];

	ntb_read_begin(&r, rules, transfer, len);
	while ((verdict = ntb_read_next(&r, &d)) != NTB_END) {
		if (!ntb_vector_verdict(v, results, expected))
			fail_msg("%s: result %u: %s, none expected", v->name, results,
				 ntb_verdict_name(verdict));
		if (strcmp(ntb_verdict_name(verdict), expected) != 0)
			fail_msg("%s: result %u: %s, not %s", v->name, results,
				 ntb_verdict_name(verdict), expected);
		if (verdict == NTB_DATAGRAM)
			check_datagram(v, transfer, len, &d);
		results++;
	}
	if (ntb_vector_verdict(v, results, expected))
		fail_msg("%s: ended before %s", v->name, expected);
	assert_true(results <= len / 4 + 1);
	assert_int_equal(ntb_read_next(&r, &d), NTB_END);
}

static void check_bytes(const struct ntb_vector *v, const struct ntb_read_rules *rules,
			const uint8_t *bytes, size_t len)
{
	uint8_t *copy = exact_copy(bytes, len);
	uint8_t *odd = malloc(len + 1);

	assert_non_null(odd);
	check_transfer(v, rules, copy, len);
	if (len)
		memcpy(odd + 1, bytes, len); /* nothing in a transfer is aligned but by luck */
	check_transfer(v, rules, odd + 1, len);
	free(odd);
	free(copy);
}

/* A row of the tables below; `name` is what it is about. */
struct row {
	const char *name;
	const struct ntb_read_rules *rules;
	const char *recipe;
	const char *verdicts;
	uint16_t frame_len; /* 0: 60 */
};

static void check_rows(const struct row *rows, size_t count)
{
	static uint8_t bytes[NTB_VECTOR_MAX];

	for (size_t i = 0; i < count; i++) {
		struct ntb_vector v = {
			.name = rows[i].name,
			.verdicts = rows[i].verdicts,
			.frame_len = rows[i].frame_len ? rows[i].frame_len : 60,
		};
		size_t len = ntb_recipe_build(rows[i].recipe, bytes, sizeof(bytes));

		if (len == 0)
			fail_msg("%s: the recipe is wrong", v.name);
		check_bytes(&v, rows[i].rules, bytes, len);
	}
}

static void every_vector(void **state)
{
	static uint8_t bytes[NTB_VECTOR_MAX];

	(void)state;
	for (size_t i = 0; i < ntb_vectors_count; i++) {
		size_t len = ntb_vector_build(&ntb_vectors[i], bytes, sizeof(bytes));

		if (len == 0)
			fail_msg("%s: length or CRC-32 differ", ntb_vectors[i].name);
		check_bytes(&ntb_vectors[i], &ntb16, bytes, len);
	}
}

/* A bad NTB in a transfer of its own leaves nothing behind that the next could see. */
static void good_after_bad(void **state)
{
	const struct ntb_vector *good = ntb_vector_find("BASE-A");
	static uint8_t bytes[NTB_VECTOR_MAX];
	uint8_t base[88];
	struct ntb_read r;
	struct ntb_datagram d;

	(void)state;
	assert_int_equal(ntb_vector_build(good, base, sizeof(base)), 88);
	for (size_t i = 0; i < ntb_vectors_count; i++) {
		size_t len = ntb_vector_build(&ntb_vectors[i], bytes, sizeof(bytes));

		ntb_read_begin(&r, &ntb16, bytes, len);
		while (ntb_read_next(&r, &d) != NTB_END)
			;
		ntb_read_begin(&r, &ntb16, base, sizeof(base));
		assert_int_equal(ntb_read_next(&r, &d), NTB_DATAGRAM);
		check_datagram(good, base, sizeof(base), &d);
		assert_int_equal(ntb_read_next(&r, &d), NTB_END);
	}
}

/* Cases N14: these six are told apart. */
static void six_different_reasons(void **state)
{
	static const char *const names[] = { "HL16", "NDPMIS",   "WL15",
					     "WL12", "CRC-SIGN", "NTB32-16" };
	const struct ntb_vector *v[ROWS(names)];

	(void)state;
	for (size_t i = 0; i < ROWS(names); i++) {
		v[i] = ntb_vector_find(names[i]);
		assert_non_null(v[i]);
		assert_int_equal(ntb_vector_datagrams(v[i]), 0);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(v[i]->verdicts, v[j]->verdicts);
	}
}

static void headers(void **state)
{
	static const struct row rows[] = {
		{ "one zero byte is no padding alone", &ntb16, "00", "ntb_short_header", 0 },
		{ "11 bytes", &ntb16, "4e434d48 0c00 0000 5800 0c", "ntb_short_header", 0 },
		{ "12 bytes, block 12", &ntb16, NTH16("0c00", "0c00"), "ntb_block_too_short", 0 },
		{ "12 bytes, block 0", &ntb16, NTH16("0000", "0c00"), "ntb_block_too_short", 0 },
		{ "27 bytes, block 0", &ntb16, NTH16("0000", "0c00") NDP16("1000", "0000") "Z7",
		  "ntb_block_too_short", 0 },
		{ "28 bytes, block 0", &ntb16, NTH16("0000", "0c00") NDP16("1000", "0000") "Z8",
		  "", 0 },
		{ "no NTH", &ntb16, "Z88", "ntb_bad_signature", 0 },
		{ "an NDP first", &ntb16, NDP16("1000", "0000") "Z80", "ntb_bad_signature", 0 },
		{ "signature with one bit off", &ntb16, "4e434d49 0c00 0000 5800 0c00 Z76",
		  "ntb_bad_signature", 0 },
		{ "block 89 of 88", &ntb16,
		  NTH16("5900", "0c00") NDP16("1000", "0000") ENTRY("1c00", "3c00") LAST "F60",
		  "ntb_block_beyond_transfer", 0 },
		{ "block ffff of 88", &ntb16,
		  NTH16("ffff", "0c00") NDP16("1000", "0000") ENTRY("1c00", "3c00") LAST "F60",
		  "ntb_block_beyond_transfer", 0 },
		{ "bad header: the rest is lost", &ntb16,
		  "4e434d48 0d00 0000 5800 0c00 Z76 " BASE_A, "ntb_bad_header_length", 0 },
		{ "NTB16 where NTB32 is in force", &ntb32, BASE_A, "ntb_wrong_format", 0 },
	};

	(void)state;
	check_rows(rows, ROWS(rows));
}

/* Whatever is cut off BASE-A, it is said once, and nothing is read behind the cut. */
static void every_prefix(void **state)
{
	uint8_t bytes[88];

	(void)state;
	assert_int_equal(ntb_recipe_build(BASE_A, bytes, sizeof(bytes)), sizeof(bytes));
	for (size_t len = 0; len < sizeof(bytes); len++) {
		struct ntb_vector v = {
			.name = "prefix",
			.verdicts = len == 0 ? "" :
				    len < 12 ? "ntb_short_header" :
					       "ntb_block_beyond_transfer",
		};

		check_bytes(&v, &ntb16, bytes, len);
	}
}

static void what_follows_an_ntb(void **state)
{
	static const struct row rows[] = {
		{ "nothing", &ntb16, BASE_A, "ntb_datagram", 0 },
		{ "two zero bytes", &ntb16, BASE_A "0000", "ntb_datagram ntb_trailing_bytes", 0 },
		{ "three bytes", &ntb16, BASE_A "4e434d", "ntb_datagram ntb_trailing_bytes", 0 },
		{ "zeros to the buffer's end", &ntb16, BASE_A "Z424",
		  "ntb_datagram ntb_trailing_bytes", 0 },
		{ "an NTH cut short", &ntb16, BASE_A "4e434d48 0c00",
		  "ntb_datagram ntb_short_header", 0 },
		{ "an NTB of the other format", &ntb16, BASE_A BASE_A32,
		  "ntb_datagram ntb_wrong_format", 0 },
		{ "three NTBs and padding", &ntb16, BASE_A BASE_A BASE_A "00", "ntb_datagram*3",
		  0 },
		{ "an empty NTB between", &ntb16,
		  BASE_A NTH16("1c00", "0c00") NDP16("1000", "0000") "Z8 " BASE_A "00",
		  "ntb_datagram*2", 0 },
		{ "an NTB with wBlockLength 0", &ntb16,
		  BASE_A NTH16("0000", "0c00") NDP16("1000", "0000") ENTRY("1c00", "3c00") LAST
		  "F60 Z9",
		  "ntb_datagram*2", 0 },
		{ "after a bad table", &ntb16,
		  NTH16("5800", "5400") NDP16("1000", "0000") ENTRY("1c00", "3c00") LAST
		  "F60 " BASE_A,
		  "ntb_ndp_out_of_block ntb_datagram", 0 },
		{ "after a bad datagram", &ntb16,
		  NTH16("5800", "0c00") NDP16("1000", "0000") ENTRY("1c00", "0d00") LAST
		  "F60 " BASE_A,
		  "ntb_datagram_too_short ntb_datagram", 0 },
	};

	(void)state;
	check_rows(rows, ROWS(rows));
}

static void tables(void **state)
{
	static const struct row rows[] = {
		{ "wNdpIndex 0", &ntb16,
		  NTH16("5800", "0000") NDP16("1000", "0000") ENTRY("1c00", "3c00") LAST "F60",
		  "ntb_ndp_out_of_block", 0 },
		{ "wNdpIndex in the NTH", &ntb16,
		  NTH16("5800", "0800") NDP16("1000", "0000") ENTRY("1c00", "3c00") LAST "F60",
		  "ntb_ndp_out_of_block", 0 },
		{ "wNdpIndex far away", &ntb16,
		  NTH16("5800", "fcff") NDP16("1000", "0000") ENTRY("1c00", "3c00") LAST "F60",
		  "ntb_ndp_out_of_block", 0 },
		{ "NDP header at the very end", &ntb16,
		  NTH16("5000", "4800") "F60 " NDP16("1000", "0000"),
		  "ntb_ndp_length_beyond_block", 0 },
		{ "wNdpIndex 14", &ntb16,
		  NTH16("5a00", "0e00") "0000 " NDP16("1000", "0000") ENTRY("1e00", "3c00") LAST
		  "F60",
		  "ntb_ndp_misaligned", 0 },
		{ "wLength 0", &ntb16,
		  NTH16("5800", "0c00") NDP16("0000", "0000") ENTRY("1c00", "3c00") LAST "F60",
		  "ntb_ndp_too_short", 0 },
		{ "wLength 18", &ntb16,
		  NTH16("5800", "0c00") NDP16("1200", "0000") ENTRY("1c00", "3c00") LAST "F60",
		  "ntb_ndp_bad_length", 0 },
		{ "no terminating entry", &ntb16,
		  NTH16("9400", "0c00") NDP16("1000", "0000") ENTRY("1c00", "3c00")
		  ENTRY("5800", "3c00") "F60 F60",
		  "ntb_datagram*2 ntb_ndp_no_terminator", 0 },
		{ "no terminating entry, another table", &ntb16,
		  NTH16("a400", "0c00") NDP16("1000", "1c00") ENTRY("2c00", "3c00")
		  ENTRY("6800", "3c00") NDP16("1000", "0000") ENTRY("2c00", "3c00") LAST
		  "F60 F60",
		  "ntb_datagram*2 ntb_ndp_no_terminator ntb_datagrams_overlap", 0 },
		{ "index 0 ends, length or not", &ntb16,
		  NTH16("5c00", "0c00") NDP16("1400", "0000") ENTRY("0000", "3c00")
		  ENTRY("2000", "3c00") LAST "F60",
		  "", 0 },
		{ "two tables that name each other", &ntb16,
		  NTH16("a400", "0c00") NDP16("1000", "5800") ENTRY("1c00", "3c00") LAST "F60 "
		  NDP16("1000", "0c00") ENTRY("6800", "3c00") LAST "F60",
		  "ntb_datagram*2 ntb_ndp_repeated", 0 },
		{ "the second table is bad", &ntb16,
		  NTH16("a400", "0c00") NDP16("1000", "5800") ENTRY("1c00", "3c00") LAST "F60 "
		  "4e434d32 1000 0000 " ENTRY("6800", "3c00") LAST "F60",
		  "ntb_datagram ntb_ndp_bad_signature", 0 },
		{ "the second table is misaligned", &ntb16,
		  NTH16("5800", "0c00") NDP16("1000", "0d00") ENTRY("1c00", "3c00") LAST "F60",
		  "ntb_datagram ntb_ndp_misaligned", 0 },
		{ "the second table lies in the NTH", &ntb16,
		  NTH16("5800", "0c00") NDP16("1000", "0400") ENTRY("1c00", "3c00") LAST "F60",
		  "ntb_datagram ntb_ndp_out_of_block", 0 },
	};

	(void)state;
	check_rows(rows, ROWS(rows));
}

static void datagrams(void **state)
{
	static const struct ntb_read_rules one = { RULES, .ntb_out_max_datagrams = 1 };
	static const struct ntb_read_rules two = { RULES, .ntb_out_max_datagrams = 2 };
	static const struct ntb_read_rules up_to_60 = { .max_datagram_len = 60 };
	static const struct ntb_read_rules up_to_59 = { .max_datagram_len = 59 };
	static const struct ntb_read_rules block_88 = { .ntb_out_max_size = 88,
							.max_datagram_len = 1518 };
	static const struct ntb_read_rules block_87 = { .ntb_out_max_size = 87,
							.max_datagram_len = 1518 };
	static const char two_a[] = NTH16("9800", "0c00") NDP16("1400", "0000")
		ENTRY("2000", "3c00") ENTRY("5c00", "3c00") LAST "F60 F60";
	static const struct row rows[] = {
		{ "limit 1, two come", &one, two_a, "ntb_datagram ntb_datagrams_too_many", 0 },
		{ "limit 2, two come", &two, two_a, "ntb_datagram*2", 0 },
		{ "limit 1 is of one NTB", &one, BASE_A BASE_A, "ntb_datagram*2", 0 },
		{ "limit 1, another NTB after too many", &one,
		  NTH16("9800", "0c00") NDP16("1400", "0000") ENTRY("2000", "3c00")
		  ENTRY("5c00", "3c00") LAST "F60 F60 " BASE_A,
		  "ntb_datagram ntb_datagrams_too_many ntb_datagram", 0 },
		{ "just as long as allowed", &up_to_60, BASE_A, "ntb_datagram", 0 },
		{ "one byte too long", &up_to_59, BASE_A, "ntb_datagram_too_long", 0 },
		{ "block as long as allowed", &block_88, BASE_A, "ntb_datagram", 0 },
		{ "block one byte too long", &block_87, BASE_A, "ntb_block_too_long", 0 },
		{ "block 0 one byte too long", &block_87,
		  NTH16("0000", "0c00") NDP16("1000", "0000") ENTRY("1c00", "3c00") LAST "F60",
		  "ntb_block_too_long", 0 },
		{ "1518 bytes", &ntb16,
		  NTH16("0a06", "0c00") NDP16("1000", "0000") ENTRY("1c00", "ee05") LAST "F1518",
		  "ntb_datagram", 1518 },
		{ "1519 bytes", &ntb16,
		  NTH16("0b06", "0c00") NDP16("1000", "0000") ENTRY("1c00", "ef05") LAST "F1519",
		  "ntb_datagram_too_long", 0 },
		{ "index in the NTH", &ntb16,
		  NTH16("5800", "0c00") NDP16("1000", "0000") ENTRY("0800", "3c00") LAST "F60",
		  "ntb_datagram_out_of_block", 0 },
		{ "index at the end", &ntb16,
		  NTH16("5800", "0c00") NDP16("1000", "0000") ENTRY("5800", "0e00") LAST "F60",
		  "ntb_datagram_out_of_block", 0 },
		{ "index and length ffff", &ntb16,
		  NTH16("5800", "0c00") NDP16("1000", "0000") ENTRY("ffff", "ffff") LAST "F60",
		  "ntb_datagram_out_of_block", 0 },
		{ "length ffff", &ntb16,
		  NTH16("5800", "0c00") NDP16("1000", "0000") ENTRY("1c00", "ffff") LAST "F60",
		  "ntb_datagram_beyond_block", 0 },
		{ "last byte in the table", &ntb16,
		  NTH16("5800", "4800") "F60 " NDP16("1000", "0000") ENTRY("0c00", "3d00") LAST,
		  "ntb_datagram_overlaps_ndp", 0 },
		{ "bad, good, bad, good", &ntb16,
		  NTH16("a000", "0c00") NDP16("1c00", "0000") ENTRY("0100", "3c00")
		  ENTRY("2800", "3c00") ENTRY("6400", "0100") ENTRY("6400", "3c00") LAST
		  "F60 F60",
		  "ntb_datagram_out_of_block ntb_datagram ntb_datagram_too_short ntb_datagram", 0 },
	};

	(void)state;
	check_rows(rows, ROWS(rows));
}

static void format_32(void **state)
{
	static const struct row rows[] = {
		{ "BASE-A in 32 bits", &ntb32, BASE_A32, "ntb_datagram", 0 },
		{ "padded", &ntb32, BASE_A32 "00", "ntb_datagram", 0 },
		{ "twice", &ntb32, BASE_A32 BASE_A32, "ntb_datagram*2", 0 },
		{ "NDP last", &ntb32,
		  NTH32("6c000000", "4c000000") "F60 " NDP32("2000", "00000000")
		  ENTRY("10000000", "3c000000") LAST32,
		  "ntb_datagram", 0 },
		{ "dwBlockLength 0", &ntb32,
		  NTH32("00000000", "10000000") NDP32("2000", "00000000")
		  ENTRY("30000000", "3c000000") LAST32 "F60 Z3",
		  "ntb_datagram", 0 },
		{ "chain", &ntb32,
		  NTH32("c8000000", "10000000") NDP32("2000", "6c000000")
		  ENTRY("30000000", "3c000000") LAST32 "F60 " NDP32("2000", "00000000")
		  ENTRY("8c000000", "3c000000") LAST32 "F60",
		  "ntb_datagram*2", 0 },
		{ "empty", &ntb32, NTH32("30000000", "10000000") NDP32("2000", "00000000") "Z16",
		  "", 0 },
		{ "15 bytes", &ntb32, "6e636d68 1000 0000 6c000000 100000", "ntb_short_header", 0 },
		{ "wHeaderLength 12", &ntb32, "6e636d68 0c00 0000 6c000000 10000000 Z92",
		  "ntb_bad_header_length", 0 },
		{ "block 47", &ntb32,
		  NTH32("2f000000", "10000000") NDP32("2000", "00000000") "Z16",
		  "ntb_block_too_short", 0 },
		{ "block ffffffff", &ntb32,
		  NTH32("ffffffff", "10000000") NDP32("2000", "00000000") "Z16",
		  "ntb_block_beyond_transfer", 0 },
		{ "dwNdpIndex fffffffc", &ntb32,
		  NTH32("30000000", "fcffffff") NDP32("2000", "00000000") "Z16",
		  "ntb_ndp_out_of_block", 0 },
		{ "dwNdpIndex fffffff1", &ntb32,
		  NTH32("30000000", "f1ffffff") NDP32("2000", "00000000") "Z16",
		  "ntb_ndp_misaligned", 0 },
		{ "NDP16 in an NTB32", &ntb32,
		  NTH32("30000000", "10000000") NDP16("1000", "0000") "Z24",
		  "ntb_ndp_bad_signature", 0 },
		{ "wLength 24", &ntb32,
		  NTH32("30000000", "10000000") NDP32("1800", "00000000") "Z16",
		  "ntb_ndp_too_short", 0 },
		{ "wLength 36", &ntb32,
		  NTH32("34000000", "10000000") NDP32("2400", "00000000") "Z20",
		  "ntb_ndp_bad_length", 0 },
		{ "wLength 40 of 32", &ntb32,
		  NTH32("30000000", "10000000") NDP32("2800", "00000000") "Z16",
		  "ntb_ndp_length_beyond_block", 0 },
		{ "index ffffffff", &ntb32,
		  NTH32("6c000000", "10000000") NDP32("2000", "00000000")
		  ENTRY("ffffffff", "3c000000") LAST32 "F60",
		  "ntb_datagram_out_of_block", 0 },
		{ "length ffffffff", &ntb32,
		  NTH32("6c000000", "10000000") NDP32("2000", "00000000")
		  ENTRY("30000000", "ffffffff") LAST32 "F60",
		  "ntb_datagram_beyond_block", 0 },
		{ "length 13", &ntb32,
		  NTH32("6c000000", "10000000") NDP32("2000", "00000000")
		  ENTRY("30000000", "0d000000") LAST32 "F60",
		  "ntb_datagram_too_short", 0 },
		{ "no terminating entry", &ntb32,
		  NTH32("a8000000", "10000000") NDP32("2000", "00000000")
		  ENTRY("30000000", "3c000000") ENTRY("6c000000", "3c000000") "F60 F60",
		  "ntb_datagram*2 ntb_ndp_no_terminator", 0 },
		{ "followed by an NTB16", &ntb32, BASE_A32 BASE_A, "ntb_datagram ntb_wrong_format",
		  0 },
	};

	(void)state;
	check_rows(rows, ROWS(rows));
}

/* F60 has the CRC-32 in these rows, lowest byte first; F14 likewise. */
#define F60_CRC "F60 9e5d15b2 "
#define F14_CRC "F14 f3a2075e "

static void crc_mode(void **state)
{
	static const struct ntb_read_rules up_to_60 = { .crc = true, .max_datagram_len = 60 };
	static const struct ntb_read_rules up_to_59 = { .crc = true, .max_datagram_len = 59 };
	static const char base_a[] = NTH16("5c00", "0c00") NDP16_CRC("1000", "0000")
		ENTRY("1c00", "4000") LAST F60_CRC;
	static const struct row rows[] = {
		{ "good", &ntb16_crc, base_a, "ntb_datagram", 0 },
		{ "the limit does not count the CRC", &up_to_60, base_a, "ntb_datagram", 0 },
		{ "one byte too long", &up_to_59, base_a, "ntb_datagram_too_long", 0 },
		{ "wrong CRC", &ntb16_crc,
		  NTH16("5c00", "0c00") NDP16_CRC("1000", "0000") ENTRY("1c00", "4000") LAST
		  "F60 9e5d15b3",
		  "ntb_datagram_bad_crc", 0 },
		{ "CRC the other way round", &ntb16_crc,
		  NTH16("5c00", "0c00") NDP16_CRC("1000", "0000") ENTRY("1c00", "4000") LAST
		  "F60 b2155d9e",
		  "ntb_datagram_bad_crc", 0 },
		{ "one bad, one good", &ntb16_crc,
		  NTH16("a000", "0c00") NDP16_CRC("1400", "0000") ENTRY("2000", "4000")
		  ENTRY("6000", "4000") LAST "F60 00000000 " F60_CRC,
		  "ntb_datagram_bad_crc ntb_datagram", 0 },
		{ "14 and 4 bytes", &ntb16_crc,
		  NTH16("2e00", "0c00") NDP16_CRC("1000", "0000") ENTRY("1c00", "1200") LAST
		  F14_CRC,
		  "ntb_datagram", 14 },
		{ "13 and 4 bytes", &ntb16_crc,
		  NTH16("2d00", "0c00") NDP16_CRC("1000", "0000") ENTRY("1c00", "1100") LAST
		  "F13 Z4",
		  "ntb_datagram_too_short", 0 },
		{ "NDP without CRC", &ntb16_crc, BASE_A, "ntb_ndp_wrong_crc_mode", 0 },
		{ "NTB32", &ntb32_crc,
		  NTH32("70000000", "10000000") "6e636d31 2000 0000 00000000 00000000 "
		  ENTRY("30000000", "40000000") LAST32 F60_CRC,
		  "ntb_datagram", 0 },
		{ "NTB32, NDP without CRC", &ntb32_crc, BASE_A32, "ntb_ndp_wrong_crc_mode", 0 },
		{ "NTB32, NDP with CRC, mode off", &ntb32,
		  NTH32("30000000", "10000000") "6e636d31 2000 0000 00000000 00000000 Z16",
		  "ntb_ndp_wrong_crc_mode", 0 },
	};

	(void)state;
	check_rows(rows, ROWS(rows));
}

/* One table more than NTB_READ_MAX_NDPS, each with one frame of 14 bytes. */
static void too_many_tables(void **state)
{
	enum { TABLES = NTB_READ_MAX_NDPS + 1, EACH = 32 }; /* NDP16 of 16, frame, gap of 2 */
	uint8_t bytes[12 + TABLES * EACH];
	struct ntb_vector v = { .name = "33 tables", .frame_len = 14,
				.verdicts = "ntb_datagram*32 ntb_ndp_too_many" };

	(void)state;
	memset(bytes, 0, sizeof(bytes));
	assert_int_equal(ntb_recipe_build(NTH16("0000", "0c00"), bytes, 12), 12);
	for (unsigned int i = 0; i < TABLES; i++) {
		uint8_t *ndp = bytes + 12 + i * EACH;
		uint16_t index = (uint16_t)(ndp - bytes);
		le16 next = le16_of(i + 1 < TABLES ? (uint16_t)(index + EACH) : 0);
		le16 frame = le16_of((uint16_t)(index + 16));

		assert_int_equal(ntb_recipe_build(NDP16("1000", "0000") ENTRY("0000", "0e00") LAST
						  "F14",
						  ndp, EACH),
				 30);
		memcpy(ndp + 6, &next, sizeof(next));
		memcpy(ndp + 8, &frame, sizeof(frame));
	}
	check_bytes(&v, &ntb16, bytes, sizeof(bytes));
	v.verdicts = "ntb_datagram*32";
	memset(bytes + 12 + 31 * EACH + 6, 0, 2); /* the last but one ends the chain */
	check_bytes(&v, &ntb16, bytes, sizeof(bytes));
}

/*
 * An NTB of 64 KiB made of NDP headers only: every 8 bytes another table of 32760
 * bytes, chained to the next one, its entries all faults. Reading 32 of them would be
 * a quarter of a million results.
 */
static void work_is_bounded(void **state)
{
	static const struct ntb_read_rules rules = { .max_datagram_len = 14 };
	static uint8_t bytes[65528];
	size_t results = 0;
	struct ntb_read r;
	struct ntb_datagram d;

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i += 8) {
		le16 next = le16_of((uint16_t)(i + 8));

		assert_int_equal(ntb_recipe_build(NDP16("f87f", "0000"), bytes + i, 8), 8);
		memcpy(bytes + i + 6, &next, sizeof(next));
	}
	assert_int_equal(ntb_recipe_build(NTH16("f8ff", "1000"), bytes, 12), 12);
	ntb_read_begin(&r, &rules, bytes, sizeof(bytes));
	while (ntb_read_next(&r, &d) != NTB_END)
		results++;
	assert_in_range(results, 32760 / 4, sizeof(bytes) / 4 + 1);
}

static void sequence_and_count(void **state)
{
	uint8_t bytes[176];
	struct ntb_read r;
	struct ntb_datagram d;

	(void)state;
	assert_int_equal(ntb_recipe_build("4e434d48 0c00 ffff 5800 0c00 " NDP16("1000", "0000")
					  ENTRY("1c00", "3c00") LAST "F60 " BASE_A,
					  bytes, sizeof(bytes)),
			 sizeof(bytes));
	ntb_read_begin(&r, &ntb16, bytes, sizeof(bytes));
	assert_int_equal(r.ntbs, 0);
	assert_int_equal(ntb_read_next(&r, &d), NTB_DATAGRAM);
	assert_int_equal(r.sequence, 0xffff);
	assert_int_equal(r.ntbs, 1);
	assert_int_equal(ntb_read_next(&r, &d), NTB_DATAGRAM);
	assert_int_equal(r.sequence, 0);
	assert_int_equal(r.ntbs, 2);
	assert_int_equal(ntb_read_next(&r, &d), NTB_END);
	assert_int_equal(r.ntbs, 2);
}

static void names_are_counters(void **state)
{
	(void)state;
	for (int i = 0; i < NTB_VERDICT_COUNT; i++) {
		const char *name = ntb_verdict_name((enum ntb_verdict)i);

		assert_non_null(name);
		assert_memory_equal(name, "ntb_", 4);
		assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz_"), strlen(name));
		for (int j = 0; j < i; j++)
			assert_string_not_equal(name, ntb_verdict_name((enum ntb_verdict)j));
	}
	assert_string_equal(ntb_verdict_name(NTB_NDP_BAD_SIGNATURE), "ntb_ndp_bad_signature");
	assert_string_equal(ntb_verdict_name(NTB_DATAGRAM_BAD_CRC), "ntb_datagram_bad_crc");
	assert_string_equal(ntb_verdict_name(NTB_VERDICT_COUNT), "ntb_unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_vector),
		cmocka_unit_test(good_after_bad),
		cmocka_unit_test(six_different_reasons),
		cmocka_unit_test(headers),
		cmocka_unit_test(every_prefix),
		cmocka_unit_test(what_follows_an_ntb),
		cmocka_unit_test(tables),
		cmocka_unit_test(datagrams),
		cmocka_unit_test(format_32),
		cmocka_unit_test(crc_mode),
		cmocka_unit_test(too_many_tables),
		cmocka_unit_test(work_is_bounded),
		cmocka_unit_test(sequence_and_count),
		cmocka_unit_test(names_are_counters),
	};

	return cmocka_run_group_tests_name("ntb_read", tests, NULL, NULL);
}
