/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TAP -> NTB -> bulk IN. An NTB is filled when it can leave: the policy says when it
 * does, and what is on its way is bounded in number and in time.
 *
 *	wire free	a frame is read straight into its slot in the open NTB
 *	wire busy	frames are read into the fair queue, where short flows overtake long ones
 *	large packet	lies in the queue and is cut into the slots, copied and summed in one pass
 *
 * A frame that does not fit the rest of the open NTB is read into the slot and, past
 * its end, into the queue, where the first part then follows it.
 */
#ifndef NCMD_FLOW_TO_HOST_H
#define NCMD_FLOW_TO_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "flow/in_flight.h"
#include "flow/stats.h"
#include "flow/wire_rate.h"
#include "port/tap.h"
#include "port/transport.h"
#include "wire/fair_queue.h"
#include "wire/ntb_write.h"
#include "wire/policy.h"

/* If the host fetches nothing for so long, what waits is withdrawn: it would be stale. */
#define TO_HOST_STALE_NS 1000000000LL

struct to_host_settings {
	uint32_t depth; /* most NTBs on their way: 1 ... IN_FLIGHT_MAX */
	uint32_t in_flight_us; /* most on its way in time at the measured rate; two NTBs always */
	uint32_t buffer_size; /* bytes, the largest NTB that may ever be in force */
	uint16_t max_datagrams; /* per NTB */
	/* On a slow wire NTBs are short, but have room for so many full datagrams. */
	uint16_t short_datagrams;
	uint32_t max_datagram_len; /* bytes, VLAN tag included */
	enum ntb_ending ending;
	enum ntb_ndp ndp;
	uint16_t divisor, remainder, alignment;
	struct policy policy;
	uint32_t queue_target_us, queue_interval_us; /* CoDel's; target 0: no reading ahead */
	uint32_t queue_limit_us; /* most in the queue, in time at the measured rate */
	bool bounce; /* copy every frame once more, to measure what that costs */
};

struct to_host {
	struct to_host_settings settings;
	struct tap *tap;
	struct transport *transport;
	struct stats_to_host *stats;
	struct ntb_write_shape shape; /* in force */
	struct ntb_write write; /* the open NTB */
	uint8_t *open; /* its memory; NULL: none is begun */
	uint32_t cap; /* bytes that it may have if it has more than one datagram */
	int64_t oldest_ns; /* its first datagram came */
	struct fair_queue queue;
	struct wire_rate rate;
	struct policy_state policy_state;
	struct in_flight in_flight;
	uint8_t *memory; /* the queue's ring, then the buffers of the NTBs */
	int64_t hold_until_ns; /* POLICY_NO_TIMER: no timer wanted */
	uint16_t sequence;
	bool running; /* a host listens */
	bool suspended;
	bool tap_ready; /* a read may find something */
	bool full; /* the open NTB takes nothing more */
	int tap_error; /* -errno of a TAP that is gone for good; 0: it is there */
	bool wire_freed; /* a transfer ended since the last decision */
};

/* Allocates everything the flow will ever use. 0 or -errno with *f filled. */
int to_host_open(struct to_host *h, const struct to_host_settings *settings, struct tap *tap,
		 struct transport *transport, struct stats_to_host *stats, struct failure *f);
void to_host_close(struct to_host *h);

/*
 * What the host chose, from the next NTB on. If that is a change, what waits is
 * dropped and counted: hosts choose while nothing flows.
 */
void to_host_shape(struct to_host *h, const struct ncm_choice *choice, uint16_t max_packet);

/* The host listens from now on. */
void to_host_start(struct to_host *h);

/* Nobody listens: what waits is dropped and counted, and so is what the TAP still holds. */
void to_host_stop(struct to_host *h);

/* While the bus sleeps nothing is submitted; the kernel queues and drops by itself. */
void to_host_suspend(struct to_host *h, bool suspended);

/* The TAP has become readable, or a write to it may have caused an answer. */
static inline void to_host_tap_ready(struct to_host *h)
{
	h->tap_ready = true;
}

/* One of this flow's transfers ended. */
void to_host_done(struct to_host *h, struct transfer *transfer, int64_t now_ns);

/* The work of a turn: reads, closes, queues. Call before transport_submit(). */
void to_host_turn(struct to_host *h, int64_t now_ns);

/* After transport_submit(). */
static inline void to_host_submitted(struct to_host *h)
{
	in_flight_submitted(&h->in_flight);
}

/* When to_host_turn() wants to be called again at the latest; POLICY_NO_TIMER: only events. */
int64_t to_host_deadline_ns(const struct to_host *h);

/*
 * Withdraws everything if the host fetched nothing for TO_HOST_STALE_NS; returns when to look
 * again, POLICY_NO_TIMER if nothing is in flight.
 */
int64_t to_host_expire(struct to_host *h, int64_t now_ns);

#endif
