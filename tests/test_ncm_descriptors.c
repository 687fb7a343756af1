/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The descriptors byte by byte at each speed, what FunctionFS and GadgetFS want around them, and
 * the shape that hosts insist on (cases C16, C17, C19).
 */
#include "unit.h"

#include "wire/bytes.h"
#include "wire/ncm_descriptors.h"
#include "wire/ncm_spec.h"

#define GUARD 0xa5

static const struct ncm_descriptors usual = {
	.first_interface = 0,
	.function_string = 1,
	.mac_string = 2,
	.capabilities = NCM_CAP_PACKET_FILTER,
	.max_segment_size = 1514,
	.endpoint = { .notify = 0x81, .bulk_in = 0x82, .bulk_out = 0x01 },
};

/* The same at every speed: from the IAD up to the notification endpoint. */
#define CONTROL_INTERFACE \
	0x08, 0x0b, /* bLength, bDescriptorType: INTERFACE_ASSOCIATION */ \
	0x00, 0x02, /* bFirstInterface, bInterfaceCount */ \
	0x02, 0x0d, 0x00, /* bFunctionClass, bFunctionSubClass, bFunctionProtocol */ \
	0x01, /* iFunction */ \
	\
	0x09, 0x04, /* INTERFACE */ \
	0x00, 0x00, 0x01, /* bInterfaceNumber, bAlternateSetting, bNumEndpoints */ \
	0x02, 0x0d, 0x00, /* communications, NCM, no protocol */ \
	0x01, /* iInterface */ \
	\
	0x05, 0x24, 0x00, 0x10, 0x01, /* Header: bcdCDC 1.10 */ \
	0x05, 0x24, 0x06, 0x00, 0x01, /* Union: bControlInterface, bSubordinateInterface0 */ \
	\
	0x0d, 0x24, 0x0f, /* Ethernet Networking */ \
	0x02, /* iMACAddress */ \
	0x00, 0x00, 0x00, 0x00, /* bmEthernetStatistics */ \
	0xea, 0x05, /* wMaxSegmentSize 1514 */ \
	0x00, 0x00, 0x00, /* wNumberMCFilters, bNumberPowerFilters */ \
	\
	0x06, 0x24, 0x1a, 0x00, 0x01, 0x01 /* NCM: bcdNcmVersion 1.00, bmNetworkCapabilities */

#define DATA_INTERFACE \
	0x09, 0x04, 0x01, 0x00, 0x00, 0x0a, 0x00, 0x01, 0x00, /* alt 0: no endpoint */ \
	0x09, 0x04, 0x01, 0x01, 0x02, 0x0a, 0x00, 0x01, 0x00 /* alt 1: two */

static const uint8_t full_speed[] = {
	CONTROL_INTERFACE,
	0x07, 0x05, 0x81, 0x03, 0x10, 0x00, 0x08, /* interrupt IN, 16 bytes, 8 frames */
	DATA_INTERFACE,
	0x07, 0x05, 0x82, 0x02, 0x40, 0x00, 0x00, /* bulk IN, 64 bytes */
	0x07, 0x05, 0x01, 0x02, 0x40, 0x00, 0x00, /* bulk OUT, 64 bytes */
};

static const uint8_t high_speed[] = {
	CONTROL_INTERFACE,
	0x07, 0x05, 0x81, 0x03, 0x10, 0x00, 0x07, /* 2^6 microframes */
	DATA_INTERFACE,
	0x07, 0x05, 0x82, 0x02, 0x00, 0x02, 0x00, /* 512 bytes */
	0x07, 0x05, 0x01, 0x02, 0x00, 0x02, 0x00,
};

static const uint8_t super_speed[] = {
	CONTROL_INTERFACE,
	0x07, 0x05, 0x81, 0x03, 0x10, 0x00, 0x07,
	0x06, 0x30, 0x00, 0x00, 0x10, 0x00, /* bMaxBurst 0, wBytesPerInterval 16 */
	DATA_INTERFACE,
	0x07, 0x05, 0x82, 0x02, 0x00, 0x04, 0x00, /* 1024 bytes */
	0x06, 0x30, 0x0f, 0x00, 0x00, 0x00, /* bMaxBurst 15 */
	0x07, 0x05, 0x01, 0x02, 0x00, 0x04, 0x00,
	0x06, 0x30, 0x0f, 0x00, 0x00, 0x00,
};

static const struct {
	const uint8_t *bytes;
	size_t len;
	unsigned int count;
} speeds[USB_SPEEDS] = {
	[USB_SPEED_IS_FULL] = { full_speed, sizeof(full_speed), 11 },
	[USB_SPEED_IS_HIGH] = { high_speed, sizeof(high_speed), 11 },
	[USB_SPEED_IS_SUPER] = { super_speed, sizeof(super_speed), 14 },
};

static void byte_exact(void **state)
{
	(void)state;
	for (unsigned int s = 0; s < USB_SPEEDS; s++) {
		uint8_t out[NCM_DESCRIPTORS_MAX + 1];
		unsigned int count = 0;

		memset(out, GUARD, sizeof(out));
		assert_int_equal(ncm_descriptors_write(out, &usual, (enum usb_speed)s, &count),
				 speeds[s].len);
		assert_int_equal(count, speeds[s].count);
		assert_memory_equal(out, speeds[s].bytes, speeds[s].len);
		for (size_t i = speeds[s].len; i < sizeof(out); i++)
			assert_int_equal(out[i], GUARD);
	}
}

/* Every parameter lands in the field it is for, and only there. */
static void parameters(void **state)
{
	static const struct ncm_descriptors other = {
		.first_interface = 2,
		.function_string = 7,
		.mac_string = 9,
		.capabilities = 0x2b,
		.max_segment_size = 8000,
		.endpoint = { .notify = 0x85, .bulk_in = 0x86, .bulk_out = 0x07 },
	};
	static const struct {
		size_t at;
		uint8_t value;
	} changed[] = {
		{ 2, 2 }, /* bFirstInterface */
		{ 7, 7 }, /* iFunction */
		{ 10, 2 }, /* bInterfaceNumber */
		{ 16, 7 }, /* iInterface */
		{ 25, 2 }, /* bControlInterface */
		{ 26, 3 }, /* bSubordinateInterface0 */
		{ 30, 9 }, /* iMACAddress */
		{ 35, 0x40 }, /* wMaxSegmentSize */
		{ 36, 0x1f },
		{ 45, 0x2b }, /* bmNetworkCapabilities */
		{ 48, 0x85 }, /* bEndpointAddress, notification */
		{ 55, 3 }, /* bInterfaceNumber, data, alt 0 and 1 */
		{ 64, 3 },
		{ 73, 0x86 }, /* bEndpointAddress, bulk IN and OUT */
		{ 80, 0x07 },
	};
	uint8_t out[NCM_DESCRIPTORS_MAX], expected[sizeof(high_speed)];
	unsigned int count;

	(void)state;
	memcpy(expected, high_speed, sizeof(expected));
	for (size_t i = 0; i < ROWS(changed); i++)
		expected[changed[i].at] = changed[i].value;
	assert_int_equal(ncm_descriptors_write(out, &other, USB_SPEED_IS_HIGH, &count),
			 sizeof(expected));
	assert_memory_equal(out, expected, sizeof(expected));
}

/* What a host counts while it walks from one bLength to the next. */
struct walk {
	unsigned int descriptors;
	unsigned int endpoints[2][2]; /* [interface][alternate setting] */
	unsigned int alternates[2];
	uint8_t address[3];
	unsigned int addresses;
	unsigned int companions;
	size_t ethernet_len, ncm_len;
};

static struct walk walk(const uint8_t *bytes, size_t len)
{
	struct walk w = { 0 };
	unsigned int interface = 0, alternate = 0;

	for (size_t at = 0; at < len; at += bytes[at]) {
		const uint8_t *d = bytes + at;

		assert_true(d[0] >= 3 && at + d[0] <= len);
		w.descriptors++;
		if (d[1] == 0x04) {
			interface = d[2];
			alternate = d[3];
			assert_true(interface < 2 && alternate < 2);
			w.alternates[interface]++;
		} else if (d[1] == 0x05) {
			w.endpoints[interface][alternate]++;
			assert_true(w.addresses < 3);
			w.address[w.addresses++] = d[2];
		} else if (d[1] == 0x30) {
			w.companions++;
		} else if (d[1] == 0x24 && d[2] == 0x0f) {
			w.ethernet_len = d[0];
		} else if (d[1] == 0x24 && d[2] == 0x1a) {
			w.ncm_len = d[0];
		}
	}
	return w;
}

static void shape_for_hosts(void **state)
{
	(void)state;
	for (unsigned int s = 0; s < USB_SPEEDS; s++) {
		uint8_t out[NCM_DESCRIPTORS_MAX];
		unsigned int count;
		size_t len = ncm_descriptors_write(out, &usual, (enum usb_speed)s, &count);
		struct walk w = walk(out, len);

		assert_int_equal(out[1], 0x0b); /* IAD first */
		assert_int_equal(w.descriptors, count);
		assert_int_equal(w.alternates[0], 1);
		assert_int_equal(w.alternates[1], 2);
		assert_int_equal(w.endpoints[0][0], 1);
		assert_int_equal(w.endpoints[1][0], 0);
		assert_int_equal(w.endpoints[1][1], 2);
		assert_int_equal(w.companions, s == USB_SPEED_IS_SUPER ? 3 : 0);
		assert_int_equal(w.ethernet_len, 13);
		assert_int_equal(w.ncm_len, 6);
		/* FunctionFS wants the same order of addresses at every speed */
		assert_int_equal(w.address[0], usual.endpoint.notify);
		assert_int_equal(w.address[1], usual.endpoint.bulk_in);
		assert_int_equal(w.address[2], usual.endpoint.bulk_out);
	}
}

/* linux/usb/functionfs.h, struct usb_functionfs_descs_head_v2. */
static void ffs_descriptors(void **state)
{
	static const uint8_t head[] = {
		0x03, 0x00, 0x00, 0x00, /* magic: FUNCTIONFS_DESCRIPTORS_MAGIC_V2 */
		0x29, 0x01, 0x00, 0x00, /* length: 24 + 85 + 85 + 103 */
		0x07, 0x00, 0x00, 0x00, /* flags: full, high and super speed */
		0x0b, 0x00, 0x00, 0x00, /* fs_count */
		0x0b, 0x00, 0x00, 0x00, /* hs_count */
		0x0e, 0x00, 0x00, 0x00, /* ss_count */
	};
	uint8_t out[NCM_FFS_DESCRIPTORS_MAX + 1];
	const uint8_t *at = out + sizeof(head);

	(void)state;
	memset(out, GUARD, sizeof(out));
	assert_int_equal(ncm_ffs_descriptors(out, &usual, 0), 297);
	assert_memory_equal(out, head, sizeof(head));
	for (unsigned int s = 0; s < USB_SPEEDS; s++) {
		assert_memory_equal(at, speeds[s].bytes, speeds[s].len);
		at += speeds[s].len;
	}
	assert_int_equal(at - out, 297);
	assert_int_equal(*at, GUARD);
}

static void ffs_flags(void **state)
{
	uint8_t out[NCM_FFS_DESCRIPTORS_MAX];

	(void)state;
	assert_int_equal(ncm_ffs_descriptors(out, &usual, 64 | 128), 297);
	assert_int_equal(le32_at(out + 8), 7 | 64 | 128);
}

/* With MS OS descriptors: one count more in front, one block more at the end. */
static void ffs_winncm(void **state)
{
	static const uint8_t head[] = {
		0x03, 0x00, 0x00, 0x00, /* magic */
		0x68, 0x01, 0x00, 0x00, /* length: 28 + 85 + 85 + 103 + 59 */
		0x0f, 0x00, 0x00, 0x00, /* flags */
		0x0b, 0x00, 0x00, 0x00, 0x0b, 0x00, 0x00, 0x00, 0x0e, 0x00, 0x00, 0x00,
		0x01, 0x00, 0x00, 0x00, /* os_count */
	};
	static const uint8_t ids[] = {
		0x00, /* interface */
		0x3b, 0x00, 0x00, 0x00, /* dwLength 59 */
		0x00, 0x01, /* bcdVersion 1.00 */
		0x04, 0x00, /* wIndex: extended compatible id */
		0x02, 0x00, /* bCount, reserved */
		0x00, 0x01, 'W', 'I', 'N', 'N', 'C', 'M', 0, 0, /* interface, 1, CompatibleID */
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* SubCompatibleID, reserved */
		0x01, 0x01, 0, 0, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	};
	uint8_t out[NCM_FFS_DESCRIPTORS_MAX + 1];

	(void)state;
	memset(out, GUARD, sizeof(out));
	assert_int_equal(ncm_ffs_descriptors(out, &usual, NCM_FFS_WINNCM), 360);
	assert_memory_equal(out, head, sizeof(head));
	assert_memory_equal(out + sizeof(head), full_speed, sizeof(full_speed));
	assert_memory_equal(out + 360 - sizeof(ids) - sizeof(super_speed), super_speed,
			    sizeof(super_speed));
	assert_memory_equal(out + 360 - sizeof(ids), ids, sizeof(ids));
	assert_int_equal(out[360], GUARD);
}

/* linux/usb/functionfs.h, struct usb_functionfs_strings_head. */
static void ffs_strings(void **state)
{
	static const uint8_t mac[6] = { 0x02, 0x0a, 0xb0, 0xcd, 0xef, 0x19 };
	static const uint8_t expected[] = {
		0x02, 0x00, 0x00, 0x00, /* magic: FUNCTIONFS_STRINGS_MAGIC */
		0x23, 0x00, 0x00, 0x00, /* length: 18 + 4 + 13 */
		0x02, 0x00, 0x00, 0x00, /* str_count */
		0x01, 0x00, 0x00, 0x00, /* lang_count */
		0x09, 0x04, /* English, United States: the only one Windows reads */
		'N', 'C', 'M', 0,
		'0', '2', '0', 'A', 'B', '0', 'C', 'D', 'E', 'F', '1', '9', 0,
	};
	uint8_t out[NCM_FFS_STRINGS_MAX + 1];

	(void)state;
	memset(out, GUARD, sizeof(out));
	assert_int_equal(ncm_ffs_strings(out, "NCM", mac), sizeof(expected));
	assert_memory_equal(out, expected, sizeof(expected));
	assert_int_equal(out[sizeof(expected)], GUARD);
	assert_int_equal(ncm_ffs_strings(out, "", mac), 18 + 1 + 13);
}

static void function_name_is_cut(void **state)
{
	static const uint8_t mac[6] = { 0x02 };
	static const struct {
		size_t ascii; /* that many letters ... */
		const char *tail; /* ... and then this */
		size_t kept;
	} rows[] = {
		{ 125, "", 125 },
		{ 126, "", 126 },
		{ 126, "x", 126 },
		{ 300, "", 126 },
		{ 124, "\xc3\xa9", 126 }, /* e acute, whole */
		{ 125, "\xc3\xa9", 125 }, /* cut in two */
		{ 124, "\xe2\x82\xac", 124 }, /* euro sign after two of three bytes */
		{ 123, "\xe2\x82\xac", 126 },
		{ 123, "\xf0\x9f\x94\x8c", 123 }, /* four bytes */
		{ 126, "\xc3\xa9", 126 },
		{ 0, "\x80\x80\x80", 3 }, /* no UTF-8, but short */
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		char name[320];
		uint8_t out[NCM_FFS_STRINGS_MAX];

		memset(name, 'n', rows[i].ascii);
		strcpy(name + rows[i].ascii, rows[i].tail);
		assert_int_equal(ncm_ffs_strings(out, name, mac), 18 + rows[i].kept + 1 + 13);
		assert_memory_equal(out + 18, name, rows[i].kept);
		assert_string_equal((char *)out + 18 + rows[i].kept + 1, "020000000000");
	}
}

static const struct ncm_identity identity = {
	.vendor_id = 0x1d6b,
	.product_id = 0x0103,
	.bcd_device = 0x0142,
	.max_power_ma = 250,
};

/* linux/usb/gadgetfs.h and dev_config() of the kernel: tag, configurations, device. */
static void gadgetfs_device(void **state)
{
	static const uint8_t full[] = {
		0x09, 0x02, 0x5e, 0x00, /* CONFIGURATION, wTotalLength 9 + 85 */
		0x02, 0x01, 0x04, /* bNumInterfaces, bConfigurationValue, iConfiguration */
		0x80, 0x7d, /* bmAttributes: D7 and no remote wake-up; bMaxPower 250 mA */
	};
	static const uint8_t device[] = {
		0x12, 0x01, 0x00, 0x02, /* DEVICE, bcdUSB 2.00 */
		0xef, 0x02, 0x01, 0x40, /* class for an IAD, bMaxPacketSize0 */
		0x6b, 0x1d, 0x03, 0x01, 0x42, 0x01, /* idVendor, idProduct, bcdDevice */
		0x01, 0x02, 0x03, /* iManufacturer, iProduct, iSerialNumber */
		0x01, /* bNumConfigurations */
	};
	uint8_t out[NCM_GADGETFS_DEVICE_MAX + 1];
	const uint8_t *at = out;

	(void)state;
	memset(out, GUARD, sizeof(out));
	assert_int_equal(ncm_gadgetfs_device(out, &usual, &identity, USB_SPEED_IS_HIGH),
			 4 + 2 * (9 + 85) + 18);
	assert_memory_equal(at, ((uint8_t[]){ 0, 0, 0, 0 }), 4);
	at += 4;
	for (unsigned int s = USB_SPEED_IS_FULL; s <= USB_SPEED_IS_HIGH; s++) {
		assert_memory_equal(at, full, sizeof(full)); /* the lengths happen to be equal */
		assert_memory_equal(at + 9, speeds[s].bytes, speeds[s].len);
		at += 9 + speeds[s].len;
	}
	assert_memory_equal(at, device, sizeof(device));
	assert_int_equal(at[sizeof(device)], GUARD);
}

static void gadgetfs_full_speed_only(void **state)
{
	struct ncm_identity own_power = identity;
	uint8_t out[NCM_GADGETFS_DEVICE_MAX];

	(void)state;
	own_power.self_powered = true;
	own_power.max_power_ma = 2;
	assert_int_equal(ncm_gadgetfs_device(out, &usual, &own_power, USB_SPEED_IS_FULL),
			 4 + 9 + 85 + 18);
	assert_int_equal(out[4 + 7], 0xc0);
	assert_int_equal(out[4 + 8], 1);
	assert_int_equal(out[4 + 9 + 85 + 1], 0x01); /* the device comes next */
}

/* ep_config() of the kernel: tag 1, full speed, high speed. */
static void gadgetfs_endpoints(void **state)
{
	static const struct {
		uint8_t address;
		uint8_t bytes[14];
	} rows[] = {
		{ 0x81, { 7, 5, 0x81, 3, 16, 0, 8, 7, 5, 0x81, 3, 16, 0, 7 } },
		{ 0x82, { 7, 5, 0x82, 2, 64, 0, 0, 7, 5, 0x82, 2, 0, 2, 0 } },
		{ 0x01, { 7, 5, 0x01, 2, 64, 0, 0, 7, 5, 0x01, 2, 0, 2, 0 } },
	};
	const uint32_t tag = 1;

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		uint8_t out[NCM_GADGETFS_ENDPOINT_LEN];

		assert_int_equal(ncm_gadgetfs_endpoint(out, &usual.endpoint, rows[i].address),
				 sizeof(out));
		assert_memory_equal(out, &tag, sizeof(tag));
		assert_memory_equal(out + 4, rows[i].bytes, sizeof(rows[i].bytes));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(byte_exact),
		cmocka_unit_test(parameters),
		cmocka_unit_test(shape_for_hosts),
		cmocka_unit_test(ffs_descriptors),
		cmocka_unit_test(ffs_flags),
		cmocka_unit_test(ffs_winncm),
		cmocka_unit_test(ffs_strings),
		cmocka_unit_test(function_name_is_cut),
		cmocka_unit_test(gadgetfs_device),
		cmocka_unit_test(gadgetfs_full_speed_only),
		cmocka_unit_test(gadgetfs_endpoints),
	};

	return cmocka_run_group_tests_name("ncm_descriptors", tests, NULL, NULL);
}
