/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Words as wide as a register are added into a sum twice as wide: an add and an
 * add-with-carry a word. The sum does not depend on the byte order in which it is
 * formed [RFC 1071 2 B], so bytes are swapped once, at the end.
 */
#include "wire/csum.h"

#include "wire/bytes.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

#if UINTPTR_MAX > UINT32_MAX
typedef uint64_t word;
#else
typedef uint32_t word;
#endif

#define BLOCK_WORDS 16
#define BLOCK	    (BLOCK_WORDS * sizeof(word))

/*
 * csum_copy() copies so many bytes, then sums them while they are in the first-level
 * cache (16 KiB on the Pi Zero). The source is summed: the ARM1176 allocates no line
 * for a write.
 */
#define COPY_CHUNK 2048u

/*
 * Two halves and not a 128-bit integer: gcc 12 -O2 for x86-64 makes 20 instructions of
 * eight words this way and 47 the other.
 */
struct wide {
	uint64_t low;
	uint64_t carry; /* how often `low` overflowed; never with 32-bit words */
};

static inline void add(struct wide *sum, uint64_t v)
{
	sum->low += v;
	if (sizeof(word) == sizeof(sum->low))
		sum->carry += sum->low < v;
}

/* Adds word `i`, in native order, aligned or not. */
static inline void add_word(struct wide *sum, const uint8_t *bytes, size_t i)
{
	word w;

	memcpy(&w, bytes + i * sizeof(w), sizeof(w));
	add(sum, w);
}

/* The last bytes, fewer than a word. */
static inline void add_tail(struct wide *sum, const uint8_t *bytes, size_t len)
{
	uint32_t w32;
	uint16_t w16;

	if (len & 4) {
		memcpy(&w32, bytes, sizeof(w32));
		bytes += sizeof(w32);
		add(sum, w32);
	}
	if (len & 2) {
		memcpy(&w16, bytes, sizeof(w16));
		bytes += sizeof(w16);
		add(sum, w16);
	}
	if (len & 1) {
		w16 = 0;
		memcpy(&w16, bytes, 1); /* the first byte of a word, in either byte order */
		add(sum, w16);
	}
}

#ifdef __x86_64__
/* An add-with-carry a word, the carry going from one to the next: 21 instructions of 16 words. */
static inline void add_block(struct wide *sum, const uint8_t *bytes)
{
	unsigned long long total = sum->low, w;
	unsigned char carry = 0;

#pragma GCC unroll 16
	for (size_t i = 0; i < BLOCK_WORDS; i++) {
		memcpy(&w, bytes + i * sizeof(w), sizeof(w));
		carry = _addcarry_u64(carry, total, w, &total);
	}
	sum->low = total;
	sum->carry += carry;
}
#else
static inline void add_block(struct wide *sum, const uint8_t *bytes)
{
	for (size_t i = 0; i < BLOCK_WORDS; i++)
		add_word(sum, bytes, i);
}
#endif

/*
 * In native order, less than 2^34 for every length below 2^32. Not inlined: in a loop
 * gcc 12 keeps the sum in memory, which makes it three times as dear.
 */
__attribute__((noinline)) static uint64_t sum_words(const uint8_t *bytes, size_t len)
{
	struct wide sum = { 0, 0 };

	for (; len >= BLOCK; len -= BLOCK) {
		add_block(&sum, bytes);
		bytes += BLOCK;
	}
	for (; len >= sizeof(word); len -= sizeof(word)) {
		add_word(&sum, bytes, 0);
		bytes += sizeof(word);
	}
	add_tail(&sum, bytes, len);
	return (sum.low & UINT32_MAX) + (sum.low >> 32) + sum.carry;
}

/*
 * ARMv6: with the alignment known, gcc loads several words in one instruction and
 * clang does not load single bytes [facts tap-offload 9].
 */
static uint64_t sum_bytes(const uint8_t *bytes, size_t len)
{
	if (sizeof(word) == 4 && (uintptr_t)bytes % sizeof(word) == 0)
		return sum_words(__builtin_assume_aligned(bytes, sizeof(word)), len);
	return sum_words(bytes, len);
}

/* 16 bits in network order from a sum in the machine's. */
static inline uint32_t settle(uint64_t sum)
{
	uint16_t native;
	be16 network;

	sum = (sum & UINT32_MAX) + (sum >> 32);
	native = csum_fold((uint32_t)((sum & 0xffff) + (sum >> 16)));
	memcpy(&network, &native, sizeof(network));
	return be16_get(network);
}

uint32_t csum_of(const uint8_t *bytes, size_t len)
{
	return settle(sum_bytes(bytes, len));
}

uint32_t csum_copy(uint8_t *restrict to, const uint8_t *restrict from, size_t len)
{
	uint64_t sum = 0;

	for (; len > COPY_CHUNK; len -= COPY_CHUNK) {
		memcpy(to, from, COPY_CHUNK);
		sum += sum_bytes(from, COPY_CHUNK);
		to += COPY_CHUNK;
		from += COPY_CHUNK;
	}
	memcpy(to, from, len);
	return settle(sum + sum_bytes(from, len));
}
