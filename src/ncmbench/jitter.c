/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ncmbench/jitter.h"

int64_t jitter_next_ns(struct jitter *j, int64_t mean_ns)
{
	/* The generator of Numerical Recipes; its high bits are the good ones. */
	j->state = j->state * 1664525u + 1013904223u;
	return mean_ns / 2 + (int64_t)((double)mean_ns * (j->state >> 8) / (1 << 24));
}
