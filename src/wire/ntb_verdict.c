/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of the reader's verdicts, which are the names of counters: never change one. */
#include "wire/ntb_read.h"

const char *ntb_verdict_name(enum ntb_verdict v)
{
	static const char *const names[NTB_VERDICT_COUNT] = {
		[NTB_DATAGRAM] = "ntb_datagram",
		[NTB_END] = "ntb_end",
		[NTB_SHORT_HEADER] = "ntb_short_header",
		[NTB_BAD_SIGNATURE] = "ntb_bad_signature",
		[NTB_WRONG_FORMAT] = "ntb_wrong_format",
		[NTB_BAD_HEADER_LENGTH] = "ntb_bad_header_length",
		[NTB_BLOCK_TOO_SHORT] = "ntb_block_too_short",
		[NTB_BLOCK_BEYOND_TRANSFER] = "ntb_block_beyond_transfer",
		[NTB_BLOCK_TOO_LONG] = "ntb_block_too_long",
		[NTB_TRAILING_BYTES] = "ntb_trailing_bytes",
		[NTB_NDP_MISALIGNED] = "ntb_ndp_misaligned",
		[NTB_NDP_OUT_OF_BLOCK] = "ntb_ndp_out_of_block",
		[NTB_NDP_BAD_SIGNATURE] = "ntb_ndp_bad_signature",
		[NTB_NDP_WRONG_CRC_MODE] = "ntb_ndp_wrong_crc_mode",
		[NTB_NDP_BAD_LENGTH] = "ntb_ndp_bad_length",
		[NTB_NDP_TOO_SHORT] = "ntb_ndp_too_short",
		[NTB_NDP_LENGTH_BEYOND_BLOCK] = "ntb_ndp_length_beyond_block",
		[NTB_NDP_REPEATED] = "ntb_ndp_repeated",
		[NTB_NDP_TOO_MANY] = "ntb_ndp_too_many",
		[NTB_NDP_NO_TERMINATOR] = "ntb_ndp_no_terminator",
		[NTB_DATAGRAM_OUT_OF_BLOCK] = "ntb_datagram_out_of_block",
		[NTB_DATAGRAM_BEYOND_BLOCK] = "ntb_datagram_beyond_block",
		[NTB_DATAGRAM_TOO_SHORT] = "ntb_datagram_too_short",
		[NTB_DATAGRAM_TOO_LONG] = "ntb_datagram_too_long",
		[NTB_DATAGRAM_OVERLAPS_NDP] = "ntb_datagram_overlaps_ndp",
		[NTB_DATAGRAMS_OVERLAP] = "ntb_datagrams_overlap",
		[NTB_DATAGRAMS_TOO_MANY] = "ntb_datagrams_too_many",
		[NTB_DATAGRAM_BAD_CRC] = "ntb_datagram_bad_crc",
	};

	return (unsigned int)v < NTB_VERDICT_COUNT ? names[v] : "ntb_unknown";
}
