/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one setting cannot tell alone: the derived values and the checks across
 * settings. There is no line to name here, so a message starts with the setting.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "ncmd/config.h"
#include "ncmd/config_table.h"
#include "ncmd/mac.h"
#include "wire/ncm_spec.h"

#define ETHERNET_HEADER	 14 /* bytes */
#define VLAN_TAG	 4
#define CRC		 4
#define IPV6_MTU_MIN	 1280 /* RFC 8200, 5: with less, the kernel has no IPv6 on the interface */
#define MACHINE_ID_CHARS 32

#define NTB16_MAX	 65532u /* wBlockLength has 16 bits; a multiple of 4 */

/* cdc_ncm makes NTBs no larger than that unless told so; bytes of a bulk packet at high speed. */
#define HOST_NTB_SIZE 16384u
#define HOST_PACKET   512u

/* cdc_ncm reserves a table of so many datagrams in each NTB, or wNtbOutMaxDatagrams if less. */
#define HOST_DATAGRAMS 40

struct complaint {
	char *text;
	size_t len;
};

__attribute__((format(printf, 2, 3))) static int fail(const struct complaint *to,
						      const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(to->text, to->len, format, args);
	va_end(args);
	return -1;
}

/* Takes the id out of the file's text. "uninitialized" stands there before the first boot. */
static bool read_machine_id(const char *text, char id[static MACHINE_ID_CHARS + 1])
{
	if (!text || strspn(text, "0123456789abcdefABCDEF") != MACHINE_ID_CHARS)
		return false;
	if (strspn(text, "0") == MACHINE_ID_CHARS)
		return false;
	memcpy(id, text, MACHINE_ID_CHARS);
	id[MACHINE_ID_CHARS] = '\0';
	return strspn(&text[MACHINE_ID_CHARS], " \t\r\n") == strlen(&text[MACHINE_ID_CHARS]);
}

static int complete_identity(struct config *c, const char *machine_id,
			     const struct complaint *complaint)
{
	bool mac = mac_is_zero(c->tap.mac), host_mac = mac_is_zero(c->tap.host_mac);
	/* A scheme brings its own strings. */
	bool serial = !c->gadget.scheme[0] && strcmp(c->gadget.serial, "auto") == 0;
	const char *derived = mac ? "tap.mac" : host_mac ? "tap.host_mac" : "gadget.serial";
	char id[MACHINE_ID_CHARS + 1], text[MAC_TEXT_MAX];

	if ((mac || host_mac || serial) && !read_machine_id(machine_id, id))
		return fail(complaint,
			    "%s = \"auto\": this machine has no usable /etc/machine-id to "
			    "derive it from: run systemd-machine-id-setup, or set tap.mac, "
			    "tap.host_mac and gadget.serial",
			    derived);

	if (mac)
		mac_derive(id, c->name, MAC_END_BOARD, c->tap.mac);
	if (host_mac)
		mac_derive(id, c->name, MAC_END_HOST, c->tap.host_mac);
	if (serial)
		snprintf(c->gadget.serial, sizeof(c->gadget.serial), "%016" PRIX64,
			 mac_derive_serial(id, c->name));

	if (memcmp(c->tap.mac, c->tap.host_mac, sizeof(c->tap.mac)) == 0) {
		mac_print(c->tap.mac, text);
		return fail(complaint,
			    "tap.mac = tap.host_mac = \"%s\": both ends of the cable have the same "
			    "address: must differ, or be \"auto\"",
			    text);
	}
	return 0;
}

static int complete_tap(struct config *c, const struct complaint *complaint)
{
	uint16_t most = (uint16_t)(c->ntb.max_segment_size - ETHERNET_HEADER);

	if (!c->tap.name[0]) {
		if (strlen(c->name) >= sizeof(c->tap.name))
			return fail(
				complaint,
				"name = \"%s\": is too long to be the name of the interface too: "
				"set tap.name, 1 ... 15 characters",
				c->name);
		strcpy(c->tap.name, c->name);
	}
	if (c->tap.mtu == 0)
		c->tap.mtu = most;
	if (c->tap.mtu > most)
		return fail(complaint,
			    "tap.mtu = %u: must be 68 ... %u bytes, ntb.max_segment_size = %u less "
			    "an Ethernet header; raise that, at most to 8000, or leave tap.mtu out",
			    c->tap.mtu, most, c->ntb.max_segment_size);

	for (unsigned int i = 0; i < c->tap.addresses; i++)
		if (strchr(c->tap.address[i], ':') && c->tap.mtu < IPV6_MTU_MIN)
			return fail(
				complaint,
				"tap.mtu = %u: must be 1280 bytes or more for the IPv6 address %s",
				c->tap.mtu, c->tap.address[i]);
	return 0;
}

/* Bytes of the largest datagram, without its CRC. */
static uint32_t datagram_size(const struct config *c)
{
	return c->ntb.max_segment_size + VLAN_TAG;
}

/* What is free for a datagram in an NTB of ours, without its CRC. */
static uint32_t in_room(const struct config *c, enum ntb_format format, uint32_t max_size)
{
	const struct ntb_write_shape shape = {
		.format = format,
		.crc = c->ntb.crc,
		.ending = c->ntb.ending,
		.ndp = c->ntb.ndp,
		.max_size = max_size,
		.max_datagrams = c->ntb.in_max_datagrams,
		.divisor = 4,
		.remainder = 0,
		.alignment = NCM_NDP_ALIGNMENT_MIN,
		.max_packet = 512,
	};

	return ntb_write_largest(&shape);
}

/*
 * What is free for a datagram, without its CRC, in an NTB of the host. The header and
 * the whole table come first in those of cdc_ncm; up to 3 bytes align the datagram.
 */
static uint32_t out_room(const struct config *c, enum ntb_format format, uint32_t max_size)
{
	size_t entries = HOST_DATAGRAMS + 1, taken = 3 + (c->ntb.crc ? CRC : 0);

	if (c->ntb.out_max_datagrams && c->ntb.out_max_datagrams < HOST_DATAGRAMS)
		entries = c->ntb.out_max_datagrams + 1u;
	if (format == NTB_FORMAT_32)
		taken += sizeof(struct nth32) + sizeof(struct ndp32) +
			 entries * sizeof(struct dpe32);
	else
		taken += sizeof(struct nth16) + sizeof(struct ndp16) +
			 entries * sizeof(struct dpe16);
	return taken < max_size ? max_size - (uint32_t)taken : 0;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* With ntb32 the host chooses the format, so both have to do. */
static uint32_t least_in_room(const struct config *c)
{
	uint32_t room = in_room(c, NTB_FORMAT_16, smaller(c->ntb.in_max_size, NTB16_MAX));

	return c->ntb.ntb32 ? smaller(room, in_room(c, NTB_FORMAT_32, c->ntb.in_max_size)) : room;
}

static uint32_t least_out_room(const struct config *c, uint32_t max_size)
{
	uint32_t room = out_room(c, NTB_FORMAT_16, smaller(max_size, NTB16_MAX));

	return c->ntb.ntb32 ? smaller(room, out_room(c, NTB_FORMAT_32, max_size)) : room;
}

static uint32_t round_up(uint32_t value, uint32_t step)
{
	return (value + step - 1) / step * step;
}

/*
 * What suits cdc_ncm, which fills an NTB with zeros up to the largest size as soon as it is
 * longer than that less three packets of high speed: a single datagram is given the room
 * that spares it the filling; of many, as many as 16 KiB hold, and no room behind them.
 */
static void complete_out_max_size(struct config *c)
{
	uint32_t headers = HOST_NTB_SIZE - least_out_room(c, HOST_NTB_SIZE);
	uint32_t datagram = round_up(c->ntb.max_segment_size + (c->ntb.crc ? CRC : 0), 4);
	uint32_t datagrams = (HOST_NTB_SIZE - headers) / datagram;
	uint32_t size;

	if (c->ntb.out_max_size)
		return;
	if (c->ntb.out_max_datagrams == 1)
		size = headers + c->ntb.max_segment_size + 3 * HOST_PACKET;
	else if (c->ntb.out_max_datagrams && c->ntb.out_max_datagrams < datagrams)
		size = headers + c->ntb.out_max_datagrams * datagram;
	else
		size = headers + datagrams * datagram;
	c->ntb.out_max_size = round_up(size, HOST_PACKET);
}

static int check_sizes(const struct config *c, const struct complaint *complaint)
{
	uint32_t in = least_in_room(c), out = least_out_room(c, c->ntb.out_max_size);

	if (!c->ntb.ntb32 && c->ntb.in_max_size > NTB16_MAX)
		return fail(complaint,
			    "ntb.in_max_size = %u: must be 2048 ... 65532 bytes, a multiple of 4, "
			    "unless ntb.ntb32 = true",
			    c->ntb.in_max_size);
	if (!c->ntb.ntb32 && c->ntb.out_max_size > NTB16_MAX)
		return fail(complaint,
			    "ntb.out_max_size = %u: must be 2048 ... 65532 bytes, a multiple of 4, "
			    "unless ntb.ntb32 = true",
			    c->ntb.out_max_size);
	if (in < datagram_size(c))
		return fail(complaint,
			    "ntb.in_max_size = %u: has room for a datagram of %u bytes, but "
			    "ntb.max_segment_size = %u and a VLAN tag need %u: raise it, or lower "
			    "ntb.max_segment_size",
			    c->ntb.in_max_size, in, c->ntb.max_segment_size, datagram_size(c));
	if (out < datagram_size(c))
		return fail(complaint,
			    "ntb.out_max_size = %u: has room for a datagram of %u bytes beside a "
			    "Linux host's headers, but ntb.max_segment_size = %u and a VLAN tag "
			    "need %u: raise it, or lower ntb.max_segment_size",
			    c->ntb.out_max_size, out, c->ntb.max_segment_size, datagram_size(c));
	return 0;
}

static int check_queue(const struct config *c, const struct complaint *complaint)
{
	if (c->queue.limit_us >= c->queue.target_us)
		return 0;
	return fail(complaint,
		    "queue.limit_us = %u: must be %u ... 10000000 us, not less than "
		    "queue.target_us = %u: raise it, or lower queue.target_us",
		    c->queue.limit_us, c->queue.target_us, c->queue.target_us);
}

static int check_transport(const struct config *c, const struct complaint *complaint)
{
	if (c->transport != CONFIG_TRANSPORT_GADGETFS || !c->gadget.scheme[0])
		return 0;
	return fail(
		complaint,
		"gadget.scheme = \"%s\": transport = \"gadgetfs\" takes nothing from a scheme and "
		"carries NCM alone: leave gadget.scheme out, or set transport = \"auto\"",
		c->gadget.scheme);
}

int config_complete(struct config *c, const char *machine_id, char *error, size_t error_len)
{
	const struct complaint complaint = { .text = error, .len = error_len };

	if (complete_identity(c, machine_id, &complaint))
		return -1;
	if (complete_tap(c, &complaint))
		return -1;
	complete_out_max_size(c);
	if (check_sizes(c, &complaint) || check_transport(c, &complaint))
		return -1;
	return check_queue(c, &complaint);
}
