/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Byte order and alignment: the same result on every machine. */
#include "unit.h"

#include "wire/bytes.h"

static void little_endian(void **state)
{
	static const uint8_t bytes[] = { 0xee, 0x01, 0x82, 0x03, 0x84, 0xee };
	le16 v16 = le16_of(0x8201);
	le32 v32 = le32_of(0x84038201);

	(void)state;
	assert_memory_equal(&v16, bytes + 1, sizeof(v16));
	assert_memory_equal(&v32, bytes + 1, sizeof(v32));
	assert_int_equal(le16_get(v16), 0x8201);
	assert_int_equal(le32_get(v32), 0x84038201);
	assert_int_equal(le16_at(bytes + 1), 0x8201);
	assert_int_equal(le16_at(bytes + 2), 0x0382);
	assert_int_equal(le32_at(bytes + 1), 0x84038201);
}

static void big_endian(void **state)
{
	static const uint8_t bytes[] = { 0x84, 0x03, 0x82, 0x01 };
	be16 v16 = be16_of(0x8403);
	be32 v32 = be32_of(0x84038201);

	(void)state;
	assert_memory_equal(&v16, bytes, sizeof(v16));
	assert_memory_equal(&v32, bytes, sizeof(v32));
	assert_int_equal(be16_get(v16), 0x8403);
	assert_int_equal(be32_get(v32), 0x84038201);
}

static void extremes(void **state)
{
	(void)state;
	assert_int_equal(le16_get(le16_of(0xffff)), 0xffff);
	assert_int_equal(be16_get(be16_of(0xffff)), 0xffff);
	assert_true(le32_get(le32_of(0xffffffff)) == 0xffffffff);
	assert_true(be32_get(be32_of(0x80000000)) == 0x80000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(little_endian),
		cmocka_unit_test(big_endian),
		cmocka_unit_test(extremes),
	};

	return cmocka_run_group_tests_name("bytes", tests, NULL, NULL);
}
