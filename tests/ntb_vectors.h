/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NTBs as bytes, good ones and bad ones, each from a public report or from the
 * text of the specification. For the unit tests, the fuzzers and the raw host of
 * the rig, so nothing but libc is used.
 */
#ifndef NCMD_TESTS_NTB_VECTORS_H
#define NCMD_TESTS_NTB_VECTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ntb_vector {
	const char *name;
	size_t len; /* bytes of the transfer */
	uint32_t crc32; /* zlib's, of the whole transfer */
	uint16_t frame_len; /* every datagram delivered is ntb_vector_frame() of this length */
	/*
	 * What ntb_read_next() says before NTB_END, as ntb_verdict_name() spells it, to a
	 * function that offers NTB16 only, no CRC mode, NTBs of 16384 bytes and
	 * datagrams of 1518. "x*28" is 28 times x; "" is nothing at all.
	 */
	const char *verdicts;
	const char *recipe; /* see ntb_recipe_build() */
};

extern const struct ntb_vector ntb_vectors[];
extern const size_t ntb_vectors_count;

#define NTB_VECTOR_MAX 16384 /* the longest of them, bytes */

/* The vector of that name, or NULL. */
const struct ntb_vector *ntb_vector_find(const char *name);

/*
 * Writes the transfer into `buf` and returns its length; 0 if `cap` is too small or
 * the bytes are not those that length and CRC-32 announce.
 */
size_t ntb_vector_build(const struct ntb_vector *v, uint8_t *buf, size_t cap);

/* Writes the name of verdict number `i` into `name`; false if there are not so many. */
bool ntb_vector_verdict(const struct ntb_vector *v, unsigned int i, char name[static 64]);

/* How many frames the transfer delivers. */
unsigned int ntb_vector_datagrams(const struct ntb_vector *v);

/*
 * The frame every vector carries: to ff:ff:ff:ff:ff:ff, from 02:00:00:00:00:02, type
 * 88b5, payload 00 01 02 ...; `len` bytes in all.
 */
void ntb_vector_frame(uint8_t *buf, size_t len);

/*
 * Bytes from text: pairs of lower-case hex digits ("00*8": eight times), "F60" a
 * frame of 60 bytes, "Z9" nine zero bytes; spaces between words. Returns the length,
 * or 0 if the text is wrong or `cap` too small.
 */
size_t ntb_recipe_build(const char *recipe, uint8_t *buf, size_t cap);

#endif
