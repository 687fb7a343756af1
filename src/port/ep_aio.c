/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "port/ep_aio.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

int ep_aio_open(struct ep_aio *q, struct failure *f)
{
	int error;

	memset(q, 0, sizeof(*q));
	q->event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (q->event_fd < 0)
		return fail(f, errno, "cannot make an eventfd: %s", strerror(errno));
	error = io_setup(TRANSPORT_QUEUE_MAX, &q->context);
	if (error < 0) {
		close(q->event_fd);
		return fail(f, error,
			    "cannot set up Linux AIO for %d transfers: %s; see fs.aio-max-nr, and "
			    "CONFIG_AIO of the kernel",
			    TRANSPORT_QUEUE_MAX, strerror(-error));
	}
	return 0;
}

void ep_aio_close(struct ep_aio *q)
{
	io_destroy(q->context);
	close(q->event_fd);
}

int ep_aio_submit(struct ep_aio *q, struct transfer **list, unsigned int n)
{
	struct iocb *iocb[TRANSPORT_QUEUE_MAX];

	for (unsigned int i = 0; i < n; i++) {
		struct transfer *t = list[i];
		int fd = q->file[t->endpoint];

		iocb[i] = &t->iocb;
		if (t->endpoint == ENDPOINT_BULK_OUT)
			io_prep_pread(&t->iocb, fd, t->bytes, t->len, 0);
		else
			io_prep_pwrite(&t->iocb, fd, t->bytes, t->len, 0);
		io_set_eventfd(&t->iocb, q->event_fd);
		t->iocb.data = t;
	}
	return io_submit(q->context, n, iocb);
}

unsigned int ep_aio_reap(struct ep_aio *q, struct transfer **done, unsigned int max)
{
	struct io_event event[32];
	struct timespec now = { 0, 0 };
	int n;

	if (max > 32)
		max = 32;
	n = io_getevents(q->context, 0, max, event, &now);
	if (n <= 0)
		return 0;
	for (int i = 0; i < n; i++) {
		done[i] = event[i].data;
		done[i]->result = (int32_t)event[i].res;
	}
	return (unsigned int)n;
}

void ep_aio_cancel(struct ep_aio *q, struct transfer *transfer)
{
	struct io_event unused;

	/*
	 * The result does not matter: the kernel returns the transfer through the
	 * ring, whether it could still be stopped or not.
	 */
	io_cancel(q->context, &transfer->iocb, &unused);
}
