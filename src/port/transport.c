/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The queue of a turn, common to every transport. */
#include "port/transport.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

void transport_queue(struct transport *t, struct transfer *transfer)
{
	unsigned int at = t->queued;

	assert(transfer->state == TRANSFER_IDLE);
	assert(t->queued < TRANSPORT_QUEUE_MAX);
	transfer->state = TRANSFER_QUEUED;
	if (transfer->endpoint != ENDPOINT_BULK_OUT)
		at = t->queued_to_host++;
	memmove(t->queue + at + 1, t->queue + at, (t->queued - at) * sizeof(*t->queue));
	t->queue[at] = transfer;
	t->queued++;
}

/* Takes the first `n` from place `at` out of the queue. */
static void unqueue(struct transport *t, unsigned int at, unsigned int n)
{
	if (at < t->queued_to_host)
		t->queued_to_host -= at + n < t->queued_to_host ? n : t->queued_to_host - at;
	t->queued -= n;
	memmove(t->queue + at, t->queue + at + n, (t->queued - at) * sizeof(*t->queue));
}

static void refuse(struct transport *t, struct transfer *transfer, int result)
{
	transfer->result = result;
	t->failed[t->n_failed++] = transfer;
}

/* Offers the queue from place `first` on; returns how many left it, taken or refused. */
static unsigned int hand_over(struct transport *t, unsigned int first)
{
	unsigned int at = first;

	while (at < t->queued) {
		int n = t->ops->submit(t, t->queue + at, t->queued - at);

		if (n > 0) {
			for (unsigned int end = at + (unsigned int)n; at < end; at++)
				t->queue[at]->state = TRANSFER_IN_FLIGHT;
		} else if (n == 0 || n == -EAGAIN) {
			break; /* no room in the context or on the cable: stays queued */
		} else if (n != -EINTR) {
			refuse(t, t->queue[at++], n);
		}
	}
	return at - first;
}

bool transport_submit(struct transport *t)
{
	unsigned int reads = t->queued_to_host, left = hand_over(t, 0);

	/*
	 * What cannot leave now must not keep reads from being armed: if both ends of
	 * a cable waited like that, neither would ever go on.
	 */
	if (left < reads)
		unqueue(t, reads, hand_over(t, reads));
	unqueue(t, 0, left);
	return t->queued > 0;
}

unsigned int transport_reap(struct transport *t, struct transfer **done, unsigned int max)
{
	unsigned int n = 0;

	while (n < max && t->n_failed)
		done[n++] = t->failed[--t->n_failed];
	if (n < max)
		n += t->ops->reap(t, done + n, max - n);
	for (unsigned int i = 0; i < n; i++)
		done[i]->state = TRANSFER_IDLE;
	return n;
}

void transport_cancel(struct transport *t, struct transfer *transfer)
{
	if (transfer->state == TRANSFER_IN_FLIGHT) {
		t->ops->cancel(t, transfer);
		return;
	}
	for (unsigned int i = 0; i < t->queued; i++) {
		if (t->queue[i] != transfer)
			continue;
		unqueue(t, i, 1);
		refuse(t, transfer, -ECANCELED);
		return;
	}
}
