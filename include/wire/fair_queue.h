/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where frames wait while the wire is busy: fair queueing as in fq_codel [RFC 8290].
 * Each flow has a queue of its own; a flow that was idle comes first, the others take
 * turns of about one datagram, and CoDel keeps the wait of each short. So a ping, or
 * the ACKs of a download, overtake a bulk transfer instead of standing behind it.
 *
 * One datagram is the unit of everything: a large packet from the kernel is kept whole
 * and cut when its turn comes, and what CoDel drops of it is one segment.
 *
 * All packets lie in one ring of memory that the caller gives; each is read into it
 * where it stays:
 *
 *	fair_queue_reserve()	room for a packet, whatever its length
 *	fair_queue_push()	what came is a packet now
 *	fair_queue_next()	the length of the datagram whose turn it is
 *	fair_queue_take()	that datagram, finished, into a slot
 */
#ifndef NCMD_WIRE_FAIR_QUEUE_H
#define NCMD_WIRE_FAIR_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/codel.h"
#include "wire/gso_split.h"
#include "wire/vnet_hdr.h"

#define FAIR_QUEUE_FLOWS 256 /* a power of two */

struct fair_queue_settings {
	struct codel_settings codel; /* target_ns 0: nothing is dropped for having waited */
	uint32_t max_datagram; /* bytes, the largest that may leave; also the turn of a flow */
};

struct fair_packet;

struct fair_flow {
	struct fair_packet *first, *last;
	struct fair_flow *next; /* in its list */
	struct codel codel;
	int32_t deficit; /* bytes the flow may still send in this turn */
	uint32_t backlog; /* bytes */
	bool listed;
};

struct fair_list {
	struct fair_flow *first, *last;
};

struct fair_queue {
	struct fair_queue_settings settings;
	uint8_t *memory;
	size_t size;
	size_t head, tail; /* of the ring; equal: it is empty */
	uint32_t limit; /* bytes: fair_queue_tune() */
	uint32_t backlog; /* bytes of all datagrams */
	struct fair_list fresh, old; /* flows that were idle; flows that take turns */
	struct fair_flow *chosen; /* whose datagram fair_queue_next() named */
	int64_t company_ns; /* when a flow last came to one that was waiting already */
	uint64_t dropped_late; /* datagrams that CoDel dropped */
	uint64_t dropped_full; /* datagrams that did not fit into the limit or the memory */
	struct fair_flow flow[FAIR_QUEUE_FLOWS];
};

/* Makes *q empty. `memory`, `size` bytes (a multiple of 16, aligned to 16), stays the caller's. */
void fair_queue_begin(struct fair_queue *q, const struct fair_queue_settings *settings,
		      uint8_t *memory, size_t size);

/*
 * CoDel's target from now on, and the most that may be queued in bytes of datagrams. Both
 * depend on how fast the wire is.
 */
void fair_queue_tune(struct fair_queue *q, int64_t target_ns, uint32_t limit_bytes);

/*
 * Room for a packet of at most `max` bytes, aligned so that its IP header is to 4. If
 * there is none, the oldest packets are dropped until there is; NULL only if `max` exceeds
 * what the memory can ever hold. The next call but fair_queue_push() may give the room away.
 */
uint8_t *fair_queue_reserve(struct fair_queue *q, size_t max);

/*
 * Takes the first `len` bytes of the last reservation, which came from the TAP with
 * `hdr`, at time `now_ns`, and drops from the longest queue what is over the limit. Anything
 * but GSO_OK: the packet is none, and was not taken. The caller has checked that one
 * without a gso_type is no longer than max_datagram.
 */
enum gso_verdict fair_queue_push(struct fair_queue *q, const struct vnet_hdr *hdr, size_t len,
				 int64_t now_ns);

/*
 * The length of the datagram whose turn it is, after CoDel has dropped what it had to; 0:
 * the queue is empty. The choice stays until fair_queue_take().
 */
size_t fair_queue_next(struct fair_queue *q, int64_t now_ns);

/* When the chosen datagram came. */
int64_t fair_queue_next_came_ns(const struct fair_queue *q);

/* Writes the chosen datagram, its checksums complete, to `slot`; its length. */
size_t fair_queue_take(struct fair_queue *q, uint8_t *slot);

static inline bool fair_queue_is_empty(const struct fair_queue *q)
{
	return q->backlog == 0;
}

/* Forgets all packets; returns how many datagrams that were. */
uint64_t fair_queue_clear(struct fair_queue *q);

#endif
