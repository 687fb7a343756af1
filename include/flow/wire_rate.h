/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How fast the host fetches, so that queues can be bounded in time. Measured only over
 * stretches in which something always waited to leave: else it would be the rate of
 * what is sent. Before the first of them, what the bus can carry at its speed.
 */
#ifndef NCMD_FLOW_WIRE_RATE_H
#define NCMD_FLOW_WIRE_RATE_H

#include <stdbool.h>
#include <stdint.h>

struct wire_rate {
	uint32_t bytes_per_ms;
	int64_t since_ns; /* the stretch began; 0: nothing waits */
	uint64_t bytes; /* fetched in it */
};

/* Starts from the bandwidth of the bus, by the packet size of its bulk endpoints. */
void wire_rate_begin(struct wire_rate *r, uint16_t max_packet);

/* Said in every turn: whether something waits that cannot leave yet. */
void wire_rate_waiting(struct wire_rate *r, bool waiting, int64_t now_ns);

/* `bytes` were fetched. */
void wire_rate_fetched(struct wire_rate *r, uint32_t bytes, int64_t now_ns);

/* What passes in `us`, in bytes. */
uint32_t wire_rate_bytes_in(const struct wire_rate *r, uint32_t us);

/* How long `bytes` take, in ns. */
int64_t wire_rate_ns_of(const struct wire_rate *r, uint32_t bytes);

#endif
