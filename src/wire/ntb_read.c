/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NTB parser [NCM10 3]: NTH, chain of NDPs, datagrams, as a state machine that
 * yields one result a call. Reads only inside the transfer and keeps nothing of
 * it. The bound on the work: each block spends its own length on tables
 * (table_budget) and once more on datagrams (byte_budget), whatever overlaps.
 */
#include "wire/ntb_read.h"

#include "wire/bytes.h"
#include "wire/crc32.h"
#include "wire/ncm_spec.h"

enum read_state {
	AT_BLOCK, /* r->block may begin an NTB */
	AT_TABLE, /* r->next_ndp_index names an NDP */
	AT_ENTRY, /* r->entry may begin an entry of the open NDP */
	AT_END,
};

/* Inside this file: nothing to tell, go on. */
#define NO_FAULT NTB_VERDICT_COUNT

/* What differs between NTB16 and NTB32. */
struct format {
	uint32_t nth_signature, other_nth_signature;
	uint32_t ndp_signature[2]; /* [CRC mode] */
	uint8_t nth_len;
	uint8_t ndp_header_len;
	uint8_t entry_len;
	uint8_t ndp_min_len; /* header, one entry, terminating entry */
};

static const struct format formats[] = {
	[NTB_FORMAT_16] = {
		.nth_signature = NTH16_SIGNATURE,
		.other_nth_signature = NTH32_SIGNATURE,
		.ndp_signature = { NDP16_NOCRC_SIGNATURE, NDP16_CRC_SIGNATURE },
		.nth_len = sizeof(struct nth16),
		.ndp_header_len = sizeof(struct ndp16),
		.entry_len = sizeof(struct dpe16),
		.ndp_min_len = sizeof(struct ndp16) + 2 * sizeof(struct dpe16),
	},
	[NTB_FORMAT_32] = {
		.nth_signature = NTH32_SIGNATURE,
		.other_nth_signature = NTH16_SIGNATURE,
		.ndp_signature = { NDP32_NOCRC_SIGNATURE, NDP32_CRC_SIGNATURE },
		.nth_len = sizeof(struct nth32),
		.ndp_header_len = sizeof(struct ndp32),
		.entry_len = sizeof(struct dpe32),
		.ndp_min_len = sizeof(struct ndp32) + 2 * sizeof(struct dpe32),
	},
};

static const struct format *format_of(const struct ntb_read *r)
{
	return &formats[r->rules->format];
}

void ntb_read_begin(struct ntb_read *r, const struct ntb_read_rules *rules,
		    const uint8_t *transfer, size_t len)
{
	/* Not a memset: seen[] is only read below ndps, and this runs once a transfer. */
	r->rules = rules;
	r->block = transfer;
	r->left = len;
	r->block_len = 0;
	r->ndp_index = 0;
	r->ndp_len = 0;
	r->entry = 0;
	r->next_ndp_index = 0;
	r->byte_budget = 0;
	r->table_budget = 0;
	r->datagram_budget = 0;
	r->ntbs = 0;
	r->sequence = 0;
	r->ndps = 0;
	r->state = AT_BLOCK;
}

/* Leaves the block; what follows it in the transfer may be another NTB. */
static void leave_block(struct ntb_read *r)
{
	r->block += r->block_len;
	r->left -= r->block_len;
	r->ndp_index = 0;
	r->state = AT_BLOCK;
}

static void leave_table(struct ntb_read *r)
{
	if (r->next_ndp_index == 0)
		leave_block(r);
	else
		r->state = AT_TABLE;
}

/* Whether what is left behind an NTB is nothing: Windows pads with one zero byte [cases N05]. */
static bool is_padding(const struct ntb_read *r)
{
	return r->ntbs != 0 && r->left == 1 && r->block[0] == 0;
}

/* Whether what is left behind an NTB is not even meant as another one. */
static bool is_trailing(const struct ntb_read *r)
{
	uint32_t signature;

	if (r->ntbs == 0)
		return false;
	if (r->left < sizeof(le32))
		return true;
	signature = le32_at(r->block);
	return signature != NTH16_SIGNATURE && signature != NTH32_SIGNATURE;
}

/* Takes block length, sequence and first NDP out of the header, unchecked. */
static void take_nth(struct ntb_read *r)
{
	struct nth16 h16;
	struct nth32 h32;

	if (r->rules->format == NTB_FORMAT_16) {
		memcpy(&h16, r->block, sizeof(h16));
		r->block_len = le16_get(h16.wBlockLength);
		r->sequence = le16_get(h16.wSequence);
		r->next_ndp_index = le16_get(h16.wNdpIndex);
	} else {
		memcpy(&h32, r->block, sizeof(h32));
		r->block_len = le32_get(h32.dwBlockLength);
		r->sequence = le16_get(h32.wSequence);
		r->next_ndp_index = le32_get(h32.dwNdpIndex);
	}
	if (r->block_len == 0) /* "to the end of the transfer" [NCM10 3.2.1], [cases N06] */
		r->block_len = r->left;
}

static enum ntb_verdict judge_nth(struct ntb_read *r)
{
	const struct format *f = format_of(r);
	uint32_t signature;

	if (r->left < f->nth_len)
		return NTB_SHORT_HEADER;
	signature = le32_at(r->block);
	if (signature == f->other_nth_signature)
		return NTB_WRONG_FORMAT;
	if (signature != f->nth_signature)
		return NTB_BAD_SIGNATURE;
	if (le16_at(r->block + sizeof(le32)) != f->nth_len)
		return NTB_BAD_HEADER_LENGTH;
	take_nth(r);
	if (r->block_len < (size_t)f->nth_len + f->ndp_min_len)
		return NTB_BLOCK_TOO_SHORT;
	if (r->block_len > r->left)
		return NTB_BLOCK_BEYOND_TRANSFER;
	if (r->rules->ntb_out_max_size != 0 && r->block_len > r->rules->ntb_out_max_size)
		return NTB_BLOCK_TOO_LONG;
	return NO_FAULT;
}

static enum ntb_verdict open_block(struct ntb_read *r)
{
	enum ntb_verdict fault;

	r->state = AT_END; /* unless the header is good */
	if (r->left == 0 || is_padding(r))
		return NTB_END;
	if (is_trailing(r))
		return NTB_TRAILING_BYTES;
	fault = judge_nth(r);
	if (fault != NO_FAULT)
		return fault;
	r->ntbs++;
	r->ndps = 0;
	r->byte_budget = r->block_len;
	r->table_budget = r->block_len;
	r->datagram_budget = r->rules->ntb_out_max_datagrams ? r->rules->ntb_out_max_datagrams :
							       UINT32_MAX;
	r->state = AT_TABLE;
	return NO_FAULT;
}

static bool was_read(const struct ntb_read *r, size_t ndp_index)
{
	for (unsigned int i = 0; i < r->ndps; i++) {
		if (r->seen[i] == ndp_index)
			return true;
	}
	return false;
}

/* Takes length and successor out of the NDP at ndp_index, unchecked. */
static void take_ndp(struct ntb_read *r)
{
	const uint8_t *ndp = r->block + r->ndp_index;
	struct ndp16 h16;
	struct ndp32 h32;

	if (r->rules->format == NTB_FORMAT_16) {
		memcpy(&h16, ndp, sizeof(h16));
		r->ndp_len = le16_get(h16.wLength);
		r->next_ndp_index = le16_get(h16.wNextNdpIndex);
	} else {
		memcpy(&h32, ndp, sizeof(h32));
		r->ndp_len = le16_get(h32.wLength);
		r->next_ndp_index = le32_get(h32.dwNextNdpIndex);
	}
}

/* Whether an NDP header can be read at `index`. */
static enum ntb_verdict judge_ndp_index(const struct ntb_read *r, size_t index)
{
	const struct format *f = format_of(r);

	if (index % NCM_NDP_ALIGNMENT_MIN != 0)
		return NTB_NDP_MISALIGNED;
	/* Cannot wrap: judge_nth() made the block longer than that [cases N07]. */
	if (index < f->nth_len || index > r->block_len - f->ndp_header_len)
		return NTB_NDP_OUT_OF_BLOCK;
	if (was_read(r, index))
		return NTB_NDP_REPEATED;
	if (r->ndps == NTB_READ_MAX_NDPS)
		return NTB_NDP_TOO_MANY;
	return NO_FAULT;
}

static enum ntb_verdict judge_ndp(struct ntb_read *r)
{
	const struct format *f = format_of(r);
	uint32_t signature = le32_at(r->block + r->ndp_index);

	if (signature != f->ndp_signature[r->rules->crc])
		return signature == f->ndp_signature[!r->rules->crc] ? NTB_NDP_WRONG_CRC_MODE :
								       NTB_NDP_BAD_SIGNATURE;
	take_ndp(r);
	if (r->ndp_len % f->entry_len != 0)
		return NTB_NDP_BAD_LENGTH;
	if (r->ndp_len < f->ndp_min_len)
		return NTB_NDP_TOO_SHORT;
	if (r->ndp_len > r->block_len - r->ndp_index)
		return NTB_NDP_LENGTH_BEYOND_BLOCK;
	if (r->ndp_len > r->table_budget) /* only tables that share bytes get here */
		return NTB_NDP_REPEATED;
	return NO_FAULT;
}

static enum ntb_verdict open_table(struct ntb_read *r)
{
	enum ntb_verdict fault = judge_ndp_index(r, r->next_ndp_index);

	if (fault == NO_FAULT) {
		r->ndp_index = r->next_ndp_index;
		fault = judge_ndp(r);
	}
	if (fault != NO_FAULT) {
		leave_block(r);
		return fault;
	}
	r->seen[r->ndps++] = (uint32_t)r->ndp_index;
	r->table_budget -= r->ndp_len;
	r->entry = r->ndp_index + format_of(r)->ndp_header_len;
	r->state = AT_ENTRY;
	return NO_FAULT;
}

/* `len` as in the entry: with the CRC, if there is one. */
static enum ntb_verdict judge_datagram(const struct ntb_read *r, size_t index, size_t len)
{
	size_t crc_len = r->rules->crc ? NCM_DATAGRAM_CRC_LEN : 0;

	if (index < format_of(r)->nth_len || index >= r->block_len)
		return NTB_DATAGRAM_OUT_OF_BLOCK;
	if (len > r->block_len - index)
		return NTB_DATAGRAM_BEYOND_BLOCK;
	if (len < ETHERNET_FRAME_MIN_LEN + crc_len)
		return NTB_DATAGRAM_TOO_SHORT;
	if (len - crc_len > r->rules->max_datagram_len)
		return NTB_DATAGRAM_TOO_LONG;
	if (index < r->ndp_index + r->ndp_len && r->ndp_index < index + len)
		return NTB_DATAGRAM_OVERLAPS_NDP;
	return NO_FAULT;
}

static enum ntb_verdict yield_datagram(struct ntb_read *r, size_t index, size_t len,
				       struct ntb_datagram *out)
{
	const uint8_t *bytes = r->block + index;

	if (len > r->byte_budget) {
		leave_block(r);
		return NTB_DATAGRAMS_OVERLAP;
	}
	r->byte_budget -= len;
	r->datagram_budget--;
	if (r->rules->crc) {
		len -= NCM_DATAGRAM_CRC_LEN;
		/* The byte order is the one of f_ncm and of every other field. */
		if (crc32_ethernet(bytes, len) != le32_at(bytes + len))
			return NTB_DATAGRAM_BAD_CRC;
	}
	out->bytes = bytes;
	out->len = len;
	return NTB_DATAGRAM;
}

static enum ntb_verdict read_entry(struct ntb_read *r, struct ntb_datagram *out)
{
	const uint8_t *entry = r->block + r->entry;
	enum ntb_verdict fault;
	size_t index, len;

	if (r->entry == r->ndp_index + r->ndp_len) {
		leave_table(r);
		return NTB_NDP_NO_TERMINATOR;
	}
	if (r->rules->format == NTB_FORMAT_16) {
		index = le16_at(entry);
		len = le16_at(entry + sizeof(le16));
		r->entry += sizeof(struct dpe16);
	} else {
		index = le32_at(entry);
		len = le32_at(entry + sizeof(le32));
		r->entry += sizeof(struct dpe32);
	}
	/* Either zero ends the table [NCM10 3.3.1]; hosts write such entries, so it is no fault. */
	if (index == 0 || len == 0) {
		leave_table(r);
		return NO_FAULT;
	}
	if (r->datagram_budget == 0) {
		leave_block(r);
		return NTB_DATAGRAMS_TOO_MANY;
	}
	fault = judge_datagram(r, index, len);
	if (fault != NO_FAULT)
		return fault;
	return yield_datagram(r, index, len, out);
}

static enum ntb_verdict step(struct ntb_read *r, struct ntb_datagram *out)
{
	switch ((enum read_state)r->state) {
	case AT_ENTRY:
		return read_entry(r, out);
	case AT_TABLE:
		return open_table(r);
	case AT_BLOCK:
		return open_block(r);
	case AT_END:
		break;
	}
	return NTB_END;
}

enum ntb_verdict ntb_read_next(struct ntb_read *r, struct ntb_datagram *out)
{
	enum ntb_verdict v;

	do {
		v = step(r, out);
	} while (v == NO_FAULT);
	return v;
}
