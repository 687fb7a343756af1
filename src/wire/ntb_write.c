/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NTB builder [NCM10 3]: datagrams are already in place when they are committed,
 * so all it writes is the headers, the table, the gaps and the CRCs.
 */
#include "wire/ntb_write.h"

#include "wire/bytes.h"
#include "wire/crc32.h"
#include "wire/ncm_spec.h"

static uint32_t nth_len(const struct ntb_write_shape *s)
{
	return s->format == NTB_FORMAT_16 ? sizeof(struct nth16) : sizeof(struct nth32);
}

/* wLength: header, entries, terminating entry, but never below the minimum [NCM10 3.3]. */
static uint32_t ndp_len(const struct ntb_write_shape *s, uint32_t datagrams)
{
	uint32_t entries = datagrams == 0 ? 2 : datagrams + 1;

	if (s->format == NTB_FORMAT_16)
		return (uint32_t)(sizeof(struct ndp16) + entries * sizeof(struct dpe16));
	return (uint32_t)(sizeof(struct ndp32) + entries * sizeof(struct dpe32));
}

static uint32_t crc_len(const struct ntb_write_shape *s)
{
	return s->crc ? NCM_DATAGRAM_CRC_LEN : 0;
}

/* wBlockLength and the indices of an NTB16 have 16 bits. */
static uint32_t largest_block(const struct ntb_write_shape *s)
{
	return s->format == NTB_FORMAT_16 && s->max_size > UINT16_MAX ? UINT16_MAX : s->max_size;
}

static uint16_t datagram_limit(const struct ntb_write_shape *s)
{
	if (s->max_datagrams == 0 || s->max_datagrams > NTB_WRITE_MAX_DATAGRAMS)
		return NTB_WRITE_MAX_DATAGRAMS;
	return s->max_datagrams;
}

/* The first place at or behind `fill` whose payload is aligned as the host asked [NCM10 3.3.4]. */
static uint32_t slot_at(const struct ntb_write_shape *s, uint32_t fill)
{
	uint32_t payload = fill + ETHERNET_HEADER_LEN;

	return fill + ((s->remainder - payload) & (s->divisor - 1u));
}

static uint32_t ndp_index_at(const struct ntb_write_shape *s, uint32_t fill)
{
	uint32_t mask = s->alignment - 1u;

	return (fill + mask) & ~mask;
}

/* Where the first datagram may start: behind the NTH, and behind an NDP that comes first. */
static uint32_t first_fill(const struct ntb_write_shape *s)
{
	if (s->ndp == NTB_NDP_END)
		return nth_len(s);
	return ndp_index_at(s, nth_len(s)) + ndp_len(s, datagram_limit(s));
}

/* Bytes the datagram after `datagrams` others may have at `slot`; 0: none. */
static uint32_t room_at(const struct ntb_write_shape *s, uint32_t slot, uint32_t datagrams)
{
	uint32_t block = largest_block(s);
	uint32_t behind = s->ndp == NTB_NDP_END ? ndp_len(s, datagrams + 1) : 0;
	uint32_t end; /* where an NDP at the end starts if the room is used up */
	uint32_t taken = slot + crc_len(s);

	if (datagrams >= datagram_limit(s) || block < behind)
		return 0;
	end = (block - behind) & ~(s->alignment - 1u);
	return end >= taken + ETHERNET_HEADER_LEN ? end - taken : 0;
}

static void find_slot(struct ntb_write *w)
{
	w->slot = slot_at(w->shape, w->fill);
	w->room = room_at(w->shape, w->slot, w->datagrams);
	if (w->room == 0)
		w->slot = w->fill;
}

void ntb_write_begin(struct ntb_write *w, const struct ntb_write_shape *shape, uint8_t *memory)
{
	w->shape = shape;
	w->ntb = memory;
	w->fill = first_fill(shape);
	w->datagrams = 0;
	find_slot(w);
}

uint8_t *ntb_write_slot(const struct ntb_write *w, size_t *room)
{
	*room = w->room;
	return w->ntb + w->slot;
}

void ntb_write_commit(struct ntb_write *w, size_t len)
{
	uint8_t *slot = w->ntb + w->slot;
	uint32_t entry_len;

	if (len > w->room || len < ETHERNET_FRAME_MIN_LEN)
		return;
	memset(w->ntb + w->fill, 0, w->slot - w->fill);
	entry_len = (uint32_t)len + crc_len(w->shape);
	if (w->shape->crc) {
		le32 crc = le32_of(crc32_ethernet(slot, len));

		memcpy(slot + len, &crc, sizeof(crc));
	}
	w->entry[w->datagrams].index = w->slot;
	w->entry[w->datagrams].len = entry_len;
	w->datagrams++;
	w->fill = w->slot + entry_len;
	find_slot(w);
}

bool ntb_write_is_full_for(const struct ntb_write *w, size_t len)
{
	return w->room == 0 || len > w->room;
}

static void put_nth(const struct ntb_write *w, uint16_t sequence, uint32_t block_len,
		    uint32_t ndp_index)
{
	if (w->shape->format == NTB_FORMAT_16) {
		struct nth16 h = {
			.dwSignature = le32_of(NTH16_SIGNATURE),
			.wHeaderLength = le16_of(sizeof(h)),
			.wSequence = le16_of(sequence),
			.wBlockLength = le16_of((uint16_t)block_len),
			.wNdpIndex = le16_of((uint16_t)ndp_index),
		};

		memcpy(w->ntb, &h, sizeof(h));
	} else {
		struct nth32 h = {
			.dwSignature = le32_of(NTH32_SIGNATURE),
			.wHeaderLength = le16_of(sizeof(h)),
			.wSequence = le16_of(sequence),
			.dwBlockLength = le32_of(block_len),
			.dwNdpIndex = le32_of(ndp_index),
		};

		memcpy(w->ntb, &h, sizeof(h));
	}
}

static void put_ndp16(const struct ntb_write *w, uint8_t *at, uint32_t len)
{
	struct ndp16 h = {
		.dwSignature = le32_of(w->shape->crc ? NDP16_CRC_SIGNATURE : NDP16_NOCRC_SIGNATURE),
		.wLength = le16_of((uint16_t)len),
	};

	memset(at, 0, len); /* the terminating entry */
	memcpy(at, &h, sizeof(h));
	at += sizeof(h);
	for (unsigned int i = 0; i < w->datagrams; i++) {
		struct dpe16 e = {
			.wDatagramIndex = le16_of((uint16_t)w->entry[i].index),
			.wDatagramLength = le16_of((uint16_t)w->entry[i].len),
		};

		memcpy(at, &e, sizeof(e));
		at += sizeof(e);
	}
}

static void put_ndp32(const struct ntb_write *w, uint8_t *at, uint32_t len)
{
	struct ndp32 h = {
		.dwSignature = le32_of(w->shape->crc ? NDP32_CRC_SIGNATURE : NDP32_NOCRC_SIGNATURE),
		.wLength = le16_of((uint16_t)len),
	};

	memset(at, 0, len); /* the terminating entry */
	memcpy(at, &h, sizeof(h));
	at += sizeof(h);
	for (unsigned int i = 0; i < w->datagrams; i++) {
		struct dpe32 e = {
			.dwDatagramIndex = le32_of(w->entry[i].index),
			.dwDatagramLength = le32_of(w->entry[i].len),
		};

		memcpy(at, &e, sizeof(e));
		at += sizeof(e);
	}
}

/*
 * A transfer that is a multiple of the packet size ends only when the host's
 * buffer, dwNtbInMaxSize long, is full; shorter than that it needs an end of its own
 * [NCM10 3.2.1]. Returns the length of the block.
 */
static uint32_t end_transfer(const struct ntb_write *w, uint32_t block_len, bool *needs_zlp)
{
	const struct ntb_write_shape *s = w->shape;

	*needs_zlp = false;
	if (block_len % s->max_packet != 0 || block_len >= s->max_size)
		return block_len;
	switch (s->ending) {
	case NTB_ENDING_PAD:
		w->ntb[block_len] = 0;
		return block_len + 1;
	case NTB_ENDING_ZLP:
		*needs_zlp = true;
		break;
	}
	return block_len;
}

uint32_t ntb_write_finish(struct ntb_write *w, uint16_t sequence, bool *needs_zlp)
{
	const struct ntb_write_shape *s = w->shape;
	bool first = s->ndp == NTB_NDP_START;
	uint32_t gap = first ? nth_len(s) : w->fill;
	uint32_t ndp_index = ndp_index_at(s, gap);
	uint32_t len = ndp_len(s, w->datagrams);
	uint32_t block_len = first ? w->fill : ndp_index + len;

	memset(w->ntb + gap, 0, ndp_index - gap);
	if (first) /* entries that were reserved and are not used */
		memset(w->ntb + ndp_index + len, 0, first_fill(s) - (ndp_index + len));
	if (s->format == NTB_FORMAT_16)
		put_ndp16(w, w->ntb + ndp_index, len);
	else
		put_ndp32(w, w->ntb + ndp_index, len);
	block_len = end_transfer(w, block_len, needs_zlp);
	put_nth(w, sequence, block_len, ndp_index);
	return block_len;
}

uint32_t ntb_write_largest(const struct ntb_write_shape *shape)
{
	return room_at(shape, slot_at(shape, first_fill(shape)), 0);
}
