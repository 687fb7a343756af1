/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The NTBs on their way to the host, and the memory in which NTBs are built.
 *
 * The kernel copies an NTB while it is submitted, so its memory is free right
 * after the turn's submit and the next NTB is filled in the same, warm buffer:
 * several buffers are touched only when a turn closes several NTBs.
 */
#ifndef NCMD_FLOW_IN_FLIGHT_H
#define NCMD_FLOW_IN_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "flow/stats.h"
#include "port/transport.h"

#define IN_FLIGHT_MAX 32

struct ntb_in_flight {
	struct transfer transfer; /* the NTB */
	struct transfer zlp; /* the zero-length packet behind it, if it needs one */
	uint8_t *buffer; /* from close to submit; NULL otherwise */
	uint32_t datagrams;
	uint32_t bytes; /* of the datagrams */
	unsigned int pending; /* transfers of it that have not ended; 0: free */
	int error; /* why it did not reach the host */
	bool withdrawn; /* cancelled because the host did not fetch it */
};

struct in_flight {
	struct transport *transport;
	struct ntb_in_flight ntb[IN_FLIGHT_MAX];
	uint32_t depth; /* most of them */
	uint32_t ntbs, bytes; /* on their way */
	int64_t progress_ns; /* the host fetched something, or the first NTB was queued */
	uint8_t *free_buffer[IN_FLIGHT_MAX + 1]; /* a stack: the warmest on top */
	uint32_t free_buffers;
};

/*
 * `depth` NTBs (1 ... IN_FLIGHT_MAX) in `depth` + 1 buffers of `buffer_size` bytes from
 * `memory` on: one to a transfer, one open. The memory stays the caller's.
 */
void in_flight_open(struct in_flight *f, struct transport *transport, uint32_t depth,
		    uint8_t *memory, uint32_t buffer_size);

/* A buffer to build an NTB in; there always is one. It goes to in_flight_add() or back. */
uint8_t *in_flight_take_buffer(struct in_flight *f);
void in_flight_give_buffer(struct in_flight *f, uint8_t *buffer);

/*
 * Queues the NTB of `len` bytes in `buffer`, and a zero-length packet if it needs one, and
 * returns its record, for the caller to fill in `datagrams` and `bytes`. Fewer than `depth` are on
 * their way. `silent`: nothing waits for its end.
 */
struct ntb_in_flight *in_flight_add(struct in_flight *f, uint8_t *buffer, uint32_t len,
				    bool needs_zlp, bool silent, int64_t now_ns);

/*
 * A transfer ended. Returns its NTB if nothing of it is on its way any more, else NULL; *fetched
 * is what the host fetched with it, in bytes.
 */
struct ntb_in_flight *in_flight_done(struct in_flight *f, struct transfer *transfer,
				     int64_t now_ns, uint32_t *fetched);

/* Why an NTB with an `error` did not reach the host. */
enum to_host_drop in_flight_drop_reason(const struct ntb_in_flight *ntb);

/* After transport_submit(): takes back the memory of what the kernel has copied. */
void in_flight_submitted(struct in_flight *f);

/* Cancels all; they end like any other. */
void in_flight_withdraw(struct in_flight *f);

#endif
