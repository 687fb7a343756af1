/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ethernet addresses as text, and addresses (and serial numbers) that a board
 * keeps for ever without storing them: they are computed from its machine id.
 * Hosts remember an adapter by these, so a new one at each boot would leave a
 * trail of dead adapters behind [cases A01].
 */
#ifndef NCMD_MAC_H
#define NCMD_MAC_H

#include <stdbool.h>
#include <stdint.h>

#define MAC_TEXT_MAX 18 /* "02:00:00:00:00:01" and the end */

enum mac_verdict {
	MAC_OK,
	MAC_BAD_DIGIT, /* something that is neither a hex digit nor a separator in its place */
	MAC_WRONG_LENGTH,
	MAC_ZERO,
	MAC_MULTICAST,
};

/* Which end of the cable an address is for. */
enum mac_end {
	MAC_END_BOARD,
	MAC_END_HOST,
};

/*
 * Reads six bytes of two hex digits each, in any case, all separated by ':', all by
 * '-', or not at all. mac is only written if the verdict is MAC_OK.
 */
enum mac_verdict mac_parse(const char *text, uint8_t mac[static 6]);

/* What is wrong, as the end of a sentence about the address. Never NULL. */
const char *mac_verdict_text(enum mac_verdict verdict);

/* Writes "02:00:00:00:00:01". */
void mac_print(const uint8_t mac[static 6], char text[static MAC_TEXT_MAX]);

bool mac_is_zero(const uint8_t mac[static 6]);

/*
 * The address of one end of instance `name` on the machine with this id (32 hex
 * digits): always the same, locally administered, unicast, and never the same at
 * both ends.
 */
void mac_derive(const char *machine_id, const char *name, enum mac_end end, uint8_t mac[static 6]);

/* A serial number for instance `name` on this machine, as stable as the addresses. */
uint64_t mac_derive_serial(const char *machine_id, const char *name);

#endif
