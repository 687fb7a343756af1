/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A log-linear histogram: each power of two is cut into HISTOGRAM_STEPS equal
 * buckets, so a value is known to within a quarter of its size, from 0 up to 2^40,
 * without a setting. What is larger lands in the last bucket.
 */
#ifndef NCMD_FLOW_HISTOGRAM_H
#define NCMD_FLOW_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_STEP_BITS 2
#define HISTOGRAM_STEPS	    (1 << HISTOGRAM_STEP_BITS)
#define HISTOGRAM_TOP_BIT   40
#define HISTOGRAM_BUCKETS   ((HISTOGRAM_TOP_BIT - HISTOGRAM_STEP_BITS + 1) * HISTOGRAM_STEPS)

struct histogram {
	uint64_t count, sum, max;
	uint64_t bucket[HISTOGRAM_BUCKETS];
};

/* Counts one value; negative ones count as 0. */
void histogram_add(struct histogram *h, int64_t value);

/* The smallest value that falls into bucket `i`; that of i + 1 is the first that does not. */
uint64_t histogram_floor(unsigned int i);

/* The floor of the bucket that holds the given share of all values, per 1000; 0 of an empty one. */
uint64_t histogram_quantile(const struct histogram *h, unsigned int per_mille);

#endif
