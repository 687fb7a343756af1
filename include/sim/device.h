/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The device's end: a queue of packets, NTBs built by the real writer when the real policy
 * says so, NTBs from the host read by the real reader, and one processor that does it all in
 * turn. The policy is shown what the daemon shows it (flow/to_host): a turn reads what is
 * queued until nothing is left or the NTB is full, asks, and goes on while the wire has a place.
 *
 * NuttX, TinyUSB, f_ncm and ncmd differ in their settings alone: sim_device_preset().
 */
#ifndef NCMD_SIM_DEVICE_H
#define NCMD_SIM_DEVICE_H

#include "sim/bus.h"
#include "sim/packet.h"
#include "wire/ntb_read.h"
#include "wire/ntb_write.h"
#include "wire/policy.h"

#define SIM_NTBS_MAX  128u
#define SIM_FLOWS_MAX 4u

struct sim_device_settings {
	struct policy policy;
	uint32_t in_size; /* bytes of an NTB to the host */
	uint32_t in_depth; /* NTBs given to the controller at a time: the policy's `depth` */
	uint32_t in_buffers; /* memory for so many, those on the wire and the open one */
	uint32_t in_datagrams; /* in an NTB at most */
	bool fills_ahead; /* NTBs, while the controller has as many as it gets */
	bool in_ndp_first;
	bool zlp; /* instead of a pad byte */
	uint32_t out_size; /* bytes of an NTB from the host */
	uint32_t out_buffers;
	uint32_t out_datagrams; /* wNtbOutMaxDatagrams; 0: no limit */
	uint32_t queue; /* packets that wait for room in an NTB; more are lost and counted */
	/* what ncmd does on a slow wire, see flow/to_host: */
	bool fair; /* flows take turns; wire/fair_queue, without its drops */
	int64_t in_flight_ns; /* most on its way, in time; two NTBs always; 0: no such limit */
	uint32_t short_datagrams; /* an NTB may hold so many full ones whatever the limit says */
	/* what the processor needs, ns */
	int64_t in_ntb_ns, in_datagram_ns, out_ntb_ns, out_datagram_ns;
	int64_t out_copy_ns; /* for a datagram of SIM_FRAME_MAX bytes, on top; shorter ones less */
};

struct sim_device_ntb {
	uint8_t *bytes;
	uint32_t len;
	bool zlp;
};

struct sim_device {
	struct sim_engine *engine;
	struct sim_bus *bus;
	struct sim_device_settings settings;
	sim_take *take;
	void *taker;
	struct ntb_write_shape shape;
	struct ntb_read_rules rules;

	struct sim_queue queue[SIM_FLOWS_MAX]; /* to the host; all in the first if not `fair` */
	uint32_t queued, next_flow;
	struct sim_queue *from; /* what peek() found */
	struct ntb_write write;
	bool open, full, wire_freed;
	int64_t oldest_ns;
	struct policy_state policy_state;
	int64_t timer_ns;
	uint32_t in_flight; /* given to the controller, or about to be at the end of a turn */
	uint32_t in_flight_len[SIM_NTBS_MAX], in_flight_head; /* a ring: bytes of each */
	uint64_t in_flight_bytes;
	uint32_t cap; /* bytes of the open NTB at most */
	uint32_t next_buffer, used_buffers;
	struct sim_device_ntb ready[SIM_NTBS_MAX]; /* full, but the controller has enough */
	uint32_t ready_head, ready_count;
	struct sim_device_ntb closed[SIM_NTBS_MAX]; /* by this turn */
	uint32_t closed_count;
	uint16_t sequence;

	struct sim_queue came; /* datagrams of NTBs from the host, to be worked on */
	uint32_t ntb_datagrams[SIM_NTBS_MAX]; /* of each NTB, those still in `came` */
	uint32_t ntb_head, ntb_count;
	uint32_t round; /* of those, to be worked on before the next turn */

	bool busy, turn_wanted, held;
	int64_t work_ns; /* the processor has worked so long */
	uint64_t dropped; /* no room in the queue */
	uint64_t ntbs, datagrams, faults;
	uint64_t reason[POLICY_REASONS];
	uint8_t *memory;
};

/* "nuttx", "tinyusb", "f_ncm", "ncmd": false for any other name. Costs are 0 in all of them. */
bool sim_device_preset(const char *name, struct sim_device_settings *settings);

/*
 * `memory`: in_buffers * SIM_TRANSFER_MAX bytes, the caller's. What comes from the host goes to
 * `take`.
 */
void sim_device_begin(struct sim_device *d, struct sim_engine *engine, struct sim_bus *bus,
		      const struct sim_device_settings *settings, uint8_t *memory, sim_take *take,
		      void *taker);

/* The device's network stack sends. */
void sim_device_send(struct sim_device *d, const struct sim_packet *packet);

/* Whether what comes from the host has to wait because what is behind the device has no room. */
void sim_device_hold(struct sim_device *d, bool held);

/* For struct sim_bus_events. */
void sim_device_out_came(void *device, const uint8_t *bytes, uint32_t len);
void sim_device_in_left(void *device);

#endif
