/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "port/slice.h"

#include <errno.h>
#include <linux/sched.h>
#include <linux/sched/types.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The least that kernel/sched/syscalls.c takes for a fair task. */
#define SLICE_NS 100000

int slice_shorten(void)
{
	struct sched_attr attr = {
		.size = sizeof(attr),
		.sched_policy = SCHED_NORMAL,
		.sched_runtime = SLICE_NS,
	};

	return syscall(SYS_sched_setattr, 0, &attr, 0) < 0 ? -errno : 0;
}
