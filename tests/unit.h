/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every unit test needs: cmocka with its includes, and a few helpers. */
#ifndef NCMD_TESTS_UNIT_H
#define NCMD_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

/*
 * A copy of exactly `len` bytes, so that the address sanitizer sees the first byte
 * read beyond them; one byte long where malloc(0) would give NULL. free() it.
 */
static inline uint8_t *exact_copy(const uint8_t *bytes, size_t len)
{
	uint8_t *copy = malloc(len ? len : 1);

	if (!copy)
		abort();
	if (len)
		memcpy(copy, bytes, len);
	return copy;
}

/* xorshift32: the same numbers everywhere; *state is never 0. */
static inline uint32_t random_next(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

/* A number of from ... to. */
static inline uint32_t random_range(uint32_t *state, uint32_t from, uint32_t to)
{
	return from + random_next(state) % (to - from + 1);
}

#endif
