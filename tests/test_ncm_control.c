/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every class request [NCM10 6.2], with and without its capability, with right and
 * wrong lengths and values: one row is one SETUP packet, its data and the answer.
 */
#include "unit.h"

#include "wire/ncm_control.h"

#define OFFER \
	.ntb_in_max_size = 16384, .ntb_out_max_size = 8192, .ndp_in_divisor = 4, \
	.ndp_in_alignment = 4, .ndp_out_divisor = 4, .ndp_out_alignment = 4, \
	.max_segment_size = 1514, .host_mac = { 0x02, 0x11, 0x22, 0x33, 0x44, 0x55 }

#define CAP_ALL \
	(NCM_CAP_PACKET_FILTER | NCM_CAP_NET_ADDRESS | NCM_CAP_MAX_DATAGRAM_SIZE | \
	 NCM_CAP_CRC_MODE | NCM_CAP_NTB_INPUT_SIZE_8)

/* What the program offers by default, and all there is. */
static const struct ncm_offer plain = { OFFER, .capabilities = NCM_CAP_PACKET_FILTER,
					.ntb_out_max_datagrams = 1 };
static const struct ncm_offer rich = { OFFER, .capabilities = CAP_ALL, .ntb32 = true };

struct row {
	const char *name;
	const struct ncm_offer *offer;
	uint8_t setup[8]; /* bmRequestType, bRequest, wValue, wIndex, wLength */
	const char *data; /* NULL: no data stage came */
	size_t data_len;
	enum ncm_answer_kind kind;
	uint16_t len;
	const char *reply;
};

static struct ncm_answer ask(const struct ncm_offer *offer, struct ncm_choice *choice,
			     const uint8_t setup_bytes[8], const char *data, size_t data_len)
{
	uint8_t *copy = data ? exact_copy((const uint8_t *)data, data_len) : NULL;
	struct usb_setup setup;
	struct ncm_answer answer;

	memcpy(&setup, setup_bytes, sizeof(setup));
	answer = ncm_control(offer, choice, &setup, copy, data_len);
	free(copy);
	return answer;
}

static void check_row(const struct row *row)
{
	struct ncm_choice before, choice;
	struct ncm_answer answer;

	ncm_choice_reset(&choice, row->offer);
	memcpy(&before, &choice, sizeof(before)); /* padding too */
	answer = ask(row->offer, &choice, row->setup, row->data, row->data_len);
	if (answer.kind != row->kind || answer.len != row->len)
		fail_msg("%s: answer %d with %u bytes", row->name, (int)answer.kind, answer.len);
	if (row->reply)
		assert_memory_equal(answer.reply, row->reply, row->len);
	if (row->kind != NCM_ACCEPT)
		assert_memory_equal(&choice, &before, sizeof(choice));
}

static void check_rows(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		check_row(&rows[i]);
}

#define IN  0xa1
#define OUT 0x21

/* Cases C04: all 28 bytes. */
static const char plain_parameters[] =
	"\x1c\x00" /* wLength */
	"\x01\x00" /* bmNtbFormatsSupported: NTB16 */
	"\x00\x40\x00\x00" /* dwNtbInMaxSize */
	"\x04\x00" /* wNdpInDivisor */
	"\x00\x00" /* wNdpInPayloadRemainder */
	"\x04\x00" /* wNdpInAlignment */
	"\x00\x00" /* reserved */
	"\x00\x20\x00\x00" /* dwNtbOutMaxSize */
	"\x04\x00" /* wNdpOutDivisor */
	"\x00\x00" /* wNdpOutPayloadRemainder */
	"\x04\x00" /* wNdpOutAlignment */
	"\x01\x00"; /* wNtbOutMaxDatagrams */

static const char rich_parameters[] =
	"\x1c\x00\x03\x00\x00\x40\x00\x00\x04\x00\x00\x00\x04\x00\x00\x00"
	"\x00\x20\x00\x00\x04\x00\x00\x00\x04\x00\x00\x00";

static void ntb_parameters(void **state)
{
	static const struct row rows[] = {
		{ "GET_NTB_PARAMETERS", &plain, { IN, 0x80, 0, 0, 0, 0, 28, 0 }, NULL, 0,
		  NCM_REPLY, 28, plain_parameters },
		{ "with NTB32", &rich, { IN, 0x80, 0, 0, 0, 0, 28, 0 }, NULL, 0,
		  NCM_REPLY, 28, rich_parameters },
		{ "more asked than there is", &plain, { IN, 0x80, 0, 0, 0, 0, 0, 16 }, NULL, 0,
		  NCM_REPLY, 28, plain_parameters },
		{ "wLength only", &plain, { IN, 0x80, 0, 0, 0, 0, 2, 0 }, NULL, 0,
		  NCM_REPLY, 2, plain_parameters },
		{ "27 bytes", &plain, { IN, 0x80, 0, 0, 0, 0, 27, 0 }, NULL, 0,
		  NCM_REPLY, 27, plain_parameters },
		{ "nothing asked", &plain, { IN, 0x80, 0, 0, 0, 0, 0, 0 }, NULL, 0,
		  NCM_STALL, 0, NULL },
		{ "wrong direction", &plain, { OUT, 0x80, 0, 0, 0, 0, 28, 0 }, NULL, 0,
		  NCM_STALL, 0, NULL },
		{ "vendor request", &plain, { 0xc1, 0x80, 0, 0, 0, 0, 28, 0 }, NULL, 0,
		  NCM_STALL, 0, NULL },
		{ "to the device", &plain, { 0xa0, 0x80, 0, 0, 0, 0, 28, 0 }, NULL, 0,
		  NCM_STALL, 0, NULL },
		{ "to an endpoint", &plain, { 0xa2, 0x80, 0, 0, 0, 0, 28, 0 }, NULL, 0,
		  NCM_STALL, 0, NULL },
	};

	(void)state;
	check_rows(rows, ROWS(rows));
}

/* Cases C08, C09. */
static void ntb_input_size(void **state)
{
	static const struct row rows[] = {
		{ "GET, 4 bytes", &plain, { IN, 0x85, 0, 0, 0, 0, 4, 0 }, NULL, 0,
		  NCM_REPLY, 4, "\x00\x40\x00\x00" },
		{ "GET, 8 asked", &plain, { IN, 0x85, 0, 0, 0, 0, 8, 0 }, NULL, 0,
		  NCM_REPLY, 4, "\x00\x40\x00\x00" },
		{ "GET, D5, 8 bytes", &rich, { IN, 0x85, 0, 0, 0, 0, 8, 0 }, NULL, 0,
		  NCM_REPLY, 8, "\x00\x40\x00\x00\x00\x00\x00\x00" },
		{ "GET, D5, 4 asked", &rich, { IN, 0x85, 0, 0, 0, 0, 4, 0 }, NULL, 0,
		  NCM_REPLY, 4, "\x00\x40\x00\x00" },
		{ "GET, wrong direction", &plain, { OUT, 0x85, 0, 0, 0, 0, 4, 0 }, NULL, 0,
		  NCM_STALL, 0, NULL },
		{ "SET, 4 bytes to come", &plain, { OUT, 0x86, 0, 0, 0, 0, 4, 0 }, NULL, 0,
		  NCM_WANT_DATA, 4, NULL },
		{ "SET 2048", &plain, { OUT, 0x86, 0, 0, 0, 0, 4, 0 }, "\x00\x08\x00\x00", 4,
		  NCM_ACCEPT, 0, NULL },
		{ "SET 16384", &plain, { OUT, 0x86, 0, 0, 0, 0, 4, 0 }, "\x00\x40\x00\x00", 4,
		  NCM_ACCEPT, 0, NULL },
		{ "SET 2047", &plain, { OUT, 0x86, 0, 0, 0, 0, 4, 0 }, "\xff\x07\x00\x00", 4,
		  NCM_REFUSE_DATA, 0, NULL },
		{ "SET 16385", &plain, { OUT, 0x86, 0, 0, 0, 0, 4, 0 }, "\x01\x40\x00\x00", 4,
		  NCM_REFUSE_DATA, 0, NULL },
		{ "SET 0", &plain, { OUT, 0x86, 0, 0, 0, 0, 4, 0 }, "\x00\x00\x00\x00", 4,
		  NCM_REFUSE_DATA, 0, NULL },
		{ "SET ffffffff", &plain, { OUT, 0x86, 0, 0, 0, 0, 4, 0 }, "\xff\xff\xff\xff", 4,
		  NCM_REFUSE_DATA, 0, NULL },
		{ "SET, 3 bytes came", &plain, { OUT, 0x86, 0, 0, 0, 0, 4, 0 }, "\x00\x08\x00", 3,
		  NCM_REFUSE_DATA, 0, NULL },
		{ "SET, no byte came", &plain, { OUT, 0x86, 0, 0, 0, 0, 4, 0 }, "", 0,
		  NCM_REFUSE_DATA, 0, NULL },
		{ "SET, 8 bytes without D5", &plain, { OUT, 0x86, 0, 0, 0, 0, 8, 0 }, NULL, 0,
		  NCM_STALL, 0, NULL },
		{ "SET, 8 bytes to come", &rich, { OUT, 0x86, 0, 0, 0, 0, 8, 0 }, NULL, 0,
		  NCM_WANT_DATA, 8, NULL },
		{ "SET, 4 bytes with D5", &rich, { OUT, 0x86, 0, 0, 0, 0, 4, 0 },
		  "\x00\x08\x00\x00", 4, NCM_ACCEPT, 0, NULL },
		{ "SET 2047, 8 bytes", &rich, { OUT, 0x86, 0, 0, 0, 0, 8, 0 },
		  "\xff\x07\x00\x00\x04\x00\x00\x00", 8, NCM_REFUSE_DATA, 0, NULL },
		{ "SET, 4 of 8 bytes came", &rich, { OUT, 0x86, 0, 0, 0, 0, 8, 0 },
		  "\x00\x08\x00\x00", 4, NCM_REFUSE_DATA, 0, NULL },
		{ "SET, 2 bytes", &rich, { OUT, 0x86, 0, 0, 0, 0, 2, 0 }, NULL, 0,
		  NCM_STALL, 0, NULL },
		{ "SET, 6 bytes", &rich, { OUT, 0x86, 0, 0, 0, 0, 6, 0 }, NULL, 0,
		  NCM_STALL, 0, NULL },
		{ "SET, no bytes", &plain, { OUT, 0x86, 0, 0, 0, 0, 0, 0 }, NULL, 0,
		  NCM_STALL, 0, NULL },
		{ "SET, 65535 bytes", &rich, { OUT, 0x86, 0, 0, 0, 0, 0xff, 0xff }, NULL, 0,
		  NCM_STALL, 0, NULL },
		{ "SET, wrong direction", &plain, { IN, 0x86, 0, 0, 0, 0, 4, 0 }, NULL, 0,
		  NCM_STALL, 0, NULL },
	};

	(void)state;
	check_rows(rows, ROWS(rows));
}

static void ntb_input_size_takes_effect(void **state)
{
	static const uint8_t set4[] = { OUT, 0x86, 0, 0, 0, 0, 4, 0 };
	static const uint8_t set8[] = { OUT, 0x86, 0, 0, 0, 0, 8, 0 };
	static const uint8_t get[] = { IN, 0x85, 0, 0, 0, 0, 8, 0 };
	struct ncm_choice choice;
	struct ncm_answer a;

	(void)state;
	ncm_choice_reset(&choice, &rich);
	assert_int_equal(choice.ntb_in_size, 16384);
	a = ask(&rich, &choice, set8, "\x00\x08\x00\x00\x04\x00\xff\xff", 8);
	assert_int_equal(a.kind, NCM_ACCEPT);
	assert_int_equal(choice.ntb_in_size, 2048);
	assert_int_equal(choice.ntb_in_max_datagrams, 4);
	a = ask(&rich, &choice, get, NULL, 0);
	assert_int_equal(a.len, 8);
	assert_memory_equal(a.reply, "\x00\x08\x00\x00\x04\x00\x00\x00", 8);
	a = ask(&rich, &choice, set4, "\x00\x10\x00\x00", 4);
	assert_int_equal(a.kind, NCM_ACCEPT);
	assert_int_equal(choice.ntb_in_size, 4096);
	assert_int_equal(choice.ntb_in_max_datagrams, 0);
}

static void ntb_format(void **state)
{
	static const struct row rows[] = {
		{ "GET without NTB32", &plain, { IN, 0x83, 0, 0, 0, 0, 2, 0 }, NULL, 0,
		  NCM_STALL, 0, NULL },
		{ "SET NTB16 without NTB32", &plain, { OUT, 0x84, 0, 0, 0, 0, 0, 0 }, NULL, 0,
		  NCM_STALL, 0, NULL },
		{ "SET NTB32 without NTB32", &plain, { OUT, 0x84, 1, 0, 0, 0, 0, 0 }, NULL, 0,
		  NCM_STALL, 0, NULL },
		{ "GET", &rich, { IN, 0x83, 0, 0, 0, 0, 2, 0 }, NULL, 0,
		  NCM_REPLY, 2, "\x00\x00" },
		{ "GET one byte", &rich, { IN, 0x83, 0, 0, 0, 0, 1, 0 }, NULL, 0,
		  NCM_REPLY, 1, "\x00" },
		{ "SET NTB16", &rich, { OUT, 0x84, 0, 0, 0, 0, 0, 0 }, NULL, 0,
		  NCM_ACCEPT, 0, NULL },
		{ "SET NTB32", &rich, { OUT, 0x84, 1, 0, 0, 0, 0, 0 }, NULL, 0,
		  NCM_ACCEPT, 0, NULL },
		{ "SET 2", &rich, { OUT, 0x84, 2, 0, 0, 0, 0, 0 }, NULL, 0, NCM_STALL, 0, NULL },
		{ "SET 0100", &rich, { OUT, 0x84, 0, 1, 0, 0, 0, 0 }, NULL, 0,
		  NCM_STALL, 0, NULL },
		{ "SET with data", &rich, { OUT, 0x84, 1, 0, 0, 0, 2, 0 }, NULL, 0,
		  NCM_STALL, 0, NULL },
		{ "SET, wrong direction", &rich, { IN, 0x84, 1, 0, 0, 0, 0, 0 }, NULL, 0,
		  NCM_STALL, 0, NULL },
	};

	(void)state;
	check_rows(rows, ROWS(rows));
}

static void crc_mode(void **state)
{
	static const struct row rows[] = {
		{ "GET without D4", &plain, { IN, 0x89, 0, 0, 0, 0, 2, 0 }, NULL, 0,
		  NCM_STALL, 0, NULL },
		{ "SET without D4", &plain, { OUT, 0x8a, 0, 0, 0, 0, 0, 0 }, NULL, 0,
		  NCM_STALL, 0, NULL },
		{ "GET", &rich, { IN, 0x89, 0, 0, 0, 0, 2, 0 }, NULL, 0,
		  NCM_REPLY, 2, "\x00\x00" },
		{ "SET 0", &rich, { OUT, 0x8a, 0, 0, 0, 0, 0, 0 }, NULL, 0, NCM_ACCEPT, 0, NULL },
		{ "SET 1", &rich, { OUT, 0x8a, 1, 0, 0, 0, 0, 0 }, NULL, 0, NCM_ACCEPT, 0, NULL },
		{ "SET 2", &rich, { OUT, 0x8a, 2, 0, 0, 0, 0, 0 }, NULL, 0, NCM_STALL, 0, NULL },
		{ "SET with data", &rich, { OUT, 0x8a, 1, 0, 0, 0, 1, 0 }, NULL, 0,
		  NCM_STALL, 0, NULL },
	};

	(void)state;
	check_rows(rows, ROWS(rows));
}

/* SET_NTB_FORMAT alone is enough: CRC mode need not be set after it (cases N08). */
static void switches_take_effect(void **state)
{
	static const uint8_t format32[] = { OUT, 0x84, 1, 0, 0, 0, 0, 0 };
	static const uint8_t format16[] = { OUT, 0x84, 0, 0, 0, 0, 0, 0 };
	static const uint8_t get_format[] = { IN, 0x83, 0, 0, 0, 0, 2, 0 };
	static const uint8_t crc_on[] = { OUT, 0x8a, 1, 0, 0, 0, 0, 0 };
	static const uint8_t crc_off[] = { OUT, 0x8a, 0, 0, 0, 0, 0, 0 };
	static const uint8_t get_crc[] = { IN, 0x89, 0, 0, 0, 0, 2, 0 };
	struct ncm_choice choice;
	struct ncm_answer a;

	(void)state;
	ncm_choice_reset(&choice, &rich);
	ask(&rich, &choice, format32, NULL, 0);
	assert_int_equal(choice.format, NTB_FORMAT_32);
	assert_false(choice.crc);
	a = ask(&rich, &choice, get_format, NULL, 0);
	assert_memory_equal(a.reply, "\x01\x00", 2);
	ask(&rich, &choice, crc_on, NULL, 0);
	assert_true(choice.crc);
	a = ask(&rich, &choice, get_crc, NULL, 0);
	assert_memory_equal(a.reply, "\x01\x00", 2);
	ask(&rich, &choice, format16, NULL, 0);
	ask(&rich, &choice, crc_off, NULL, 0);
	assert_int_equal(choice.format, NTB_FORMAT_16);
	assert_false(choice.crc);
}

static void max_datagram_size(void **state)
{
	static const struct row rows[] = {
		{ "GET without D3", &plain, { IN, 0x87, 0, 0, 0, 0, 2, 0 }, NULL, 0,
		  NCM_STALL, 0, NULL },
		{ "SET without D3", &plain, { OUT, 0x88, 0, 0, 0, 0, 2, 0 }, NULL, 0,
		  NCM_STALL, 0, NULL },
		{ "GET", &rich, { IN, 0x87, 0, 0, 0, 0, 2, 0 }, NULL, 0,
		  NCM_REPLY, 2, "\xea\x05" },
		{ "SET, to come", &rich, { OUT, 0x88, 0, 0, 0, 0, 2, 0 }, NULL, 0,
		  NCM_WANT_DATA, 2, NULL },
		{ "SET 1514", &rich, { OUT, 0x88, 0, 0, 0, 0, 2, 0 }, "\xea\x05", 2,
		  NCM_ACCEPT, 0, NULL },
		{ "SET 1515", &rich, { OUT, 0x88, 0, 0, 0, 0, 2, 0 }, "\xeb\x05", 2,
		  NCM_REFUSE_DATA, 0, NULL },
		{ "SET 82", &rich, { OUT, 0x88, 0, 0, 0, 0, 2, 0 }, "\x52\x00", 2,
		  NCM_ACCEPT, 0, NULL },
		{ "SET 81", &rich, { OUT, 0x88, 0, 0, 0, 0, 2, 0 }, "\x51\x00", 2,
		  NCM_REFUSE_DATA, 0, NULL },
		{ "SET, a byte came", &rich, { OUT, 0x88, 0, 0, 0, 0, 2, 0 }, "\xea", 1,
		  NCM_REFUSE_DATA, 0, NULL },
		{ "SET, 4 bytes", &rich, { OUT, 0x88, 0, 0, 0, 0, 4, 0 }, NULL, 0,
		  NCM_STALL, 0, NULL },
		{ "SET, no bytes", &rich, { OUT, 0x88, 0, 0, 0, 0, 0, 0 }, NULL, 0,
		  NCM_STALL, 0, NULL },
	};
	static const uint8_t set[] = { OUT, 0x88, 0, 0, 0, 0, 2, 0 };
	struct ncm_choice choice;

	(void)state;
	check_rows(rows, ROWS(rows));
	ncm_choice_reset(&choice, &rich);
	ask(&rich, &choice, set, "\x00\x02", 2);
	assert_int_equal(choice.max_datagram_size, 512);
}

static void net_address(void **state)
{
	static const struct row rows[] = {
		{ "GET without D1", &plain, { IN, 0x81, 0, 0, 0, 0, 6, 0 }, NULL, 0,
		  NCM_STALL, 0, NULL },
		{ "SET without D1", &plain, { OUT, 0x82, 0, 0, 0, 0, 6, 0 }, NULL, 0,
		  NCM_STALL, 0, NULL },
		{ "GET", &rich, { IN, 0x81, 0, 0, 0, 0, 6, 0 }, NULL, 0,
		  NCM_REPLY, 6, "\x02\x11\x22\x33\x44\x55" },
		{ "SET, to come", &rich, { OUT, 0x82, 0, 0, 0, 0, 6, 0 }, NULL, 0,
		  NCM_WANT_DATA, 6, NULL },
		{ "SET", &rich, { OUT, 0x82, 0, 0, 0, 0, 6, 0 }, "\x02\x00\x00\x00\x00\x01", 6,
		  NCM_ACCEPT, 0, NULL },
		{ "SET zero", &rich, { OUT, 0x82, 0, 0, 0, 0, 6, 0 }, "\x00\x00\x00\x00\x00\x00",
		  6, NCM_REFUSE_DATA, 0, NULL },
		{ "SET multicast", &rich, { OUT, 0x82, 0, 0, 0, 0, 6, 0 },
		  "\x03\x00\x00\x00\x00\x01", 6, NCM_REFUSE_DATA, 0, NULL },
		{ "SET broadcast", &rich, { OUT, 0x82, 0, 0, 0, 0, 6, 0 },
		  "\xff\xff\xff\xff\xff\xff", 6, NCM_REFUSE_DATA, 0, NULL },
		{ "SET, 5 bytes came", &rich, { OUT, 0x82, 0, 0, 0, 0, 6, 0 },
		  "\x02\x00\x00\x00\x00", 5, NCM_REFUSE_DATA, 0, NULL },
		{ "SET, 7 bytes", &rich, { OUT, 0x82, 0, 0, 0, 0, 7, 0 }, NULL, 0,
		  NCM_STALL, 0, NULL },
	};
	static const uint8_t set[] = { OUT, 0x82, 0, 0, 0, 0, 6, 0 };
	static const uint8_t get[] = { IN, 0x81, 0, 0, 0, 0, 6, 0 };
	struct ncm_choice choice;
	struct ncm_answer a;

	(void)state;
	check_rows(rows, ROWS(rows));
	ncm_choice_reset(&choice, &rich);
	ask(&rich, &choice, set, "\x02\xaa\xbb\xcc\xdd\xee", 6);
	a = ask(&rich, &choice, get, NULL, 0);
	assert_memory_equal(a.reply, "\x02\xaa\xbb\xcc\xdd\xee", 6);
}

/* Cases C06, C07: taken whatever is offered, whatever the bits. */
static void packet_filter(void **state)
{
	static const struct ncm_offer bare = { OFFER };
	static const struct row rows[] = {
		{ "what Linux sends", &plain, { OUT, 0x43, 0x0e, 0, 0, 0, 0, 0 }, NULL, 0,
		  NCM_ACCEPT, 0, NULL },
		{ "without D0", &bare, { OUT, 0x43, 0x0c, 0, 0, 0, 0, 0 }, NULL, 0,
		  NCM_ACCEPT, 0, NULL },
		{ "odd bits", &plain, { OUT, 0x43, 0xff, 0xff, 0, 0, 0, 0 }, NULL, 0,
		  NCM_ACCEPT, 0, NULL },
		{ "with data", &plain, { OUT, 0x43, 0x0e, 0, 0, 0, 2, 0 }, NULL, 0,
		  NCM_STALL, 0, NULL },
		{ "wrong direction", &plain, { IN, 0x43, 0x0e, 0, 0, 0, 2, 0 }, NULL, 0,
		  NCM_STALL, 0, NULL },
	};
	static const uint8_t set[] = { OUT, 0x43, 0x0e, 0x80, 7, 0, 0, 0 };
	struct ncm_choice choice;

	(void)state;
	check_rows(rows, ROWS(rows));
	ncm_choice_reset(&choice, &plain);
	assert_false(choice.packet_filter_seen);
	ask(&plain, &choice, set, NULL, 0);
	assert_true(choice.packet_filter_seen);
	assert_int_equal(choice.packet_filter, 0x800e);
	ncm_choice_reset(&choice, &plain);
	assert_false(choice.packet_filter_seen);
}

/* Whatever is not named above is stalled, in both directions, with any length. */
static void everything_else_stalls(void **state)
{
	static const uint8_t lengths[] = { 0, 1, 2, 4, 6, 8, 28, 255 };
	struct ncm_choice before, choice;

	(void)state;
	ncm_choice_reset(&choice, &rich);
	memcpy(&before, &choice, sizeof(before)); /* padding too */
	for (unsigned int request = 0; request < 256; request++) {
		if (request == 0x43 || (request >= 0x80 && request <= 0x8a))
			continue;
		for (size_t i = 0; i < ROWS(lengths); i++) {
			uint8_t setup[8] = { IN, (uint8_t)request, 0, 0, 0, 0, lengths[i], 0 };

			assert_int_equal(ask(&rich, &choice, setup, NULL, 0).kind, NCM_STALL);
			setup[0] = OUT;
			assert_int_equal(ask(&rich, &choice, setup, NULL, 0).kind, NCM_STALL);
		}
	}
	assert_memory_equal(&choice, &before, sizeof(choice));
}

/* All 65536 pairs of bmRequestType and bRequest: only 0x21 and 0xa1 are served. */
static void only_class_requests_to_interfaces(void **state)
{
	(void)state;
	for (unsigned int type = 0; type < 256; type++) {
		for (unsigned int request = 0; request < 256; request++) {
			uint8_t setup[8] = { (uint8_t)type, (uint8_t)request, 0, 0, 0, 0, 4, 0 };
			struct ncm_choice choice;
			struct ncm_answer a;

			ncm_choice_reset(&choice, &rich);
			a = ask(&rich, &choice, setup, NULL, 0);
			if (type != IN && type != OUT)
				assert_int_equal(a.kind, NCM_STALL);
			if (a.kind == NCM_REPLY)
				assert_true(type == IN && a.len >= 1 && a.len <= 4);
			if (a.kind == NCM_WANT_DATA)
				assert_true(type == OUT && a.len == 4);
			assert_int_not_equal(a.kind, NCM_REFUSE_DATA);
		}
	}
}

static void names(void **state)
{
	(void)state;
	assert_string_equal(ncm_request_name(0x80), "GET_NTB_PARAMETERS");
	assert_string_equal(ncm_request_name(0x43), "SET_ETHERNET_PACKET_FILTER");
	assert_string_equal(ncm_request_name(0x8a), "SET_CRC_MODE");
	assert_string_equal(ncm_request_name(0x00), "SEND_ENCAPSULATED_COMMAND");
	assert_string_equal(ncm_request_name(0x8b), "unknown request");
	assert_string_equal(ncm_request_name(0xff), "unknown request");
	for (unsigned int request = 0x80; request <= 0x8a; request++)
		assert_string_not_equal(ncm_request_name((uint8_t)request), "unknown request");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ntb_parameters),
		cmocka_unit_test(ntb_input_size),
		cmocka_unit_test(ntb_input_size_takes_effect),
		cmocka_unit_test(ntb_format),
		cmocka_unit_test(crc_mode),
		cmocka_unit_test(switches_take_effect),
		cmocka_unit_test(max_datagram_size),
		cmocka_unit_test(net_address),
		cmocka_unit_test(packet_filter),
		cmocka_unit_test(everything_else_stalls),
		cmocka_unit_test(only_class_requests_to_interfaces),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests_name("ncm_control", tests, NULL, NULL);
}
