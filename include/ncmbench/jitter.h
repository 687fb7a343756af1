/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gaps between probes that are neither equal nor random. With equal ones all probes can
 * meet the bus in the same phase of its 125 us (or 1 ms), and the median then tells where
 * they met it, not how long they took; random ones would be others in the next run.
 */
#ifndef NCMBENCH_JITTER_H
#define NCMBENCH_JITTER_H

#include <stdint.h>

struct jitter {
	uint32_t state; /* any value; the same one gives the same gaps */
};

/* The next gap: from half of `mean_ns` to one and a half of it, `mean_ns` on average. */
int64_t jitter_next_ns(struct jitter *j, int64_t mean_ns);

#endif
