/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The class requests of an NCM function [NCM10 6.2] as one pure function: what the
 * function offers, what the host chose so far, and a SETUP packet give an answer
 * and what the host has chosen now.
 */
#ifndef NCMD_WIRE_NCM_CONTROL_H
#define NCMD_WIRE_NCM_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/ncm_spec.h"
#include "wire/ntb.h"

/* What the function tells the host; fixed while it is enumerated. Host byte order. */
struct ncm_offer {
	uint8_t capabilities; /* bmNetworkCapabilities, NCM_CAP_... */
	bool ntb32; /* NTB32 is offered beside NTB16 */
	uint32_t ntb_in_max_size; /* bytes */
	uint32_t ntb_out_max_size; /* bytes */
	uint16_t ndp_in_divisor, ndp_in_remainder, ndp_in_alignment;
	uint16_t ndp_out_divisor, ndp_out_remainder, ndp_out_alignment;
	uint16_t ntb_out_max_datagrams; /* 0: no limit */
	uint16_t max_segment_size; /* wMaxSegmentSize, bytes, without VLAN tag */
	uint8_t host_mac[6]; /* the host's address: iMACAddress, GET_NET_ADDRESS */
};

/* What the host chose; ncm_choice_reset() gives the values after alternate setting 0. */
struct ncm_choice {
	enum ntb_format format;
	bool crc;
	uint32_t ntb_in_size; /* bytes an IN NTB may have */
	uint16_t ntb_in_max_datagrams; /* 0: no limit */
	uint16_t max_datagram_size;
	uint8_t host_mac[6];
	uint16_t packet_filter; /* as in SET_ETHERNET_PACKET_FILTER */
	bool packet_filter_seen;
};

enum ncm_answer_kind {
	NCM_STALL, /* not supported, or wrong: protocol stall */
	NCM_REPLY, /* IN: send `reply` (already cut to wLength) */
	NCM_WANT_DATA, /* OUT: read wLength bytes, then call ncm_control() again with them */
	NCM_ACCEPT, /* done: *choice is changed if it had to be; finish the status stage */
	NCM_REFUSE_DATA, /* the data stage held a wrong value: *choice is as it was */
};

/* Most bytes of a data stage of any request served here, either way. */
#define NCM_CONTROL_DATA_MAX 28

struct ncm_answer {
	enum ncm_answer_kind kind;
	/* NCM_REPLY: bytes in reply; NCM_WANT_DATA: bytes to read, 1 ... NCM_CONTROL_DATA_MAX */
	uint16_t len;
	uint8_t reply[NCM_CONTROL_DATA_MAX];
};

void ncm_choice_reset(struct ncm_choice *choice, const struct ncm_offer *offer);

/*
 * Answers `setup`. `data` is NULL on the first call; after NCM_WANT_DATA it is
 * what the data stage brought, `data_len` bytes (it may be shorter than asked).
 * Requests that the capabilities do not promise are stalled, except
 * SET_ETHERNET_PACKET_FILTER, which hosts send without looking [cases C07]: it is
 * always taken. wIndex is not looked at: who calls has routed the request. A GET
 * with wLength 0 is stalled. SET_NTB_INPUT_SIZE with 4 bytes lifts a limit of datagrams.
 */
struct ncm_answer ncm_control(const struct ncm_offer *offer, struct ncm_choice *choice,
			      const struct usb_setup *setup, const uint8_t *data, size_t data_len);

/* "GET_NTB_PARAMETERS" and so on, "unknown request" for others. For logs. */
const char *ncm_request_name(uint8_t bRequest);

#endif
