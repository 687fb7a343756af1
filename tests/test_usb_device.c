/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Standard requests: each answer, its effect, and the state it leaves. */
#include "unit.h"

#include "wire/usb_device.h"

static const char euro_and_plug[] = "a\xe2\x82\xac\xf0\x9f\x94\x8c";

static struct usb_device fresh(void)
{
	struct usb_device d = {
		.string = { [USB_STRING_MANUFACTURER] = "ncmd",
			    [USB_STRING_PRODUCT] = euro_and_plug,
			    [USB_STRING_SERIAL] = "",
			    [USB_STRING_MAC] = "020AB0CDEF19" },
		.self_powered = true,
	};

	return d;
}

static struct usb_device_answer ask(struct usb_device *d, uint8_t type, uint8_t request,
				    uint16_t value, uint16_t index, uint16_t length)
{
	const struct usb_setup s = { type, request, le16_of(value), le16_of(index),
				     le16_of(length) };

	return usb_device_setup(d, &s);
}

/* type, request, value, index, length: the answer when configured and when not. */
static void table(void **state)
{
	static const struct {
		uint8_t type, request;
		uint16_t value, index, length;
		enum usb_device_action before, configured;
		enum usb_device_effect effect; /* configured */
		uint8_t bytes[4];
		uint16_t len;
	} rows[] = {
		/* GET_STATUS */
		{ 0x80, 0, 0, 0, 2, USB_DEVICE_REPLY, USB_DEVICE_REPLY, 0, { 1, 0 }, 2 },
		{ 0x81, 0, 0, 1, 2, USB_DEVICE_REPLY, USB_DEVICE_REPLY, 0, { 0, 0 }, 2 },
		{ 0x82, 0, 0, 0x81, 2, USB_DEVICE_REPLY, USB_DEVICE_REPLY, 0, { 0, 0 }, 2 },
		{ 0x80, 0, 0, 0, 1, USB_DEVICE_REPLY, USB_DEVICE_REPLY, 0, { 1 }, 1 },
		{ 0x00, 0, 0, 0, 0, USB_DEVICE_STALL, USB_DEVICE_STALL, 0, { 0 }, 0 },
		/* CLEAR_FEATURE: a halt; not remote wake-up. SET_FEATURE: nothing */
		{ 0x02,
		  1,
		  0,
		  0x81,
		  0,
		  USB_DEVICE_STALL,
		  USB_DEVICE_ACCEPT,
		  USB_DEVICE_CLEAR_HALT,
		  { 0 },
		  0 },
		{ 0x00, 1, 1, 0, 0, USB_DEVICE_STALL, USB_DEVICE_STALL, 0, { 0 }, 0 },
		{ 0x02, 3, 0, 0x81, 0, USB_DEVICE_STALL, USB_DEVICE_STALL, 0, { 0 }, 0 },
		/* GET_DESCRIPTOR: strings only; languages, one that is missing, one too many, an
		 * OS string, another language, an interface's */
		{ 0x80,
		  6,
		  0x0300,
		  0,
		  255,
		  USB_DEVICE_REPLY,
		  USB_DEVICE_REPLY,
		  0,
		  { 4, 3, 0x09, 0x04 },
		  4 },
		{ 0x80,
		  6,
		  0x0303,
		  0x0409,
		  255,
		  USB_DEVICE_REPLY,
		  USB_DEVICE_REPLY,
		  0,
		  { 2, 3 },
		  2 },
		{ 0x80, 6, 0x0304, 0x0409, 255, USB_DEVICE_STALL, USB_DEVICE_STALL, 0, { 0 }, 0 },
		{ 0x80, 6, 0x0306, 0x0409, 255, USB_DEVICE_STALL, USB_DEVICE_STALL, 0, { 0 }, 0 },
		{ 0x80, 6, 0x03ee, 0, 18, USB_DEVICE_STALL, USB_DEVICE_STALL, 0, { 0 }, 0 },
		{ 0x80, 6, 0x0301, 0x0407, 255, USB_DEVICE_STALL, USB_DEVICE_STALL, 0, { 0 }, 0 },
		{ 0x80, 6, 0x0f00, 0, 5, USB_DEVICE_STALL, USB_DEVICE_STALL, 0, { 0 }, 0 },
		{ 0x81, 6, 0x0301, 0x0409, 255, USB_DEVICE_STALL, USB_DEVICE_STALL, 0, { 0 }, 0 },
		/* GET_INTERFACE, SET_INTERFACE */
		{ 0x81, 10, 0, 0, 1, USB_DEVICE_STALL, USB_DEVICE_REPLY, 0, { 0 }, 1 },
		{ 0x81, 10, 0, 1, 1, USB_DEVICE_STALL, USB_DEVICE_REPLY, 0, { 0 }, 1 },
		{ 0x81, 10, 0, 2, 1, USB_DEVICE_STALL, USB_DEVICE_STALL, 0, { 0 }, 0 },
		{ 0x81, 10, 0, 0x0101, 1, USB_DEVICE_STALL, USB_DEVICE_STALL, 0, { 0 }, 0 },
		{ 0x01, 11, 0, 0, 0, USB_DEVICE_STALL, USB_DEVICE_ACCEPT, 0, { 0 }, 0 },
		{ 0x01, 11, 1, 0, 0, USB_DEVICE_STALL, USB_DEVICE_STALL, 0, { 0 }, 0 },
		{ 0x01, 11, 2, 1, 0, USB_DEVICE_STALL, USB_DEVICE_STALL, 0, { 0 }, 0 },
		{ 0x01,
		  11,
		  1,
		  1,
		  0,
		  USB_DEVICE_STALL,
		  USB_DEVICE_ACCEPT,
		  USB_DEVICE_ALTERNATE,
		  { 0 },
		  0 },
		/* SYNCH_FRAME; the class's, a vendor's */
		{ 0x82, 12, 0, 0x81, 2, USB_DEVICE_STALL, USB_DEVICE_STALL, 0, { 0 }, 0 },
		{ 0xa1, 0x80, 0, 0, 28, USB_DEVICE_FORWARD, USB_DEVICE_FORWARD, 0, { 0 }, 0 },
		{ 0xc0, 0xcd, 0, 4, 16, USB_DEVICE_FORWARD, USB_DEVICE_FORWARD, 0, { 0 }, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct usb_device d = fresh();
		struct usb_device_answer a = ask(&d, rows[i].type, rows[i].request, rows[i].value,
						 rows[i].index, rows[i].length);

		if (a.action != rows[i].before)
			fail_msg("row %zu, not configured: %d", i, a.action);
		ask(&d, 0x00, 9, 1, 0, 0);
		a = ask(&d, rows[i].type, rows[i].request, rows[i].value, rows[i].index,
			rows[i].length);
		if (a.action != rows[i].configured || a.effect != rows[i].effect)
			fail_msg("row %zu, configured: %d, effect %d", i, a.action, a.effect);
		assert_int_equal(a.len, rows[i].len);
		assert_memory_equal(a.reply, rows[i].bytes, a.len < 4 ? a.len : 4);
	}
}

static void strings(void **state)
{
	static const uint8_t product[] = { 10, 3, 'a', 0, 0xac, 0x20, 0x3d, 0xd8, 0x0c, 0xdd };
	struct usb_device d = fresh();
	struct usb_device_answer a = ask(&d, 0x80, 6, 0x0302, 0x0409, 255);

	(void)state;
	assert_int_equal(a.len, sizeof(product));
	assert_memory_equal(a.reply, product, sizeof(product));
	a = ask(&d, 0x80, 6, 0x0305, 0x0409, 255);
	assert_int_equal(a.len, 2 + 2 * 12);
	for (unsigned int i = 0; i < 12; i++)
		assert_int_equal(a.reply[2 + 2 * i], "020AB0CDEF19"[i]);
	a = ask(&d, 0x80, 6, 0x0305, 0x0409, 4);
	assert_int_equal(a.len, 4);
	assert_int_equal(a.reply[0], 26); /* bLength is not cut with it */
}

/* What is no UTF-8 becomes a replacement character each; what does not fit is left out. */
static void odd_strings(void **state)
{
	static const struct {
		const char *text;
		size_t repeat;
		uint16_t units, last;
	} rows[] = {
		{ "x", 126, 126, 'x' },
		{ "x", 127, 126, 'x' },
		{ "\xf0\x9f\x94\x8c", 63, 126, 0xdd0c },
		{ "\xf0\x9f\x94\x8c", 64, 126, 0xdd0c },
		{ "x\xf0\x9f\x94\x8c", 63, 126 - 1 + 1, 'x' }, /* 3 units 42 times */
		{ "\xff", 3, 3, 0xfffd },
		{ "\x80", 1, 1, 0xfffd },
		{ "\xc3", 1, 1, 0xfffd }, /* cut short */
		{ "\xe2\x82", 1, 2, 0xfffd },
		{ "\xc0\x80", 1, 2, 0xfffd },
	};
	char text[600];

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct usb_device d = fresh();
		struct usb_device_answer a;

		text[0] = '\0';
		for (size_t n = 0; n < rows[i].repeat; n++)
			strcat(text, rows[i].text);
		d.string[USB_STRING_PRODUCT] = text;
		a = ask(&d, 0x80, 6, 0x0302, 0x0409, 255);
		assert_int_equal(a.len, 2 + 2 * rows[i].units);
		assert_int_equal(a.reply[0], a.len);
		if (i != 4)
			assert_int_equal(le16_at(a.reply + a.len - 2), rows[i].last);
	}
}

/* The sequence of a Linux host, then a reset. */
static void configuring(void **state)
{
	struct usb_device d = fresh();
	struct usb_device_answer a = ask(&d, 0x00, 9, 1, 0, 0);

	(void)state;
	assert_int_equal(a.action, USB_DEVICE_ACCEPT);
	assert_int_equal(a.effect, USB_DEVICE_CONFIGURED);
	assert_int_equal(d.alternate, 0);
	for (uint16_t alternate = 1; alternate < 5; alternate++) {
		a = ask(&d, 0x01, 11, alternate & 1, 1, 0);
		assert_int_equal(a.effect, USB_DEVICE_ALTERNATE);
		assert_int_equal(d.alternate, alternate & 1);
		a = ask(&d, 0x81, 10, 0, 1, 1);
		assert_int_equal(a.reply[0], alternate & 1);
	}
	ask(&d, 0x01, 11, 1, 1, 0);
	a = ask(&d, 0x01, 11, 2, 1, 0); /* refused, and nothing changes */
	assert_int_equal(d.alternate, 1);
	/* configured again: the alternate setting is 0 [USB20 9.4.7] */
	a = ask(&d, 0x00, 9, 1, 0, 0);
	assert_int_equal(a.effect, USB_DEVICE_CONFIGURED);
	assert_int_equal(d.alternate, 0);
	assert_int_equal(ask(&d, 0x00, 9, 2, 0, 0).action, USB_DEVICE_STALL);
	assert_int_equal(d.configuration, 1);
	a = ask(&d, 0x00, 9, 0, 0, 0);
	assert_int_equal(a.effect, USB_DEVICE_UNCONFIGURED);
	assert_int_equal(d.configuration, 0);
	ask(&d, 0x00, 9, 1, 0, 0);
	ask(&d, 0x01, 11, 1, 1, 0);
	usb_device_reset(&d);
	assert_int_equal(d.configuration, 0);
	assert_int_equal(d.alternate, 0);
}

static void halts(void **state)
{
	struct usb_device d = fresh();

	(void)state;
	ask(&d, 0x00, 9, 1, 0, 0);
	assert_int_equal(ask(&d, 0x02, 1, 0, 0x82, 0).endpoint, 0x82);
	assert_int_equal(ask(&d, 0x02, 1, 1, 0x82, 0).action, USB_DEVICE_STALL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table),       cmocka_unit_test(strings),
		cmocka_unit_test(odd_strings), cmocka_unit_test(configuring),
		cmocka_unit_test(halts),
	};

	return cmocka_run_group_tests_name("usb_device", tests, NULL, NULL);
}
