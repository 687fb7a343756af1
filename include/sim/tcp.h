/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One TCP connection, both its ends: sliding window, slow start, congestion avoidance, fast
 * retransmit and recovery [RFC 6582], retransmission time-out [RFC 6298]. No SACK, no CUBIC, no
 * pacing. All segments but the last are of one size.
 */
#ifndef NCMD_SIM_TCP_H
#define NCMD_SIM_TCP_H

#include "sim/engine.h"
#include "sim/packet.h"

struct sim_tcp_settings {
	uint32_t segment; /* bytes of payload */
	uint64_t window; /* bytes on their way at most */
	uint64_t bytes; /* to carry; UINT64_MAX: no end */
	bool keeps_order; /* the receiver throws away what comes out of order */
	uint32_t ack_every; /* segments; what is left is acknowledged after ack_delay_ns */
	int64_t ack_delay_ns;
	int64_t rto_min_ns;
	uint8_t flow, connection; /* of its packets */
};

#define SIM_TCP_WINDOW_SEGMENTS 1024u

struct sim_tcp {
	struct sim_engine *engine;
	struct sim_tcp_settings settings;
	/* how the data and the acknowledgements leave */
	sim_take *send_data, *send_ack;
	void *sender;
	bool running;
	/* sender; offsets in bytes */
	uint64_t una, next, top, recover, cwnd, ssthresh;
	uint32_t duplicates;
	bool recovering;
	int64_t srtt_ns, rttvar_ns, rto_ns, timer_ns;
	uint64_t retransmits, timeouts;
	/* receiver */
	uint64_t expected;
	uint8_t have[SIM_TCP_WINDOW_SEGMENTS]; /* a ring: segments beyond `expected` */
	uint32_t unacknowledged;
	int64_t ack_ns, echo_ns;
	int64_t done_ns; /* when the last byte came; SIM_NEVER: it has not */
};

void sim_tcp_begin(struct sim_tcp *t, struct sim_engine *engine,
		   const struct sim_tcp_settings *settings, sim_take *send_data, sim_take *send_ack,
		   void *sender);
void sim_tcp_start(struct sim_tcp *t);

/* A segment came to the receiver. */
void sim_tcp_data(struct sim_tcp *t, const struct sim_packet *packet);

/* An acknowledgement came to the sender. */
void sim_tcp_ack(struct sim_tcp *t, const struct sim_packet *packet);

#endif
