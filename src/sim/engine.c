/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/engine.h"

#include <math.h>
#include <string.h>

void sim_engine_begin(struct sim_engine *e, uint64_t seed)
{
	memset(e, 0, offsetof(struct sim_engine, heap));
	e->random = seed;
}

static bool is_before(const struct sim_event *a, const struct sim_event *b)
{
	return a->at_ns < b->at_ns || (a->at_ns == b->at_ns && a->order < b->order);
}

static void swap(struct sim_event *a, struct sim_event *b)
{
	struct sim_event t = *a;

	*a = *b;
	*b = t;
}

void sim_at(struct sim_engine *e, int64_t at_ns, sim_action *action, void *who, uint64_t what)
{
	size_t i = e->events;

	if (at_ns == SIM_NEVER)
		return;
	if (i == SIM_EVENTS_MAX) {
		e->overflowed = true;
		return;
	}
	e->heap[i] = (struct sim_event){ at_ns < e->now_ns ? e->now_ns : at_ns, e->order++, action,
					 who, what };
	e->events++;
	for (; i && is_before(&e->heap[i], &e->heap[(i - 1) / 2]); i = (i - 1) / 2)
		swap(&e->heap[i], &e->heap[(i - 1) / 2]);
}

static struct sim_event take_first(struct sim_engine *e)
{
	struct sim_event first = e->heap[0];
	size_t i = 0, child;

	e->heap[0] = e->heap[--e->events];
	while ((child = 2 * i + 1) < e->events) {
		if (child + 1 < e->events && is_before(&e->heap[child + 1], &e->heap[child]))
			child++;
		if (!is_before(&e->heap[child], &e->heap[i]))
			break;
		swap(&e->heap[i], &e->heap[child]);
		i = child;
	}
	return first;
}

uint64_t sim_run(struct sim_engine *e, int64_t end_ns, uint64_t most)
{
	uint64_t done = 0;

	while (done < most && e->events && e->heap[0].at_ns <= end_ns && !e->overflowed) {
		struct sim_event event = take_first(e);

		e->now_ns = event.at_ns;
		event.action(event.who, event.what);
		done++;
	}
	return done;
}

/* splitmix64: a counter, and a function that spreads its bits. */
static uint64_t next_random(struct sim_engine *e)
{
	uint64_t z = e->random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

uint64_t sim_random(struct sim_engine *e, uint64_t below)
{
	/* 32 bits are plenty for a phase, and their product with `below` stays inside 64. */
	return below <= UINT32_MAX ? ((next_random(e) >> 32) * below) >> 32 :
				     next_random(e) % below;
}

int64_t sim_random_wait(struct sim_engine *e, int64_t mean_ns)
{
	double u = ((double)(next_random(e) >> 11) + 1) / 9007199254740992.0; /* 2^53 */
	double wait = -log(u);

	return (int64_t)((double)mean_ns * (wait > 8 ? 8 : wait));
}

int64_t sim_align(int64_t ns, int64_t step_ns)
{
	return step_ns ? (ns + step_ns - 1) / step_ns * step_ns : ns;
}
