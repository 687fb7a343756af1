/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the NTBs of one bulk transfer. An iterator over bytes the host wrote and
 * may have chosen with malice: every bound is checked in here, nothing is
 * written, and the work is bounded by the length of the transfer.
 *
 *	struct ntb_read r;
 *	struct ntb_datagram d;
 *	enum ntb_verdict v;
 *
 *	ntb_read_begin(&r, &rules, transfer, len);
 *	while ((v = ntb_read_next(&r, &d)) != NTB_END) {
 *		if (v == NTB_DATAGRAM)
 *			use d.bytes, d.len;
 *		else
 *			count v;
 *	}
 *
 * Accepted: an NDP before or behind the datagrams, chained NDPs, wBlockLength 0
 * ("to the end of the transfer"), several NTBs in one transfer, one zero byte
 * behind the last NTB (Windows pads so), empty NDPs, zero-length entries.
 * A bad datagram costs itself; a bad NDP costs its datagrams and the NDPs chained
 * behind it; a bad header costs the rest of the transfer, because the start of
 * the next NTB is then unknown.
 */
#ifndef NCMD_WIRE_NTB_READ_H
#define NCMD_WIRE_NTB_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/ntb.h"

/* More NDPs than this in one NTB are refused. Hosts send one; Linux reads 50. */
#define NTB_READ_MAX_NDPS 32

/* Each value but the first two names one fault; ntb_verdict_name() is its counter's name. */
enum ntb_verdict {
	NTB_DATAGRAM, /* a datagram is in *out */
	NTB_END, /* nothing is left in the transfer */

	/* the block: the rest of the transfer is lost */
	NTB_SHORT_HEADER, /* fewer bytes than an NTH */
	NTB_BAD_SIGNATURE, /* first dwSignature is no NTH at all */
	NTB_WRONG_FORMAT, /* NTH of the format that is not in force */
	NTB_BAD_HEADER_LENGTH, /* wHeaderLength is not the NTH's size */
	NTB_BLOCK_TOO_SHORT, /* wBlockLength has no room for NTH and an NDP */
	NTB_BLOCK_BEYOND_TRANSFER, /* wBlockLength exceeds what arrived */
	NTB_BLOCK_TOO_LONG, /* longer than dwNtbOutMaxSize */
	NTB_TRAILING_BYTES, /* bytes behind the last NTB, other than one zero byte */

	/* the table: its datagrams and the tables chained behind it are lost */
	NTB_NDP_MISALIGNED, /* wNdpIndex is not a multiple of 4 */
	NTB_NDP_OUT_OF_BLOCK, /* wNdpIndex inside the NTH or too near the end */
	NTB_NDP_BAD_SIGNATURE, /* dwSignature is no NDP of the format in force */
	NTB_NDP_WRONG_CRC_MODE, /* NDP of the CRC mode that is not in force */
	NTB_NDP_BAD_LENGTH, /* wLength is not whole entries */
	NTB_NDP_TOO_SHORT, /* wLength has no room for one entry and the terminating one */
	NTB_NDP_LENGTH_BEYOND_BLOCK,
	NTB_NDP_REPEATED, /* chained to an NDP that was read already, or sharing its bytes */
	NTB_NDP_TOO_MANY, /* more than NTB_READ_MAX_NDPS */
	NTB_NDP_NO_TERMINATOR, /* no 0, 0 entry: its datagrams were delivered all the same */

	/* the datagram: only it is lost */
	NTB_DATAGRAM_OUT_OF_BLOCK, /* index inside the NTH or at or beyond the end */
	NTB_DATAGRAM_BEYOND_BLOCK, /* index + length exceed the block */
	NTB_DATAGRAM_TOO_SHORT, /* shorter than an Ethernet header (and CRC) */
	NTB_DATAGRAM_TOO_LONG, /* longer than max_datagram_len */
	NTB_DATAGRAM_OVERLAPS_NDP, /* points into the table that names it */
	NTB_DATAGRAM_BAD_CRC,

	/* the rest of the block is lost */
	NTB_DATAGRAMS_OVERLAP, /* more bytes named than the block holds */
	NTB_DATAGRAMS_TOO_MANY, /* more than wNtbOutMaxDatagrams */

	NTB_VERDICT_COUNT
};

/* What the function told the host, and what the host then chose. Host byte order. */
struct ntb_read_rules {
	enum ntb_format format;
	bool crc; /* CRC mode is on: a CRC-32 follows each datagram */
	uint32_t ntb_out_max_size; /* bytes; 0: no limit */
	uint32_t max_datagram_len; /* bytes, VLAN tag included, CRC not */
	uint16_t ntb_out_max_datagrams; /* 0: no limit */
};

struct ntb_datagram {
	const uint8_t *bytes; /* inside the transfer; one whole Ethernet frame, CRC not included */
	size_t len; /* 14 ... max_datagram_len */
};

struct ntb_read {
	const struct ntb_read_rules *rules;
	const uint8_t *block; /* the NTB being read */
	size_t left; /* bytes from block to the end of the transfer */
	size_t block_len;
	size_t ndp_index; /* the table being read; 0: none */
	size_t ndp_len;
	size_t entry; /* offset in the block of the next entry */
	size_t next_ndp_index;
	size_t byte_budget; /* bytes of datagrams this block may still yield */
	size_t table_budget; /* bytes of NDPs this block may still have */
	uint32_t datagram_budget; /* datagrams this block may still yield */
	uint32_t ntbs; /* blocks with a good header so far */
	uint16_t sequence; /* wSequence of the block being read */
	uint8_t ndps; /* tables read in this block */
	uint8_t state;
	uint32_t seen[NTB_READ_MAX_NDPS]; /* their indices */
};

/*
 * Starts on `len` bytes at `transfer`. Both they and `rules` must stay as they are
 * until the last ntb_read_next(). A transfer of length 0 yields NTB_END.
 */
void ntb_read_begin(struct ntb_read *r, const struct ntb_read_rules *rules,
		    const uint8_t *transfer, size_t len);

/*
 * The next datagram (NTB_DATAGRAM, *out is set), the next fault, or NTB_END.
 * After a fault call again: what the fault did not cost still comes. Never yields
 * more results before NTB_END than one per four bytes of the transfer, plus one;
 * after NTB_END it yields NTB_END for ever.
 */
enum ntb_verdict ntb_read_next(struct ntb_read *r, struct ntb_datagram *out);

/* "ntb_bad_signature" and so on; the name of a counter. Never NULL. */
const char *ntb_verdict_name(enum ntb_verdict v);

#endif
