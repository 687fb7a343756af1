/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The configuration: what a file says, and what is said about a wrong one. One row
 * of a table is one test: the text of a file, and either the message it gets or a
 * line of config_print() afterwards.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <libconfig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ncmd/config.h"
#include "ncmd/config_profile.h"
#include "ncmd/config_table.h"
#include "ncmd/config_text.h"
#include "ncmd/mac.h"
#include "sim/device.h"

#define MACHINE	      "0123456789abcdef0123456789abcdef\n"
#define OTHER_MACHINE "0123456789abcdef0123456789abcdee\n"
#define ERROR_MAX     512
#define FILE_MAX      32768

struct row {
	const char *name;
	const char *text; /* of the file */
	const char *error; /* what follows the file's name in the message; NULL: none */
	const char *printed; /* a part of what config_print() writes */
};

#define REFUSED(NAME, TEXT, ERROR)                                                                 \
	{                                                                                          \
		.name = NAME, .text = TEXT, .error = ERROR                                         \
	}
#define SHOWN(NAME, TEXT, PRINTED)                                                                 \
	{                                                                                          \
		.name = NAME, .text = TEXT, .printed = PRINTED                                     \
	}

/* Rows for config_load() alone. */
static const struct row load_rows[] = {
	SHOWN("an empty file gives the defaults", "", "name = \"ncm0\";\nudc = \"auto\";\n"),
	SHOWN("comments", "# one\n// two\n/* three */\n", "transport = \"auto\";\n"),

	/* Syntax, names and types. */
	REFUSED("syntax error", "name = \"a\";\nudc = ;\n",
		":2: syntax error: see ncmd.conf(5) for the syntax"),
	REFUSED("unterminated group", "tap = {\n mtu = 1500;\n", ":3: syntax error"),
	REFUSED("the same setting twice", "udc = \"a\";\nudc = \"b\";\n",
		":2: duplicate setting name"),
	REFUSED("unknown setting, one letter", "\nntb = { in_dept = 4; };\n",
		":2: ntb.in_dept = 4: no such setting; did you mean ntb.in_depth?"),
	REFUSED("unknown setting, another spelling", "gadget = { bcdDevice = 0x0100; };\n",
		":1: gadget.bcdDevice = 0x100: no such setting; did you mean gadget.bcd_device?"),
	REFUSED("unknown setting, capitals", "ntb = { IN_DEPTH = 4; };\n",
		"did you mean ntb.in_depth?"),
	REFUSED("unknown setting, of a group", "mtu = 1500;\n",
		":1: mtu = 1500: no such setting; did you mean tap.mtu?"),
	REFUSED("unknown setting, of another group", "tap = { out_count = 1; };\n",
		":1: tap.out_count = 1: no such setting; did you mean ntb.out_count?"),
	REFUSED("unknown setting, the group's own one is nearer", "tap = { nam = \"a\"; };\n",
		"did you mean tap.name?"),
	REFUSED("unknown setting, the one outside is nearer", "nam = \"a\";\n",
		"did you mean name?"),
	REFUSED("unknown group", "tab = { mtu = 1500; };\n",
		":1: tab = { ... }: no such setting; did you mean tap?"),
	REFUSED("unknown setting near nothing", "colour = \"red\";\n",
		":1: colour = \"red\": no such setting; ncmd.conf(5) and `ncmd -n` name those "
		"there are"),
	REFUSED("unknown setting, half of it right", "gate = 1;\n",
		":1: gate = 1: no such setting; ncmd.conf(5)"),
	REFUSED("unknown setting, very long",
		"a1234567890123456789012345678901234567890123456789012345678901234567890123456789"
		"a1234567890123456789012345678901234567890123456789012345678901234567890123456789 "
		"= 1;",
		" = 1: no such setting; ncmd.conf(5)"),
	REFUSED("group that is a number", "tap = 5;\n",
		":1: tap = 5: must be a group: tap = { ... };"),
	REFUSED("group that is a list", "ntb = ( 1 );\n", ":1: ntb = ( ... ): must be a group"),
	REFUSED("number in quotes", "ntb = { out_count = \"8\"; };\n",
		":1: ntb.out_count = \"8\": must be a whole number: 1 ... 128 NTBs"),
	REFUSED("number with a fraction", "ntb = { in_depth = 1.5; };\n",
		":1: ntb.in_depth = 1.5: must be a whole number: 1 ... 32 NTBs"),
	REFUSED("yes or no as a number", "ntb = { crc = 1; };\n",
		":1: ntb.crc = 1: must be true or false, without quotes"),
	REFUSED("yes or no in quotes", "tap = { persist = \"true\"; };\n",
		":1: tap.persist = \"true\": must be true or false, without quotes"),
	REFUSED("text that is a number", "name = 5;\n",
		":1: name = 5: must be a text in quotes: 1 ... 31 letters"),
	REFUSED("text that is a group", "policy = { window = 5; };\n",
		":1: policy = { ... }: must be a text in quotes: \"immediate\","),
	REFUSED("a value of several lines stays on one", "udc = \"a/\nb\";\n",
		": udc = \"a/\\x0ab\": must be \"auto\" or a name in /sys/class/udc"),
	REFUSED("a long value is cut",
		"udc = \"/23456789012345678901234567890123456789012345678901234567890123456789"
		"012345678901234567890123456789\";\n",
		"78901...\": must be \"auto\" or"),

	/* The top. */
	SHOWN("name", "name = \"usb.net_1-a\";\n", "name = \"usb.net_1-a\";\n"),
	SHOWN("name, longest", "name = \"a123456789012345678901234567890\";\n",
	      "name = \"a123456789012345678901234567890\";\n"),
	REFUSED("name, too long", "name = \"a1234567890123456789012345678901\";\n",
		"is too long; must be 1 ... 31 letters"),
	REFUSED("name, empty", "name = \"\";\n",
		":1: name = \"\": must be 1 ... 31 letters, digits, '_', '.' or '-', the first a "
		"letter "
		"or a digit"),
	REFUSED("name, hidden", "name = \".a\";\n", ":1: name = \".a\": must be"),
	REFUSED("name, another directory", "name = \"a/../b\";\n",
		":1: name = \"a/../b\": must be"),
	REFUSED("name, a space", "name = \"a b\";\n", ":1: name = \"a b\": must be"),
	SHOWN("udc", "udc = \"0000:00:14.0\";\n", "udc = \"0000:00:14.0\";\n"),
	REFUSED("udc, empty", "udc = \"\";\n", ":1: udc = \"\": must be \"auto\" or"),
	REFUSED("udc, the directory above", "udc = \"..\";\n", ":1: udc = \"..\": must be"),
	SHOWN("transport", "transport = \"functionfs\";\n", "transport = \"functionfs\";\n"),
	SHOWN("transport, gadgetfs", "transport = \"gadgetfs\";\n", "transport = \"gadgetfs\";\n"),
	REFUSED("transport, other", "\n\n\ntransport = \"carrier pigeon\";\n",
		":4: transport = \"carrier pigeon\": must be \"auto\", \"functionfs\" or "
		"\"gadgetfs\""),
	SHOWN("fallback, by default", "", "\nfallback = \"none\";\n"),
	SHOWN("fallback", "fallback = \"ncm-only\";\n", "\nfallback = \"ncm-only\";\n"),
	REFUSED("fallback, other", "fallback = \"rndis\";\n",
		":1: fallback = \"rndis\": must be \"none\" or \"ncm-only\""),
	SHOWN("policy, immediate", "policy = \"immediate\";\n", "policy = \"immediate\";\n"),
	SHOWN("policy, window", "policy = \"window:300\";\n", "policy = \"window:300\";\n"),
	SHOWN("policy, largest window", "policy = \"window:1000000\";\n",
	      "policy = \"window:1000000\";\n"),
	SHOWN("profile, by default", "", "\nprofile = \"latency\";\n"),
	SHOWN("profile, latency", "profile = \"latency\";\n", "\nprofile = \"latency\";\n"),
	SHOWN("profile, throughput", "profile = \"throughput\";\n",
	      "\nprofile = \"throughput\";\n"),
	REFUSED("profile, unknown", "profile = \"fast\";\n",
		":1: profile = \"fast\": must be \"latency\""),
	REFUSED("profile, empty", "profile = \"\";\n", ":1: profile = \"\": must be"),
	REFUSED("profile, capitals", "profile = \"Latency\";\n",
		":1: profile = \"Latency\": must be"),
	REFUSED("profile, a number", "profile = 0;\n",
		":1: profile = 0: must be a text in quotes: \"latency\""),
	REFUSED("profile, in a group", "ntb = { profile = \"latency\"; };\n",
		":1: ntb.profile = \"latency\": no such setting; did you mean profile?"),
	REFUSED("profile, misspelt", "profil = \"latency\";\n", "did you mean profile?"),
	REFUSED("profile, wrong behind another mistake", "udc = 5;\nprofile = \"fast\";\n",
		":1: udc = 5: must be"),
	SHOWN("offload, auto", "offload = \"auto\";\n", "\noffload = \"auto\";\n"),
	SHOWN("offload, off", "offload = \"off\";\n", "\noffload = \"off\";\n"),
	REFUSED("offload, on", "offload = \"on\";\n",
		":1: offload = \"on\": must be \"auto\" or \"off\""),
	REFUSED("offload, yes or no", "offload = false;\n",
		":1: offload = false: must be a text in quotes: \"auto\" or \"off\""),
	SHOWN("copy, in place", "copy = \"in-place\";\n", "\ncopy = \"in-place\";\n"),
	SHOWN("copy, bounce", "copy = \"bounce\";\n", "\ncopy = \"bounce\";\n"),
	REFUSED("copy, other", "copy = \"in_place\";\n",
		":1: copy = \"in_place\": must be \"in-place\" or \"bounce\""),
	REFUSED("policy, window of nothing", "policy = \"window:0\";\n",
		":1: policy = \"window:0\": must be \"immediate\", \"window:<us>\" with 1 ... "
		"1000000 us"),
	REFUSED("policy, window too large", "policy = \"window:1000001\";\n",
		":1: policy = \"window:1000001\": must be"),
	REFUSED("policy, unknown", "policy = \"lazy\";\n",
		":1: policy = \"lazy\": must be"),
	SHOWN("policy, tick", "policy = \"tick:100\";\n", "policy = \"tick:100,1\";\n"),
	REFUSED("policy, tick of nothing", "policy = \"tick:0,1\";\n",
		":1: policy = \"tick:0,1\": must be"),
	SHOWN("max_speed, full", "max_speed = \"full\";\n", "max_speed = \"full\";\n"),
	REFUSED("max_speed, low", "max_speed = \"low\";\n",
		":1: max_speed = \"low\": must be \"auto\", \"full\", \"high\" or \"super\""),
	SHOWN("run_dir", "run_dir = \"/tmp/a b\";\n", "run_dir = \"/tmp/a b\";\n"),
	REFUSED("run_dir, relative", "run_dir = \"run\";\n",
		":1: run_dir = \"run\": must be an absolute path of at most 255 bytes"),
	REFUSED("run_dir, empty", "run_dir = \"\";\n", ":1: run_dir = \"\": must be an absolute"),

	/* The TAP. */
	SHOWN("tap.name", "tap = { name = \"usb0\"; };\n", "tap = {\n\tname = \"usb0\";\n"),
	SHOWN("tap.name, longest", "tap = { name = \"a12345678901234\"; };\n",
	      "name = \"a12345678901234\";\n"),
	REFUSED("tap.name, too long", "tap = { name = \"a123456789012345\"; };\n",
		":1: tap.name = \"a123456789012345\": is too long; must be an interface name of 1 "
		"... 15 "
		"characters"),
	REFUSED("tap.name, a slash", "tap = { name = \"a/b\"; };\n",
		": tap.name = \"a/b\": must be"),
	REFUSED("tap.name, a colon", "tap = { name = \"a:b\"; };\n",
		": tap.name = \"a:b\": must be"),
	REFUSED("tap.name, a pattern", "tap = { name = \"ncm%d\"; };\n",
		": tap.name = \"ncm%d\": must be"),
	REFUSED("tap.name, a dot", "tap = { name = \".\"; };\n", ": tap.name = \".\": must be"),
	REFUSED("tap.name, two dots", "tap = { name = \"..\"; };\n",
		": tap.name = \"..\": must be"),
	SHOWN("tap.mac", "tap = { mac = \"02:00:00:00:00:01\"; };\n",
	      "\tmac = \"02:00:00:00:00:01\";\n"),
	SHOWN("tap.mac, auto", "tap = { mac = \"auto\"; };\n", "\tmac = \"auto\";\n"),
	SHOWN("tap.mac, capitals and dashes", "tap = { mac = \"02-AB-Cd-eF-00-01\"; };\n",
	      "\tmac = \"02:ab:cd:ef:00:01\";\n"),
	SHOWN("tap.mac, digits only", "tap = { mac = \"02ABcdef0001\"; };\n",
	      "\tmac = \"02:ab:cd:ef:00:01\";\n"),
	SHOWN("tap.mac, global", "tap = { host_mac = \"00:11:22:33:44:55\"; };\n",
	      "\thost_mac = \"00:11:22:33:44:55\";\n"),
	REFUSED("tap.mac, single digits", "tap = { mac = \"2:0:0:0:0:1\"; };\n",
		":1: tap.mac = \"2:0:0:0:0:1\": is not six bytes of two hex digits with ':' or '-' "
		"or "
		"nothing between; must be \"auto\" or a unicast address like "
		"\"02:00:00:00:00:01\""),
	REFUSED("tap.mac, separators mixed", "tap = { mac = \"02:00-00:00:00:01\"; };\n",
		"is not six bytes of two hex digits"),
	REFUSED("tap.mac, no hex digit", "tap = { mac = \"02:00:00:00:00:0g\"; };\n",
		"is not six bytes of two hex digits"),
	REFUSED("tap.mac, 11 digits", "tap = { mac = \"02000000000\"; };\n",
		": tap.mac = \"02000000000\": is not 12 hex digits long"),
	REFUSED("tap.mac, 13 digits", "tap = { mac = \"0200000000001\"; };\n",
		": tap.mac = \"0200000000001\": is not 12 hex digits long"),
	REFUSED("tap.mac, five bytes", "tap = { mac = \"02:00:00:00:00\"; };\n",
		"is not 12 hex digits long"),
	REFUSED("tap.mac, a separator too many", "tap = { mac = \"02:00:00:00:00:01:\"; };\n",
		"is not 12 hex digits long"),
	REFUSED("tap.mac, empty", "tap = { mac = \"\"; };\n",
		": tap.mac = \"\": is not 12 hex digits long"),
	REFUSED("tap.mac, zero", "tap = { mac = \"00:00:00:00:00:00\"; };\n",
		"is the zero address"),
	REFUSED("tap.mac, multicast", "tap = { mac = \"03:00:00:00:00:01\"; };\n",
		"is a multicast address: the first byte must be even"),
	REFUSED("tap.host_mac, broadcast", "tap = { host_mac = \"ff:ff:ff:ff:ff:ff\"; };\n",
		": tap.host_mac = \"ff:ff:ff:ff:ff:ff\": is a multicast address"),
	SHOWN("tap.mtu", "tap = { mtu = 68; };\n", "\tmtu = 68;\n"),
	SHOWN("tap.mtu, most", "tap = { mtu = 7986; };\n", "\tmtu = 7986;\n"),
	SHOWN("tap.mtu, derived", "tap = { mtu = 0; };\n", "\tmtu = 0;\n"),
	REFUSED("tap.mtu, too small", "tap = { mtu = 67; };\n",
		":1: tap.mtu = 67: must be 68 ... 7986 bytes, or 0: ntb.max_segment_size less 14"),
	REFUSED("tap.mtu, too large", "tap = { mtu = 9000; };\n", ":1: tap.mtu = 9000: must be 68"),
	REFUSED("tap.mtu, a byte too large", "tap = { mtu = 7987; };\n", "tap.mtu = 7987: must be"),
	REFUSED("tap.mtu, negative", "tap = { mtu = -1; };\n", ":1: tap.mtu = -1: must be 68"),
	REFUSED("tap.mtu, more than 32 bits", "tap = { mtu = 4294968796L; };\n",
		":1: tap.mtu = 4294968796: must be 68"),
	SHOWN("tap.txqueuelen", "tap = { txqueuelen = 10000; };\n", "\ttxqueuelen = 10000;\n"),
	SHOWN("tap.txqueuelen, least", "tap = { txqueuelen = 1; };\n", "\ttxqueuelen = 1;\n"),
	REFUSED("tap.txqueuelen, none", "tap = { txqueuelen = 0; };\n",
		":1: tap.txqueuelen = 0: must be 1 ... 10000 packets"),
	REFUSED("tap.txqueuelen, too many", "tap = { txqueuelen = 10001; };\n",
		":1: tap.txqueuelen = 10001: must be"),
	SHOWN("tap.persist", "tap = { persist = true; };\n", "\tpersist = true;\n"),
	SHOWN("tap.addresses", "tap = { addresses = ( \"10.55.0.1/24\", \"fd00::1/64\" ); };\n",
	      "\taddresses = ( \"10.55.0.1/24\", \"fd00::1/64\" );\n"),
	SHOWN("tap.addresses, an array", "tap = { addresses = [ \"10.55.0.1/32\" ]; };\n",
	      "\taddresses = ( \"10.55.0.1/32\" );\n"),
	SHOWN("tap.addresses, none", "tap = { addresses = ( ); };\n", "\taddresses = ( );\n"),
	SHOWN("tap.addresses, eight",
	      "tap = { addresses = ( \"::1/1\", \"::2/1\", \"::3/1\", \"::4/1\", \"::5/1\", "
	      "\"::6/1\", "
	      "\"::7/1\", \"::8/128\" ); };\n",
	      ", \"::8/128\" );\n"),
	REFUSED("tap.addresses, nine",
		"tap = { addresses = ( \"::1/1\", \"::2/1\", \"::3/1\", \"::4/1\", \"::5/1\", "
		"\"::6/1\", "
		"\"::7/1\", \"::8/1\", \"::9/1\" ); };\n",
		":1: tap.addresses = ( ... ): has 9 addresses; must be a list of at most 8 like "
		"( \"10.55.0.1/24\", \"fd00::1/64\" )"),
	REFUSED("tap.addresses, no list", "tap = { addresses = \"10.55.0.1/24\"; };\n",
		":1: tap.addresses = \"10.55.0.1/24\": must be a list"),
	REFUSED("tap.addresses, a number", "tap = { addresses = ( \"10.55.0.1/24\",\n 5 ); };\n",
		":2: tap.addresses[1] = 5: must be a text in quotes like \"10.55.0.1/24\""),
	REFUSED("tap.addresses, no length", "tap = { addresses = ( \"10.55.0.1\" ); };\n",
		":1: tap.addresses[0] = \"10.55.0.1\": has no prefix length, like \"/24\"; must be "
		"like "
		"\"10.55.0.1/24\""),
	REFUSED("tap.addresses, IPv4 length", "tap = { addresses = ( \"10.55.0.1/33\" ); };\n",
		"= \"10.55.0.1/33\": has no prefix length of 1 ... 32"),
	REFUSED("tap.addresses, IPv6 length", "tap = { addresses = ( \"fd00::1/129\" ); };\n",
		"= \"fd00::1/129\": has no prefix length of 1 ... 128"),
	REFUSED("tap.addresses, length zero", "tap = { addresses = ( \"10.55.0.1/0\" ); };\n",
		"= \"10.55.0.1/0\": has no prefix length of 1 ... 32"),
	REFUSED("tap.addresses, a netmask", "tap = { addresses = ( \"10.55.0.1/24.0\" ); };\n",
		"= \"10.55.0.1/24.0\": has no prefix length of 1 ... 32"),
	REFUSED("tap.addresses, a name", "tap = { addresses = ( \"localhost/8\" ); };\n",
		"= \"localhost/8\": is no IP address"),
	REFUSED("tap.addresses, longer than any",
		"tap = { addresses = ( \"0000:0000:0000:0000:0000:0000:0000:0000:0000:0000/1\" ); "
		"};\n",
		"is no IP address"),
	REFUSED("tap.addresses, multicast", "tap = { addresses = ( \"224.0.0.1/24\" ); };\n",
		"= \"224.0.0.1/24\": is no address that an interface can have"),
	REFUSED("tap.addresses, unspecified", "tap = { addresses = ( \"::/64\" ); };\n",
		"= \"::/64\": is no address that an interface can have"),

	/* The NTBs; the sizes of cases C10. */
	SHOWN("ntb.in_max_size, least", "ntb = { in_max_size = 2048; };\n",
	      "\tin_max_size = 2048;\n"),
	REFUSED("ntb.in_max_size, 0", "ntb = { in_max_size = 0; };\n",
		":1: ntb.in_max_size = 0: must be 2048 ... 65532 bytes (131072 with ntb.ntb32), a "
		"multiple "
		"of 4"),
	REFUSED("ntb.in_max_size, 100", "ntb = { in_max_size = 100; };\n", "= 100: must be 2048"),
	REFUSED("ntb.in_max_size, 1514", "ntb = { in_max_size = 1514; };\n",
		"= 1514: must be 2048"),
	REFUSED("ntb.in_max_size, 2044", "ntb = { in_max_size = 2044; };\n",
		"= 2044: must be 2048"),
	REFUSED("ntb.in_max_size, 2047", "ntb = { in_max_size = 2047; };\n",
		"= 2047: must be 2048"),
	REFUSED("ntb.in_max_size, odd", "ntb = { in_max_size = 2050; };\n", "= 2050: must be 2048"),
	SHOWN("ntb.in_max_size, most", "ntb = { in_max_size = 131072; ntb32 = true; };\n",
	      "\tin_max_size = 131072;\n"),
	REFUSED("ntb.in_max_size, more", "ntb = { in_max_size = 131076; ntb32 = true; };\n",
		"= 131076: must be 2048"),
	SHOWN("ntb.in_depth, least", "ntb = { in_depth = 1; };\n", "\tin_depth = 1;\n"),
	SHOWN("ntb.in_depth, most", "ntb = { in_depth = 32; };\n", "\tin_depth = 32;\n"),
	REFUSED("ntb.in_depth, 0", "ntb = { in_depth = 0; };\n",
		":1: ntb.in_depth = 0: must be 1 ... 32 NTBs"),
	REFUSED("ntb.in_depth, 33", "ntb = { in_depth = 33; };\n", "= 33: must be 1 ... 32 NTBs"),
	SHOWN("ntb.in_max_datagrams, most", "ntb = { in_max_datagrams = 240; };\n",
	      "\tin_max_datagrams = 240;\n"),
	SHOWN("ntb.in_max_datagrams, least", "ntb = { in_max_datagrams = 1; };\n",
	      "\tin_max_datagrams = 1;\n"),
	REFUSED("ntb.in_max_datagrams, 0", "ntb = { in_max_datagrams = 0; };\n",
		":1: ntb.in_max_datagrams = 0: must be 1 ... 240 datagrams"),
	REFUSED("ntb.in_max_datagrams, 241", "ntb = { in_max_datagrams = 241; };\n",
		"= 241: must be 1 ... 240 datagrams"),
	SHOWN("tap.join_us, most", "tap = { join_us = 10000; };\n", "\tjoin_us = 10000;\n"),
	REFUSED("tap.join_us, 10001", "tap = { join_us = 10001; };\n",
		":1: tap.join_us = 10001: must be 0 ... 10000 us, 0: no waiting"),
	SHOWN("ntb.in_short_datagrams, most", "ntb = { in_short_datagrams = 40; };\n",
	      "\tin_short_datagrams = 40;\n"),
	REFUSED("ntb.in_short_datagrams, 0", "ntb = { in_short_datagrams = 0; };\n",
		":1: ntb.in_short_datagrams = 0: must be 1 ... 40 datagrams"),
	REFUSED("ntb.in_short_datagrams, 41", "ntb = { in_short_datagrams = 41; };\n",
		"= 41: must be 1 ... 40 datagrams"),
	SHOWN("ntb.out_max_size, least", "ntb = { out_max_size = 2048; };\n",
	      "\tout_max_size = 2048;\n"),
	SHOWN("ntb.out_max_size, most", "ntb = { out_max_size = 131072; ntb32 = true; };\n",
	      "\tout_max_size = 131072;\n"),
	SHOWN("ntb.out_max_size, to be derived",
	      "ntb = { out_max_size = 0; };\nprofile = \"throughput\";\n", "\tout_max_size = 0;\n"),
	REFUSED("ntb.out_max_size, 1024", "ntb = { out_max_size = 1024; };\n",
		":1: ntb.out_max_size = 1024: must be 2048 ... 65532 bytes (131072 with "
		"ntb.ntb32), a multiple of 4; or 0: what suits a Linux host"),
	SHOWN("ntb.out_max_size, as of TinyUSB", "ntb = { out_max_size = 3200; };\n",
	      "\tout_max_size = 3200;\n"),
	REFUSED("ntb.out_max_size, odd", "ntb = { out_max_size = 3202; };\n",
		"= 3202: must be 2048"),
	REFUSED("ntb.out_max_size, more", "ntb = { out_max_size = 132096; };\n",
		"= 132096: must be 2048"),
	SHOWN("ntb.out_count, most", "ntb = { out_count = 128; };\n", "\tout_count = 128;\n"),
	SHOWN("ntb.out_count, least", "ntb = { out_count = 1; };\n", "\tout_count = 1;\n"),
	REFUSED("ntb.out_count, 0", "ntb = { out_count = 0; };\n",
		":1: ntb.out_count = 0: must be 1 ... 128 NTBs"),
	REFUSED("ntb.out_count, 129", "ntb = { out_count = 129; };\n", "= 129: must be 1 ... 128 NTBs"),
	SHOWN("ntb.out_max_datagrams", "ntb = { out_max_datagrams = 1; };\n",
	      "\tout_max_datagrams = 1;\n"),
	SHOWN("ntb.out_max_datagrams, most", "ntb = { out_max_datagrams = 65535; };\n",
	      "\tout_max_datagrams = 65535;\n"),
	SHOWN("ntb.out_max_datagrams, no limit", "ntb = { out_max_datagrams = 0; };\n",
	      "\tout_max_datagrams = 0;\n"),
	REFUSED("ntb.out_max_datagrams, 65536", "ntb = { out_max_datagrams = 65536; };\n",
		":1: ntb.out_max_datagrams = 65536: must be 0 ... 65535 datagrams, 0: no limit"),
	SHOWN("ntb.max_segment_size, most", "ntb = { max_segment_size = 8000; };\n",
	      "\tmax_segment_size = 8000;\n"),
	REFUSED("ntb.max_segment_size, 1513", "ntb = { max_segment_size = 1513; };\n",
		":1: ntb.max_segment_size = 1513: must be 1514 ... 8000 bytes"),
	REFUSED("ntb.max_segment_size, 8001", "ntb = { max_segment_size = 8001; };\n",
		"= 8001: must be"),
	SHOWN("ntb.ntb32", "ntb = { ntb32 = true; };\n", "\tntb32 = true;\n"),
	SHOWN("ntb.crc", "ntb = { crc = true; };\n", "\tcrc = true;\n"),
	SHOWN("ntb.ending, zlp", "ntb = { ending = \"zlp\"; };\n", "\tending = \"zlp\";\n"),
	SHOWN("ntb.ending, pad", "ntb = { ending = \"pad\"; };\n", "\tending = \"pad\";\n"),
	REFUSED("ntb.ending, other", "ntb = { ending = \"none\"; };\n",
		":1: ntb.ending = \"none\": must be \"pad\" or \"zlp\""),

	/* The queue. */
	SHOWN("queue.target_us, none", "queue = { target_us = 0; };\n", "\ttarget_us = 0;\n"),
	SHOWN("queue.target_us, least", "queue = { target_us = 100; };\n", "\ttarget_us = 100;\n"),
	SHOWN("queue.target_us, most", "queue = { target_us = 1000000; };\n",
	      "\ttarget_us = 1000000;\n"),
	REFUSED("queue.target_us, 99", "queue = { target_us = 99; };\n",
		":1: queue.target_us = 99: must be 100 ... 1000000 us, or 0: no queue of ncmd's "
		"own"),
	REFUSED("queue.target_us, more", "queue = { target_us = 1000001; };\n",
		"= 1000001: must be 100"),
	SHOWN("queue.interval_us, least", "queue = { interval_us = 1000; };\n",
	      "\tinterval_us = 1000;\n"),
	SHOWN("queue.interval_us, most", "queue = { interval_us = 10000000; };\n",
	      "\tinterval_us = 10000000;\n"),
	REFUSED("queue.interval_us, 999", "queue = { interval_us = 999; };\n",
		":1: queue.interval_us = 999: must be 1000 ... 10000000 us"),
	REFUSED("queue.interval_us, 0", "queue = { interval_us = 0; };\n", "= 0: must be 1000"),
	REFUSED("queue.interval_us, more", "queue = { interval_us = 10000001; };\n",
		"= 10000001: must be 1000"),
	SHOWN("queue.limit_us, least", "queue = { limit_us = 1000; };\n", "\tlimit_us = 1000;\n"),
	SHOWN("queue.limit_us, most", "queue = { limit_us = 10000000; };\n",
	      "\tlimit_us = 10000000;\n"),
	REFUSED("queue.limit_us, 999", "queue = { limit_us = 999; };\n",
		":1: queue.limit_us = 999: must be 1000 ... 10000000 us, not less than "
		"queue.target_us"),
	REFUSED("queue.limit_us, more", "queue = { limit_us = 10000001; };\n",
		"= 10000001: must be 1000"),
	SHOWN("queue.in_flight_us, least", "queue = { in_flight_us = 100; };\n",
	      "\tin_flight_us = 100;\n"),
	SHOWN("queue.in_flight_us, most", "queue = { in_flight_us = 1000000; };\n",
	      "\tin_flight_us = 1000000;\n"),
	REFUSED("queue.in_flight_us, 99", "queue = { in_flight_us = 99; };\n",
		":1: queue.in_flight_us = 99: must be 100 ... 1000000 us"),
	REFUSED("queue.in_flight_us, more", "queue = { in_flight_us = 1000001; };\n",
		"= 1000001: must be 100"),
	REFUSED("queue, misspelt", "queu = { target_us = 0; };\n", "did you mean queue?"),
	REFUSED("queue, no group", "queue = 500;\n",
		":1: queue = 500: must be a group: queue = { ... };"),

	/* The gadget. */
	SHOWN("gadget.scheme", "gadget = { scheme = \"/etc/ncmd/a.scheme\"; };\n",
	      "\tscheme = \"/etc/ncmd/a.scheme\";\n"),
	SHOWN("gadget.scheme, none", "gadget = { scheme = \"\"; };\n", "\tscheme = \"\";\n"),
	REFUSED("gadget.scheme, relative", "gadget = { scheme = \"a.scheme\"; };\n",
		":1: gadget.scheme = \"a.scheme\": must be the absolute path of a libusbgx scheme"),
	SHOWN("gadget.vendor_id, hex", "gadget = { vendor_id = 0x2e8a; };\n",
	      "\tvendor_id = 0x2e8a;\n"),
	SHOWN("gadget.vendor_id, decimal", "gadget = { vendor_id = 11914; };\n",
	      "\tvendor_id = 0x2e8a;\n"),
	SHOWN("gadget.vendor_id, most", "gadget = { vendor_id = 0xffff; };\n",
	      "\tvendor_id = 0xffff;\n"),
	REFUSED("gadget.vendor_id, 0", "gadget = { vendor_id = 0x0; };\n",
		":1: gadget.vendor_id = 0x0: must be 0x0001 ... 0xffff"),
	REFUSED("gadget.vendor_id, too large", "gadget = { vendor_id = 0x10000; };\n",
		"gadget.vendor_id = 0x10000: must be"),
	SHOWN("gadget.product_id, least", "gadget = { product_id = 0x0000; };\n",
	      "\tproduct_id = 0x0000;\n"),
	SHOWN("gadget.product_id, most", "gadget = { product_id = 0xffff; };\n",
	      "\tproduct_id = 0xffff;\n"),
	REFUSED("gadget.product_id, too large", "gadget = { product_id = 0x10000; };\n",
		":1: gadget.product_id = 0x10000: must be 0x0000 ... 0xffff"),
	REFUSED("gadget.product_id, 32 bits", "gadget = { product_id = 0xffff0103; };\n",
		":1: gadget.product_id = 0xffff0103: must be"),
	SHOWN("gadget.bcd_device", "gadget = { bcd_device = 0x9999; };\n",
	      "\tbcd_device = 0x9999;\n"),
	SHOWN("gadget.bcd_device, least", "gadget = { bcd_device = 0x0000; };\n",
	      "\tbcd_device = 0x0000;\n"),
	REFUSED("gadget.bcd_device, no BCD", "gadget = { bcd_device = 0x9a00; };\n",
		":1: gadget.bcd_device = 0x9a00: must be 0x0000 ... 0x9999, decimal digits only"),
	REFUSED("gadget.bcd_device, too large", "gadget = { bcd_device = 0x10000; };\n",
		"gadget.bcd_device = 0x10000: must be"),
	REFUSED("gadget.bcd_device, a digit of 10", "gadget = { bcd_device = 0x10a; };\n",
		"gadget.bcd_device = 0x10a: must be"),
	SHOWN("gadget.manufacturer, UTF-8", "gadget = { manufacturer = \"Gerät 機 😀\"; };\n",
	      "\tmanufacturer = \"Gerät 機 😀\";\n"),
	REFUSED("gadget.manufacturer, Latin-1", "gadget = { manufacturer = \"Ger\xe4t\"; };\n",
		":1: gadget.manufacturer = \"Ger\\xe4t\": is not UTF-8; must be 1 ... 126 bytes of "
		"UTF-8 "
		"without control characters"),
	REFUSED("gadget.manufacturer, a surrogate",
		"gadget = { manufacturer = \"\xed\xa0\x80\"; };\n", "is not UTF-8"),
	REFUSED("gadget.manufacturer, overlong", "gadget = { manufacturer = \"\xe0\x80\xaf\"; };\n",
		"is not UTF-8"),
	REFUSED("gadget.manufacturer, cut", "gadget = { manufacturer = \"\xe6\xa9\"; };\n",
		"is not UTF-8"),
	SHOWN("gadget.product, quotes", "gadget = { product = \"a \\\"b\\\" \\\\ c\"; };\n",
	      "\tproduct = \"a \\\"b\\\" \\\\ c\";\n"),
	REFUSED("gadget.product, a new line", "gadget = { product = \"a\\nb\"; };\n",
		":1: gadget.product = \"a\\x0ab\": must be"),
	REFUSED("gadget.product, empty", "gadget = { product = \"\"; };\n",
		":1: gadget.product = \"\": must be 1 ... 126 bytes"),
	SHOWN("gadget.product, longest",
	      "gadget = { product = \"123456789012345678901234567890123456789012345678901234567890"
	      "123456789012345678901234567890123456789012345678901234567890123456\"; };\n",
	      "7890123456\";\n"),
	REFUSED("gadget.product, too long",
		"gadget = { product = "
		"\"123456789012345678901234567890123456789012345678901234567890"
		"1234567890123456789012345678901234567890123456789012345678901234567\"; };\n",
		"is too long; must be 1 ... 126 bytes"),
	SHOWN("gadget.serial", "gadget = { serial = \"A-1\"; };\n", "\tserial = \"A-1\";\n"),
	REFUSED("gadget.serial, a comma", "gadget = { serial = \"A,1\"; };\n",
		":1: gadget.serial = \"A,1\": must be \"auto\" or 1 ... 126 printable ASCII "
		"characters "
		"other than ','"),
	REFUSED("gadget.serial, empty", "gadget = { serial = \"\"; };\n",
		":1: gadget.serial = \"\": must be"),
	REFUSED("gadget.serial, UTF-8", "gadget = { serial = \"Gerät\"; };\n",
		":1: gadget.serial = \"Ger\\xc3\\xa4t\": must be"),
	SHOWN("gadget.function", "gadget = { function = \"net\"; };\n", "\tfunction = \"net\";\n"),
	SHOWN("gadget.max_power_ma, least", "gadget = { max_power_ma = 2; };\n",
	      "\tmax_power_ma = 2;\n"),
	SHOWN("gadget.max_power_ma, most", "gadget = { max_power_ma = 500; };\n",
	      "\tmax_power_ma = 500;\n"),
	REFUSED("gadget.max_power_ma, 0", "gadget = { max_power_ma = 0; };\n",
		":1: gadget.max_power_ma = 0: must be 2 ... 500 mA"),
	REFUSED("gadget.max_power_ma, 1", "gadget = { max_power_ma = 1; };\n",
		"gadget.max_power_ma = 1: must be"),
	REFUSED("gadget.max_power_ma, 501", "gadget = { max_power_ma = 501; };\n",
		"= 501: must be"),
	SHOWN("gadget.self_powered", "gadget = { self_powered = true; };\n",
	      "\tself_powered = true;\n"),
};

/* Rows for config_load(), which succeeds, and config_complete() on MACHINE after it. */
static const struct row complete_rows[] = {
	REFUSED("gadgetfs takes no scheme",
		"transport = \"gadgetfs\"; gadget = { scheme = \"/s\"; };\n",
		"gadget.scheme = \"/s\": transport = \"gadgetfs\" takes nothing from a scheme"),
	SHOWN("auto may have one", "gadget = { scheme = \"/s\"; };\n", "\tscheme = \"/s\";\n"),
	SHOWN("tap.name is name", "name = \"abc\";\n", "tap = {\n\tname = \"abc\";\n"),
	SHOWN("tap.name stays", "tap = { name = \"usb0\"; };\n", "tap = {\n\tname = \"usb0\";\n"),
	REFUSED("name is too long for the interface", "name = \"a123456789012345\";\n",
		"name = \"a123456789012345\": is too long to be the name of the interface too: set "
		"tap.name, 1 ... 15 characters"),
	SHOWN("mtu is derived", "", "\tmtu = 1500;\n"),
	SHOWN("mtu is derived from a larger segment", "ntb = { max_segment_size = 8000; };\n",
	      "\tmtu = 7986;\n"),
	SHOWN("mtu stays", "tap = { mtu = 1400; };\n", "\tmtu = 1400;\n"),
	SHOWN("mtu 1500 is the most", "tap = { mtu = 1500; };\n", "\tmtu = 1500;\n"),
	REFUSED("mtu 1501 does not fit", "tap = { mtu = 1501; };\n",
		"tap.mtu = 1501: must be 68 ... 1500 bytes, ntb.max_segment_size = 1514 less an "
		"Ethernet "
		"header; raise that, at most to 8000, or leave tap.mtu out"),
	SHOWN("mtu 4000 with larger segments",
	      "tap = { mtu = 4000; };\nntb = { max_segment_size = 4014; };\n", "\tmtu = 4000;\n"),
	REFUSED("mtu too small for IPv6",
		"tap = { mtu = 1279; addresses = ( \"fd00::1/64\" ); };\n",
		"tap.mtu = 1279: must be 1280 bytes or more for the IPv6 address fd00::1/64"),
	SHOWN("mtu small with IPv4", "tap = { mtu = 576; addresses = ( \"10.55.0.1/24\" ); };\n",
	      "\tmtu = 576;\n"),
	SHOWN("mtu just enough for IPv6",
	      "tap = { mtu = 1280; addresses = ( \"fd00::1/64\" ); };\n", "\tmtu = 1280;\n"),
	REFUSED("equal addresses",
		"tap = { mac = \"02:00:00:00:00:01\"; host_mac = \"02-00-00-00-00-01\"; };\n",
		"tap.mac = tap.host_mac = \"02:00:00:00:00:01\": both ends of the cable have the "
		"same "
		"address: must differ, or be \"auto\""),
	SHOWN("different addresses",
	      "tap = { mac = \"02:00:00:00:00:01\"; host_mac = \"02:00:00:00:00:02\"; };\n",
	      "\thost_mac = \"02:00:00:00:00:02\";\n"),
	SHOWN("serial stays", "gadget = { serial = \"42\"; };\n", "\tserial = \"42\";\n"),
	SHOWN("serial is the scheme's", "gadget = { scheme = \"/a\"; };\n",
	      "\tserial = \"auto\";\n"),

	SHOWN("in_max_size 65532", "ntb = { in_max_size = 65532; };\n", "\tin_max_size = 65532;\n"),
	REFUSED("in_max_size 65536", "ntb = { in_max_size = 65536; };\n",
		"ntb.in_max_size = 65536: must be 2048 ... 65532 bytes, a multiple of 4, unless "
		"ntb.ntb32 = "
		"true"),
	REFUSED("in_max_size 70000", "ntb = { in_max_size = 70000; };\n",
		"ntb.in_max_size = 70000: must be 2048 ... 65532"),
	SHOWN("in_max_size 65536 with ntb32", "ntb = { in_max_size = 65536; ntb32 = true; };\n",
	      "\tin_max_size = 65536;\n"),
	SHOWN("out_max_size 65532", "ntb = { out_max_size = 65532; };\n",
	      "\tout_max_size = 65532;\n"),
	REFUSED("out_max_size 65536", "ntb = { out_max_size = 65536; };\n",
		"ntb.out_max_size = 65536: must be 2048 ... 65532 bytes, a multiple of 4, "
		"unless "
		"ntb.ntb32 = true"),
	SHOWN("out_max_size 65536 with ntb32", "ntb = { out_max_size = 65536; ntb32 = true; };\n",
	      "\tout_max_size = 65536;\n"),
	SHOWN("2048 holds a datagram", "ntb = { in_max_size = 2048; out_max_size = 2048; };\n",
	      "\tin_max_size = 2048;\n"),
	SHOWN("2048 holds a datagram with everything",
	      "ntb = { in_max_size = 2048; out_max_size = 2048; out_max_datagrams = 0;\n"
	      " ntb32 = true; crc = true; };\n",
	      "\tin_max_size = 2048;\n"),

	/* A Linux host with one datagram an NTB: NTH16 12, NDP16 8 + 2 * 4, at most 3 to align: 31;
	 * 3 packets of 512 more, and it is not filled up.
	 */
	SHOWN("out_max_size is derived", "", "\tout_max_size = 3584;\n"),
	SHOWN("out_max_size is derived, the largest for 3584",
	      "ntb = { max_segment_size = 2017; };\n", "\tout_max_size = 3584;\n"),
	SHOWN("out_max_size is derived, a byte more", "ntb = { max_segment_size = 2018; };\n",
	      "\tout_max_size = 4096;\n"),
	SHOWN("out_max_size is derived, with a CRC",
	      "ntb = { max_segment_size = 2017; crc = true; };\n", "\tout_max_size = 4096;\n"),
	SHOWN("out_max_size is derived, with NTB32",
	      "ntb = { max_segment_size = 2017; ntb32 = true; };\n", "\tout_max_size = 4096;\n"),
	SHOWN("out_max_size is derived, for the largest datagram",
	      "ntb = { max_segment_size = 8000; ntb32 = true; crc = true; };\n",
	      "\tout_max_size = 9728;\n"),
	SHOWN("out_max_size is derived, for a full table of datagrams",
	      "ntb = { max_segment_size = 8000; ntb32 = true; crc = true; out_max_datagrams = 0; "
	      "};\n",
	      "\tout_max_size = 16384;\n"),
	SHOWN("out_max_size is derived where the profile has a size",
	      "profile = \"throughput\";\nntb = { out_max_size = 0; };\n",
	      "\tout_max_size = 15360;\n"),
	REFUSED("out_max_size that is set is not raised",
		"ntb = { out_max_size = 2048; max_segment_size = 2014; };\n",
		"ntb.out_max_size = 2048: has room for a datagram of 2017 bytes"),
	SHOWN("out_max_size is derived, for two of the largest datagrams",
	      "profile = \"throughput\";\nntb = { max_segment_size = 8000; };\n",
	      "\tout_max_size = 16384;\n"),

	SHOWN("queue.limit_us as large as the target", "queue = { limit_us = 2000; };\n",
	      "\tlimit_us = 2000;\n"),
	REFUSED("queue.limit_us below the target", "queue = { limit_us = 1999; };\n",
		"queue.limit_us = 1999: must be 2000 ... 10000000 us, not less than "
		"queue.target_us = 2000: raise it, or lower queue.target_us"),
	REFUSED("queue.target_us above the limit", "queue = { target_us = 50001; };\n",
		"queue.limit_us = 50000: must be 50001 ... 10000000 us"),
	SHOWN("queue.limit_us without a queue", "queue = { target_us = 0; limit_us = 1000; };\n",
	      "\tlimit_us = 1000;\n"),

	/* NTH16 12, gap 2, datagram 4018, NDP16 16: exactly 4048. */
	SHOWN("in_max_size holds it exactly",
	      "ntb = { in_max_size = 4048; max_segment_size = 4014; };\n",
	      "\tmax_segment_size = 4014;\n"),
	REFUSED("in_max_size lacks 4 bytes",
		"ntb = { in_max_size = 4044; max_segment_size = 4014; };\n",
		"ntb.in_max_size = 4044: has room for a datagram of 4014 bytes, but "
		"ntb.max_segment_size = "
		"4014 and a VLAN tag need 4018: raise it, or lower ntb.max_segment_size"),
	REFUSED("in_max_size lacks a byte",
		"ntb = { in_max_size = 4044; max_segment_size = 4011; };\n",
		"has room for a datagram of 4014 bytes, but ntb.max_segment_size = 4011 and a VLAN "
		"tag need 4015"),
	REFUSED("in_max_size lacks the CRC",
		"ntb = { in_max_size = 4048; max_segment_size = 4014; crc = true; };\n",
		"ntb.in_max_size = 4048: has room for a datagram of 4014 bytes"),
	REFUSED("in_max_size lacks the NTB32 headers",
		"ntb = { in_max_size = 4048; max_segment_size = 4014; ntb32 = true; };\n",
		"ntb.in_max_size = 4048: has room for a datagram of "),

	/* A Linux host: NTH16 12, NDP16 8 + 41 * 4, at most 3 to align: 187. */
	SHOWN("out_max_size holds it exactly",
	      "ntb = { out_max_size = 4096; max_segment_size = 3905; out_max_datagrams = 0; };\n",
	      "\tmax_segment_size = 3905;\n"),
	REFUSED("out_max_size lacks a byte",
		"ntb = { out_max_size = 4096; max_segment_size = 3906; out_max_datagrams = 0; };\n",
		"ntb.out_max_size = 4096: has room for a datagram of 3909 bytes beside a Linux "
		"host's "
		"headers, but ntb.max_segment_size = 3906 and a VLAN tag need 3910: raise it, or "
		"lower "
		"ntb.max_segment_size"),
	SHOWN("out_max_size with one datagram an NTB",
	      "ntb = { out_max_size = 4096; max_segment_size = 4061; out_max_datagrams = 1; };\n",
	      "\tmax_segment_size = 4061;\n"),
	REFUSED("out_max_size lacks a byte with one datagram an NTB",
		"ntb = { out_max_size = 4096; max_segment_size = 4062; out_max_datagrams = 1; };\n",
		"has room for a datagram of 4065 bytes"),
	REFUSED("out_max_size lacks the CRC",
		"ntb = { out_max_size = 4096; max_segment_size = 3905; out_max_datagrams = 0;\n"
		" crc = true; };\n",
		"has room for a datagram of 3905 bytes"),
	REFUSED("out_max_size lacks the NTB32 headers",
		"ntb = { out_max_size = 4096; max_segment_size = 3905; out_max_datagrams = 0;\n"
		" ntb32 = true; };\n",
		"has room for a datagram of 3733 bytes"),
};

/* Makes a file of `text` and leaves its name in `path`. */
static void write_file(const char *text, char path[static 64])
{
	size_t len = strlen(text);
	int fd;

	strcpy(path, "/tmp/test_config.XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	close(fd);
}

static void print_into(const struct config *c, char *text)
{
	FILE *to = fmemopen(text, FILE_MAX, "w");

	assert_non_null(to);
	config_print(c, to);
	assert_int_equal(fclose(to), 0);
}

static void assert_contains(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" does not contain \"%s\"", text, part);
}

/* Reads `text` as a file; on failure, the message without the file's name is in `error`. */
static int load_text(struct config *c, const char *text, char error[static ERROR_MAX])
{
	char path[64];
	int result;

	write_file(text, path);
	memset(c, 0x5a, sizeof(*c));
	strcpy(error, "untouched");
	result = config_load(c, path, error, ERROR_MAX);
	unlink(path);

	if (result == 0) {
		assert_string_equal(error, "untouched");
		return 0;
	}
	assert_int_equal(result, -1);
	assert_null(strchr(error, '\n'));
	assert_memory_equal(error, path, strlen(path));
	memmove(error, &error[strlen(path)], strlen(error) - strlen(path) + 1);
	return -1;
}

/* What config_print() writes, config_load() reads to the same bytes. */
static void assert_round_trip(const struct config *c)
{
	char text[FILE_MAX], error[ERROR_MAX];
	struct config again;

	print_into(c, text);
	if (load_text(&again, text, error))
		fail_msg("%s of\n%s", error, text);
	assert_memory_equal(c, &again, sizeof(again));
}

static void assert_outcome(const struct row *row, int result, const char *error,
			   const struct config *c)
{
	char text[FILE_MAX];

	/* One of the two, and not "", which everything contains. */
	assert_true((row->error && row->error[0]) != (row->printed && row->printed[0]));
	if (row->error) {
		if (result == 0)
			fail_msg("accepted, but expected \"%s\"", row->error);
		assert_contains(error, row->error);
		return;
	}
	if (result)
		fail_msg("refused: %s", error);
	print_into(c, text);
	assert_contains(text, row->printed);
	assert_round_trip(c);
}

static void test_load(void **state)
{
	const struct row *row = *state;
	char error[ERROR_MAX];
	struct config c;
	int result = load_text(&c, row->text, error);

	assert_outcome(row, result, error, &c);
}

static void test_complete(void **state)
{
	const struct row *row = *state;
	char error[ERROR_MAX];
	struct config c;

	if (load_text(&c, row->text, error))
		fail_msg("refused too early: %s", error);
	assert_outcome(row, config_complete(&c, MACHINE, error, sizeof(error)), error, &c);
}

static void test_every_setting_differs(void **state)
{
	static const char text[] =
		"name = \"n\"; udc = \"u\"; transport = \"functionfs\"; fallback = \"ncm-only\"; max_speed = \"high\"; policy = \"window:7\";\n"
		"profile = \"throughput\"; offload = \"off\"; copy = \"bounce\"; run_dir = "
		"\"/r\";\n"
		"tap = { name = \"t\"; mac = \"02:00:00:00:00:01\"; host_mac = \"020000000002\";\n"
		" mtu = 1400; txqueuelen = 5; join_us = 1; addresses = ( \"10.0.0.1/8\", \"fd00::1/64\" );\n"
		" persist = true; };\n"
		"ntb = { in_max_size = 2052; in_depth = 3; in_max_datagrams = 9; in_short_datagrams = 7;\n"
		" out_max_size = 3072; out_count = 2; out_max_datagrams = 6;\n"
		" max_segment_size = 1600; ntb32 = true; crc = true; ending = \"zlp\"; ndp = \"start\"; };\n"
		"queue = { target_us = 101; interval_us = 1001; limit_us = 1002; in_flight_us = "
		"102; };\n"
		"gadget = { scheme = \"/s\"; vendor_id = 1; product_id = 2; bcd_device = 3;\n"
		" manufacturer = \"m\"; product = \"p\"; serial = \"s\"; function = \"f\";\n"
		" max_power_ma = 100; self_powered = true; };\n";
	char error[ERROR_MAX], before[FILE_MAX], after[FILE_MAX];
	struct config c, defaults;
	char *one, *two, *save_one, *save_two;

	(void)state;
	assert_int_equal(load_text(&c, text, error), 0);
	assert_round_trip(&c);

	/* Line by line, no setting is as it is by default: none was missed. */
	config_defaults(&defaults);
	print_into(&defaults, before);
	print_into(&c, after);
	one = strtok_r(before, "\n", &save_one);
	two = strtok_r(after, "\n", &save_two);
	for (; one && two; one = strtok_r(NULL, "\n", &save_one)) {
		if (strchr(one, '=') && !strchr(one, '{'))
			assert_string_not_equal(one, two);
		two = strtok_r(NULL, "\n", &save_two);
	}
	assert_null(one);
	assert_null(two);
}

static void test_defaults(void **state)
{
	struct config c;

	(void)state;
	memset(&c, 0xff, sizeof(c));
	config_defaults(&c);
	assert_string_equal(c.name, "ncm0");
	assert_int_equal(c.profile, CONFIG_PROFILE_LATENCY);
	assert_int_equal(c.offload, CONFIG_OFFLOAD_AUTO);
	assert_int_equal(c.copy, CONFIG_COPY_IN_PLACE);
	assert_int_equal(c.queue.target_us, 2000);
	assert_int_equal(c.queue.interval_us, 100000);
	assert_int_equal(c.queue.limit_us, 50000);
	assert_int_equal(c.queue.in_flight_us, 400);
	assert_int_equal(c.gadget.vendor_id, 0x1d6b);
	assert_int_equal(c.gadget.max_power_ma, 250);
	assert_round_trip(&c);
}

/* What a profile sets, each to a value that no profile has; the rest of the file is silent. */
#define ABOVE_PROFILE                                                                              \
	"policy = \"window:7\";\n"                                                                 \
	"ntb = { in_max_size = 2052; in_depth = 3; in_max_datagrams = 9; in_short_datagrams = 7;\n"                        \
	" out_max_size = 3072; out_count = 2; out_max_datagrams = 6; };\n"

static void load_or_fail(struct config *c, const char *text)
{
	char error[ERROR_MAX];

	if (load_text(c, text, error))
		fail_msg("%s of\n%s", error, text);
}

/* The file wins in all seven settings, before `profile` and after it. */
static void test_profile_is_overridden(void **state)
{
	struct config c, expected;
	char text[512];

	(void)state;
	load_or_fail(&expected, ABOVE_PROFILE);
	for (unsigned int i = 0; config_profile_name(i); i++) {
		expected.profile = i;

		snprintf(text, sizeof(text), "profile = \"%s\";\n%s", config_profile_name(i),
			 ABOVE_PROFILE);
		load_or_fail(&c, text);
		assert_memory_equal(&c, &expected, sizeof(c));

		snprintf(text, sizeof(text), "%sprofile = \"%s\";\n", ABOVE_PROFILE,
			 config_profile_name(i));
		load_or_fail(&c, text);
		assert_memory_equal(&c, &expected, sizeof(c));
		assert_round_trip(&c);
	}
}

/* Values that are another profile's, the default one's among them, are set like any other. */
static void test_profile_overridden_by_another(void **state)
{
	struct config c, values;
	char text[512], policy[POLICY_TEXT_MAX];

	(void)state;
	for (unsigned int i = 0; config_profile_name(i); i++) {
		config_defaults(&values);
		config_profile_apply(&values, i);
		policy_print(&values.policy, policy);
		for (unsigned int j = 0; config_profile_name(j); j++) {
			snprintf(text, sizeof(text),
				 "policy = \"%s\";\nntb = { in_max_size = %u; in_depth = %u;\n"
				 " in_max_datagrams = %u; in_short_datagrams = %u; out_max_size = %u; out_count = %u;\n"
				 " out_max_datagrams = %u; };\nprofile = \"%s\";\n",
				 policy, values.ntb.in_max_size, values.ntb.in_depth,
				 values.ntb.in_max_datagrams, values.ntb.in_short_datagrams,
				 values.ntb.out_max_size,
				 values.ntb.out_count, values.ntb.out_max_datagrams,
				 config_profile_name(j));
			load_or_fail(&c, text);
			values.profile = j;
			assert_memory_equal(&c, &values, sizeof(c));
		}
	}
}

/* Each profile is a configuration that works, alone and with the largest datagrams. */
static void test_profile_completes(void **state)
{
	static const char *const more[] = {
		"", "ntb = { max_segment_size = 8000; };\n",
		"ntb = { max_segment_size = 8000; ntb32 = true; crc = true; };\n"
	};
	char text[256], error[ERROR_MAX];
	struct config c;

	(void)state;
	for (unsigned int i = 0; config_profile_name(i); i++) {
		for (size_t j = 0; j < sizeof(more) / sizeof(more[0]); j++) {
			snprintf(text, sizeof(text), "profile = \"%s\";\n%s",
				 config_profile_name(i), more[j]);
			load_or_fail(&c, text);
			assert_int_equal(c.profile, i);
			assert_round_trip(&c);
			if (config_complete(&c, MACHINE, error, sizeof(error)))
				fail_msg("%s of\n%s", error, text);
			assert_round_trip(&c);
		}
	}
}

/* What tells the two apart on the cable, whatever else is tuned. */
static void test_profile_purpose(void **state)
{
	struct config c;

	(void)state;
	load_or_fail(&c, "profile = \"latency\";\n");
	assert_int_equal(c.ntb.out_max_datagrams, 1);
	load_or_fail(&c, "profile = \"throughput\";\n");
	assert_int_equal(c.ntb.out_max_datagrams, 0);
}

/* In a file that the named one includes, too. */
static void test_profile_included(void **state)
{
	char part[64], text[128];
	struct config c, expected;

	(void)state;
	write_file("profile = \"throughput\";\n", part);
	snprintf(text, sizeof(text), "ntb = { in_depth = 3; };\n@include \"%s\"\n", part);
	load_or_fail(&c, text);
	unlink(part);
	load_or_fail(&expected, "profile = \"throughput\";\nntb = { in_depth = 3; };\n");
	assert_memory_equal(&c, &expected, sizeof(c));
}

static const char *one_word(unsigned int value)
{
	return value == 0 ? "one" : NULL;
}

static const char *three_words(unsigned int value)
{
	static const char *const words[] = { "one", "two", "three", NULL };

	return words[value];
}

static void test_choices(void **state)
{
	char text[CONFIG_PATH_MAX];
	unsigned int value = 7;

	(void)state;
	text_print_choices(one_word, text);
	assert_string_equal(text, "\"one\"");
	text_print_choices(three_words, text);
	assert_string_equal(text, "\"one\", \"two\" or \"three\"");

	assert_false(text_parse_choice("four", three_words, &value));
	assert_false(text_parse_choice("thre", three_words, &value));
	assert_int_equal(value, 7);
	assert_true(text_parse_choice("three", three_words, &value));
	assert_int_equal(value, 2);
}

static void test_no_file(void **state)
{
	char error[ERROR_MAX];
	struct config c;

	(void)state;
	assert_int_equal(config_load(&c, "/nonexistent/ncm.conf", error, sizeof(error)), -1);
	assert_string_equal(error,
			    "/nonexistent/ncm.conf: cannot be read: No such file or directory: "
			    "create it, or name another file with -c");
	assert_int_equal(config_load(&c, "/tmp", error, sizeof(error)), -1);
	assert_string_equal(error,
			    "/tmp: cannot be read: Is a directory: name another file with -c");
}

static void test_included_file(void **state)
{
	char path[64], part[64], text[128], error[ERROR_MAX], expected[128];
	struct config c;

	(void)state;
	write_file("name = \"fine\";\n\nudc = 5;\n", part);
	snprintf(text, sizeof(text), "policy = \"immediate\";\n@include \"%s\"\n", part);
	snprintf(expected, sizeof(expected), "%s:3: udc = 5: must be a text in quotes", part);

	write_file(text, path);
	assert_int_equal(config_load(&c, path, error, sizeof(error)), -1);
	unlink(path);
	unlink(part);
	assert_memory_equal(error, expected, strlen(expected));
}

static void test_short_error(void **state)
{
	char error[16], guard = 0x5a, path[64];
	struct config c;

	(void)state;
	write_file("ntb = { out_count = 0; };\n", path);
	for (size_t len = 1; len <= sizeof(error); len++) {
		memset(error, guard, sizeof(error));
		assert_int_equal(config_load(&c, path, error, len), -1);
		assert_int_equal(strlen(error), len - 1);
		for (size_t i = len; i < sizeof(error); i++)
			assert_int_equal(error[i], guard);
	}
	unlink(path);
}

static void complete_on(struct config *c, const char *name, const char *machine_id)
{
	char error[ERROR_MAX];

	config_defaults(c);
	strcpy(c->name, name);
	if (config_complete(c, machine_id, error, sizeof(error)))
		fail_msg("%s", error);
	assert_round_trip(c);
}

static void test_derived(void **state)
{
	static const uint8_t mac[6] = { 0x12, 0x47, 0x32, 0xb3, 0xa0, 0x6e };
	static const uint8_t host_mac[6] = { 0xaa, 0xdc, 0x65, 0xe9, 0x4c, 0xd7 };
	struct config c, again, name, machine;

	(void)state;
	complete_on(&c, "ncm0", MACHINE);
	complete_on(&again, "ncm0", MACHINE);
	complete_on(&name, "ncm1", MACHINE);
	complete_on(&machine, "ncm0", OTHER_MACHINE);

	assert_memory_equal(&c, &again, sizeof(c));
	assert_memory_not_equal(c.tap.mac, name.tap.mac, 6);
	assert_memory_not_equal(c.tap.host_mac, name.tap.host_mac, 6);
	assert_string_not_equal(c.gadget.serial, name.gadget.serial);
	assert_memory_not_equal(c.tap.mac, machine.tap.mac, 6);
	assert_memory_not_equal(c.tap.host_mac, machine.tap.host_mac, 6);
	assert_string_not_equal(c.gadget.serial, machine.gadget.serial);

	/* For ever: a release with other numbers would be a new adapter to every host. */
	assert_memory_equal(c.tap.mac, mac, 6);
	assert_memory_equal(c.tap.host_mac, host_mac, 6);
	assert_string_equal(c.gadget.serial, "C8955BFB8C5E31BE");
}

static int compare_macs(const void *a, const void *b)
{
	return memcmp(a, b, 6);
}

/* 4096 instances: no address twice, all local and unicast, each bit set about half of the time. */
static void test_derived_spread(void **state)
{
	enum { INSTANCES = 4096 };
	static uint8_t macs[2 * INSTANCES][6];
	unsigned int ones[48] = { 0 };

	(void)state;
	for (unsigned int i = 0; i < INSTANCES; i++) {
		char name[16];

		snprintf(name, sizeof(name), "ncm%u", i);
		mac_derive("0123456789abcdef0123456789abcdef", name, MAC_END_BOARD, macs[2 * i]);
		mac_derive("0123456789abcdef0123456789abcdef", name, MAC_END_HOST, macs[2 * i + 1]);
	}
	for (unsigned int i = 0; i < 2 * INSTANCES; i++) {
		assert_int_equal(macs[i][0] & 0x03, 0x02);
		for (unsigned int bit = 0; bit < 48; bit++)
			ones[bit] += macs[i][bit / 8] >> (7 - bit % 8) & 1;
	}
	for (unsigned int bit = 0; bit < 48; bit++)
		if (bit != 6 && bit != 7)
			assert_in_range(ones[bit], INSTANCES - 300, INSTANCES + 300);

	qsort(macs, 2 * INSTANCES, 6, compare_macs);
	for (unsigned int i = 1; i < 2 * INSTANCES; i++)
		assert_memory_not_equal(macs[i - 1], macs[i], 6);
}

static void test_machine_id(void **state)
{
	static const char *const wrong[] = {
		NULL,
		"",
		"uninitialized\n",
		"0123456789abcdef0123456789abcde\n",
		"0123456789abcdef0123456789abcdef0\n",
		"0123456789abcdef0123456789abcdef x\n",
		"00000000000000000000000000000000\n",
	};
	char error[ERROR_MAX];
	struct config c, fixed;

	(void)state;
	config_defaults(&fixed);
	fixed.tap.mac[0] = fixed.tap.host_mac[0] = 0x02;
	fixed.tap.mac[5] = 1;
	strcpy(fixed.gadget.serial, "1");

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		config_defaults(&c);
		assert_int_equal(config_complete(&c, wrong[i], error, sizeof(error)), -1);
		assert_string_equal(
			error, "tap.mac = \"auto\": this machine has no usable /etc/machine-id to "
			       "derive it from: run systemd-machine-id-setup, or set tap.mac, "
			       "tap.host_mac and gadget.serial");

		c = fixed;
		memset(c.tap.host_mac, 0, sizeof(c.tap.host_mac));
		assert_int_equal(config_complete(&c, wrong[i], error, sizeof(error)), -1);
		assert_memory_equal(error, "tap.host_mac = \"auto\": ", 23);

		c = fixed;
		strcpy(c.gadget.serial, "auto");
		assert_int_equal(config_complete(&c, wrong[i], error, sizeof(error)), -1);
		assert_memory_equal(error, "gadget.serial = \"auto\": ", 24);

		c = fixed;
		assert_int_equal(config_complete(&c, wrong[i], error, sizeof(error)), 0);
	}
}

/* A file of this source tree, found from where this one was compiled. */
static void read_source(const char *name, char *text)
{
	char path[1024];
	const char *slash = strrchr(__FILE__, '/');
	FILE *from;
	size_t len;

	snprintf(path, sizeof(path), "%.*s../%s", slash ? (int)(slash - __FILE__) + 1 : 0, __FILE__,
		 name);
	from = fopen(path, "re");
	if (!from)
		fail_msg("%s cannot be opened", path);
	len = fread(text, 1, FILE_MAX - 1, from);
	text[len] = '\0';
	fclose(from);
}

static void test_shipped_default(void **state)
{
	char text[FILE_MAX], error[ERROR_MAX], wanted[64];
	struct config c, defaults;

	(void)state;
	read_source("configs/ncm.conf", text);
	if (load_text(&c, text, error))
		fail_msg("configs/ncm.conf%s", error);
	config_defaults(&defaults);
	assert_memory_equal(&c, &defaults, sizeof(c));

	for (size_t i = 0; i < config_rows_count; i++) {
		const char *dot = strchr(config_rows[i].path, '.');

		snprintf(wanted, sizeof(wanted), "\n%s%s = ", dot ? "\t" : "",
			 dot ? dot + 1 : config_rows[i].path);
		if (!strstr(text, wanted)) /* an example of what is the profile's otherwise */
			snprintf(wanted, sizeof(wanted), "\n%s# %s = ", dot ? "\t" : "",
				 dot ? dot + 1 : config_rows[i].path);
		assert_contains(text, wanted);
	}
}

/* Another profile named in the shipped file is not undone by what else stands there. */
static void test_shipped_default_profiles(void **state)
{
	static const char marker[] = "\nprofile = \"latency\";\n";
	char text[FILE_MAX], changed[FILE_MAX + 64];
	struct config c, expected;
	const char *at;

	(void)state;
	read_source("configs/ncm.conf", text);
	at = strstr(text, marker);
	assert_non_null(at);
	for (unsigned int i = 0; config_profile_name(i); i++) {
		snprintf(changed, sizeof(changed), "%.*s\nprofile = \"%s\";\n%s", (int)(at - text),
			 text, config_profile_name(i), at + strlen(marker));
		load_or_fail(&c, changed);
		config_defaults(&expected);
		config_profile_apply(&expected, i);
		assert_memory_equal(&c, &expected, sizeof(c));
	}
}

/* Files that only name a profile. */
static void assert_shipped_profile(const char *name, enum config_profile profile)
{
	char text[FILE_MAX], error[ERROR_MAX];
	struct config c, expected;

	read_source(name, text);
	if (load_text(&c, text, error))
		fail_msg("%s%s", name, error);
	config_defaults(&expected);
	config_profile_apply(&expected, profile);
	assert_memory_equal(&c, &expected, sizeof(c));
	assert_int_equal(config_complete(&c, MACHINE, error, sizeof(error)), 0);
}

/* Each "# group = { ... };" of the file, taken alone, is a line that would work. */
static void assert_shipped_examples(const char *name)
{
	char text[FILE_MAX], error[ERROR_MAX];
	unsigned int examples = 0;
	struct config c, before;
	char *line, *save;

	read_source(name, text);
	load_or_fail(&before, text);
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char alone[256];

		if (strncmp(line, "# ", 2) != 0 || !strstr(line, "= {"))
			continue;
		snprintf(alone, sizeof(alone), "profile = \"%s\";\n%s\n",
			 config_profile_name(before.profile), line + 2);
		load_or_fail(&c, alone);
		assert_memory_not_equal(&c, &before, sizeof(c));
		assert_int_equal(config_complete(&c, MACHINE, error, sizeof(error)), 0);
		examples++;
	}
	assert_true(examples > 0);
}

static void test_shipped_profiles(void **state)
{
	(void)state;
	assert_shipped_profile("configs/low-latency.conf", CONFIG_PROFILE_LATENCY);
	assert_shipped_profile("configs/throughput.conf", CONFIG_PROFILE_THROUGHPUT);
	assert_shipped_examples("configs/low-latency.conf");
	assert_shipped_examples("configs/throughput.conf");
}

/* What stands in for a microcontroller is as its driver has it, and can be started. */
static void test_shipped_stand_ins(void **state)
{
	static const char *const names[] = {
		"configs/like-nuttx.conf",
		"configs/like-tinyusb.conf",
		"configs/like-esp-tinyusb.conf",
	};
	char text[FILE_MAX], error[ERROR_MAX];
	struct config c;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		read_source(names[i], text);
		load_or_fail(&c, text);
		assert_int_equal(config_complete(&c, MACHINE, error, sizeof(error)), 0);
		assert_int_equal(c.max_speed, CONFIG_MAX_SPEED_FULL);
		assert_int_equal(c.policy.kind, POLICY_IMMEDIATE);
		assert_int_equal(c.ntb.ndp, NTB_NDP_START);
		assert_int_equal(c.ntb.ending, NTB_ENDING_ZLP);
		assert_int_equal(c.queue.target_us, 0);
		assert_int_equal(c.ntb.in_depth, c.ntb.out_count);
		assert_int_equal(c.ntb.in_max_size, c.ntb.out_max_size);
	}
}

/* The simulator's devices have the numbers of the profile, and of the files that stand in. */
static void test_models_are_as_shipped(void **state)
{
	static const struct {
		const char *model, *file;
	} rows[] = {
		{ "ncmd", "configs/low-latency.conf" },
		{ "nuttx", "configs/like-nuttx.conf" },
		{ "tinyusb", "configs/like-tinyusb.conf" },
	};
	char text[FILE_MAX], error[ERROR_MAX];
	struct sim_device_settings model;
	struct config c;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_true(sim_device_preset(rows[i].model, &model));
		read_source(rows[i].file, text);
		load_or_fail(&c, text);
		assert_int_equal(config_complete(&c, MACHINE, error, sizeof(error)), 0);
		assert_int_equal(model.policy.kind, c.policy.kind);
		assert_int_equal(model.in_size, c.ntb.in_max_size);
		assert_int_equal(model.in_depth, c.ntb.in_depth);
		assert_int_equal(model.in_datagrams, c.ntb.in_max_datagrams);
		assert_int_equal(model.in_ndp_first, c.ntb.ndp == NTB_NDP_START);
		assert_int_equal(model.zlp, c.ntb.ending == NTB_ENDING_ZLP);
		assert_int_equal(model.out_size, c.ntb.out_max_size);
		assert_int_equal(model.out_buffers, c.ntb.out_count);
		assert_int_equal(model.out_datagrams, c.ntb.out_max_datagrams);
		if (!model.fair) /* the rest is ncmd's own */
			continue;
		assert_int_equal(model.in_flight_ns, c.queue.in_flight_us * 1000);
		assert_int_equal(model.short_datagrams, c.ntb.in_short_datagrams);
	}
}

static void test_shipped_composite(void **state)
{
	char text[FILE_MAX], error[ERROR_MAX];
	struct config c;

	(void)state;
	read_source("configs/ncm-acm.conf", text);
	if (load_text(&c, text, error))
		fail_msg("configs/ncm-acm.conf%s", error);
	assert_int_equal(config_complete(&c, MACHINE, error, sizeof(error)), 0);
	assert_string_equal(c.gadget.scheme, "/etc/ncmd/ncm-acm.scheme");
}

/* The scheme has the function that its configuration needs, and links it behind the serial port. */
static void test_shipped_scheme(void **state)
{
	char text[FILE_MAX];
	const char *linked, *instance;
	config_t scheme;

	(void)state;
	read_source("configs/ncm-acm.scheme", text);
	config_init(&scheme);
	if (config_read_string(&scheme, text) != CONFIG_TRUE)
		fail_msg("line %d: %s", config_error_line(&scheme), config_error_text(&scheme));
	assert_true(config_lookup_string(&scheme, "configs.[0].functions.[0].function", &linked));
	assert_string_equal(linked, "acm_usb0");
	assert_true(config_lookup_string(&scheme, "configs.[0].functions.[1].function", &linked));
	assert_string_equal(linked, "ffs_ncm0");
	assert_true(config_lookup_string(&scheme, "functions.ffs_ncm0.instance", &instance));
	assert_string_equal(instance, "ncm0");
	assert_true(config_lookup_string(&scheme, "functions.ffs_ncm0.type", &instance));
	assert_string_equal(instance, "ffs");
	config_destroy(&scheme);
}

static void test_manual(void **state)
{
	char text[FILE_MAX], wanted[64];

	(void)state;
	read_source("man/ncmd.conf.5.scd", text);
	for (size_t i = 0; i < config_rows_count; i++) {
		snprintf(wanted, sizeof(wanted), "\n*%s*", config_rows[i].path);
		assert_contains(text, wanted);
		for (unsigned int j = 0; config_rows[i].choice && config_rows[i].choice(j); j++) {
			snprintf(wanted, sizeof(wanted), "\"%s\"", config_rows[i].choice(j));
			assert_contains(text, wanted);
		}
	}
}

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_every_setting_differs),
		cmocka_unit_test(test_profile_is_overridden),
		cmocka_unit_test(test_profile_overridden_by_another),
		cmocka_unit_test(test_profile_completes),
		cmocka_unit_test(test_profile_purpose),
		cmocka_unit_test(test_profile_included),
		cmocka_unit_test(test_choices),
		cmocka_unit_test(test_no_file),
		cmocka_unit_test(test_included_file),
		cmocka_unit_test(test_short_error),
		cmocka_unit_test(test_derived),
		cmocka_unit_test(test_derived_spread),
		cmocka_unit_test(test_machine_id),
		cmocka_unit_test(test_shipped_default),
		cmocka_unit_test(test_shipped_default_profiles),
		cmocka_unit_test(test_shipped_profiles),
		cmocka_unit_test(test_shipped_stand_ins),
		cmocka_unit_test(test_models_are_as_shipped),
		cmocka_unit_test(test_shipped_composite),
		cmocka_unit_test(test_shipped_scheme),
		cmocka_unit_test(test_manual),
	};
	static struct CMUnitTest tests[LENGTH(load_rows) + LENGTH(complete_rows) + LENGTH(others)];
	size_t count = 0;

	for (size_t i = 0; i < LENGTH(load_rows); i++)
		tests[count++] = (struct CMUnitTest){ .name = load_rows[i].name,
						      .test_func = test_load,
						      .initial_state = (void *)&load_rows[i] };
	for (size_t i = 0; i < LENGTH(complete_rows); i++)
		tests[count++] = (struct CMUnitTest){ .name = complete_rows[i].name,
						      .test_func = test_complete,
						      .initial_state = (void *)&complete_rows[i] };
	for (size_t i = 0; i < LENGTH(others); i++)
		tests[count++] = others[i];
	return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
