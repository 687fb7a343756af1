/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ncmd/mac.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define MAC_MULTICAST_BIT 0x01u
#define MAC_LOCAL_BIT	  0x02u

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

bool mac_is_zero(const uint8_t mac[static 6])
{
	static const uint8_t zero[6];

	return memcmp(mac, zero, sizeof(zero)) == 0;
}

enum mac_verdict mac_parse(const char *text, uint8_t mac[static 6])
{
	char separator = '\0';
	unsigned int digits = 0;
	uint8_t byte[6] = { 0 };
	size_t i;

	if (strlen(text) > 2 && (text[2] == ':' || text[2] == '-'))
		separator = text[2];

	for (i = 0; text[i]; i++) {
		int value;

		if (separator && i % 3 == 2) {
			if (text[i] != separator)
				return MAC_BAD_DIGIT;
			continue;
		}
		value = hex_digit(text[i]);
		if (value < 0)
			return MAC_BAD_DIGIT;
		if (digits < 12)
			byte[digits / 2] = (uint8_t)(byte[digits / 2] << 4 | value);
		digits++;
	}

	if (i != (separator ? 17 : 12))
		return MAC_WRONG_LENGTH;
	if (mac_is_zero(byte))
		return MAC_ZERO;
	if (byte[0] & MAC_MULTICAST_BIT)
		return MAC_MULTICAST;

	memcpy(mac, byte, sizeof(byte));
	return MAC_OK;
}

const char *mac_verdict_text(enum mac_verdict verdict)
{
	switch (verdict) {
	case MAC_OK:
		return "is an Ethernet address";
	case MAC_BAD_DIGIT:
		return "is not six bytes of two hex digits with ':' or '-' or nothing between";
	case MAC_WRONG_LENGTH:
		return "is not 12 hex digits long";
	case MAC_ZERO:
		return "is the zero address, which no interface can have";
	case MAC_MULTICAST:
		return "is a multicast address: the first byte must be even";
	}
	return "is no Ethernet address";
}

void mac_print(const uint8_t mac[static 6], char text[static MAC_TEXT_MAX])
{
	snprintf(text, MAC_TEXT_MAX, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2],
		 mac[3], mac[4], mac[5]);
}

/*
 * FNV-1a, 64 bits, over machine id, name and purpose, each with its terminating
 * zero, so that ("ab", "c") and ("a", "bc") differ. FNV-1a alone hardly spreads its
 * last bytes, which is where ncm0 and ncm1 differ, so MurmurHash3's 64-bit finalizer
 * follows: there, each bit in flips each bit out half of the time.
 * This is no cryptography, and needs none: machine-id(5) asks not to show the id to
 * a network. The id goes through 64 bits of state before anything else does, so all
 * that is ever derived tells at most half of its 128 bits.
 */
static uint64_t fnv1a(uint64_t hash, const char *text)
{
	size_t len = strlen(text) + 1;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (uint8_t)text[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static uint64_t derive(const char *machine_id, const char *name, const char *purpose)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	hash = fnv1a(hash, machine_id);
	hash = fnv1a(hash, name);
	hash = fnv1a(hash, purpose);

	hash ^= hash >> 33;
	hash *= UINT64_C(0xff51afd7ed558ccd);
	hash ^= hash >> 33;
	hash *= UINT64_C(0xc4ceb9fe1a85ec53);
	hash ^= hash >> 33;
	return hash;
}

void mac_derive(const char *machine_id, const char *name, enum mac_end end, uint8_t mac[static 6])
{
	uint64_t hash = derive(machine_id, name, end == MAC_END_HOST ? "host" : "board");

	for (size_t i = 0; i < 6; i++)
		mac[i] = (uint8_t)(hash >> (40 - 8 * i));
	mac[0] = (uint8_t)((mac[0] & ~MAC_MULTICAST_BIT) | MAC_LOCAL_BIT);

	/* The last bit tells the ends apart, so that they differ by construction. */
	mac[5] = (uint8_t)((mac[5] & 0xfeu) | (end == MAC_END_HOST ? 1u : 0u));
}

uint64_t mac_derive_serial(const char *machine_id, const char *name)
{
	return derive(machine_id, name, "serial");
}
