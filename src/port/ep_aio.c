/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "port/ep_aio.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define REAP_MAX 32

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

/* The kernel copies the list while it takes the request. */
static void prepare_read(const struct ep_aio *q, struct transfer *t, struct iovec piece[static 2])
{
	int fd = q->file[t->endpoint];

	if (!q->vectors) {
		io_prep_pread(&t->iocb, fd, t->bytes, t->len, 0);
		return;
	}
	piece[0] = (struct iovec){ t->bytes, t->len };
	piece[1] = (struct iovec){ t->bytes + t->len, 0 };
	io_prep_preadv(&t->iocb, fd, piece, 2, 0);
}

int ep_aio_submit(struct ep_aio *q, struct transfer **list, unsigned int n)
{
	struct iocb *iocb[TRANSPORT_QUEUE_MAX];
	struct iovec piece[TRANSPORT_QUEUE_MAX][2];

	for (unsigned int i = 0; i < n; i++) {
		struct transfer *t = list[i];

		iocb[i] = &t->iocb;
		if (t->endpoint == ENDPOINT_BULK_OUT)
			prepare_read(q, t, piece[i]);
		else
			io_prep_pwrite(&t->iocb, q->file[t->endpoint], t->bytes, t->len, 0);
		if (!t->silent)
			io_set_eventfd(&t->iocb, q->event_fd);
		t->iocb.data = t;
	}
	return io_submit(q->context, n, iocb);
}

/*
 * What io_context_t points at [linux fs/aio.c, struct aio_ring]; libaio looks into it too, to
 * find out that nothing has ended.
 */
struct ring {
	uint32_t id;
	uint32_t places;
	uint32_t head; /* moved by who reaps */
	uint32_t tail; /* moved by the kernel */
	uint32_t magic;
	uint32_t compat_features;
	uint32_t incompat_features;
	uint32_t header_length;
	struct io_event event[];
};

#define RING_MAGIC 0xa10a10a1u

static struct ring *ring_of(const struct ep_aio *q)
{
	struct ring *r = (void *)q->context;

	return r->magic == RING_MAGIC && !r->incompat_features ? r : NULL;
}

bool ep_aio_ended(const struct ep_aio *q)
{
	struct ring *r = ring_of(q);

	return r && r->head != __atomic_load_n(&r->tail, __ATOMIC_ACQUIRE);
}

static unsigned int take_from_ring(struct ring *r, struct io_event *event, unsigned int max)
{
	uint32_t head = r->head, tail = __atomic_load_n(&r->tail, __ATOMIC_ACQUIRE);
	unsigned int n = 0;

	for (; n < max && head != tail; n++) {
		event[n] = r->event[head];
		head = head + 1 < r->places ? head + 1 : 0;
	}
	__atomic_store_n(&r->head, head, __ATOMIC_RELEASE);
	return n;
}

unsigned int ep_aio_reap(struct ep_aio *q, struct transfer **done, unsigned int max,
			 uint64_t *calls)
{
	struct io_event event[REAP_MAX];
	struct timespec now = { 0, 0 };
	struct ring *r = ring_of(q);
	int n;

	if (max > REAP_MAX)
		max = REAP_MAX;
	if (r) {
		n = (int)take_from_ring(r, event, max);
	} else {
		++*calls;
		n = io_getevents(q->context, 0, max, event, &now);
	}
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
