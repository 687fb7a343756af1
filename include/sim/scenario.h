/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A scenario: runs of the model, and the figures of a report beside the model's; or policies and
 * patterns of traffic, and each policy's latency and throughput in each pattern.
 */
#ifndef NCMD_SIM_SCENARIO_H
#define NCMD_SIM_SCENARIO_H

#include "sim/settings.h"

#define SIM_SCENARIO_RUNS     64
#define SIM_SCENARIO_ROWS     64
#define SIM_SCENARIO_POLICIES 32
#define SIM_SCENARIO_PATTERNS 16

struct sim_scenario_run {
	const char *name;
	struct sim_run_settings settings;
	struct sim_run_result result;
};

struct sim_scenario_row {
	const char *figure, *unit;
	const char *column; /* rows of one column are ranked; NULL: none */
	int run, traffic, value; /* which figure of which run */
	double reported;
	double bound; /* the model's relative error at most; 0: nothing is claimed */
	double model; /* after sim_scenario_run() */
};

/* What a pattern says about a policy. */
struct sim_scenario_point {
	int pattern, policy;
	bool has_latency; /* bulk alone has none */
	double latency_us, latency_p99_us; /* of the first traffic that has one */
	double throughput_mbit_s; /* of all traffic */
	double ntbs_per_s, datagrams_per_ntb; /* to the host */
	double processor; /* share of the time the device's was busy */
	uint64_t lost;
	/*
	 * A policy that is by no more than 1 % worse than this in latency (mean and p99) and
	 * throughput, and better by more than 1 % in one of them; -1: none.
	 */
	int beaten_by;
};

struct sim_scenario {
	config_t config; /* owns the texts */
	const char *name, *title;
	const config_setting_t *notes; /* list of texts: what was fitted, what follows; or NULL */
	int runs, rows;
	struct sim_scenario_run run[SIM_SCENARIO_RUNS];
	struct sim_scenario_row row[SIM_SCENARIO_ROWS];
	/* or these */
	int policies, patterns, points;
	const char *policy_text[SIM_SCENARIO_POLICIES];
	struct policy policy[SIM_SCENARIO_POLICIES];
	struct sim_scenario_run pattern[SIM_SCENARIO_PATTERNS];
	struct sim_scenario_point point[SIM_SCENARIO_POLICIES * SIM_SCENARIO_PATTERNS];
};

/*
 * Reads a file's text. NULL, and *why, if it is wrong. The result ends with
 * sim_scenario_free(), which may be given NULL.
 */
struct sim_scenario *sim_scenario_read(const char *text, struct sim_why *why);
void sim_scenario_free(struct sim_scenario *s);

/* Runs all of it. False, and *why, if a run fails. */
bool sim_scenario_run(struct sim_scenario *s, struct sim_why *why);

/* What a row may name: "latency_ms" and so on; NULL behind the last. */
const char *sim_scenario_value_name(int value);

/* (model - reported) / reported. */
double sim_scenario_error(const struct sim_scenario_row *row);

/*
 * Whether the model ranks the rows of a column as the report does: figures of the report less
 * than 5 % apart may stand in either order. *a and *b are the first two rows that do not.
 */
bool sim_scenario_ranks(const struct sim_scenario *s, const char *column, int *a, int *b);

/* The scenarios that are built in, by index from 0; false behind the last. */
bool sim_scenario_shipped(int index, const char **name, const char **text);

#endif
