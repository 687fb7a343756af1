/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How busy this machine is, from the idle counters of /proc/stat. */
#ifndef NCMBENCH_PROCESSOR_H
#define NCMBENCH_PROCESSOR_H

#include <stdbool.h>
#include <stdint.h>

struct processor_sample {
	int64_t time_ns; /* CLOCK_MONOTONIC */
	int64_t idle_us; /* of all processors together, waiting for disks included */
	unsigned int processors;
};

/* The text of /proc/stat, whose unit is 1/ticks_per_second. False if it is not such a text. */
bool processor_parse(const char *stat, long ticks_per_second, struct processor_sample *s);

/* All 0 if /proc/stat cannot be read: processor_busy_us() is then 0 too. */
void processor_read(struct processor_sample *s);

/*
 * Time that was not idle between two samples, of all processors together: for a share
 * divide by processors * (b->time_ns - a->time_ns). Never negative.
 */
int64_t processor_busy_us(const struct processor_sample *a, const struct processor_sample *b);

#endif
