/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wire integers. Each is a byte array of alignment 1, so a struct made of them
 * lies over any buffer, and assigning a host integer to one does not compile.
 * This is the only file that converts byte order.
 */
#ifndef NCMD_WIRE_BYTES_H
#define NCMD_WIRE_BYTES_H

#include <stdint.h>
#include <string.h>

typedef struct { uint8_t b[2]; } le16;
typedef struct { uint8_t b[4]; } le32;
typedef struct { uint8_t b[2]; } be16;
typedef struct { uint8_t b[4]; } be32;

_Static_assert(sizeof(le16) == 2 && _Alignof(le16) == 1, "le16 is two plain bytes");
_Static_assert(sizeof(le32) == 4 && _Alignof(le32) == 1, "le32 is four plain bytes");

static inline uint16_t le16_get(le16 v)
{
	return (uint16_t)(v.b[0] | v.b[1] << 8);
}

static inline uint32_t le32_get(le32 v)
{
	return (uint32_t)v.b[0] | (uint32_t)v.b[1] << 8 | (uint32_t)v.b[2] << 16 |
	       (uint32_t)v.b[3] << 24;
}

static inline uint16_t be16_get(be16 v)
{
	return (uint16_t)(v.b[0] << 8 | v.b[1]);
}

static inline uint32_t be32_get(be32 v)
{
	return (uint32_t)v.b[0] << 24 | (uint32_t)v.b[1] << 16 | (uint32_t)v.b[2] << 8 |
	       (uint32_t)v.b[3];
}

static inline le16 le16_of(uint16_t v)
{
	return (le16){ { (uint8_t)v, (uint8_t)(v >> 8) } };
}

static inline le32 le32_of(uint32_t v)
{
	return (le32){ { (uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16), (uint8_t)(v >> 24) } };
}

static inline be16 be16_of(uint16_t v)
{
	return (be16){ { (uint8_t)(v >> 8), (uint8_t)v } };
}

static inline be32 be32_of(uint32_t v)
{
	return (be32){ { (uint8_t)(v >> 24), (uint8_t)(v >> 16), (uint8_t)(v >> 8), (uint8_t)v } };
}

/* The integer that starts at p, which need not be aligned. */
static inline uint16_t le16_at(const uint8_t *p)
{
	le16 v;

	memcpy(&v, p, sizeof(v));
	return le16_get(v);
}

static inline uint32_t le32_at(const uint8_t *p)
{
	le32 v;

	memcpy(&v, p, sizeof(v));
	return le32_get(v);
}

#endif
