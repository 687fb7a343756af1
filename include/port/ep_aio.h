/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Linux AIO on endpoint files: one context, one eventfd, one io_submit a turn. What ended is
 * taken out of the ring that the kernel maps into every process with a context.
 */
#ifndef NCMD_PORT_EP_AIO_H
#define NCMD_PORT_EP_AIO_H

#include <libaio.h>

#include "port/log.h"
#include "port/transport.h"

struct ep_aio {
	io_context_t context;
	int event_fd; /* an eventfd; watch it edge-triggered and never read it */
	int file[ENDPOINTS]; /* O_NONBLOCK; not owned */
	/*
	 * Reads name two pieces, the second one empty. For one piece the kernel needs no list
	 * that it would have to copy, and from the missing copy GadgetFS infers that this was a
	 * write: the read ends with its length and without its data [linux lib/iov_iter.c
	 * dup_iter(), legacy/inode.c ep_aio_complete(), seen on 6.12].
	 */
	bool vectors;
};

/* A context for TRANSPORT_QUEUE_MAX transfers. 0 or -errno with *f filled. */
int ep_aio_open(struct ep_aio *q, struct failure *f);

/* Cancels and waits for what is in flight. */
void ep_aio_close(struct ep_aio *q);

/* As transport_ops.submit, .reap, .ended and .cancel. *calls counts reap's system calls. */
int ep_aio_submit(struct ep_aio *q, struct transfer **list, unsigned int n);
unsigned int ep_aio_reap(struct ep_aio *q, struct transfer **done, unsigned int max,
			 uint64_t *calls);
bool ep_aio_ended(const struct ep_aio *q);
void ep_aio_cancel(struct ep_aio *q, struct transfer *transfer);

#endif
