/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets leave the queue in the order of fairness and the ring in the order in which
 * they came: one that has left is marked, and its memory is free when it is the
 * oldest. A bulk flow owns nearly all of the ring and is itself in order, so little
 * waits for that.
 */
#include "wire/fair_queue.h"

#include <string.h>

#include "wire/frame.h"

#define UNIT 16u /* of the ring */

/* In front of everything in the ring. */
struct record {
	uint32_t size; /* of all, a multiple of UNIT */
	uint32_t left; /* whether it is no longer needed */
};

struct fair_packet {
	struct record record;
	struct fair_packet *next;
	int64_t came_ns;
	bool gso;
	uint32_t len; /* of the whole */
	struct gso_split split; /* of one that is several */
};

/* The frame begins at 2 modulo 4, its IP header at 0. */
#define FRAME_AT ((sizeof(struct fair_packet) + UNIT - 1) / UNIT * UNIT + 2)

static size_t record_size(size_t len)
{
	return (FRAME_AT + len + UNIT - 1) & ~(size_t)(UNIT - 1);
}

static struct record *record_at(const struct fair_queue *q, size_t at)
{
	return (struct record *)(void *)(q->memory + at);
}

static uint8_t *frame_of(struct fair_packet *p)
{
	return (uint8_t *)p + FRAME_AT;
}

void fair_queue_begin(struct fair_queue *q, const struct fair_queue_settings *settings,
		      uint8_t *memory, size_t size)
{
	memset(q, 0, sizeof(*q));
	q->settings = *settings;
	q->memory = memory;
	q->size = size;
	q->limit = UINT32_MAX;
}

/* --- the ring --------------------------------------------------------------- */

/* Gives back what has left, from the oldest on. */
static void reclaim(struct fair_queue *q)
{
	while (q->tail != q->head) {
		const struct record *r = record_at(q, q->tail);

		if (!r->left)
			return;
		q->tail += r->size;
		if (q->tail == q->size)
			q->tail = 0;
	}
	q->head = q->tail = 0;
}

/* Moves q->head to where `need` bytes are free in one piece; they must not end at q->tail. */
static bool make_room(struct fair_queue *q, size_t need)
{
	if (q->head < q->tail)
		return q->tail - q->head > need;
	/* Behind the newest to the end of the memory; all of it only if the tail is not at 0. */
	if (q->size - q->head > need || (q->size - q->head == need && q->tail > 0))
		return true;
	if (q->tail <= need)
		return false;
	*record_at(q, q->head) = (struct record){ (uint32_t)(q->size - q->head), true };
	q->head = 0;
	return true;
}

/* --- the flows -------------------------------------------------------------- */

static void append_flow(struct fair_list *list, struct fair_flow *f)
{
	f->next = NULL;
	if (list->first)
		list->last->next = f;
	else
		list->first = f;
	list->last = f;
}

static void remove_first(struct fair_list *list)
{
	list->first = list->first->next;
}

static size_t datagram_len(const struct fair_packet *p)
{
	return p->gso ? gso_split_next_len(&p->split) : p->len;
}

/* The packet has no datagram left. */
static void unlink_first(struct fair_queue *q, struct fair_flow *f)
{
	struct fair_packet *p = f->first;

	f->first = p->next;
	p->record.left = true;
	if (q->tail == (size_t)((uint8_t *)p - q->memory))
		reclaim(q);
}

/* Takes the flow's first datagram, of `len` bytes, off the books. */
static void passed(struct fair_queue *q, struct fair_flow *f, size_t len)
{
	f->backlog -= (uint32_t)len;
	q->backlog -= (uint32_t)len;
	if (!f->first->gso || gso_split_is_done(&f->first->split))
		unlink_first(q, f);
}

static void drop_datagram(struct fair_queue *q, struct fair_flow *f)
{
	struct fair_packet *p = f->first;
	size_t len = datagram_len(p);

	if (p->gso)
		gso_split_skip(&p->split);
	passed(q, f, len);
}

static struct fair_flow *longest(struct fair_queue *q)
{
	struct fair_flow *most = &q->flow[0];

	for (size_t i = 1; i < FAIR_QUEUE_FLOWS; i++)
		if (q->flow[i].backlog > most->backlog)
			most = &q->flow[i];
	return most;
}

/*
 * Until `bytes` are left or the flow has lost half, so that the longest is not looked for
 * all the time. From the front: the sender learns of it a queue's length sooner.
 */
static void drop_from_longest(struct fair_queue *q, uint32_t bytes)
{
	struct fair_flow *f = longest(q);
	uint32_t half = f->backlog / 2;

	if (q->chosen == f)
		q->chosen = NULL;
	do {
		drop_datagram(q, f);
		q->dropped_full++;
	} while (q->backlog > bytes && f->backlog > half);
}

static struct fair_flow *flow_of(struct fair_queue *q, struct fair_packet *p, size_t len)
{
	return &q->flow[frame_flow_hash(frame_of(p), len) % FAIR_QUEUE_FLOWS];
}

/* The oldest in the ring is the oldest of its flow. */
static void drop_oldest_packet(struct fair_queue *q)
{
	struct fair_packet *p = (void *)record_at(q, q->tail);
	struct fair_flow *f = flow_of(q, p, p->len);

	if (q->chosen == f)
		q->chosen = NULL;
	while (f->first == p) {
		drop_datagram(q, f);
		q->dropped_full++;
	}
}

void fair_queue_tune(struct fair_queue *q, int64_t target_ns, uint32_t limit_bytes)
{
	q->settings.codel.target_ns = target_ns;
	q->limit = limit_bytes;
}

uint8_t *fair_queue_reserve(struct fair_queue *q, size_t max)
{
	size_t need = record_size(max);

	if (need >= q->size)
		return NULL;
	while (!make_room(q, need))
		drop_oldest_packet(q); /* an empty ring has room */
	return q->memory + q->head + FRAME_AT;
}

/* Bytes of all datagrams of the packet; the headers of a large one count for each. */
static uint32_t bytes_of(const struct fair_packet *p)
{
	uint32_t payload, segments;

	if (!p->gso)
		return p->len;
	payload = (uint32_t)p->split.payload_len;
	segments = (payload + p->split.gso_size - 1) / p->split.gso_size;
	return payload + segments * p->split.header_len;
}

static void enqueue(struct fair_queue *q, struct fair_packet *p, int64_t now_ns)
{
	struct fair_flow *f = flow_of(q, p, p->len);
	uint32_t bytes = bytes_of(p);

	p->next = NULL;
	if (f->first)
		f->last->next = p;
	else
		f->first = p;
	f->last = p;
	f->backlog += bytes;
	q->backlog += bytes;
	if (f->listed)
		return;
	if (q->fresh.first || q->old.first)
		q->company_ns = now_ns;
	f->listed = true;
	f->deficit = (int32_t)q->settings.max_datagram;
	append_flow(&q->fresh, f);
}

enum gso_verdict fair_queue_push(struct fair_queue *q, const struct vnet_hdr *hdr, size_t len,
				 int64_t now_ns)
{
	struct fair_packet *p = (void *)record_at(q, q->head);
	struct gso_packet packet = { .hdr = *hdr, .bytes = frame_of(p), .len = len };
	enum gso_verdict v;

	p->gso = hdr->gso_type != VNET_GSO_NONE;
	p->len = (uint32_t)len;
	if (p->gso)
		v = gso_split_begin(&p->split, &packet, q->settings.max_datagram);
	else
		v = gso_complete(hdr, frame_of(p), len);
	if (v != GSO_OK)
		return v;
	p->record = (struct record){ (uint32_t)record_size(len), false };
	p->came_ns = now_ns;
	q->head += p->record.size;
	if (q->head == q->size)
		q->head = 0;
	enqueue(q, p, now_ns);
	while (q->backlog > q->limit && q->backlog > q->settings.max_datagram)
		drop_from_longest(q, q->limit);
	return GSO_OK;
}

/* Drops what the flow's CoDel says; whether a datagram is left that may go. */
static bool settle_flow(struct fair_queue *q, struct fair_flow *f, int64_t now_ns)
{
	while (f->first) {
		bool standing = f->backlog > q->settings.max_datagram;

		if (!q->settings.codel.target_ns ||
		    !codel_drops(&f->codel, &q->settings.codel, now_ns, now_ns - f->first->came_ns,
				 standing))
			return true;
		drop_datagram(q, f);
		q->dropped_late++;
	}
	return false;
}

/* Deficit round robin over fresh flows, then old ones [RFC 8290 4.2]. */
static struct fair_flow *choose(struct fair_queue *q, int64_t now_ns)
{
	while (q->fresh.first || q->old.first) {
		struct fair_list *list = q->fresh.first ? &q->fresh : &q->old;
		struct fair_flow *f = list->first;

		if (f->deficit <= 0) {
			f->deficit += (int32_t)q->settings.max_datagram;
			remove_first(list);
			append_flow(&q->old, f);
		} else if (settle_flow(q, f, now_ns)) {
			return f;
		} else {
			remove_first(list);
			/* A fresh flow that comes back at once must not stay ahead of the old. */
			if (list == &q->fresh && q->old.first)
				append_flow(&q->old, f);
			else
				f->listed = false;
		}
	}
	return NULL;
}

size_t fair_queue_next(struct fair_queue *q, int64_t now_ns)
{
	if (!q->chosen)
		q->chosen = choose(q, now_ns);
	return q->chosen ? datagram_len(q->chosen->first) : 0;
}

int64_t fair_queue_next_came_ns(const struct fair_queue *q)
{
	return q->chosen->first->came_ns;
}

size_t fair_queue_take(struct fair_queue *q, uint8_t *slot)
{
	struct fair_flow *f = q->chosen;
	struct fair_packet *p = f->first;
	size_t len = datagram_len(p);

	if (p->gso)
		gso_split_next(&p->split, slot, len);
	else
		memcpy(slot, frame_of(p), len);
	f->deficit -= (int32_t)len;
	passed(q, f, len);
	q->chosen = NULL;
	return len;
}

uint64_t fair_queue_clear(struct fair_queue *q)
{
	uint64_t datagrams = 0;

	for (size_t i = 0; i < FAIR_QUEUE_FLOWS; i++)
		for (struct fair_flow *f = &q->flow[i]; f->first; datagrams++)
			drop_datagram(q, f);
	for (size_t i = 0; i < FAIR_QUEUE_FLOWS; i++)
		memset(&q->flow[i], 0, sizeof(q->flow[i]));
	q->fresh = q->old = (struct fair_list){ NULL, NULL };
	q->chosen = NULL;
	return datagrams;
}
