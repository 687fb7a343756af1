/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The queue of a turn, common to every transport. */
#include "port/transport.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

void transport_queue(struct transport *t, struct transfer *transfer)
{
	assert(transfer->state == TRANSFER_IDLE);
	assert(t->queued < TRANSPORT_QUEUE_MAX);
	transfer->state = TRANSFER_QUEUED;
	t->queue[t->queued++] = transfer;
}

static void refuse(struct transport *t, struct transfer *transfer, int result)
{
	transfer->result = result;
	t->failed[t->n_failed++] = transfer;
}

bool transport_submit(struct transport *t)
{
	unsigned int first = 0;

	while (first < t->queued) {
		int n = t->ops->submit(t, t->queue + first, t->queued - first);

		if (n > 0) {
			for (unsigned int i = first; i < first + (unsigned int)n; i++)
				t->queue[i]->state = TRANSFER_IN_FLIGHT;
			first += (unsigned int)n;
		} else if (n == -EINTR) {
			continue;
		} else if (n == 0 || n == -EAGAIN) {
			break; /* no room in the context or on the cable: stays queued */
		} else {
			refuse(t, t->queue[first++], n);
		}
	}
	t->queued -= first;
	memmove(t->queue, t->queue + first, t->queued * sizeof(*t->queue));
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
		t->queued--;
		memmove(t->queue + i, t->queue + i + 1, (t->queued - i) * sizeof(*t->queue));
		refuse(t, transfer, -ECANCELED);
		return;
	}
}
