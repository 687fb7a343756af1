/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How fast the host fetches when there is something to fetch, so that queues can be
 * bounded in time. Measured over stretches in which the wire was never idle; before the
 * first of them, what the bus can carry at its speed.
 */
#ifndef NCMD_FLOW_WIRE_RATE_H
#define NCMD_FLOW_WIRE_RATE_H

#include <stdbool.h>
#include <stdint.h>

struct wire_rate {
	uint32_t bytes_per_ms;
	int64_t since_ns; /* the stretch began; 0: the wire is idle */
	uint64_t bytes; /* fetched in it */
};

/* Starts from the bandwidth of the bus, by the packet size of its bulk endpoints. */
void wire_rate_begin(struct wire_rate *r, uint16_t max_packet);

/* Something was queued on an idle wire. */
void wire_rate_busy(struct wire_rate *r, int64_t now_ns);

/* `bytes` were fetched; `idle`: nothing is left on its way. */
void wire_rate_fetched(struct wire_rate *r, uint32_t bytes, bool idle, int64_t now_ns);

/* What passes in `us`, in bytes. */
uint32_t wire_rate_bytes_in(const struct wire_rate *r, uint32_t us);

#endif
