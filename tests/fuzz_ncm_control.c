/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any series of control requests to a function that offers anything: one byte of
 * offer, then records of 8 bytes SETUP and as many data bytes as the answer wants.
 * Whatever the host says, what it chose stays inside what was offered.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "unit.h"
#include "wire/ncm_control.h"

static void must(bool promise)
{
	if (!promise)
		abort();
}

static void check_choice(const struct ncm_offer *offer, const struct ncm_choice *choice)
{
	must(choice->ntb_in_size >= 2048 && choice->ntb_in_size <= offer->ntb_in_max_size);
	must(choice->format == NTB_FORMAT_16 || (offer->ntb32 && choice->format == NTB_FORMAT_32));
	must(!choice->crc || (offer->capabilities & NCM_CAP_CRC_MODE));
	must(choice->max_datagram_size >= 14 &&
	     choice->max_datagram_size <= offer->max_segment_size);
	must(!(choice->host_mac[0] & 1));
	must(choice->ntb_in_max_datagrams == 0 || (offer->capabilities & NCM_CAP_NTB_INPUT_SIZE_8));
}

static void check_answer(const struct usb_setup *setup, const struct ncm_answer *answer,
			 bool with_data)
{
	uint16_t asked = le16_get(setup->wLength);

	switch (answer->kind) {
	case NCM_REPLY:
		must(!with_data && setup->bRequestType == USB_CLASS_REQUEST_IN);
		must(answer->len >= 1 && answer->len <= asked);
		must(answer->len <= NCM_CONTROL_DATA_MAX);
		return;
	case NCM_WANT_DATA:
		must(!with_data && setup->bRequestType == USB_CLASS_REQUEST_OUT);
		must(answer->len == asked && asked <= NCM_CONTROL_DATA_MAX);
		return;
	case NCM_REFUSE_DATA:
		must(with_data);
		return;
	case NCM_ACCEPT:
		must(setup->bRequestType == USB_CLASS_REQUEST_OUT);
		must(with_data || asked == 0);
		return;
	case NCM_STALL:
		must(!with_data);
		return;
	}
	abort();
}

/* One request; returns how many of the `left` bytes at `data` it used as its data stage. */
static size_t one_request(const struct ncm_offer *offer, struct ncm_choice *choice,
			  const struct usb_setup *setup, const uint8_t *data, size_t left)
{
	struct ncm_choice before = *choice;
	struct ncm_answer answer = ncm_control(offer, choice, setup, NULL, 0);
	uint8_t *stage;
	size_t n;

	check_answer(setup, &answer, false);
	if (answer.kind != NCM_WANT_DATA) {
		check_choice(offer, choice);
		return 0;
	}
	n = answer.len < left ? answer.len : left;
	stage = exact_copy(data, n);
	answer = ncm_control(offer, choice, setup, stage, n);
	free(stage);
	check_answer(setup, &answer, true);
	if (answer.kind == NCM_REFUSE_DATA)
		must(choice->ntb_in_size == before.ntb_in_size &&
		     choice->max_datagram_size == before.max_datagram_size &&
		     memcmp(choice->host_mac, before.host_mac, 6) == 0);
	check_choice(offer, choice);
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ncm_offer offer = {
		.ntb_in_max_size = 16384,
		.ntb_out_max_size = 16384,
		.max_segment_size = 1514,
		.host_mac = { 2, 0, 0, 0, 0, 1 },
	};
	struct ncm_choice choice;
	size_t at = 1;

	if (size == 0)
		return 0;
	offer.capabilities = data[0] & 0x3f;
	offer.ntb32 = data[0] & 0x40;
	ncm_choice_reset(&choice, &offer);
	check_choice(&offer, &choice);
	while (size - at >= sizeof(struct usb_setup)) {
		struct usb_setup setup;

		memcpy(&setup, data + at, sizeof(setup));
		at += sizeof(setup);
		at += one_request(&offer, &choice, &setup, data + at, size - at);
		must(ncm_request_name(setup.bRequest) != NULL);
	}
	return 0;
}

/* Each request as hosts send it, to a function that offers everything and to one that does not. */
size_t fuzz_seed(size_t i, uint8_t *buf, size_t cap)
{
	static const struct {
		uint8_t setup[8];
		uint8_t data[8];
		uint8_t data_len;
	} rows[] = {
		{ { 0xa1, 0x80, 0, 0, 0, 0, 28, 0 }, { 0 }, 0 },
		{ { 0xa1, 0x81, 0, 0, 0, 0, 6, 0 }, { 0 }, 0 },
		{ { 0x21, 0x82, 0, 0, 0, 0, 6, 0 }, { 2, 0, 0, 0, 0, 9 }, 6 },
		{ { 0xa1, 0x83, 0, 0, 0, 0, 2, 0 }, { 0 }, 0 },
		{ { 0x21, 0x84, 1, 0, 0, 0, 0, 0 }, { 0 }, 0 },
		{ { 0xa1, 0x85, 0, 0, 0, 0, 8, 0 }, { 0 }, 0 },
		{ { 0x21, 0x86, 0, 0, 0, 0, 4, 0 }, { 0, 8, 0, 0 }, 4 },
		{ { 0x21, 0x86, 0, 0, 0, 0, 8, 0 }, { 0, 16, 0, 0, 4, 0, 0, 0 }, 8 },
		{ { 0xa1, 0x87, 0, 0, 0, 0, 2, 0 }, { 0 }, 0 },
		{ { 0x21, 0x88, 0, 0, 0, 0, 2, 0 }, { 0, 2 }, 2 },
		{ { 0xa1, 0x89, 0, 0, 0, 0, 2, 0 }, { 0 }, 0 },
		{ { 0x21, 0x8a, 1, 0, 0, 0, 0, 0 }, { 0 }, 0 },
		{ { 0x21, 0x43, 14, 0, 0, 0, 0, 0 }, { 0 }, 0 },
	};
	size_t row = i / 2;

	if (row >= ROWS(rows) || cap < 17)
		return 0;
	buf[0] = i % 2 ? 0x7b : 0x01;
	memcpy(buf + 1, rows[row].setup, 8);
	memcpy(buf + 9, rows[row].data, 8);
	return 9u + rows[row].data_len;
}
