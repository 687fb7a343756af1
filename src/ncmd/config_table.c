/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ncmd/config_table.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "ncmd/config_profile.h"
#include "ncmd/config_text.h"

#define MEMBER(m) .offset = offsetof(struct config, m), .size = sizeof(((struct config *)NULL)->m)

#define NUMBER(PATH, M, MIN, MAX, ...)                                                 \
	{ .path = PATH, .kind = CONFIG_KIND_NUMBER, MEMBER(M), .min = MIN, .max = MAX, \
	  __VA_ARGS__ }
#define TEXT(PATH, M, PARSE, PRINT, ALLOWED)                                              \
	{ .path = PATH, .kind = CONFIG_KIND_TEXT, MEMBER(M), .parse = PARSE, .print = PRINT, \
	  .allowed = ALLOWED }
#define CHOICE(PATH, M, WORD) \
	{ .path = PATH, .kind = CONFIG_KIND_CHOICE, MEMBER(M), .choice = WORD }
#define BOOL(PATH, M) \
	{ .path = PATH, .kind = CONFIG_KIND_BOOL, MEMBER(M), .allowed = "true or false" }

#define USB_TEXT "1 ... 126 bytes of UTF-8 without control characters"

/* In the order of config_print(); a group's rows stand together. */
const struct config_row config_rows[] = {
	TEXT("name", name, text_parse_name, NULL,
	     "1 ... 31 letters, digits, '_', '.' or '-', the first a letter or a digit"),
	TEXT("udc", udc, text_parse_udc, NULL, "\"auto\" or a name in /sys/class/udc"),
	CHOICE("transport", transport, text_choice_transport),
	CHOICE("fallback", fallback, text_choice_fallback),
	CHOICE("max_speed", max_speed, text_choice_max_speed),
	CHOICE("profile", profile, config_profile_name),
	TEXT("policy", policy, text_parse_policy, text_print_policy,
	     "\"immediate\", \"window:<us>\" with 1 ... 1000000 us, or \"tick:<hz>[,<ms>]\" with "
	     "1 ... 10000 Hz and 0 ... 1000 ms"),
	CHOICE("offload", offload, text_choice_offload),
	CHOICE("copy", copy, text_choice_copy),
	TEXT("run_dir", run_dir, text_parse_path, NULL, "an absolute path of at most 255 bytes"),

	TEXT("tap.name", tap.name, text_parse_tap_name, NULL,
	     "an interface name of 1 ... 15 characters without '/', ':', '%' and spaces, or empty: "
	     "as name"),
	TEXT("tap.mac", tap.mac, text_parse_mac, text_print_mac,
	     "\"auto\" or a unicast address like \"02:00:00:00:00:01\""),
	TEXT("tap.host_mac", tap.host_mac, text_parse_mac, text_print_mac,
	     "\"auto\" or a unicast address like \"02:00:00:00:00:02\""),
	NUMBER("tap.mtu", tap.mtu, 68, 7986, .zero = true,
	       .allowed = "68 ... 7986 bytes, or 0: ntb.max_segment_size less 14"),
	NUMBER("tap.txqueuelen", tap.txqueuelen, 1, 10000, .allowed = "1 ... 10000 packets"),
	NUMBER("tap.join_us", tap.join_us, 0, 10000, .allowed = "0 ... 10000 us, 0: no waiting"),
	{ .path = "tap.addresses", .kind = CONFIG_KIND_ADDRESSES,
	  .allowed = "a list of at most 8 like ( \"10.55.0.1/24\", \"fd00::1/64\" )" },
	BOOL("tap.persist", tap.persist),

	NUMBER("ntb.in_max_size", ntb.in_max_size, 2048, 131072, .step = 4,
	       .allowed = "2048 ... 65532 bytes (131072 with ntb.ntb32), a multiple of 4"),
	NUMBER("ntb.in_depth", ntb.in_depth, 1, 32, .allowed = "1 ... 32 NTBs"),
	NUMBER("ntb.in_max_datagrams", ntb.in_max_datagrams, 1, NTB_WRITE_MAX_DATAGRAMS,
	       .allowed = "1 ... 240 datagrams"),
	NUMBER("ntb.in_short_datagrams", ntb.in_short_datagrams, 1, 40,
	       .allowed = "1 ... 40 datagrams"),
	NUMBER("ntb.out_max_size", ntb.out_max_size, 2048, 131072, .step = 4, .zero = true,
	       .allowed = "2048 ... 65532 bytes (131072 with ntb.ntb32), a multiple of 4; or 0: "
			  "what suits a Linux host"),
	NUMBER("ntb.out_count", ntb.out_count, 1, 128, .allowed = "1 ... 128 NTBs"),
	NUMBER("ntb.out_max_datagrams", ntb.out_max_datagrams, 0, 65535,
	       .allowed = "0 ... 65535 datagrams, 0: no limit"),
	NUMBER("ntb.max_segment_size", ntb.max_segment_size, 1514, 8000,
	       .allowed = "1514 ... 8000 bytes"),
	BOOL("ntb.ntb32", ntb.ntb32),
	BOOL("ntb.crc", ntb.crc),
	CHOICE("ntb.ending", ntb.ending, text_choice_ending),
	CHOICE("ntb.ndp", ntb.ndp, text_choice_ndp),

	NUMBER("queue.target_us", queue.target_us, 100, 1000000, .zero = true,
	       .allowed = "100 ... 1000000 us, or 0: no queue of ncmd's own"),
	NUMBER("queue.interval_us", queue.interval_us, 1000, 10000000,
	       .allowed = "1000 ... 10000000 us"),
	NUMBER("queue.limit_us", queue.limit_us, 1000, 10000000,
	       .allowed = "1000 ... 10000000 us, not less than queue.target_us"),
	NUMBER("queue.in_flight_us", queue.in_flight_us, 100, 1000000,
	       .allowed = "100 ... 1000000 us"),

	TEXT("gadget.scheme", gadget.scheme, text_parse_path_or_empty, NULL,
	     "the absolute path of a libusbgx scheme of at most 255 bytes, or empty: none"),
	NUMBER("gadget.vendor_id", gadget.vendor_id, 1, 0xffff, .hex = true,
	       .allowed = "0x0001 ... 0xffff"),
	NUMBER("gadget.product_id", gadget.product_id, 0, 0xffff, .hex = true,
	       .allowed = "0x0000 ... 0xffff"),
	NUMBER("gadget.bcd_device", gadget.bcd_device, 0, 0x9999, .hex = true, .bcd = true,
	       .allowed = "0x0000 ... 0x9999, decimal digits only"),
	TEXT("gadget.manufacturer", gadget.manufacturer, text_parse_usb, NULL, USB_TEXT),
	TEXT("gadget.product", gadget.product, text_parse_usb, NULL, USB_TEXT),
	TEXT("gadget.serial", gadget.serial, text_parse_serial, NULL,
	     "\"auto\" or 1 ... 126 printable ASCII characters other than ','"),
	TEXT("gadget.function", gadget.function, text_parse_usb, NULL, USB_TEXT),
	NUMBER("gadget.max_power_ma", gadget.max_power_ma, 2, 500, .allowed = "2 ... 500 mA"),
	BOOL("gadget.self_powered", gadget.self_powered),
};

const size_t config_rows_count = sizeof(config_rows) / sizeof(config_rows[0]);

_Static_assert(NTB_WRITE_MAX_DATAGRAMS == 240, "the text of ntb.in_max_datagrams");
_Static_assert(POLICY_WINDOW_MAX_US == 1000000 && POLICY_TICK_MAX_HZ == 10000 &&
		       POLICY_TICK_MAX_MS == 1000,
	       "the text of policy");
_Static_assert(sizeof(enum config_transport) == sizeof(unsigned int) &&
		       sizeof(enum config_fallback) == sizeof(unsigned int) &&
		       sizeof(enum config_profile) == sizeof(unsigned int) &&
		       sizeof(enum config_max_speed) == sizeof(unsigned int) &&
		       sizeof(enum config_offload) == sizeof(unsigned int) &&
		       sizeof(enum config_copy) == sizeof(unsigned int) &&
		       sizeof(enum ntb_ending) == sizeof(unsigned int) &&
		       sizeof(enum ntb_ndp) == sizeof(unsigned int),
	       "a choice is read and printed as an unsigned int");
_Static_assert(CONFIG_NAME_MAX == 32 && IFNAMSIZ == 16, "the texts of name and tap.name");
_Static_assert(CONFIG_PATH_MAX == 256 && CONFIG_TEXT_MAX == 127, "the texts of paths and strings");
_Static_assert(CONFIG_ADDRESSES_MAX == 8, "the text of tap.addresses");

const struct config_row *config_row_find(const char *path)
{
	for (size_t i = 0; i < config_rows_count; i++)
		if (strcmp(config_rows[i].path, path) == 0)
			return &config_rows[i];
	return NULL;
}

bool config_group_exists(const char *path)
{
	size_t len = strlen(path);

	for (size_t i = 0; i < config_rows_count; i++)
		if (strncmp(config_rows[i].path, path, len) == 0 && config_rows[i].path[len] == '.')
			return true;
	return false;
}

static const char *last_part(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot ? dot + 1 : path;
}

#define NEAREST_LEN_MAX 40 /* longer words are near nothing */

static unsigned int min3(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int least = a < b ? a : b;

	return least < c ? least : c;
}

/* Levenshtein's distance, capital letters being equal to small ones. */
static unsigned int distance(const char *a, const char *b)
{
	unsigned int row[NEAREST_LEN_MAX + 1];
	size_t a_len = strlen(a), b_len = strlen(b);

	if (a_len > NEAREST_LEN_MAX || b_len > NEAREST_LEN_MAX)
		return NEAREST_LEN_MAX;

	for (size_t j = 0; j <= b_len; j++)
		row[j] = (unsigned int)j;
	for (size_t i = 1; i <= a_len; i++) {
		unsigned int diagonal = row[0];

		row[0] = (unsigned int)i;
		for (size_t j = 1; j <= b_len; j++) {
			bool same = strncasecmp(&a[i - 1], &b[j - 1], 1) == 0;
			unsigned int above = row[j];

			row[j] = min3(above + 1, row[j - 1] + 1, diagonal + (same ? 0 : 1));
			diagonal = above;
		}
	}
	return row[b_len];
}

const char *config_nearest(const char *path)
{
	static const char *const groups[] = { "tap", "ntb", "queue", "gadget" };
	const char *word = last_part(path), *nearest = NULL;
	unsigned int least = NEAREST_LEN_MAX;

	for (size_t i = 0; i < config_rows_count; i++) {
		const char *known = last_part(config_rows[i].path);
		size_t longer = strlen(word) > strlen(known) ? strlen(word) : strlen(known);
		unsigned int d = distance(word, known);
		bool elsewhere = known - config_rows[i].path != word - path ||
				 strncmp(config_rows[i].path, path, (size_t)(word - path)) != 0;

		/* A third of the letters may be wrong. Among equals, the same group wins. */
		if (d <= longer / 3 && 2 * d + elsewhere < least) {
			least = 2 * d + elsewhere;
			nearest = config_rows[i].path;
		}
	}
	for (size_t i = 0; !nearest && i < sizeof(groups) / sizeof(groups[0]); i++)
		if (distance(path, groups[i]) <= 1)
			nearest = groups[i];
	return nearest;
}
