/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "port/ep_writer.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "port/helper_thread.h"

static int32_t carry_out(struct ep_writer *w)
{
	ssize_t n;

	if (atomic_load(&w->cancelled))
		return -ECONNRESET;
	n = write(w->file, w->bytes, w->len);
	if (n >= 0)
		return (int32_t)n;
	return errno == EINTR ? -ECONNRESET : -errno;
}

static void *writer_thread(void *argument)
{
	static const uint64_t one = 1;
	struct ep_writer *w = argument;

	for (;;) {
		if (sem_wait(&w->order) < 0)
			continue; /* a signal that came too late */
		if (atomic_load(&w->quit))
			break;
		w->result = carry_out(w);
		atomic_store(&w->ended, true);
		(void)!write(w->event_fd, &one, sizeof(one));
	}
	atomic_store(&w->gone, true);
	return NULL;
}

int ep_writer_open(struct ep_writer *w, int event_fd, struct failure *f)
{
	int error;

	memset(w, 0, sizeof(*w));
	w->event_fd = event_fd;
	sem_init(&w->order, 0, 0);
	error = helper_thread_start(&w->thread, writer_thread, w);
	if (error)
		return fail(f, error, "cannot start a thread for short transfers: %s",
			    strerror(error));
	w->open = true;
	return 0;
}

void ep_writer_order(struct ep_writer *w, int file, struct transfer *transfer)
{
	assert(ep_writer_is_idle(w) && transfer->len <= EP_WRITER_BYTES_MAX);
	w->transfer = transfer;
	w->file = file;
	w->len = transfer->len;
	if (w->len)
		memcpy(w->bytes, transfer->bytes, w->len);
	atomic_store(&w->cancelled, false);
	atomic_store(&w->ended, false);
	sem_post(&w->order);
}

bool ep_writer_ended(const struct ep_writer *w)
{
	return w->transfer && atomic_load(&w->ended);
}

struct transfer *ep_writer_reap(struct ep_writer *w)
{
	struct transfer *transfer = w->transfer;

	if (!ep_writer_ended(w))
		return NULL;
	w->transfer = NULL;
	transfer->result = w->result;
	return transfer;
}

void ep_writer_interrupt(struct ep_writer *w)
{
	if (!w->open || !w->transfer)
		return;
	atomic_store(&w->cancelled, true);
	helper_thread_interrupt(w->thread, &w->ended);
}

void ep_writer_close(struct ep_writer *w)
{
	if (!w->open)
		return;
	atomic_store(&w->cancelled, true);
	atomic_store(&w->quit, true);
	sem_post(&w->order);
	helper_thread_interrupt(w->thread, &w->gone);
	pthread_join(w->thread, NULL);
	sem_destroy(&w->order);
	w->open = false;
}
