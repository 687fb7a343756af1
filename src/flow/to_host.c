/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flow/to_host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "wire/ncm_spec.h"

/* So many stale frames are thrown away in one go; the TAP holds no more than its queue. */
#define DRAIN_MAX 10000

int to_host_open(struct to_host *h, const struct to_host_settings *settings, struct tap *tap,
		 struct transport *transport, struct stats_to_host *stats, struct failure *f)
{
	/* One to a transfer, one open, one begun behind it. */
	uint32_t buffers = settings->depth + 2;

	memset(h, 0, sizeof(*h));
	h->settings = *settings;
	h->tap = tap;
	h->transport = transport;
	h->stats = stats;
	h->hold_until_ns = POLICY_NO_TIMER;
	h->memory = calloc(buffers, settings->buffer_size);
	if (!h->memory)
		return fail(f, ENOMEM, "cannot allocate %u NTB buffers of %u bytes", buffers,
			    settings->buffer_size);
	for (uint32_t i = 0; i < buffers; i++)
		h->free_buffer[h->free_buffers++] = h->memory + (size_t)i * settings->buffer_size;
	for (uint32_t i = 0; i < settings->depth; i++) {
		h->ntb[i].transfer.endpoint = ENDPOINT_BULK_IN;
		h->ntb[i].zlp.endpoint = ENDPOINT_BULK_IN;
	}
	return 0;
}

void to_host_close(struct to_host *h)
{
	free(h->memory);
}

static struct to_host_block *open_block(struct to_host *h)
{
	return &h->block[h->open];
}

static void begin(struct to_host *h, struct to_host_block *b)
{
	if (b->buffer)
		return;
	b->buffer = h->free_buffer[--h->free_buffers];
	b->shape = h->shape;
	ntb_write_begin(&b->write, &b->shape, b->buffer);
}

static void drop_block(struct to_host *h, struct to_host_block *b, enum to_host_drop why)
{
	if (!b->buffer)
		return;
	h->stats->drop[why] += b->write.datagrams;
	h->free_buffer[h->free_buffers++] = b->buffer;
	b->buffer = NULL;
}

static void drop_open(struct to_host *h, enum to_host_drop why)
{
	drop_block(h, &h->block[0], why);
	drop_block(h, &h->block[1], why);
	h->full = false;
	h->hold_until_ns = POLICY_NO_TIMER;
}

static void tap_failed(struct to_host *h, int error)
{
	h->stats->tap_read_errors++;
	h->tap_ready = false;
	/* The interface was deleted: no read will ever succeed again (facts 7). */
	if (error == -EBADFD || error == -ENODEV)
		h->tap_error = error;
}

/* Throws away what the kernel queued for us. */
static void drain(struct to_host *h, enum to_host_drop why)
{
	uint8_t start[ETHERNET_HEADER_LEN];
	const struct iovec iov = { start, sizeof(start) };

	for (int i = 0; i < DRAIN_MAX && h->tap_ready; i++) {
		ssize_t len = tap_read(h->tap, &iov, 1);

		if (len == -EAGAIN)
			h->tap_ready = false;
		else if (len < 0)
			tap_failed(h, (int)len);
		else
			h->stats->drop[why]++;
	}
}

static bool is_same_shape(const struct ntb_write_shape *a, const struct ntb_write_shape *b)
{
	return a->format == b->format && a->crc == b->crc && a->max_size == b->max_size &&
	       a->max_datagrams == b->max_datagrams && a->max_packet == b->max_packet;
}

void to_host_shape(struct to_host *h, const struct ncm_choice *choice, uint16_t max_packet)
{
	const struct to_host_settings *s = &h->settings;
	struct ntb_write_shape shape = {
		.format = choice->format,
		.crc = choice->crc,
		.ending = s->ending,
		.max_size =
			choice->ntb_in_size < s->buffer_size ? choice->ntb_in_size : s->buffer_size,
		.max_datagrams = s->max_datagrams,
		.divisor = s->divisor,
		.remainder = s->remainder,
		.alignment = s->alignment,
		.max_packet = max_packet,
	};

	if (choice->ntb_in_max_datagrams && choice->ntb_in_max_datagrams < shape.max_datagrams)
		shape.max_datagrams = choice->ntb_in_max_datagrams;
	if (is_same_shape(&shape, &h->shape))
		return;
	h->shape = shape;
	drop_open(h, TO_HOST_DROP_RESET);
}

void to_host_start(struct to_host *h)
{
	if (h->running)
		return;
	/* What was queued before anybody listened is stale. */
	h->tap_ready = true;
	drain(h, TO_HOST_DROP_NO_LINK);
	h->running = true;
	h->suspended = false;
	h->tap_ready = true;
}

void to_host_stop(struct to_host *h)
{
	if (!h->running)
		return;
	h->running = false;
	drop_open(h, TO_HOST_DROP_RESET);
	h->tap_ready = true;
	drain(h, TO_HOST_DROP_NO_LINK);
}

void to_host_suspend(struct to_host *h, bool suspended)
{
	h->suspended = suspended;
}

static struct to_host_ntb *owner(struct to_host *h, const struct transfer *transfer)
{
	for (uint32_t i = 0; i < h->settings.depth; i++)
		if (transfer == &h->ntb[i].transfer || transfer == &h->ntb[i].zlp)
			return &h->ntb[i];
	return NULL;
}

static enum to_host_drop drop_reason(const struct to_host_ntb *ntb)
{
	if (ntb->withdrawn)
		return TO_HOST_DROP_STALE;
	switch (ntb->error) {
	case -ESHUTDOWN: /* endpoint disabled */
	case -EAGAIN: /* not enabled, or the UDC suspended */
	case -ECONNRESET: /* dequeued */
	case -ECANCELED:
	case -ENODEV:
		return TO_HOST_DROP_RESET;
	default:
		return TO_HOST_DROP_ERROR;
	}
}

void to_host_done(struct to_host *h, struct transfer *transfer)
{
	struct to_host_ntb *ntb = owner(h, transfer);

	if (!ntb)
		return;
	if (ntb->buffer && transfer == &ntb->transfer) { /* it never reached the kernel */
		h->free_buffer[h->free_buffers++] = ntb->buffer;
		ntb->buffer = NULL;
	}
	if (!ntb->error && transfer->result < 0)
		ntb->error = transfer->result;
	else if (!ntb->error && (uint32_t)transfer->result != transfer->len)
		ntb->error = -EIO;
	if (--ntb->pending)
		return;
	h->in_flight--;
	h->wire_freed = true;
	if (!ntb->error) {
		h->stats->datagrams += ntb->datagrams;
		h->stats->bytes += ntb->bytes;
		return;
	}
	h->stats->drop[drop_reason(ntb)] += ntb->datagrams;
	if (drop_reason(ntb) == TO_HOST_DROP_ERROR)
		h->stats->transfer_errors++;
}

/*
 * One read. Into the slot alone if any frame fits there; else the second piece goes
 * where it would stand in the next NTB.
 */
static ssize_t read_frame(struct to_host *h, uint8_t *slot, size_t room)
{
	struct iovec iov[2] = { { slot, room } };
	struct to_host_block *next = &h->block[!h->open];
	size_t next_room;
	uint8_t *next_slot;

	if (room > h->settings.max_datagram_len)
		return tap_read(h->tap, iov, 1);
	begin(h, next);
	next_slot = ntb_write_slot(&next->write, &next_room);
	iov[1].iov_base = next_slot + room;
	/* One byte more than is allowed, to tell a frame that is too long. */
	iov[1].iov_len = h->settings.max_datagram_len + 1 - room;
	return tap_read(h->tap, iov, 2);
}

static void take_frame(struct to_host *h, struct to_host_block *b, uint8_t *slot, size_t room,
		       size_t len, int64_t now_ns)
{
	struct to_host_block *next = &h->block[!h->open];

	if (len < ETHERNET_FRAME_MIN_LEN) {
		h->stats->drop[TO_HOST_DROP_TOO_SHORT]++;
	} else if (len > h->settings.max_datagram_len) {
		h->stats->drop[TO_HOST_DROP_TOO_LONG]++;
	} else if (len <= room) {
		if (!b->write.datagrams)
			b->oldest_ns = now_ns;
		ntb_write_commit(&b->write, len);
		h->full = b->write.datagrams == b->shape.max_datagrams;
	} else {
		size_t next_room;
		uint8_t *next_slot = ntb_write_slot(&next->write, &next_room);

		/* The host chose NTBs smaller than the largest datagram: it fits none. */
		if (len > next_room) {
			h->stats->drop[TO_HOST_DROP_TOO_LONG]++;
			return;
		}
		memcpy(next_slot, slot, room);
		h->stats->copied_bytes += room;
		next->oldest_ns = now_ns;
		ntb_write_commit(&next->write, len);
		h->full = true;
	}
}

/* Reads frames until the TAP is drained or the open NTB is full. */
static void fill(struct to_host *h, int64_t now_ns)
{
	struct to_host_block *b = open_block(h);

	begin(h, b);
	while (h->tap_ready && !h->full) {
		size_t room;
		uint8_t *slot = ntb_write_slot(&b->write, &room);
		ssize_t len;

		if (room < ETHERNET_FRAME_MIN_LEN) {
			h->full = true;
			return;
		}
		len = read_frame(h, slot, room);
		h->stats->tap_reads++;
		if (len == -EAGAIN) {
			h->tap_ready = false;
		} else if (len == -EINTR) {
			continue;
		} else if (len < 0) {
			tap_failed(h, (int)len);
		} else {
			take_frame(h, b, slot, room, (size_t)len, now_ns);
		}
	}
}

static struct to_host_ntb *free_ntb(struct to_host *h)
{
	for (uint32_t i = 0; i < h->settings.depth; i++)
		if (!h->ntb[i].pending)
			return &h->ntb[i];
	return NULL;
}

static void count_close(struct to_host *h, const struct to_host_block *b, uint32_t len,
			enum policy_reason reason, int64_t now_ns)
{
	h->stats->ntbs++;
	h->stats->ntb_bytes += len;
	h->stats->reason[reason]++;
	histogram_add(&h->stats->hold_ns, now_ns - b->oldest_ns);
	histogram_add(&h->stats->ntb_datagrams, b->write.datagrams);
}

/* Ends the open NTB and queues it; the one begun behind it becomes the open one. */
static void close_open(struct to_host *h, enum policy_reason reason, int64_t now_ns)
{
	struct to_host_block *b = open_block(h);
	struct to_host_ntb *ntb = free_ntb(h);
	bool needs_zlp;

	ntb->bytes = 0;
	for (uint16_t i = 0; i < b->write.datagrams; i++)
		ntb->bytes += b->write.entry[i].len;
	ntb->datagrams = b->write.datagrams;
	ntb->transfer.len = ntb_write_finish(&b->write, h->sequence++, &needs_zlp);
	ntb->transfer.bytes = ntb->buffer = b->buffer;
	ntb->closed_ns = now_ns;
	ntb->error = 0;
	ntb->withdrawn = false;
	ntb->pending = 1;
	h->in_flight++;
	count_close(h, b, ntb->transfer.len, reason, now_ns);
	transport_queue(h->transport, &ntb->transfer);
	if (needs_zlp) {
		ntb->zlp.bytes = b->buffer; /* nothing of it is read */
		ntb->pending = 2;
		transport_queue(h->transport, &ntb->zlp);
	}
	b->buffer = NULL;
	h->open = !h->open;
	b = open_block(h);
	h->full = b->buffer && b->write.datagrams == b->shape.max_datagrams;
}

/* Asks the policy; true if it closed an NTB. */
static bool decide(struct to_host *h, int64_t now_ns)
{
	struct to_host_block *b = open_block(h);
	struct policy_view view = { .now_ns = now_ns, .oldest_ns = b->oldest_ns };
	struct policy_decision d;

	h->hold_until_ns = POLICY_NO_TIMER;
	if (!b->buffer || !b->write.datagrams)
		return false;
	view.datagrams = b->write.datagrams;
	view.in_flight = h->in_flight;
	view.depth = h->settings.depth;
	view.datagram_limit = b->write.datagrams == b->shape.max_datagrams;
	view.full = h->full && !view.datagram_limit;
	view.tap_drained = !h->tap_ready;
	view.wire_freed = h->wire_freed;
	d = policy_decide(&h->settings.policy, &h->policy_state, &view);
	if (d.send)
		close_open(h, d.reason, now_ns);
	else
		h->hold_until_ns = d.hold_until_ns;
	return d.send;
}

void to_host_turn(struct to_host *h, int64_t now_ns)
{
	if (!h->running) {
		drain(h, TO_HOST_DROP_NO_LINK);
		return;
	}
	if (h->suspended)
		return;
	do {
		if (h->tap_ready && !h->full)
			fill(h, now_ns);
	} while (decide(h, now_ns));
	h->wire_freed = false;
}

void to_host_submitted(struct to_host *h)
{
	for (uint32_t i = 0; i < h->settings.depth; i++) {
		struct to_host_ntb *ntb = &h->ntb[i];

		if (!ntb->buffer || ntb->transfer.state != TRANSFER_IN_FLIGHT)
			continue;
		h->free_buffer[h->free_buffers++] = ntb->buffer;
		ntb->buffer = NULL;
	}
}

int64_t to_host_deadline_ns(const struct to_host *h)
{
	return h->running && !h->suspended ? h->hold_until_ns : POLICY_NO_TIMER;
}

int64_t to_host_expire(struct to_host *h, int64_t now_ns)
{
	int64_t next = POLICY_NO_TIMER;
	bool stale = false;

	if (h->suspended)
		return POLICY_NO_TIMER;
	for (uint32_t i = 0; i < h->settings.depth; i++) {
		struct to_host_ntb *ntb = &h->ntb[i];
		int64_t due = ntb->closed_ns + TO_HOST_STALE_NS;

		if (!ntb->pending || ntb->withdrawn)
			continue;
		if (due > now_ns) {
			next = due < next ? due : next;
			continue;
		}
		stale = ntb->withdrawn = true;
		if (ntb->zlp.state != TRANSFER_IDLE)
			transport_cancel(h->transport, &ntb->zlp);
		if (ntb->transfer.state != TRANSFER_IDLE)
			transport_cancel(h->transport, &ntb->transfer);
	}
	if (stale) {
		/* What waited behind them is as old. */
		drop_open(h, TO_HOST_DROP_STALE);
		h->tap_ready = true;
		drain(h, TO_HOST_DROP_STALE);
		h->tap_ready = true;
	}
	return next;
}
