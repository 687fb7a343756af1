/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef NCMD_WIRE_USB_SPEED_H
#define NCMD_WIRE_USB_SPEED_H

#include <stdint.h>

enum usb_speed {
	USB_SPEED_IS_FULL,
	USB_SPEED_IS_HIGH,
	USB_SPEED_IS_SUPER,
};
#define USB_SPEEDS	    3

#define USB_BULK_PACKET_MAX 1024u

/* wMaxPacketSize of a bulk endpoint, bytes [USB20 5.8.3], [USB31 9.6.6]. */
static inline uint16_t usb_speed_bulk_packet(enum usb_speed speed)
{
	return speed == USB_SPEED_IS_FULL ? 64 : speed == USB_SPEED_IS_HIGH ? 512 : 1024;
}

/*
 * What bulk transfers can carry, by wMaxPacketSize: whole packets in a frame or microframe
 * [USB20 5.8.4], 19 of 64 a ms, 13 of 512 in 125 us.
 */
static inline uint32_t usb_bulk_bytes_per_ms(uint16_t max_packet)
{
	if (max_packet <= 64)
		return 19 * 64;
	if (max_packet <= 512)
		return 8 * 13 * 512;
	return 400000; /* SuperSpeed */
}

#endif
