/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Drives a fuzz target without libFuzzer, so that it runs as a unit test:
 *
 *	fuzz_x FILE...		replays files
 *	fuzz_x -n 20000 [-s 1]	so many inputs mutated from the target's seeds
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "unit.h"

#define INPUT_MAX 65536

static uint8_t input[INPUT_MAX];

static int replay(const char *path)
{
	FILE *file = fopen(path, "rb");
	size_t len;

	if (!file) {
		perror(path);
		return 1;
	}
	len = fread(input, 1, sizeof(input), file);
	fclose(file);
	return LLVMFuzzerTestOneInput(input, len);
}

/* Numbers that parsers get wrong more often than others. */
static uint8_t interesting(uint32_t *random)
{
	static const uint8_t bytes[] = { 0x00, 0x01, 0x04, 0x08, 0x0c, 0x0d, 0x0e, 0x10,
					 0x14, 0x1c, 0x20, 0x7f, 0x80, 0xf8, 0xfc, 0xff };

	return bytes[random_next(random) % sizeof(bytes)];
}

/* Changes the input a little and returns its new length. */
static size_t mutate(size_t len, uint32_t *random)
{
	static uint8_t other[INPUT_MAX];
	size_t at = random_range(random, 0, (uint32_t)len - 1);
	size_t n;

	if (random_range(random, 0, 1)) /* headers are in front */
		at %= 64;
	if (at >= len)
		at = 0;
	switch (random_range(random, 0, 7)) {
	case 0:
		input[at] ^= (uint8_t)(1u << random_range(random, 0, 7));
		return len;
	case 1:
		input[at] = (uint8_t)random_next(random);
		return len;
	case 2: /* cut */
		return random_range(random, 1, (uint32_t)len);
	case 3: /* put another seed behind it */
		n = fuzz_seed(random_range(random, 0, 63), other, sizeof(other));
		if (n <= sizeof(input) - len) {
			memcpy(input + len, other, n);
			len += n;
		}
		return len;
	case 4: /* copy a piece to another place: tables over tables, loops */
		n = random_range(random, 1, 32);
		if (at + n <= len && n <= len)
			memmove(input + random_range(random, 0, (uint32_t)(len - n)), input + at,
				n);
		return len;
	default: /* a little-endian 16-bit field */
		input[at & ~(size_t)1] = interesting(random);
		if ((at | 1) < len)
			input[at | 1] = random_range(random, 0, 2) ? 0 : interesting(random);
		return len;
	}
}

static int mutate_seeds(unsigned long count, uint32_t random)
{
	size_t seeds = 0;

	while (fuzz_seed(seeds, input, sizeof(input)) > 0)
		seeds++;
	if (seeds == 0)
		return 1;
	for (unsigned long i = 0; i < count; i++) {
		size_t len = fuzz_seed(i % seeds, input, sizeof(input));
		uint32_t mutations = random_range(&random, 0, 8);

		for (uint32_t m = 0; m < mutations; m++)
			len = mutate(len, &random);
		if (LLVMFuzzerTestOneInput(input, len) != 0)
			return 1;
	}
	printf("%lu inputs from %zu seeds\n", count, seeds);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long count = 0, random = 1;
	int at = 1;

	for (; at + 1 < argc && argv[at][0] == '-'; at += 2) {
		if (strcmp(argv[at], "-n") == 0)
			count = strtoul(argv[at + 1], NULL, 10);
		else if (strcmp(argv[at], "-s") == 0)
			random = strtoul(argv[at + 1], NULL, 10);
	}
	if (count == 0 && at == argc) {
		fprintf(stderr, "usage: %s [-n COUNT [-s SEED]] [FILE...]\n", argv[0]);
		return 64;
	}
	for (; at < argc; at++) {
		if (replay(argv[at]) != 0)
			return 1;
	}
	return count ? mutate_seeds(count, random ? (uint32_t)random : 1) : 0;
}
