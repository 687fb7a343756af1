/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fast sum against a slow one written after the text of RFC 1071, for every
 * length, alignment and seam; vector C0 of facts tap-offload 10.1.
 */
#include "unit.h"

#include "wire/csum.h"

static uint16_t slow_sum(const uint8_t *bytes, size_t len)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < len; i++)
		sum += i % 2 ? bytes[i] : (uint64_t)bytes[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

static uint8_t *random_bytes(size_t len, uint32_t *seed)
{
	uint8_t *bytes = malloc(len ? len : 1);

	assert_non_null(bytes);
	for (size_t i = 0; i < len; i++)
		bytes[i] = (uint8_t)random_next(seed);
	return bytes;
}

static void rfc_1071(void **state)
{
	static const uint8_t bytes[] = { 0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7 };

	(void)state;
	assert_int_equal(csum_of(bytes, sizeof(bytes)), 0xddf2);
	assert_int_equal(csum_finish(csum_of(bytes, sizeof(bytes))), 0x220d);
}

/* Sums and copies `len` bytes that start at `from` and lie at the end of their memory. */
static void check(const uint8_t *from, size_t len, size_t to_offset)
{
	uint8_t *memory = malloc(to_offset + len + 1);
	uint8_t *to = memory + to_offset;

	assert_non_null(memory);
	memset(memory, 0xa5, to_offset + len + 1);
	assert_int_equal(csum_of(from, len), slow_sum(from, len));
	assert_int_equal(csum_copy(to, from, len), slow_sum(from, len));
	assert_memory_equal(to, from, len);
	assert_true(to_offset == 0 || to[-1] == 0xa5);
	assert_int_equal(to[len], 0xa5);
	free(memory);
}

static void every_length_and_alignment(void **state)
{
	uint32_t seed = 0x10711071;

	(void)state;
	for (size_t len = 0; len <= 300; len++) {
		for (size_t offset = 0; offset < 8; offset++) {
			uint8_t *bytes = random_bytes(offset + len, &seed);

			check(bytes + offset, len, len % 8);
			free(bytes);
		}
	}
}

static void long_ones(void **state)
{
	static const size_t lengths[] = { 1448, 2047, 2048, 2049, 4096, 4097, 8000, 65535, 65536 };
	uint32_t seed = 1;

	(void)state;
	for (size_t i = 0; i < ROWS(lengths); i++) {
		for (size_t offset = 0; offset < 3; offset++) {
			uint8_t *bytes = random_bytes(offset + lengths[i], &seed);

			check(bytes + offset, lengths[i], 2);
			free(bytes);
		}
	}
}

/* Every addition carries; and nothing but zeros sums to 0. */
static void carries_and_zeros(void **state)
{
	static uint8_t bytes[4099];

	(void)state;
	for (size_t len = 0; len <= sizeof(bytes); len += len < 80 ? 1 : 67) {
		memset(bytes, 0xff, sizeof(bytes));
		check(bytes, len, 0);
		memset(bytes, 0, sizeof(bytes));
		assert_int_equal(csum_of(bytes, len), 0);
		if (len == 0)
			continue;
		bytes[len - 1] = 1;
		check(bytes, len, 1);
		memset(bytes, 0, len);
	}
	memset(bytes, 0xff, 8);
	assert_int_equal(csum_of(bytes, 8), 0xffff);
}

static void seams(void **state)
{
	uint32_t seed = 7;
	uint8_t *bytes = random_bytes(131, &seed);

	(void)state;
	for (size_t a = 0; a <= 131; a++) {
		for (size_t b = a; b <= 131; b += 3) {
			uint32_t sum = csum_of(bytes, a);

			sum += csum_at(a, csum_of(bytes + a, b - a));
			sum += csum_at(b, csum_of(bytes + b, 131 - b));
			assert_int_equal(csum_fold(sum), slow_sum(bytes, 131));
		}
	}
	free(bytes);
}

static void folding(void **state)
{
	(void)state;
	assert_int_equal(csum_fold(0), 0);
	assert_int_equal(csum_fold(0xffff), 0xffff);
	assert_int_equal(csum_fold(0x10000), 1);
	assert_int_equal(csum_fold(0x1ffff), 1);
	assert_int_equal(csum_fold(0xfffe0001), 0xffff);
	assert_int_equal(csum_fold(0xffffffff), 0xffff);
	assert_int_equal(csum_finish(0), 0xffff);
	assert_int_equal(csum_finish(0xffff), 0);
	assert_int_equal(csum_finish(0x12345), 0xdcb9);
	assert_int_equal(csum_finish_udp(0xffff), 0xffff);
	assert_int_equal(csum_finish_udp(0x1fffe), 0xffff);
	assert_int_equal(csum_finish_udp(0), 0xffff);
	assert_int_equal(csum_finish_udp(1), 0xfffe);
}

static void pseudo_headers(void **state)
{
	uint32_t seed = 99;

	(void)state;
	for (int round = 0; round < 200; round++) {
		uint8_t *bytes = random_bytes(40, &seed);
		uint32_t len = random_range(&seed, 0, round % 2 ? 0xffff : 0x1ffff);

		bytes[32] = 0; /* length in 32 bits, three zeros, protocol */
		bytes[33] = (uint8_t)(len >> 16);
		bytes[34] = (uint8_t)(len >> 8);
		bytes[35] = (uint8_t)len;
		bytes[36] = bytes[37] = bytes[38] = 0;
		bytes[39] = 17;
		assert_int_equal(csum_fold(csum_pseudo6(bytes, 17, len)), slow_sum(bytes, 40));
		assert_int_equal(csum_fold(csum_pseudo4(bytes + 24, 17, len)),
				 slow_sum(bytes + 24, 16));
		free(bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rfc_1071),
		cmocka_unit_test(every_length_and_alignment),
		cmocka_unit_test(long_ones),
		cmocka_unit_test(carries_and_zeros),
		cmocka_unit_test(seams),
		cmocka_unit_test(folding),
		cmocka_unit_test(pseudo_headers),
	};

	return cmocka_run_group_tests_name("csum", tests, NULL, NULL);
}
