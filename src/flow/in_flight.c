/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flow/in_flight.h"

#include <errno.h>
#include <string.h>

void in_flight_open(struct in_flight *f, struct transport *transport, uint32_t depth,
		    uint8_t *memory, uint32_t buffer_size)
{
	memset(f, 0, sizeof(*f));
	f->transport = transport;
	f->depth = depth;
	for (uint32_t i = 0; i <= depth; i++)
		in_flight_give_buffer(f, memory + (size_t)i * buffer_size);
	for (uint32_t i = 0; i < depth; i++) {
		f->ntb[i].transfer.endpoint = ENDPOINT_BULK_IN;
		f->ntb[i].zlp.endpoint = ENDPOINT_BULK_IN;
	}
}

uint8_t *in_flight_take_buffer(struct in_flight *f)
{
	return f->free_buffer[--f->free_buffers];
}

void in_flight_give_buffer(struct in_flight *f, uint8_t *buffer)
{
	f->free_buffer[f->free_buffers++] = buffer;
}

static struct ntb_in_flight *free_ntb(struct in_flight *f)
{
	uint32_t i = 0;

	while (f->ntb[i].pending)
		i++;
	return &f->ntb[i];
}

struct ntb_in_flight *in_flight_add(struct in_flight *f, uint8_t *buffer, uint32_t len,
				    bool needs_zlp, bool silent, int64_t now_ns)
{
	struct ntb_in_flight *ntb = free_ntb(f);

	ntb->transfer.bytes = ntb->buffer = buffer;
	ntb->transfer.len = len;
	ntb->transfer.silent = silent && !needs_zlp;
	ntb->error = 0;
	ntb->withdrawn = false;
	ntb->pending = 1;
	if (!f->ntbs)
		f->progress_ns = now_ns;
	f->ntbs++;
	f->bytes += len;
	transport_queue(f->transport, &ntb->transfer);
	if (needs_zlp) {
		ntb->zlp.bytes = buffer; /* nothing of it is read */
		ntb->pending = 2;
		transport_queue(f->transport, &ntb->zlp);
	}
	return ntb;
}

static struct ntb_in_flight *owner(struct in_flight *f, const struct transfer *transfer)
{
	for (uint32_t i = 0; i < f->depth; i++)
		if (transfer == &f->ntb[i].transfer || transfer == &f->ntb[i].zlp)
			return &f->ntb[i];
	return NULL;
}

/* The NTB itself ended. What becomes of the packet behind it does not change what the host got. */
static uint32_t ntb_ended(struct in_flight *f, struct ntb_in_flight *ntb, int64_t now_ns)
{
	const struct transfer *t = &ntb->transfer;

	if (ntb->buffer) { /* it never reached the kernel */
		in_flight_give_buffer(f, ntb->buffer);
		ntb->buffer = NULL;
	}
	f->bytes -= t->len;
	if (t->result < 0 || (uint32_t)t->result != t->len) {
		ntb->error = t->result < 0 ? t->result : -EIO;
		return 0;
	}
	f->progress_ns = now_ns;
	return t->len;
}

struct ntb_in_flight *in_flight_done(struct in_flight *f, struct transfer *transfer,
				     int64_t now_ns, uint32_t *fetched)
{
	struct ntb_in_flight *ntb = owner(f, transfer);

	*fetched = 0;
	if (!ntb)
		return NULL;
	if (transfer == &ntb->transfer)
		*fetched = ntb_ended(f, ntb, now_ns);
	if (--ntb->pending)
		return NULL;
	f->ntbs--;
	return ntb;
}

enum to_host_drop in_flight_drop_reason(const struct ntb_in_flight *ntb)
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

void in_flight_submitted(struct in_flight *f)
{
	for (uint32_t i = 0; i < f->depth; i++) {
		struct ntb_in_flight *ntb = &f->ntb[i];

		if (!ntb->buffer || ntb->transfer.state != TRANSFER_IN_FLIGHT)
			continue;
		in_flight_give_buffer(f, ntb->buffer);
		ntb->buffer = NULL;
	}
}

static void withdraw(struct in_flight *f, struct ntb_in_flight *ntb)
{
	if (!ntb->pending || ntb->withdrawn)
		return;
	ntb->withdrawn = true;
	if (ntb->zlp.state != TRANSFER_IDLE)
		transport_cancel(f->transport, &ntb->zlp);
	if (ntb->transfer.state != TRANSFER_IDLE)
		transport_cancel(f->transport, &ntb->transfer);
}

void in_flight_withdraw(struct in_flight *f)
{
	for (uint32_t i = 0; i < f->depth; i++)
		withdraw(f, &f->ntb[i]);
}
