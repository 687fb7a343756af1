/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ncmbench/statistics.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

int64_t quantile(const int64_t *sorted, size_t count, unsigned int per_mille)
{
	size_t rank = (count * per_mille + 999) / 1000;

	if (!count)
		return 0;
	return sorted[rank ? rank - 1 : 0];
}

static int64_t mean(const int64_t *ns, size_t count)
{
	int64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += ns[i];
	return count ? sum / (int64_t)count : 0;
}

void summarise(struct summary *s, struct histogram *h, int64_t *ns, size_t count)
{
	if (count)
		qsort(ns, count, sizeof(*ns), compare);
	s->count = count;
	s->min = count ? ns[0] : 0;
	s->mean = mean(ns, count);
	s->p50 = quantile(ns, count, 500);
	s->p90 = quantile(ns, count, 900);
	s->p99 = quantile(ns, count, 990);
	s->p999 = quantile(ns, count, 999);
	s->max = quantile(ns, count, 1000);
	if (!h)
		return;
	memset(h, 0, sizeof(*h));
	for (size_t i = 0; i < count; i++)
		histogram_add(h, ns[i]);
}
