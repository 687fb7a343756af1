/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Internet checksum [RFC 1071]. A sum is a uint32_t that adds up 16-bit words in
 * network order, so lengths, ports and other host integers are simply added to it,
 * and sums of pieces are added to each other, up to 65536 of them; only
 * csum_fold() and csum_finish() bring it back to 16 bits.
 */
#ifndef NCMD_WIRE_CSUM_H
#define NCMD_WIRE_CSUM_H

#include <stddef.h>
#include <stdint.h>

/*
 * The sum of `len` bytes at any address, at most 0xffff; 0 only if all of them are
 * zero. An odd last byte is the high byte of a last word.
 */
uint32_t csum_of(const uint8_t *bytes, size_t len);

/* csum_of(from, len) while copying to `to`: one pass. The two do not overlap. */
uint32_t csum_copy(uint8_t *restrict to, const uint8_t *restrict from, size_t len);

/* The 16-bit one's complement sum: 0 only for 0. */
static inline uint16_t csum_fold(uint32_t sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)(sum + (sum >> 16));
}

/* What a folded sum `part` of bytes that begin at `offset` adds: at odd ones it is swapped. */
static inline uint32_t csum_at(size_t offset, uint32_t part)
{
	return offset & 1 ? (part & 0xff) << 8 | part >> 8 : part;
}

/* What goes into a checksum field that was 0 when it was summed. */
static inline uint16_t csum_finish(uint32_t sum)
{
	return (uint16_t)~csum_fold(sum);
}

/* The same for UDP, where 0 means "no checksum" and 0xffff stands for it [RFC 768]. */
static inline uint16_t csum_finish_udp(uint32_t sum)
{
	uint16_t field = csum_finish(sum);

	return field ? field : 0xffff;
}

/*
 * The pseudo header [RFC 793 3.1], [RFC 8200 8.1]: source and destination as they stand
 * in the IP header, `len` bytes of transport header and payload.
 */
static inline uint32_t csum_pseudo4(const uint8_t addresses[static 8], uint8_t protocol,
				    uint32_t len)
{
	return csum_of(addresses, 8) + protocol + (len & 0xffff) + (len >> 16);
}

static inline uint32_t csum_pseudo6(const uint8_t addresses[static 32], uint8_t protocol,
				    uint32_t len)
{
	return csum_of(addresses, 32) + protocol + (len & 0xffff) + (len >> 16);
}

#endif
