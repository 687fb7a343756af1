/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The Ethernet FCS, which NCM's CRC mode puts behind each datagram [NCM10 3.3.1]. */
#ifndef NCMD_WIRE_CRC32_H
#define NCMD_WIRE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/*
 * IEEE 802.3 CRC-32 (reflected 0xedb88320, inverted) of `len` bytes; "123456789"
 * gives 0xcbf43926. NCM stores it little-endian, as f_ncm does.
 */
uint32_t crc32_ethernet(const uint8_t *bytes, size_t len);

#endif
