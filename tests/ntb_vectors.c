/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The vectors, and the few lines that turn their text into bytes. */
#include "ntb_vectors.h"

#include <stdlib.h>
#include <string.h>

/* NTH16: "NCMH", wHeaderLength 12, wSequence 0, then wBlockLength and wNdpIndex. */
#define NTH16(block, ndp) "4e434d48 0c00 0000 " block " " ndp " "
/* NDP16: "NCM0", then wLength and wNextNdpIndex; entries are index, length; 0, 0 ends. */
#define NDP16(len, next) "4e434d30 " len " " next " "
#define ENTRY(index, len) index " " len " "
#define LAST "0000 0000 "

/* Header and table in front, one frame of 60 bytes at 28. */
#define BASE_A NTH16("5800", "0c00") NDP16("1000", "0000") ENTRY("1c00", "3c00") LAST "F60 "

#define FRAME_AND_GAP "F1514 Z2 "

const struct ntb_vector ntb_vectors[] = {
	/* good ones */
	{ "BASE-A", 88, 0x1858a78a, 60, "ntb_datagram", BASE_A },
	{ "BASE-B", 88, 0xfa0ab5c2, 60, "ntb_datagram", /* NDP last */
	  NTH16("5800", "4800") "F60 " NDP16("1000", "0000") ENTRY("0c00", "3c00") LAST },
	{ "TWO-A", 152, 0x33a23c91, 60, "ntb_datagram*2",
	  NTH16("9800", "0c00") NDP16("1400", "0000") ENTRY("2000", "3c00") ENTRY("5c00", "3c00")
	  LAST "F60 F60" },
	{ "CHAIN2", 164, 0x6bb612aa, 60, "ntb_datagram*2",
	  NTH16("a400", "0c00") NDP16("1000", "5800") ENTRY("1c00", "3c00") LAST "F60 "
	  NDP16("1000", "0000") ENTRY("6800", "3c00") LAST "F60" },
	{ "PAD1", 89, 0xdf77dd14, 60, "ntb_datagram", BASE_A "00" },
	{ "PAD1-129", 129, 0x83cffffc, 100, "ntb_datagram", /* ping -l 53 from Windows */
	  NTH16("8000", "0c00") NDP16("1000", "0000") ENTRY("1c00", "6400") LAST "F100 00" },
	{ "CAT2", 176, 0x6ef3157d, 60, "ntb_datagram*2", BASE_A BASE_A },
	{ "BL0", 88, 0x844efc77, 60, "ntb_datagram", /* wBlockLength 0: to the end */
	  NTH16("0000", "0c00") NDP16("1000", "0000") ENTRY("1c00", "3c00") LAST "F60" },
	{ "BL0-PLUS4", 92, 0xef5de83f, 60, "ntb_datagram",
	  NTH16("0000", "0c00") NDP16("1000", "0000") ENTRY("1c00", "3c00") LAST "F60 Z4" },
	{ "T512", 512, 0x55f77004, 484, "ntb_datagram",
	  NTH16("0002", "0c00") NDP16("1000", "0000") ENTRY("1c00", "e401") LAST "F484" },
	{ "EMPTYNDP", 28, 0x832df948, 60, "",
	  NTH16("1c00", "0c00") NDP16("1000", "0000") "Z8" },
	{ "ZLD", 88, 0x08943b16, 60, "", /* wDatagramLength 0 ends the table */
	  NTH16("5800", "0c00") NDP16("1000", "0000") ENTRY("1c00", "0000") LAST "F60" },
	{ "ONE-EXTRA", 92, 0x6e7f5f71, 60, "ntb_datagram", /* wLength one entry too long */
	  NTH16("5c00", "0c00") NDP16("1400", "0000") ENTRY("2000", "3c00") LAST LAST "F60" },
	{ "LNX246", 246, 0x504f1cc2, 60, "ntb_datagram", /* room for 40 entries */
	  NTH16("f600", "0c00") NDP16("1000", "0000") ENTRY("ba00", "3c00") LAST "Z158 F60" },
	{ "LNX90", 90, 0x23dba1f0, 60, "ntb_datagram", /* room for 1 entry */
	  NTH16("5a00", "0c00") NDP16("1000", "0000") ENTRY("1e00", "3c00") LAST "Z2 F60" },
	{ "SHORT42", 72, 0xa3aa05b1, 42, "ntb_datagram", /* an ARP request, not padded */
	  NTH16("4800", "3800") "F42 Z2 " NDP16("1000", "0000") ENTRY("0c00", "2a00") LAST },
	{ "SHORT14", 42, 0x394be9b0, 14, "ntb_datagram", /* the shortest frame there is */
	  NTH16("2a00", "0c00") NDP16("1000", "0000") ENTRY("1c00", "0e00") LAST "F14" },
	{ "FULL16384", 16384, 0x7b3a77c6, 1514, "ntb_datagram*10",
	  NTH16("0040", "0c00") NDP16("3400", "0000") ENTRY("4000", "ea05")
	  ENTRY("2c06", "ea05") ENTRY("180c", "ea05") ENTRY("0412", "ea05")
	  ENTRY("f017", "ea05") ENTRY("dc1d", "ea05") ENTRY("c823", "ea05")
	  ENTRY("b429", "ea05") ENTRY("a02f", "ea05") ENTRY("8c35", "ea05") LAST
	  FRAME_AND_GAP FRAME_AND_GAP FRAME_AND_GAP FRAME_AND_GAP FRAME_AND_GAP FRAME_AND_GAP
	  FRAME_AND_GAP FRAME_AND_GAP FRAME_AND_GAP "F1514 Z1162" },
	{ "SEQ", 88, 0xe24a7285, 60, "ntb_datagram", /* wSequence ffff; BASE-A comes after it */
	  "4e434d48 0c00 ffff 5800 0c00 " NDP16("1000", "0000") ENTRY("1c00", "3c00") LAST
	  "F60" },

	/* the block is bad */
	{ "HL16", 88, 0xb6c4317b, 60, "ntb_bad_header_length",
	  "4e434d48 1000 0000 5800 0c00 " NDP16("1000", "0000") ENTRY("1c00", "3c00") LAST
	  "F60" },
	{ "NTB32", 108, 0x2677922e, 60, "ntb_wrong_format",
	  "6e636d68 1000 0000 6c000000 10000000 " /* dwBlockLength, dwNdpIndex */
	  "6e636d30 2000 0000 00000000 00000000 " /* wLength, dwNextNdpIndex */
	  "30000000 3c000000 00000000 00000000 F60" },
	{ "BL1", 88, 0x98696462, 60, "ntb_block_too_short",
	  NTH16("0100", "0c00") NDP16("1000", "0000") ENTRY("1c00", "3c00") LAST "F60" },
	{ "BL12", 88, 0x15ec5c8b, 60, "ntb_block_too_short",
	  NTH16("0c00", "0c00") NDP16("1000", "0000") ENTRY("1c00", "3c00") LAST "F60" },
	{ "BL19", 88, 0xb92ed359, 60, "ntb_block_too_short",
	  NTH16("1300", "0c00") NDP16("1000", "0000") ENTRY("1c00", "3c00") LAST "F60" },
	{ "BL27", 88, 0x581213f1, 60, "ntb_block_too_short",
	  NTH16("1b00", "0c00") NDP16("1000", "0000") ENTRY("1c00", "3c00") LAST "F60" },
	{ "TRUNC", 60, 0xa6ef066c, 60, "ntb_block_beyond_transfer", /* BASE-A, 60 bytes of it */
	  NTH16("5800", "0c00") NDP16("1000", "0000") ENTRY("1c00", "3c00") LAST "F32" },
	{ "TRAIL01", 89, 0xa870ed82, 60, "ntb_datagram ntb_trailing_bytes", BASE_A "01" },

	/* the table is bad */
	{ "NDPMIS", 89, 0x51087ec3, 60, "ntb_ndp_misaligned",
	  NTH16("5900", "0d00") "00 " NDP16("1000", "0000") ENTRY("1d00", "3c00") LAST "F60" },
	{ "NDPBEY", 88, 0x9f8f0d59, 60, "ntb_ndp_out_of_block",
	  NTH16("5800", "5400") NDP16("1000", "0000") ENTRY("1c00", "3c00") LAST "F60" },
	{ "NTB32-16", 88, 0x05c308d3, 60, "ntb_ndp_bad_signature",
	  NTH16("5800", "0c00") "6e636d30 1000 0000 " ENTRY("1c00", "3c00") LAST "F60" },
	{ "CRC-SIGN", 88, 0xef94fb84, 60, "ntb_ndp_wrong_crc_mode",
	  NTH16("5800", "0c00") "4e434d31 1000 0000 " ENTRY("1c00", "3c00") LAST "F60" },
	{ "WL15", 88, 0x749c804d, 60, "ntb_ndp_bad_length",
	  NTH16("5800", "0c00") NDP16("0f00", "0000") ENTRY("1c00", "3c00") LAST "F60" },
	{ "WL12", 88, 0x5df072b0, 60, "ntb_ndp_too_short",
	  NTH16("5800", "0c00") NDP16("0c00", "0000") ENTRY("1c00", "3c00") LAST "F60" },
	{ "WLBIG", 88, 0x352490d3, 60, "ntb_ndp_length_beyond_block",
	  NTH16("5800", "0c00") NDP16("fcff", "0000") ENTRY("1c00", "3c00") LAST "F60" },
	{ "WL20-LAST", 88, 0xf90c8ebd, 60, "ntb_ndp_length_beyond_block", /* BASE-B, 72 + 20 > 88 */
	  NTH16("5800", "4800") "F60 " NDP16("1400", "0000") ENTRY("0c00", "3c00") LAST },
	{ "SELF", 88, 0x001389fc, 60, "ntb_datagram ntb_ndp_repeated",
	  NTH16("5800", "0c00") NDP16("1000", "0c00") ENTRY("1c00", "3c00") LAST "F60" },

	/* a datagram is bad */
	{ "IDXBEY", 88, 0x11b22077, 60, "ntb_datagram_out_of_block",
	  NTH16("5800", "0c00") NDP16("1000", "0000") ENTRY("5900", "3c00") LAST "F60" },
	{ "LENBEY", 88, 0x51b10a95, 60, "ntb_datagram_beyond_block",
	  NTH16("5800", "0c00") NDP16("1000", "0000") ENTRY("1c00", "3d00") LAST "F60" },
	{ "DL13", 88, 0x9f74460f, 60, "ntb_datagram_too_short",
	  NTH16("5800", "0c00") NDP16("1000", "0000") ENTRY("1c00", "0d00") LAST "F60" },
	{ "MIXED", 152, 0x5c262753, 60, "ntb_datagram ntb_datagram_too_short",
	  NTH16("9800", "0c00") NDP16("1400", "0000") ENTRY("2000", "3c00") ENTRY("5c00", "0d00")
	  LAST "F60 F60" },
	{ "DG-OVER-NDP", 88, 0xfd343aef, 60, "ntb_datagram_overlaps_ndp",
	  NTH16("5800", "0c00") NDP16("1000", "0000") ENTRY("0c00", "3c00") LAST "F60" },
	/* 400 entries for the same 60 bytes; the block holds 28 times that */
	{ "AMP400", 1684, 0xd057292b, 60, "ntb_datagram*28 ntb_datagrams_overlap",
	  NTH16("9406", "0c00") NDP16("4c06", "0000") "58063c00*400 " LAST "F60" },
};

const size_t ntb_vectors_count = sizeof(ntb_vectors) / sizeof(ntb_vectors[0]);

const struct ntb_vector *ntb_vector_find(const char *name)
{
	for (size_t i = 0; i < ntb_vectors_count; i++) {
		if (strcmp(ntb_vectors[i].name, name) == 0)
			return &ntb_vectors[i];
	}
	return NULL;
}

static uint32_t zlib_crc32(const uint8_t *buf, size_t len)
{
	uint32_t crc = 0xffffffff;

	for (size_t i = 0; i < len; i++) {
		crc ^= buf[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
	}
	return ~crc;
}

size_t ntb_vector_build(const struct ntb_vector *v, uint8_t *buf, size_t cap)
{
	size_t len = ntb_recipe_build(v->recipe, buf, cap);

	return len == v->len && zlib_crc32(buf, len) == v->crc32 ? len : 0;
}

bool ntb_vector_verdict(const struct ntb_vector *v, unsigned int i, char name[static 64])
{
	const char *p = v->verdicts;

	while (*p) {
		size_t len = strcspn(p, "* ");
		unsigned long times = 1;

		memcpy(name, p, len < 63 ? len : 63);
		name[len < 63 ? len : 63] = '\0';
		p += len;
		if (*p == '*') {
			char *end;

			times = strtoul(p + 1, &end, 10);
			p = end;
		}
		if (i < times)
			return true;
		i -= (unsigned int)times;
		p += strspn(p, " ");
	}
	return false;
}

unsigned int ntb_vector_datagrams(const struct ntb_vector *v)
{
	unsigned int datagrams = 0;
	char name[64];

	for (unsigned int i = 0; ntb_vector_verdict(v, i, name); i++)
		datagrams += strcmp(name, "ntb_datagram") == 0;
	return datagrams;
}

void ntb_vector_frame(uint8_t *buf, size_t len)
{
	static const uint8_t header[14] = {
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, /* destination */
		0x02, 0x00, 0x00, 0x00, 0x00, 0x02, /* source */
		0x88, 0xb5, /* local experimental ethertype 1 */
	};

	for (size_t i = 0; i < len; i++)
		buf[i] = i < sizeof(header) ? header[i] : (uint8_t)(i - sizeof(header));
}

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* One word of hex at `text` into `buf`; returns the bytes written, 0 if it is wrong. */
static size_t build_hex(const char *text, size_t word_len, uint8_t *buf, size_t cap)
{
	size_t digits = strcspn(text, "* ");
	size_t len = digits / 2;
	unsigned long times = 1;

	if (digits % 2 != 0 || digits == 0)
		return 0;
	if (digits < word_len)
		times = strtoul(text + digits + 1, NULL, 10);
	if (len * times > cap)
		return 0;
	for (size_t i = 0; i < len; i++) {
		int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return 0;
		buf[i] = (uint8_t)(high << 4 | low);
	}
	for (size_t i = len; i < len * times; i++)
		buf[i] = buf[i - len];
	return len * times;
}

static size_t build_word(const char *text, size_t word_len, uint8_t *buf, size_t cap)
{
	size_t n = strtoul(text + 1, NULL, 10);

	if (*text != 'F' && *text != 'Z')
		return build_hex(text, word_len, buf, cap);
	if (n > cap)
		return 0;
	if (*text == 'F')
		ntb_vector_frame(buf, n);
	else
		memset(buf, 0, n);
	return n;
}

size_t ntb_recipe_build(const char *recipe, uint8_t *buf, size_t cap)
{
	size_t len = 0;

	while (*recipe) {
		size_t word_len = strcspn(recipe, " ");
		size_t n = build_word(recipe, word_len, buf + len, cap - len);

		if (n == 0)
			return 0;
		len += n;
		recipe += word_len;
		recipe += strspn(recipe, " ");
	}
	return len;
}
