/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two notifications of an NCM function [NCM10 6.3], as bytes. */
#ifndef NCMD_WIRE_NCM_NOTIFY_H
#define NCMD_WIRE_NCM_NOTIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/ncm_spec.h"
#include "wire/usb_speed.h"

#define NCM_NOTIFICATION_MAX sizeof(struct cdc_speed_change)

/*
 * NETWORK_CONNECTION: 8 bytes into `out`; returns 8. `interface` is the host's number
 * of the communication interface.
 */
size_t ncm_notify_connection(uint8_t out[static 8], uint8_t interface, bool connected);

/* CONNECTION_SPEED_CHANGE, the same rate both ways, bit/s: 16 bytes into `out`; returns 16. */
size_t ncm_notify_speed(uint8_t out[static 16], uint8_t interface, uint32_t bit_rate);

/*
 * The rate to announce, bit/s: what bulk transfers reach at that speed (19 x 64 bytes
 * a frame, 13 x 512 bytes a microframe; 3.75 Gbit/s at super speed, as f_ncm says).
 */
uint32_t ncm_notify_bit_rate(enum usb_speed speed);

#endif
