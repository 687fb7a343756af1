/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Virtual time: what happens when, and nothing else. Two events of the same moment happen
 * in the order in which they were asked for, so a run depends on its input alone.
 */
#ifndef NCMD_SIM_ENGINE_H
#define NCMD_SIM_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_NS_PER_US INT64_C(1000)
#define SIM_NS_PER_MS INT64_C(1000000)
#define SIM_NS_PER_S  INT64_C(1000000000)
#define SIM_NEVER     INT64_MAX

typedef void sim_action(void *who, uint64_t what);

struct sim_event {
	int64_t at_ns;
	uint64_t order;
	sim_action *action;
	void *who;
	uint64_t what;
};

/* Most events that may wait at a time: no model needs a tenth of it. */
#define SIM_EVENTS_MAX 16384

struct sim_engine {
	int64_t now_ns;
	uint64_t order; /* of the next event */
	uint64_t random; /* state of sim_random() */
	size_t events;
	bool overflowed; /* an event was lost: the run is worth nothing */
	struct sim_event heap[SIM_EVENTS_MAX];
};

/* Time 0 and an empty list. Each seed gives another, always the same, series of numbers. */
void sim_engine_begin(struct sim_engine *e, uint64_t seed);

/* Has action(who, what) called at `at_ns`, or now if that is past. Never for SIM_NEVER. */
void sim_at(struct sim_engine *e, int64_t at_ns, sim_action *action, void *who, uint64_t what);

/*
 * Lets time pass until `end_ns`, or until nothing is left to do, or `most` events have happened.
 * Returns how many did. now_ns is then the time of the last one.
 */
uint64_t sim_run(struct sim_engine *e, int64_t end_ns, uint64_t most);

/* 0 ... below - 1, all alike; below > 0. */
uint64_t sim_random(struct sim_engine *e, uint64_t below);

/* An exponentially distributed time with this mean, at most eight times that. */
int64_t sim_random_wait(struct sim_engine *e, int64_t mean_ns);

/* The first multiple of `step_ns` at or behind `ns`; step_ns 0: ns itself. */
int64_t sim_align(int64_t ns, int64_t step_ns);

#endif
