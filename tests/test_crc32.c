/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The Ethernet FCS against published values and against its own definition. */
#include "unit.h"

#include "wire/bytes.h"
#include "wire/crc32.h"

static void known_values(void **state)
{
	static const struct {
		const char *text;
		uint32_t crc;
	} rows[] = {
		{ "", 0x00000000 },
		{ "a", 0xe8b7be43 },
		{ "123456789", 0xcbf43926 }, /* the check value of CRC-32/ISO-HDLC */
		{ "The quick brown fox jumps over the lazy dog", 0x414fa339 },
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++)
		assert_int_equal(crc32_ethernet((const uint8_t *)rows[i].text,
						strlen(rows[i].text)),
				 rows[i].crc);
}

static void zeros_and_ones(void **state)
{
	uint8_t bytes[32];

	(void)state;
	memset(bytes, 0, sizeof(bytes));
	assert_int_equal(crc32_ethernet(bytes, sizeof(bytes)), 0x190a55ad);
	memset(bytes, 0xff, sizeof(bytes));
	assert_int_equal(crc32_ethernet(bytes, sizeof(bytes)), 0xff6cab0b);
}

/* A frame followed by its CRC, lowest byte first, leaves the residue of IEEE 802.3. */
static void little_endian_behind_the_frame(void **state)
{
	uint8_t bytes[100 + 4];
	le32 crc;

	(void)state;
	for (size_t i = 0; i < 100; i++)
		bytes[i] = (uint8_t)(i * 7);
	crc = le32_of(crc32_ethernet(bytes, 100));
	memcpy(bytes + 100, &crc, sizeof(crc));
	assert_int_equal(crc32_ethernet(bytes, sizeof(bytes)), 0x2144df1c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_values),
		cmocka_unit_test(zeros_and_ones),
		cmocka_unit_test(little_endian_behind_the_frame),
	};

	return cmocka_run_group_tests_name("crc32", tests, NULL, NULL);
}
