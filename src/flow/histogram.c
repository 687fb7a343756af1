/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flow/histogram.h"

static unsigned int bucket_of(uint64_t v)
{
	unsigned int top, bucket;

	if (v < HISTOGRAM_STEPS)
		return (unsigned int)v;
	top = 63u - (unsigned int)__builtin_clzll(v);
	if (top >= HISTOGRAM_TOP_BIT)
		return HISTOGRAM_BUCKETS - 1;
	bucket = (top - HISTOGRAM_STEP_BITS + 1) * HISTOGRAM_STEPS;
	return bucket + (unsigned int)((v >> (top - HISTOGRAM_STEP_BITS)) & (HISTOGRAM_STEPS - 1));
}

void histogram_add(struct histogram *h, int64_t value)
{
	uint64_t v = value < 0 ? 0 : (uint64_t)value;

	h->count++;
	h->sum += v;
	if (v > h->max)
		h->max = v;
	h->bucket[bucket_of(v)]++;
}

uint64_t histogram_floor(unsigned int i)
{
	unsigned int power = i / HISTOGRAM_STEPS;
	uint64_t step = i % HISTOGRAM_STEPS;

	if (!power)
		return step;
	return (HISTOGRAM_STEPS + step) << (power - 1);
}

uint64_t histogram_quantile(const struct histogram *h, unsigned int per_mille)
{
	uint64_t wanted = (h->count * per_mille + 999) / 1000, seen = 0;

	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++) {
		seen += h->bucket[i];
		if (seen && seen >= wanted)
			return histogram_floor(i);
	}
	return 0;
}
