/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flow/from_host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * At full speed a segment takes 1.3 ms. Fewer acknowledgments leave more of the wire to the
 * stream: TCP to the device, latency profile, 8.52 Mbit/s without waiting, with 3: 8.69,
 * with 6: 8.72.
 */
#define JOIN_SEGMENTS 4
#define SEGMENT_LEN   1514

static uint32_t whole_packets(uint32_t size, uint16_t max_packet)
{
	return (size + max_packet - 1) / max_packet * max_packet;
}

int from_host_open(struct from_host *h, const struct from_host_settings *settings, struct tap *tap,
		   struct transport *transport, struct stats_from_host *stats, struct failure *f)
{
	uint32_t stride = whole_packets(settings->rules.ntb_out_max_size, USB_BULK_PACKET_MAX);
	size_t len = (size_t)settings->count * stride;

	memset(h, 0, sizeof(*h));
	h->tap = tap;
	h->transport = transport;
	h->stats = stats;
	h->rules = settings->rules;
	h->count = settings->count;
	h->join_us = settings->join_us;
	h->join_until_ns = POLICY_NO_TIMER;
	h->memory = calloc(settings->bounce ? 2 : 1, len);
	if (!h->memory)
		return fail(f, ENOMEM, "cannot allocate %u buffers of %u bytes for bulk OUT",
			    settings->count, stride);
	if (settings->bounce)
		h->bounce = h->memory + len;
	gro_join_begin(&h->join, tap->vnet ? GRO_JOIN_FRAMES_MAX : 1);
	for (uint32_t i = 0; i < settings->count; i++) {
		h->transfer[i].endpoint = ENDPOINT_BULK_OUT;
		h->transfer[i].bytes = h->memory + (size_t)i * stride;
	}
	return 0;
}

void from_host_close(struct from_host *h)
{
	free(h->memory);
}

static void arm(struct from_host *h, struct transfer *transfer)
{
	transfer->generation = h->generation;
	transfer->len = h->read_len;
	transport_queue(h->transport, transfer);
}

void from_host_reshape(struct from_host *h, enum ntb_format format, bool crc)
{
	h->rules.format = format;
	h->rules.crc = crc;
}

static enum from_host_drop drop_reason(int error)
{
	switch (error) {
	case -EAGAIN:
		return FROM_HOST_DROP_EAGAIN;
	case -ENOBUFS:
	case -ENOMEM:
		return FROM_HOST_DROP_ENOBUFS;
	case -EIO:
		return FROM_HOST_DROP_EIO;
	case -EINVAL:
		return FROM_HOST_DROP_EINVAL;
	default:
		return FROM_HOST_DROP_OTHER;
	}
}

/*
 * A jump in wSequence counts once. A constant 0 (f_ncm, small stacks) and a return
 * to 0 (the host's driver started again) are no jumps.
 */
static void check_sequence(struct from_host *h, uint16_t sequence)
{
	if (h->sequence_known && sequence && sequence != (uint16_t)(h->last_sequence + 1))
		h->stats->sequence_gaps++;
	h->last_sequence = sequence;
	h->sequence_known = true;
}

static void stop_joining(struct from_host *h)
{
	log_warning(
		"%s: the kernel (%s) refuses joined TCP packets; each is written alone from now "
		"on",
		h->tap->name, tap_kernel_release());
	gro_join_begin(&h->join, 1);
}

/* `frames` datagrams of `bytes` in all were written, or refused. */
static void count_write(struct from_host *h, unsigned int frames, size_t bytes, int error)
{
	h->stats->tap_writes++;
	if (error) {
		h->stats->drop[drop_reason(error)] += frames;
		return;
	}
	h->delivered += frames;
	h->stats->datagrams += frames;
	h->stats->bytes += bytes;
	if (frames > 1)
		h->stats->joined += frames;
}

/* The frames of a run that the kernel refused, as they came. */
static void write_singly(struct from_host *h, const struct gro_join *run)
{
	static const uint8_t no_offload[VNET_HDR_LEN];

	for (unsigned int i = 0; i < run->frames; i++) {
		const struct gro_piece piece[2] = { { no_offload, sizeof(no_offload) },
						    gro_join_frame(run, i) };

		count_write(h, 1, piece[1].len, tap_write(h->tap, piece, 2));
	}
}

static size_t run_bytes(const struct gro_join *run)
{
	if (run->frames == 1)
		return run->first_len;
	return run->frames * (size_t)run->tcp.header_len + run->payload_len;
}

static void write_run(struct from_host *h)
{
	struct gro_join *run = &h->join;
	unsigned int n = gro_join_seal(run);
	int error;

	if (!n)
		return;
	error = tap_write(h->tap, run->piece, n);
	if (error == -EINVAL && run->frames > 1) {
		h->stats->tap_writes++;
		h->stats->join_refused++;
		write_singly(h, run);
		stop_joining(h);
	} else {
		count_write(h, run->frames, run_bytes(run), error);
	}
	gro_join_reset(run);
	h->join_until_ns = POLICY_NO_TIMER;
}

/* Nothing of the run lies in them any more. */
static void arm_spent(struct from_host *h)
{
	for (uint32_t i = 0; i < h->spent_count; i++)
		if (h->enabled)
			arm(h, h->spent[i]);
	h->spent_count = 0;
}

static void deliver(struct from_host *h, const uint8_t *bytes, size_t len)
{
	if (h->bounce) {
		uint8_t *copy = h->bounce + (bytes - h->memory);

		memcpy(copy, bytes, len);
		h->stats->copied_bytes += len;
		bytes = copy;
	}
	while (!gro_join_add(&h->join, bytes, len)) {
		write_run(h);
		arm_spent(h);
	}
}

static void unpack(struct from_host *h, const uint8_t *bytes, size_t len)
{
	struct ntb_read *r = &h->reader;
	struct ntb_datagram d;
	enum ntb_verdict v;
	uint32_t ntbs = 0;

	ntb_read_begin(r, &h->rules, bytes, len);
	while ((v = ntb_read_next(r, &d)) != NTB_END) {
		if (r->ntbs != ntbs) {
			ntbs = r->ntbs;
			check_sequence(h, r->sequence);
		}
		if (v == NTB_DATAGRAM)
			deliver(h, d.bytes, d.len);
		else
			h->stats->verdict[v]++;
	}
	h->stats->ntbs += r->ntbs;
}

/* A stream in full flow: more of it is on its way, and enough reads are armed for that. */
static bool may_wait(const struct from_host *h)
{
	if (!h->join_ns || !h->enabled || h->spent_count > h->count / 2)
		return false;
	return h->join.frames && !h->join.closed && (h->join.frames > 1 || h->join.goes_on);
}

unsigned int from_host_flush(struct from_host *h, int64_t now_ns)
{
	unsigned int delivered;

	if (may_wait(h) && h->join_until_ns == POLICY_NO_TIMER)
		h->join_until_ns = now_ns + h->join_ns;
	if (!may_wait(h) || now_ns >= h->join_until_ns) {
		write_run(h);
		arm_spent(h);
	}
	delivered = h->delivered;
	h->delivered = 0;
	return delivered;
}

/* Ends what waits, so that every idle transfer is free. */
static void settle(struct from_host *h)
{
	write_run(h);
	h->spent_count = 0;
}

void from_host_arm(struct from_host *h)
{
	h->rearm = false;
	if (!h->enabled)
		return;
	settle(h);
	for (uint32_t i = 0; i < h->count; i++)
		if (h->transfer[i].state == TRANSFER_IDLE)
			arm(h, &h->transfer[i]);
}

/* On a slow wire that is the time of some segments, else none would ever meet another. */
static int64_t join_ns(const struct from_host *h, uint16_t max_packet)
{
	int64_t set_ns = (int64_t)h->join_us * 1000;
	int64_t segments_ns =
		JOIN_SEGMENTS * SEGMENT_LEN * INT64_C(1000000) / usb_bulk_bytes_per_ms(max_packet);

	return set_ns && set_ns < segments_ns ? segments_ns : set_ns;
}

void from_host_enable(struct from_host *h, uint16_t max_packet)
{
	h->read_len = whole_packets(h->rules.ntb_out_max_size, max_packet);
	h->join_ns = join_ns(h, max_packet);
	h->generation++;
	h->enabled = true;
	h->sequence_known = false;
	from_host_arm(h);
}

void from_host_disable(struct from_host *h)
{
	settle(h);
	h->enabled = false;
	h->rearm = false;
}

void from_host_probe(struct from_host *h)
{
	uint8_t memory[GRO_JOIN_PROBE_LEN];
	struct gro_join run;

	if (!h->tap->vnet)
		return;
	gro_join_probe(&run, memory);
	if (tap_write(h->tap, run.piece, gro_join_seal(&run)) == -EINVAL)
		stop_joining(h);
}

/*
 * A read that ended with an error. If endpoints were enabled since it was queued it
 * was ended by that, and goes back at once; else it waits for the next ENABLE, or
 * for the timer that calls from_host_arm().
 */
static void failed(struct from_host *h, struct transfer *transfer)
{
	if (transfer->result == -ESHUTDOWN || transfer->result == -ECONNRESET ||
	    transfer->result == -EAGAIN)
		h->stats->transfer_resets++;
	else
		h->stats->transfer_errors++;
	if (!h->enabled)
		return;
	if (transfer->generation != h->generation)
		arm(h, transfer);
	else
		h->rearm = true;
}

void from_host_done(struct from_host *h, struct transfer *transfer)
{
	if (transfer->result < 0) {
		failed(h, transfer);
		return;
	}
	h->stats->transfers++;
	h->stats->transfer_bytes += (uint64_t)transfer->result;
	if (transfer->result == 0)
		h->stats->zero_length_transfers++;
	else
		unpack(h, transfer->bytes, (size_t)transfer->result);
	h->spent[h->spent_count++] = transfer;
}

unsigned int from_host_armed(const struct from_host *h)
{
	unsigned int n = 0;

	for (uint32_t i = 0; i < h->count; i++)
		n += h->transfer[i].state != TRANSFER_IDLE;
	return n;
}
