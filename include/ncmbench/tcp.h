/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bulk TCP against any `iperf3 -s`, through iperf3's library. It runs in a child process:
 * the library prints to stdout, and may end the process or wait for minutes when a
 * connection stalls; so a run can be watched, and ended.
 */
#ifndef NCMBENCH_TCP_H
#define NCMBENCH_TCP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "ncmbench/processor.h"
#include "port/log.h"

#define TCP_INTERVAL_MS 500 /* one without a byte counts as a stall */
#define TCP_PATIENCE_S	15 /* so much longer than asked for a run may take */

struct tcp_options {
	const char *peer;
	unsigned int port;
	unsigned int seconds; /* measured */
	unsigned int omit_s; /* before that, and left out */
	uint64_t rate_bps; /* bit/s; 0: as fast as it goes */
	bool reverse; /* from the peer to here */
};

struct tcp_result {
	double mbps, seconds; /* as the receiver counted them */
	uint64_t bytes;
	int64_t retransmits; /* -1: the sender does not say */
	unsigned int stalls; /* intervals of TCP_INTERVAL_MS, the omitted ones left out */
	/* The whole connection, the omitted part included: */
	uint64_t all_bytes;
	int64_t elapsed_us, busy_us; /* busy: of all processors of this machine */
	unsigned int processors;
};

struct tcp_run {
	pid_t child;
	int exit_fd; /* a pidfd: readable when the child has ended */
	int output_fd; /* what it printed */
	int64_t deadline_ns; /* CLOCK_MONOTONIC */
	struct processor_sample before;
};

/* 0, or -errno with *f filled; after 0, tcp_finish() it. *o is used until then. */
int tcp_start(struct tcp_run *run, const struct tcp_options *o, struct failure *f);

/* Waits for the end of the run, or ends it at the deadline. 0, or -errno with *f filled. */
int tcp_finish(struct tcp_run *run, const struct tcp_options *o, struct tcp_result *r,
	       struct failure *f);

/* iperf3's JSON -> all of *r but the last group. On failure `why` is what iperf3 said. */
bool tcp_parse(const char *json, struct tcp_result *r, char *why, size_t why_size);

#endif
