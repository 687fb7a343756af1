/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps a killed ncmd from taking the kernel with it. When the last user of a process's memory
 * ends, Linux cancels its AIO requests with a lock held that the end of a request takes too;
 * GadgetFS ends a cancelled request at once: the processor stands still, interrupts off
 * [linux fs/aio.c free_ioctx_users(), aio_complete_rw()]. Memory goes before files, so closing
 * the control file, which would end them all in good order, comes too late.
 *
 * The guard is a process that shares the memory and no file: it outlives the one that was
 * killed by a moment, in which the control file is closed.
 */
#ifndef NCMD_PORT_AIO_GUARD_H
#define NCMD_PORT_AIO_GUARD_H

#include <sys/types.h>

#include "port/log.h"

struct aio_guard {
	pid_t pid; /* 0: none */
	int alive; /* the guard ends when this end of a pipe is closed, and so when we end */
	void *stack;
};

/* Starts it; to be called before the first AIO request. 0 or -errno with *f filled. */
int aio_guard_open(struct aio_guard *g, struct failure *f);

/* Ends it; no AIO request may be in flight. */
void aio_guard_close(struct aio_guard *g);

#endif
