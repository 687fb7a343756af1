/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flow/from_host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int from_host_open(struct from_host *h, uint32_t count, uint32_t size,
		   const struct ntb_read_rules *rules, struct tap *tap, struct transport *transport,
		   struct stats_from_host *stats, struct failure *f)
{
	memset(h, 0, sizeof(*h));
	h->tap = tap;
	h->transport = transport;
	h->stats = stats;
	h->rules = *rules;
	h->count = count;
	h->memory = calloc(count, size);
	if (!h->memory)
		return fail(f, ENOMEM, "cannot allocate %u buffers of %u bytes for bulk OUT", count,
			    size);
	for (uint32_t i = 0; i < count; i++) {
		h->transfer[i].endpoint = ENDPOINT_BULK_OUT;
		h->transfer[i].bytes = h->memory + (size_t)i * size;
		h->transfer[i].len = size;
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
	transport_queue(h->transport, transfer);
}

void from_host_arm(struct from_host *h)
{
	h->rearm = false;
	if (!h->enabled)
		return;
	for (uint32_t i = 0; i < h->count; i++)
		if (h->transfer[i].state == TRANSFER_IDLE)
			arm(h, &h->transfer[i]);
}

void from_host_enable(struct from_host *h)
{
	h->generation++;
	h->enabled = true;
	h->sequence_known = false;
	from_host_arm(h);
}

void from_host_disable(struct from_host *h)
{
	h->enabled = false;
	h->rearm = false;
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

static unsigned int deliver(struct from_host *h, const uint8_t *bytes, size_t len)
{
	struct ntb_read *r = &h->reader;
	struct ntb_datagram d;
	enum ntb_verdict v;
	unsigned int delivered = 0;
	uint32_t ntbs = 0;

	ntb_read_begin(r, &h->rules, bytes, len);
	while ((v = ntb_read_next(r, &d)) != NTB_END) {
		if (r->ntbs != ntbs) {
			ntbs = r->ntbs;
			check_sequence(h, r->sequence);
		}
		if (v != NTB_DATAGRAM) {
			h->stats->verdict[v]++;
			continue;
		}
		int error = tap_write(h->tap, d.bytes, d.len);

		if (error) {
			h->stats->drop[drop_reason(error)]++;
			continue;
		}
		delivered++;
		h->stats->bytes += d.len;
	}
	h->stats->ntbs += r->ntbs;
	h->stats->datagrams += delivered;
	return delivered;
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

unsigned int from_host_done(struct from_host *h, struct transfer *transfer)
{
	unsigned int delivered = 0;

	if (transfer->result < 0) {
		failed(h, transfer);
		return 0;
	}
	h->stats->transfers++;
	h->stats->transfer_bytes += (uint64_t)transfer->result;
	if (transfer->result == 0)
		h->stats->zero_length_transfers++;
	else
		delivered = deliver(h, transfer->bytes, (size_t)transfer->result);
	if (h->enabled)
		arm(h, transfer);
	return delivered;
}

unsigned int from_host_armed(const struct from_host *h)
{
	unsigned int n = 0;

	for (uint32_t i = 0; i < h->count; i++)
		n += h->transfer[i].state != TRANSFER_IDLE;
	return n;
}
