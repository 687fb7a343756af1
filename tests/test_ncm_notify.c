/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two notifications, byte by byte (cases C12, C13, C15). */
#include "unit.h"

#include "wire/ncm_notify.h"

#define GUARD 0xa5

static void connection(void **state)
{
	static const struct {
		uint8_t interface;
		bool connected;
		uint8_t bytes[8];
	} rows[] = {
		{ 0, true, {
			0xa1, /* bmRequestType: class, interface, to the host */
			0x00, /* bNotificationCode: NETWORK_CONNECTION */
			0x01, 0x00, /* wValue: connected */
			0x00, 0x00, /* wIndex: the communication interface */
			0x00, 0x00, /* wLength: no data */
		} },
		{ 0, false, { 0xa1, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00 } },
		{ 2, true, { 0xa1, 0x00, 0x01, 0x00, 0x02, 0x00, 0x00, 0x00 } },
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		uint8_t out[9];

		memset(out, GUARD, sizeof(out));
		assert_int_equal(ncm_notify_connection(out, rows[i].interface, rows[i].connected),
				 8);
		assert_memory_equal(out, rows[i].bytes, 8);
		assert_int_equal(out[8], GUARD);
	}
}

static void speed(void **state)
{
	static const struct {
		uint8_t interface;
		uint32_t bit_rate;
		uint8_t bytes[16];
	} rows[] = {
		{ 0, 425984000, {
			0xa1, /* bmRequestType */
			0x2a, /* bNotificationCode: CONNECTION_SPEED_CHANGE */
			0x00, 0x00, /* wValue */
			0x00, 0x00, /* wIndex: the communication interface */
			0x08, 0x00, /* wLength */
			0x00, 0x00, 0x64, 0x19, /* DLBitRate 425 984 000 */
			0x00, 0x00, 0x64, 0x19, /* ULBitRate */
		} },
		{ 3, 3750000000u, { /* above 2^31 [cases C12] */
			0xa1, 0x2a, 0x00, 0x00, 0x03, 0x00, 0x08, 0x00,
			0x80, 0x75, 0x84, 0xdf, 0x80, 0x75, 0x84, 0xdf,
		} },
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		uint8_t out[17];

		memset(out, GUARD, sizeof(out));
		assert_int_equal(ncm_notify_speed(out, rows[i].interface, rows[i].bit_rate), 16);
		assert_memory_equal(out, rows[i].bytes, 16);
		assert_int_equal(out[16], GUARD);
	}
	assert_int_equal(NCM_NOTIFICATION_MAX, 16);
}

static void bit_rates(void **state)
{
	(void)state;
	assert_int_equal(ncm_notify_bit_rate(USB_SPEED_IS_FULL), 9728000);
	assert_int_equal(ncm_notify_bit_rate(USB_SPEED_IS_HIGH), 425984000);
	assert_true(ncm_notify_bit_rate(USB_SPEED_IS_SUPER) == 3750000000u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(connection),
		cmocka_unit_test(speed),
		cmocka_unit_test(bit_rates),
	};

	return cmocka_run_group_tests_name("ncm_notify", tests, NULL, NULL);
}
