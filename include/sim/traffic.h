/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the two ends say to each other, and what they measure by it.
 *
 *	ping	requests of `size` bytes, each answered at once; the next one `interval` after
 *		the last was sent (half to one and a half of it), or, with interval 0, `think`
 *		after the last was answered. Latency: the round trip.
 *	burst	as ping, but `datagrams` packets of `size` bytes answer, `gap` apart. Latency:
 *		until the last.
 *	tcp	`connections` bulk transfers, from the start or after a handshake and a request
 *		(`bytes` given: HTTP). Latency: that of the whole, in one piece.
 *	udp	packets of `size` bytes every `interval`, one way. Latency: one way.
 */
#ifndef NCMD_SIM_TRAFFIC_H
#define NCMD_SIM_TRAFFIC_H

#include "sim/tcp.h"

enum sim_traffic_kind { SIM_PING, SIM_BURST, SIM_TCP, SIM_UDP, SIM_TRAFFIC_KINDS };

#define SIM_CONNECTIONS_MAX 8u
#define SIM_SAMPLES_MAX	    65536u

struct sim_traffic_settings {
	enum sim_traffic_kind kind;
	enum sim_end from; /* who asks; of tcp and udp who sends the data */
	uint32_t count; /* of requests; 0: until the end of the run */
	int64_t start_ns;
	int64_t interval_ns, think_ns;
	uint32_t size; /* bytes of the Ethernet frame */
	uint32_t datagrams;
	int64_t gap_ns; /* between the datagrams of a burst; only without interval_ns */
	uint32_t connections;
	struct sim_tcp_settings tcp;
};

/* What a traffic needs of the world: a way to send from an end. */
typedef void sim_send(void *world, enum sim_end from, const struct sim_packet *packet);

struct sim_traffic {
	struct sim_engine *engine;
	struct sim_traffic_settings settings;
	uint8_t index;
	sim_send *send;
	void *world;
	int64_t omit_ns; /* what comes before that is not counted */
	uint64_t sent, received, bytes; /* packets; bytes of payload or of frames that arrived */
	int64_t first_ns, last_ns; /* when the first of those bytes came, and the last */
	uint32_t samples;
	int64_t *sample_ns; /* SIM_SAMPLES_MAX latencies */
	struct sim_packet answer; /* of the burst that is being sent */
	struct sim_tcp tcp[SIM_CONNECTIONS_MAX];
};

/* `sample_ns`: room for SIM_SAMPLES_MAX, the caller's. */
void sim_traffic_begin(struct sim_traffic *t, struct sim_engine *engine,
		       const struct sim_traffic_settings *settings, uint8_t index, sim_send *send,
		       void *world, int64_t omit_ns, int64_t *sample_ns);

/* A packet of this traffic came to an end. */
void sim_traffic_take(struct sim_traffic *t, const struct sim_packet *packet);

/* "ping", "burst", "tcp", "udp". */
const char *sim_traffic_kind_name(enum sim_traffic_kind kind);

#endif
