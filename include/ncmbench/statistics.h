/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is said about a set of measured times: exact quantiles, from every single value. */
#ifndef NCMBENCH_STATISTICS_H
#define NCMBENCH_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

#include "flow/histogram.h"

/* All in ns; all 0 when count is 0. */
struct summary {
	size_t count;
	int64_t min, mean, p50, p90, p99, p999, max;
};

/*
 * The smallest value that at least `per_mille` of 1000 values do not exceed (nearest
 * rank, so it is always one that was measured). `sorted` ascending; 0 of no values.
 */
int64_t quantile(const int64_t *sorted, size_t count, unsigned int per_mille);

/* Sorts ns[0 ... count - 1] and fills *s and, if it is not NULL, *h, which it clears first. */
void summarise(struct summary *s, struct histogram *h, int64_t *ns, size_t count);

#endif
