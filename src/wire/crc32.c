/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Ethernet FCS as NCM's CRC mode uses it [NCM10 3.3.1], [IEEE 802.3 3.2.9].
 * Four bits a step: CRC mode is off unless a host asks for it, and 64 bytes of
 * table leave the data cache to the datagrams.
 */
#include "wire/crc32.h"

/* nibble_crc[n]: the register n after four shifts through the polynomial 0xedb88320. */
static const uint32_t nibble_crc[16] = {
	0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
	0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
	0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
};

uint32_t crc32_ethernet(const uint8_t *bytes, size_t len)
{
	uint32_t crc = 0xffffffffu;

	for (size_t i = 0; i < len; i++) {
		crc ^= bytes[i];
		crc = crc >> 4 ^ nibble_crc[crc & 0xf];
		crc = crc >> 4 ^ nibble_crc[crc & 0xf];
	}
	return ~crc;
}
