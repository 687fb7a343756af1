/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef NCMBENCH_CLOCK_H
#define NCMBENCH_CLOCK_H

#include <stdint.h>

#define NS_PER_US     1000LL
#define NS_PER_MS     1000000LL
#define NS_PER_SECOND 1000000000LL

/* CLOCK_MONOTONIC, in ns. */
int64_t clock_now_ns(void);

/* Sleeps in poll(2) until `fd` is readable or `until_ns` has come. 1: it is readable; 0: not.
 * A negative fd never is. */
int clock_wait_readable(int fd, int64_t until_ns);

#endif
