/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ncmbench/clock.h"

#include <poll.h>
#include <time.h>

int64_t clock_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * NS_PER_SECOND + t.tv_nsec;
}

int clock_wait_readable(int fd, int64_t until_ns)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int64_t left = until_ns - clock_now_ns();
	struct timespec t;

	if (left < 0)
		left = 0;
	t.tv_sec = left / NS_PER_SECOND;
	t.tv_nsec = left % NS_PER_SECOND;
	return ppoll(&p, 1, &t, NULL) > 0;
}
