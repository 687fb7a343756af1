/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bulk pair of one USB device: the wire's packets, and what a host controller and its
 * driver add to them.
 *
 * The wire: whole packets in equal slots of a frame [USB20 5.8.4], 19 of 64 bytes in a ms
 * (full speed), 13 of 512 in 125 us (high speed). Both directions share them, packet by
 * packet in turn. A short packet takes a slot like a long one; a NAK takes none. A full-speed
 * device behind a high-speed hub (split transactions) is not modelled.
 */
#ifndef NCMD_SIM_BUS_H
#define NCMD_SIM_BUS_H

#include "sim/engine.h"

enum sim_controller {
	SIM_OHCI_UNLINK, /* as OHCI, but an endpoint without work is taken off the schedule at
			    once, and comes back one frame after that */
	SIM_OHCI, /* starts at once, says at the end of the frame what is done */
	SIM_UHCI, /* as OHCI, but what is new after 200 ms of silence starts with a frame */
	SIM_EHCI, /* starts with a microframe, interrupts once a microframe */
	SIM_XHCI, /* starts and ends at once */
	SIM_CONTROLLERS
};

struct sim_bus_settings {
	uint32_t packet_bytes; /* wMaxPacketSize */
	uint32_t packets; /* in a frame or microframe */
	int64_t frame_ns; /* of one of those */
	enum sim_controller controller;
	int64_t interrupt_ns; /* from there until the host's driver hears of it */
	uint32_t in_transfers; /* reads the host keeps pending */
};

/* What the ends are told. Bytes are theirs until they hand them over, and again after `done`. */
struct sim_bus_events {
	void *host, *device;
	void (*out_done)(void *host); /* the host's oldest write has ended */
	void (*in_done)(void *host, const uint8_t *bytes, uint32_t len); /* a read has ended */
	void (*out_came)(void *device, const uint8_t *bytes, uint32_t len);
	void (*in_left)(void *device); /* the device's oldest write has been fetched */
};

#define SIM_TRANSFERS_MAX 64u
#define SIM_TRANSFER_MAX  65536u /* bytes */

struct sim_transfer {
	const uint8_t *bytes;
	uint32_t len;
	int64_t start_ns; /* not before */
};

struct sim_pipe {
	struct sim_transfer transfer[SIM_TRANSFERS_MAX]; /* a ring: those not yet on the wire */
	uint32_t head, count;
	uint32_t packets_left; /* of the first; 0: it has not started */
};

struct sim_bus {
	struct sim_engine *engine;
	struct sim_bus_settings settings;
	struct sim_bus_events events;
	struct sim_pipe out, in;
	uint32_t out_unfinished; /* writes whose end the host has not heard of */
	uint32_t out_armed; /* buffers the device holds ready */
	uint32_t in_pending; /* reads the host has on the schedule */
	int64_t unlinked_ns; /* the OUT endpoint is off the schedule until then */
	int64_t next_ns; /* the next slot that is spoken for; SIM_NEVER: idle */
	struct sim_pipe *on_wire; /* whose packet is in the slot that ends next */
	bool out_next; /* whose turn it is if both have something */
	/* reads that have ended and of which the host will hear, oldest first */
	uint32_t heard_len[SIM_TRANSFERS_MAX];
	uint32_t heard_head, heard_count;
	uint8_t *memory; /* their bytes */
	uint64_t packets; /* on the wire so far */
	int64_t used_ns; /* when the last of them began */
};

/* `memory`: in_transfers * SIM_TRANSFER_MAX bytes, the caller's. */
void sim_bus_begin(struct sim_bus *bus, struct sim_engine *engine,
		   const struct sim_bus_settings *settings, const struct sim_bus_events *events,
		   uint8_t *memory);

/* The host writes; false if SIM_TRANSFERS_MAX wait. */
bool sim_bus_write_out(struct sim_bus *bus, const uint8_t *bytes, uint32_t len);

/* The device gives a buffer to receive into, large enough for any write of the host. */
void sim_bus_arm_out(struct sim_bus *bus);

/* The device writes; false as above. `zlp`: a zero-length packet follows. */
bool sim_bus_write_in(struct sim_bus *bus, const uint8_t *bytes, uint32_t len, bool zlp);

/* What the wire carries in a second, bytes. */
double sim_bus_bytes_per_s(const struct sim_bus_settings *settings);

/* "ohci-unlink", "ohci", "uhci", "ehci", "xhci". */
const char *sim_controller_name(enum sim_controller controller);

#endif
