/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The threads beside the loop: each waits in the kernel where the loop must not, and can be
 * called back from there.
 */
#ifndef NCMD_PORT_HELPER_THREAD_H
#define NCMD_PORT_HELPER_THREAD_H

#include <pthread.h>
#include <stdatomic.h>

/*
 * Starts a thread to which no signal goes but that of helper_thread_interrupt(). 0 or an errno
 * value.
 */
int helper_thread_start(pthread_t *thread, void *(*body)(void *), void *argument);

/*
 * Ends the system call in which the thread is with EINTR, again and again until *until is true,
 * as one signal may come just before it enters the call. Returns within milliseconds of that.
 */
void helper_thread_interrupt(pthread_t thread, const atomic_bool *until);

#endif
