/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flow/to_host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "wire/ncm_spec.h"

/* So many stale frames are thrown away in one go; the TAP holds no more than its queue. */
#define DRAIN_MAX 10000

/*
 * The queue's ring: some 10 ms at high speed, and always room for two large packets.
 * Of it only what is used is ever touched.
 */
#define QUEUE_BYTES (512u * 1024)

/* Packets read ahead in one turn, so that a flood cannot keep the loop. */
#define AHEAD_MAX 64

/* At full speed 3 datagrams in an NTB carry 8.91 Mbit/s, 8 9.15. */
#define ALONE_DATAGRAMS 8
#define ALONE_NS	INT64_C(1000000000)

/* What headers and gaps take in a short NTB. */
#define CAP_HEADERS 256

int to_host_open(struct to_host *h, const struct to_host_settings *settings, struct tap *tap,
		 struct transport *transport, struct stats_to_host *stats, struct failure *f)
{
	const struct fair_queue_settings queue = {
		.codel = { .target_ns = (int64_t)settings->queue_target_us * 1000,
			   .interval_ns = (int64_t)settings->queue_interval_us * 1000 },
		.max_datagram = settings->max_datagram_len,
	};
	size_t buffers = settings->depth + 1;

	memset(h, 0, sizeof(*h));
	h->settings = *settings;
	h->tap = tap;
	h->transport = transport;
	h->stats = stats;
	h->hold_until_ns = POLICY_NO_TIMER;
	h->memory = calloc(1, QUEUE_BYTES + buffers * settings->buffer_size);
	if (!h->memory)
		return fail(f, ENOMEM, "cannot allocate %zu NTB buffers of %u bytes and a queue",
			    buffers, settings->buffer_size);
	fair_queue_begin(&h->queue, &queue, h->memory, QUEUE_BYTES);
	in_flight_open(&h->in_flight, transport, settings->depth, h->memory + QUEUE_BYTES,
		       settings->buffer_size);
	return 0;
}

void to_host_close(struct to_host *h)
{
	free(h->memory);
}

/*
 * How long an NTB may be in any case. Short ones are for the frames of others, and while one
 * flow has the wire for itself nobody gains from them.
 */
static uint32_t least_cap(const struct to_host *h, int64_t now_ns)
{
	uint32_t datagrams = h->settings.short_datagrams;

	if (datagrams < ALONE_DATAGRAMS && now_ns > h->queue.company_ns + ALONE_NS)
		datagrams = ALONE_DATAGRAMS;
	return datagrams * h->queue.settings.max_datagram + CAP_HEADERS;
}

/*
 * On a slow wire an NTB stays short, so that a frame that comes meanwhile does not wait for
 * long.
 */
static uint32_t cap_now(const struct to_host *h, int64_t now_ns)
{
	uint32_t cap = wire_rate_bytes_in(&h->rate, h->settings.in_flight_us);
	uint32_t least = least_cap(h, now_ns);

	return cap > least ? cap : least;
}

static void begin(struct to_host *h, int64_t now_ns)
{
	if (h->open)
		return;
	h->open = in_flight_take_buffer(&h->in_flight);
	h->cap = cap_now(h, now_ns);
	ntb_write_begin(&h->write, &h->shape, h->open);
}

/* What waits in the open NTB and in the queue. */
static void drop_waiting(struct to_host *h, enum to_host_drop why)
{
	if (h->open) {
		h->stats->drop[why] += h->write.datagrams;
		in_flight_give_buffer(&h->in_flight, h->open);
		h->open = NULL;
	}
	h->stats->drop[why] += fair_queue_clear(&h->queue);
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
	struct vnet_hdr hdr;

	for (int i = 0; i < DRAIN_MAX && h->tap_ready; i++) {
		ssize_t len = tap_read(h->tap, &hdr, &iov, 1);

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

/* No datagram in the queue is too long for an NTB in force. */
static void apply_largest(struct to_host *h)
{
	uint32_t largest = ntb_write_largest(&h->shape);

	h->queue.settings.max_datagram =
		h->settings.max_datagram_len < largest ? h->settings.max_datagram_len : largest;
}

void to_host_shape(struct to_host *h, const struct ncm_choice *choice, uint16_t max_packet)
{
	const struct to_host_settings *s = &h->settings;
	struct ntb_write_shape shape = {
		.format = choice->format,
		.crc = choice->crc,
		.ending = s->ending,
		.ndp = s->ndp,
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
	drop_waiting(h, TO_HOST_DROP_RESET);
	if (shape.max_packet != h->shape.max_packet)
		wire_rate_begin(&h->rate, max_packet);
	h->shape = shape;
	apply_largest(h);
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
	drop_waiting(h, TO_HOST_DROP_RESET);
	h->tap_ready = true;
	drain(h, TO_HOST_DROP_NO_LINK);
}

void to_host_suspend(struct to_host *h, bool suspended)
{
	h->suspended = suspended;
}

void to_host_done(struct to_host *h, struct transfer *transfer, int64_t now_ns)
{
	uint32_t fetched;
	const struct ntb_in_flight *ntb = in_flight_done(&h->in_flight, transfer, now_ns, &fetched);

	wire_rate_fetched(&h->rate, fetched, now_ns);
	if (!ntb)
		return;
	h->wire_freed = true;
	if (!ntb->error) {
		h->stats->datagrams += ntb->datagrams;
		h->stats->bytes += ntb->bytes;
		return;
	}
	h->stats->drop[in_flight_drop_reason(ntb)] += ntb->datagrams;
	if (in_flight_drop_reason(ntb) == TO_HOST_DROP_ERROR)
		h->stats->transfer_errors++;
}

/* --- reading ---------------------------------------------------------------- */

static bool is_good_length(struct to_host *h, size_t len, const struct vnet_hdr *hdr)
{
	if (len < ETHERNET_FRAME_MIN_LEN) {
		h->stats->drop[TO_HOST_DROP_TOO_SHORT]++;
		return false;
	}
	if (hdr->gso_type == VNET_GSO_NONE && len > h->queue.settings.max_datagram) {
		h->stats->drop[TO_HOST_DROP_TOO_LONG]++;
		return false;
	}
	return true;
}

/* Its virtio header and the packet do not fit together: not sent. */
static void count_refused(struct to_host *h, enum gso_verdict v)
{
	h->stats->gso_verdict[v]++;
	h->stats->drop[v == GSO_TOO_BIG ? TO_HOST_DROP_TOO_LONG : TO_HOST_DROP_OFFLOAD]++;
}

static void take_queue_drops(struct to_host *h)
{
	h->stats->drop[TO_HOST_DROP_QUEUE_LATE] += h->queue.dropped_late;
	h->stats->drop[TO_HOST_DROP_QUEUE_FULL] += h->queue.dropped_full;
	h->queue.dropped_late = h->queue.dropped_full = 0;
}

/*
 * On a slow wire the target is at least the time of two short NTBs: with less in the queue
 * there would not always be one to send.
 */
static void tune_queue(struct to_host *h, int64_t now_ns)
{
	int64_t target_ns = (int64_t)h->settings.queue_target_us * 1000;
	int64_t least_ns = wire_rate_ns_of(&h->rate, 2 * least_cap(h, now_ns));

	fair_queue_tune(&h->queue, target_ns && target_ns < least_ns ? least_ns : target_ns,
			wire_rate_bytes_in(&h->rate, h->settings.queue_limit_us));
}

/* What stands in the last reservation becomes a packet of the queue. */
static void enqueue(struct to_host *h, const struct vnet_hdr *hdr, size_t len, int64_t now_ns)
{
	enum gso_verdict v;

	if (!is_good_length(h, len, hdr))
		return;
	h->stats->gso_packets += hdr->gso_type != VNET_GSO_NONE;
	tune_queue(h, now_ns);
	v = fair_queue_push(&h->queue, hdr, len, now_ns);
	if (v != GSO_OK)
		count_refused(h, v);
	take_queue_drops(h);
}

/* Room for the largest packet a read may bring; a byte more shows that it was too long. */
static uint8_t *reserve(struct to_host *h, size_t *max)
{
	*max = tap_packet_max(h->tap, h->settings.max_datagram_len) + 1;
	return fair_queue_reserve(&h->queue, *max);
}

/* One read; false if there was nothing, or no TAP. */
static bool read_packet(struct to_host *h, struct vnet_hdr *hdr, const struct iovec *iov, int n,
			size_t *len)
{
	ssize_t got = tap_read(h->tap, hdr, iov, n);

	h->stats->tap_reads++;
	if (got >= 0) {
		*len = (size_t)got;
		return true;
	}
	if (got == -EAGAIN)
		h->tap_ready = false;
	else if (got != -EINTR)
		tap_failed(h, (int)got);
	return false;
}

/* One packet into the queue. */
static void read_ahead(struct to_host *h, int64_t now_ns)
{
	struct vnet_hdr hdr;
	size_t max, len;
	uint8_t *at = reserve(h, &max);
	const struct iovec iov = { at, max };

	if (read_packet(h, &hdr, &iov, 1, &len))
		enqueue(h, &hdr, len, now_ns);
}

static void commit(struct to_host *h, size_t len, int64_t came_ns)
{
	if (!h->write.datagrams)
		h->oldest_ns = came_ns;
	ntb_write_commit(&h->write, len);
	h->full = h->write.datagrams == h->shape.max_datagrams;
}

/*
 * One packet into the slot, and what is longer into the queue's ring behind the place
 * for what the slot got: if it does not end in the slot, that follows.
 */
static void read_in_place(struct to_host *h, uint8_t *slot, size_t room, int64_t now_ns)
{
	struct vnet_hdr hdr;
	size_t max, len;
	uint8_t *at = reserve(h, &max);
	struct iovec iov[2] = { { slot, room }, { at + room, max - room } };
	enum gso_verdict v;

	if (!read_packet(h, &hdr, iov, 2, &len))
		return;
	if (len > room || hdr.gso_type != VNET_GSO_NONE) {
		size_t n = len < room ? len : room;

		memcpy(at, slot, n);
		h->stats->copied_bytes += n;
		enqueue(h, &hdr, len, now_ns);
		return;
	}
	if (!is_good_length(h, len, &hdr))
		return;
	v = gso_complete(&hdr, slot, len);
	if (v == GSO_OK)
		commit(h, len, now_ns);
	else
		count_refused(h, v);
}

/* --- filling ---------------------------------------------------------------- */

/* Where the next datagram of the open NTB goes, and how many bytes it may have. */
static uint8_t *slot_in_open(const struct to_host *h, size_t *room)
{
	uint8_t *slot = ntb_write_slot(&h->write, room);
	size_t end = (size_t)(slot - h->open);

	if (h->write.datagrams && end + *room > h->cap)
		*room = end < h->cap ? h->cap - end : 0;
	if (*room > h->queue.settings.max_datagram)
		*room = h->queue.settings.max_datagram;
	return slot;
}

/* The next datagram of the queue; false if it does not fit. */
static bool take_queued(struct to_host *h, uint8_t *slot, size_t room, int64_t now_ns)
{
	size_t len = fair_queue_next(&h->queue, now_ns);
	int64_t came_ns;

	take_queue_drops(h);
	if (len == 0)
		return true;
	if (len > room)
		return false;
	came_ns = fair_queue_next_came_ns(&h->queue);
	fair_queue_take(&h->queue, slot);
	h->stats->copied_bytes += len;
	commit(h, len, came_ns);
	return true;
}

/* Puts datagrams into the open NTB until none is left or the next does not fit. */
static void fill(struct to_host *h, int64_t now_ns)
{
	begin(h, now_ns);
	while (!h->full) {
		size_t room;
		uint8_t *slot = slot_in_open(h, &room);

		if (room < ETHERNET_FRAME_MIN_LEN)
			h->full = true;
		else if (!fair_queue_is_empty(&h->queue))
			h->full |= !take_queued(h, slot, room, now_ns);
		else if (!h->tap_ready)
			return;
		else if (h->settings.bounce)
			read_ahead(h, now_ns);
		else
			read_in_place(h, slot, room, now_ns);
	}
}

/* --- leaving ---------------------------------------------------------------- */

static void count_close(struct to_host *h, uint32_t len, enum policy_reason reason, int64_t now_ns)
{
	h->stats->ntbs++;
	h->stats->ntb_bytes += len;
	h->stats->reason[reason]++;
	histogram_add(&h->stats->hold_ns, now_ns - h->oldest_ns);
	histogram_add(&h->stats->ntb_datagrams, h->write.datagrams);
}

/* Ends the open NTB and queues it. */
static void close_open(struct to_host *h, enum policy_reason reason, int64_t now_ns)
{
	/* Nothing waits for the end of a lone NTB: who sleeps need not be woken by it. */
	bool lone = !h->in_flight.ntbs && !h->tap_ready && fair_queue_is_empty(&h->queue);
	struct ntb_in_flight *ntb;
	bool needs_zlp;
	uint32_t len = ntb_write_finish(&h->write, h->sequence++, &needs_zlp);

	ntb = in_flight_add(&h->in_flight, h->open, len, needs_zlp, lone, now_ns);
	ntb->datagrams = h->write.datagrams;
	ntb->bytes = 0;
	for (uint16_t i = 0; i < h->write.datagrams; i++)
		ntb->bytes += h->write.entry[i].len;
	count_close(h, len, reason, now_ns);
	h->open = NULL;
	h->full = false;
}

/* Whether one more NTB may be on its way. */
static bool wire_is_free(const struct to_host *h)
{
	if (h->in_flight.ntbs >= h->settings.depth)
		return false;
	return h->in_flight.ntbs < 2 ||
	       h->in_flight.bytes < wire_rate_bytes_in(&h->rate, h->settings.in_flight_us);
}

/* Asks the policy; true if it closed an NTB. */
static bool decide(struct to_host *h, int64_t now_ns)
{
	struct policy_view view = { .now_ns = now_ns, .oldest_ns = h->oldest_ns };
	struct policy_decision d;

	h->hold_until_ns = POLICY_NO_TIMER;
	if (!h->open || !h->write.datagrams)
		return false;
	view.datagrams = h->write.datagrams;
	view.in_flight = h->in_flight.ntbs;
	view.depth = h->settings.depth;
	view.datagram_limit = h->write.datagrams == h->shape.max_datagrams;
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

static bool something_waits(const struct to_host *h)
{
	return !fair_queue_is_empty(&h->queue) || (h->open && h->write.datagrams);
}

void to_host_turn(struct to_host *h, int64_t now_ns)
{
	if (!h->running) {
		drain(h, TO_HOST_DROP_NO_LINK);
		return;
	}
	if (h->suspended)
		return;
	while (wire_is_free(h)) {
		if (!h->full)
			fill(h, now_ns);
		if (!decide(h, now_ns))
			break;
	}
	h->wire_freed = false;
	/* The wire is busy, and the end of a transfer will ask again: until then frames are sorted.
	 */
	if (h->settings.queue_target_us)
		for (int i = 0; i < AHEAD_MAX && h->tap_ready; i++)
			read_ahead(h, now_ns);
	wire_rate_waiting(&h->rate, !wire_is_free(h) && something_waits(h), now_ns);
}

int64_t to_host_deadline_ns(const struct to_host *h)
{
	return h->running && !h->suspended ? h->hold_until_ns : POLICY_NO_TIMER;
}

int64_t to_host_expire(struct to_host *h, int64_t now_ns)
{
	struct in_flight *f = &h->in_flight;

	if (h->suspended || !f->ntbs)
		return POLICY_NO_TIMER;
	if (now_ns < f->progress_ns + TO_HOST_STALE_NS)
		return f->progress_ns + TO_HOST_STALE_NS;
	in_flight_withdraw(f);
	/* What waited behind them is as old. */
	drop_waiting(h, TO_HOST_DROP_STALE);
	h->tap_ready = true;
	drain(h, TO_HOST_DROP_STALE);
	h->tap_ready = true;
	f->progress_ns = now_ns;
	return now_ns + TO_HOST_STALE_NS;
}
