/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds one NTB in memory the caller owns: the NTH first, the datagrams, then one
 * NDP at the end; or, as many microcontrollers do, the NDP behind the NTH, with room
 * for as many datagrams as an NTB may hold.
 *
 *	| NTH | gap | datagram 0 | gap | datagram 1 | ... | gap | NDP | pad |
 *	| NTH | gap | NDP | unused entries | gap | datagram 0 | gap | datagram 1 | ... | pad |
 *
 * A frame is written by the caller straight into the slot that ntb_write_slot()
 * names, so it is never copied. At the end the NDP takes no room for entries that may
 * not come. Slots are placed so
 * that the byte behind the Ethernet header satisfies wNdpInDivisor and
 * wNdpInPayloadRemainder [NCM10 3.3.4]: with 4 and 0 the IP header is 4-aligned at
 * both ends.
 * The result is never a chain, never overlaps, its NDP is aligned and wLength
 * counts exactly the datagrams and the terminating entry.
 */
#ifndef NCMD_WIRE_NTB_WRITE_H
#define NCMD_WIRE_NTB_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/ntb.h"

/* Most datagrams in one NTB, whatever is configured: what 16 KiB hold of 60-byte frames. */
#define NTB_WRITE_MAX_DATAGRAMS 240

/* How an NTB that is a multiple of the packet size and shorter than dwNtbInMaxSize ends. */
enum ntb_ending {
	NTB_ENDING_PAD, /* one zero byte, counted in wBlockLength: legal for every parser known */
	NTB_ENDING_ZLP, /* the caller sends a zero-length packet after it */
};

/* Where the NDP stands. */
enum ntb_ndp {
	NTB_NDP_END,
	NTB_NDP_START, /* behind the NTH */
};

/* Host byte order. Fixed between two ntb_write_begin(). */
struct ntb_write_shape {
	enum ntb_format format;
	bool crc; /* append a CRC-32 to each datagram */
	enum ntb_ending ending;
	enum ntb_ndp ndp;
	uint32_t max_size; /* bytes, >= 2048: NTB input size in force; the memory is as long */
	uint16_t max_datagrams; /* 0 or too large: NTB_WRITE_MAX_DATAGRAMS */
	uint16_t divisor; /* wNdpInDivisor, a power of two, >= 4 */
	uint16_t remainder; /* wNdpInPayloadRemainder, < divisor */
	uint16_t alignment; /* wNdpInAlignment, a power of two, >= 4 */
	uint16_t max_packet; /* bytes, wMaxPacketSize of the bulk IN endpoint */
};

struct ntb_write {
	const struct ntb_write_shape *shape;
	uint8_t *ntb; /* the caller's memory */
	uint32_t fill; /* bytes used so far, an NDP at the end not included */
	uint32_t slot, room; /* where the next datagram goes and how long it may be; 0: none */
	uint16_t datagrams;
	struct {
		uint32_t index;
		uint32_t len; /* CRC included */
	} entry[NTB_WRITE_MAX_DATAGRAMS];
};

/* Starts an empty NTB at `memory`, at least shape->max_size bytes. Both stay the caller's. */
void ntb_write_begin(struct ntb_write *w, const struct ntb_write_shape *shape, uint8_t *memory);

/*
 * Where the next datagram goes, and in *room how many bytes it may have so that the
 * NDP still fits behind it; 0 if that is less than an Ethernet header or the NTB
 * holds max_datagrams. Changes nothing; the slot is the caller's to scribble in.
 */
uint8_t *ntb_write_slot(const struct ntb_write *w, size_t *room);

/*
 * Takes the `len` bytes (14 ... room) that the caller put into the slot as the next
 * datagram. Any other length is a mistake of the caller: nothing is taken.
 */
void ntb_write_commit(struct ntb_write *w, size_t len);

/* Whether no datagram of `len` bytes fits any more. */
bool ntb_write_is_full_for(const struct ntb_write *w, size_t len);

/*
 * Writes NTH, NDP, gaps (zero) and padding, and returns the length of the block,
 * which is the length of the transfer. *needs_zlp (never NULL) says that a zero-length
 * packet has to follow. An NTB without datagrams is legal and yields one with an empty
 * NDP. An NTB16 never exceeds 65535 bytes, whatever max_size says.
 */
uint32_t ntb_write_finish(struct ntb_write *w, uint16_t sequence, bool *needs_zlp);

/*
 * The largest datagram that fits an otherwise empty NTB of this shape, in bytes;
 * 0 if none does. Used to check a configuration.
 */
uint32_t ntb_write_largest(const struct ntb_write_shape *shape);

#endif
