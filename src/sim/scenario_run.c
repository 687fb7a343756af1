/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/scenario.h"

#include <string.h>

enum value {
	VALUE_LATENCY,
	VALUE_LEAST,
	VALUE_P50,
	VALUE_P99,
	VALUE_MOST,
	VALUE_TIME,
	VALUE_KB_S,
	VALUE_MBIT_S,
	VALUE_LOST,
	VALUE_TIMEOUTS,
	VALUE_PROCESSOR,
	VALUE_COPYING,
	VALUES
};

static const char *const value_names[] = {
	[VALUE_LATENCY] = "latency_ms",
	[VALUE_LEAST] = "latency_least_ms",
	[VALUE_P50] = "latency_p50_ms",
	[VALUE_P99] = "latency_p99_ms",
	[VALUE_MOST] = "latency_most_ms",
	[VALUE_TIME] = "time_s",
	[VALUE_KB_S] = "rate_kb_s",
	[VALUE_MBIT_S] = "rate_mbit_s",
	[VALUE_LOST] = "lost",
	[VALUE_TIMEOUTS] = "timeouts",
	[VALUE_PROCESSOR] = "processor_percent",
	[VALUE_COPYING] = "copying_percent",
};

const char *sim_scenario_value_name(int value)
{
	return value < VALUES ? value_names[value] : NULL;
}

static double value_of(const struct sim_run_result *r, int traffic, int value)
{
	const struct sim_traffic_result *t = &r->traffic[traffic];

	switch ((enum value)value) {
	case VALUE_LATENCY:
		return t->mean_us / 1e3;
	case VALUE_LEAST:
		return t->least_us / 1e3;
	case VALUE_P50:
		return t->p50_us / 1e3;
	case VALUE_P99:
		return t->p99_us / 1e3;
	case VALUE_MOST:
		return t->most_us / 1e3;
	case VALUE_TIME:
		return t->time_s;
	case VALUE_KB_S:
		return t->bits_per_s / 8e3;
	case VALUE_MBIT_S:
		return t->bits_per_s / 1e6;
	case VALUE_LOST:
		return (double)r->lost;
	case VALUE_TIMEOUTS:
		return (double)t->timeouts;
	case VALUE_PROCESSOR:
		return r->processor * 100;
	case VALUE_COPYING:
		return r->copying * 100;
	case VALUES:
		break;
	}
	return 0;
}

double sim_scenario_error(const struct sim_scenario_row *row)
{
	return (row->model - row->reported) / row->reported;
}

/* Less than this apart is equal. */
#define EQUAL 0.05

static bool is_above(double a, double b)
{
	return a > b && (a - b) / a >= EQUAL;
}

bool sim_scenario_ranks(const struct sim_scenario *s, const char *column, int *a, int *b)
{
	for (*a = 0; *a < s->rows; ++*a)
		for (*b = 0; *b < s->rows; ++*b) {
			const struct sim_scenario_row *x = &s->row[*a], *y = &s->row[*b];

			if (!x->column || !y->column || strcmp(x->column, column) != 0 ||
			    strcmp(y->column, column) != 0)
				continue;
			if (is_above(x->reported, y->reported) && x->model <= y->model)
				return false;
		}
	return true;
}

static bool run_one(const char *name, const struct sim_run_settings *settings,
		    struct sim_run_result *result, struct sim_why *why)
{
	switch (sim_run_world(settings, result)) {
	case SIM_OK:
		return true;
	case SIM_NO_MEMORY:
		return sim_wrong(why, NULL, "run \"%s\": there is not enough memory", name);
	case SIM_TOO_MANY_EVENTS:
		return sim_wrong(why, NULL,
				 "run \"%s\": too much happens; fewer seconds or less traffic",
				 name);
	case SIM_FAULT:
		break;
	}
	return sim_wrong(why, NULL, "run \"%s\": an end could not read an NTB", name);
}

static void fill_point(struct sim_scenario_point *p, const struct sim_run_settings *s,
		       const struct sim_run_result *r)
{
	double seconds = (double)s->seconds_ns / 1e9;

	for (uint32_t i = s->traffics; i-- > 0;)
		if (r->traffic[i].samples) {
			p->has_latency = true;
			p->latency_us = r->traffic[i].mean_us;
			p->latency_p99_us = r->traffic[i].p99_us;
		}
	for (uint32_t i = 0; i < s->traffics; i++)
		p->throughput_mbit_s += r->traffic[i].bits_per_s / 1e6;
	p->ntbs_per_s = (double)r->ntbs_to_host / seconds;
	p->datagrams_per_ntb =
		r->ntbs_to_host ? (double)r->datagrams_to_host / (double)r->ntbs_to_host : 0;
	p->processor = r->processor;
	p->lost = r->lost;
}

/* What differs by less is no difference. */
#define MARGIN 0.01

static bool beats(const struct sim_scenario_point *a, const struct sim_scenario_point *b)
{
	/* more is better */
	const double better[][2] = {
		{ a->throughput_mbit_s, b->throughput_mbit_s },
		{ b->latency_us, a->latency_us },
		{ b->latency_p99_us, a->latency_p99_us },
	};
	bool one = false;

	for (size_t i = 0; i < sizeof(better) / sizeof(better[0]); i++) {
		if (better[i][0] < better[i][1] * (1 - MARGIN))
			return false;
		one |= better[i][0] > better[i][1] * (1 + MARGIN);
	}
	return one;
}

static void find_beaten(struct sim_scenario *s)
{
	for (int i = 0; i < s->points; i++) {
		s->point[i].beaten_by = -1;
		for (int j = 0; j < s->points && s->point[i].beaten_by < 0; j++)
			if (s->point[i].pattern == s->point[j].pattern &&
			    beats(&s->point[j], &s->point[i]))
				s->point[i].beaten_by = s->point[j].policy;
	}
}

static bool run_points(struct sim_scenario *s, struct sim_why *why)
{
	s->points = 0;
	for (int pattern = 0; pattern < s->patterns; pattern++)
		for (int policy = 0; policy < s->policies; policy++) {
			struct sim_scenario_run *run = &s->pattern[pattern];
			struct sim_scenario_point *p = &s->point[s->points++];

			*p = (struct sim_scenario_point){ .pattern = pattern, .policy = policy };
			run->settings.device.policy = s->policy[policy];
			if (!run_one(run->name, &run->settings, &run->result, why))
				return false;
			fill_point(p, &run->settings, &run->result);
		}
	find_beaten(s);
	return true;
}

bool sim_scenario_run(struct sim_scenario *s, struct sim_why *why)
{
	for (int i = 0; i < s->runs; i++)
		if (!run_one(s->run[i].name, &s->run[i].settings, &s->run[i].result, why))
			return false;
	for (int i = 0; i < s->rows; i++)
		s->row[i].model =
			value_of(&s->run[s->row[i].run].result, s->row[i].traffic, s->row[i].value);
	return run_points(s, why);
}
