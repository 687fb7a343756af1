/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Short transfers to the host by write(), in a thread of their own: where a controller's driver
 * ends a request of one packet inside usb_ep_queue(), as dummy_hcd does with up to 64 bytes,
 * GadgetFS takes its lock twice for an AIO write and the machine stands still (facts 1.10).
 *
 * One order at a time. What the loop owns and what the thread owns changes hands with `order`
 * (a semaphore, loop to thread) and `ended` (thread to loop); the bytes are copied, as an AIO
 * write would.
 */
#ifndef NCMD_PORT_EP_WRITER_H
#define NCMD_PORT_EP_WRITER_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "port/log.h"
#include "port/transport.h"

#define EP_WRITER_BYTES_MAX 64

struct ep_writer {
	struct transfer *transfer; /* the loop's: the order that is out; NULL: none */
	sem_t order;
	atomic_bool ended; /* the order has been carried out */
	atomic_bool cancelled; /* it need not be begun any more */
	atomic_bool quit;
	atomic_bool gone; /* the thread has left its loop */
	bool open;
	pthread_t thread;
	int event_fd; /* an eventfd that is added to with every end; not owned */
	/* Of whoever has the order. */
	int file;
	uint32_t len;
	uint8_t bytes[EP_WRITER_BYTES_MAX];
	int32_t result;
};

/* Starts the thread, which adds to `event_fd` when an order has ended. 0 or -errno with *f. */
int ep_writer_open(struct ep_writer *w, int event_fd, struct failure *f);

static inline bool ep_writer_is_idle(const struct ep_writer *w)
{
	return !w->transfer;
}

/* Gives out `transfer`, at most EP_WRITER_BYTES_MAX bytes, to `file`. Only while idle. */
void ep_writer_order(struct ep_writer *w, int file, struct transfer *transfer);

/* Whether ep_writer_reap() would find it ended. */
bool ep_writer_ended(const struct ep_writer *w);

/* The transfer that ended, `result` filled; NULL: none. The writer is idle then. */
struct transfer *ep_writer_reap(struct ep_writer *w);

/* Ends the order that is out, if any: it is reaped with -ECONNRESET unless it was through. */
void ep_writer_interrupt(struct ep_writer *w);

/* Interrupts and joins. An order that was out is forgotten. */
void ep_writer_close(struct ep_writer *w);

#endif
