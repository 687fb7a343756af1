/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where headers are, and which frames are no candidates for joining [facts tap-offload 6.1]. */
#include "unit.h"

#include "wire/frame.h"

/* Ethernet, IPv4, TCP with ACK, two bytes of data. */
static const uint8_t tcp4[] = {
	2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x08, 0x00, /* Ethernet */
	0x45, 0, 0, 42, 0, 1, 0x40, 0, 64, 6, 0, 0, 10, 9, 0, 1, 10, 9, 0, 2, /* IPv4 */
	0x13, 0x89, 0x9c, 0x40, 0, 0, 0, 1, 0, 0, 0, 2, 0x50, 0x10, 1, 0, 0, 0, 0, 0, /* TCP */
	'h', 'i',
};

/* Ethernet, IPv6, TCP with ACK and PSH and an option of four bytes, one byte of data. */
static const uint8_t tcp6[] = {
	2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x86, 0xdd, /* Ethernet */
	0x60, 1, 0x23, 0x45, 0, 25, 6, 64, /* IPv6 */
	0xfd, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
	0xfd, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,
	0x13, 0x89, 0x9c, 0x40, 0, 0, 0, 1, 0, 0, 0, 2, 0x60, 0x18, 1, 0, 0, 0, 0, 0, /* TCP */
	1, 1, 1, 1, 'x',
};

static size_t network_header(const uint8_t *bytes, size_t len, uint16_t *type)
{
	uint8_t *copy = exact_copy(bytes, len);
	size_t at = frame_network_header(copy, len, type);

	free(copy);
	return at;
}

static void network_headers(void **state)
{
	uint8_t frame[32] = { 0 };
	uint16_t type = 0;

	(void)state;
	for (size_t tags = 0; tags <= 3; tags++) {
		size_t at = 14 + 4 * tags;

		frame[12] = frame[16] = frame[20] = 0x81;
		frame[13] = frame[17] = frame[21] = 0x00;
		if (tags > 1) {
			frame[12] = 0x88; /* a service tag outside */
			frame[13] = 0xa8;
		}
		frame[at - 2] = 0x86;
		frame[at - 1] = 0xdd;
		for (size_t len = 0; len <= at; len++) {
			type = 0x1234;
			assert_int_equal(network_header(frame, len, &type),
					 tags < 3 && len == at ? at : 0);
			assert_int_equal(type, tags < 3 && len == at ? ETHERTYPE_IPV6 : 0x1234);
		}
	}
}

static bool is_tcp_data(const uint8_t *bytes, size_t len, struct frame_tcp *out)
{
	uint8_t *copy = exact_copy(bytes, len);
	bool is = frame_is_tcp_data(copy, len, out);

	free(copy);
	return is;
}

static void candidates(void **state)
{
	struct frame_tcp t;

	(void)state;
	assert_true(is_tcp_data(tcp4, sizeof(tcp4), &t));
	assert_false(t.ipv6);
	assert_int_equal(t.tcp, 34);
	assert_int_equal(t.header_len, 54);
	assert_int_equal(t.payload_len, 2);
	assert_true(is_tcp_data(tcp6, sizeof(tcp6), &t));
	assert_true(t.ipv6);
	assert_int_equal(t.tcp, 54);
	assert_int_equal(t.header_len, 78);
	assert_int_equal(t.payload_len, 1);
}

/* Each change alone makes the frame no candidate, or leaves it one. */
static void one_byte_changed(void **state)
{
	static const struct {
		const char *name;
		size_t at;
		uint8_t value;
		bool ipv6;
		bool candidate;
	} rows[] = {
		{ "type", 12, 0x81, false, false },
		{ "another type", 13, 0x06, false, false },
		{ "version 6", 14, 0x65, false, false },
		{ "options", 14, 0x46, false, false },
		{ "short header", 14, 0x44, false, false },
		{ "padded", 17, 41, false, false },
		{ "cut", 17, 43, false, false },
		{ "more fragments", 20, 0x60, false, false },
		{ "last fragment", 21, 1, false, false },
		{ "fragment offset", 20, 0x1f, false, false },
		{ "without DF", 20, 0, false, true },
		{ "UDP", 23, 17, false, false },
		{ "doff 4", 46, 0x40, false, false },
		{ "doff behind the end", 46, 0x60, false, false },
		{ "AE", 46, 0x51, false, false },
		{ "reserved", 46, 0x58, false, false },
		{ "no ACK", 47, 0x00, false, false },
		{ "PSH only", 47, 0x08, false, false },
		{ "PSH", 47, 0x18, false, true },
		{ "FIN", 47, 0x11, false, false },
		{ "SYN", 47, 0x12, false, false },
		{ "RST", 47, 0x14, false, false },
		{ "URG", 47, 0x30, false, false },
		{ "ECE", 47, 0x50, false, false },
		{ "CWR", 47, 0x90, false, false },
		{ "TOS", 15, 3, false, true },
		{ "IPv6 version", 14, 0x40, true, false },
		{ "IPv6 padded", 19, 24, true, false },
		{ "IPv6 cut", 19, 26, true, false },
		{ "IPv6 hop-by-hop", 20, 0, true, false },
		{ "IPv6 UDP", 20, 17, true, false },
		{ "IPv6 pure ACK", 66, 0x70, true, false },
		{ "IPv6 FIN", 67, 0x19, true, false },
	};
	struct frame_tcp t;

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		uint8_t frame[128];
		size_t len = rows[i].ipv6 ? sizeof(tcp6) : sizeof(tcp4);

		memcpy(frame, rows[i].ipv6 ? tcp6 : tcp4, len);
		frame[rows[i].at] = rows[i].value;
		if (is_tcp_data(frame, len, &t) != rows[i].candidate)
			fail_msg("%s", rows[i].name);
	}
}

static void any_length(void **state)
{
	static uint8_t frame[128];
	struct frame_tcp t;

	(void)state;
	for (size_t len = 0; len < sizeof(frame); len++) {
		memcpy(frame, tcp4, sizeof(tcp4));
		assert_int_equal(is_tcp_data(frame, len, &t), len == sizeof(tcp4));
		if (len >= 14) { /* with the right length: as long as there is data */
			frame[17] = (uint8_t)(len - 14);
			assert_int_equal(is_tcp_data(frame, len, &t), len > 54);
		}
		memcpy(frame, tcp6, sizeof(tcp6));
		assert_int_equal(is_tcp_data(frame, len, &t), len == sizeof(tcp6));
		if (len >= 54) {
			frame[19] = (uint8_t)(len - 54);
			assert_int_equal(is_tcp_data(frame, len, &t), len > 78);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(network_headers), cmocka_unit_test(candidates),
		cmocka_unit_test(one_byte_changed), cmocka_unit_test(any_length),
	};

	return cmocka_run_group_tests_name("frame", tests, NULL, NULL);
}
