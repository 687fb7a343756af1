/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one thread, one epoll, one clock reading a turn. Every source of events of
 * the program is in `enum loop_source`; deferred work (policy, notifications, the
 * one submit) runs once after all of a turn's events.
 */
#ifndef NCMD_LOOP_H
#define NCMD_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "flow/from_host.h"
#include "flow/link.h"
#include "flow/stats.h"
#include "flow/to_host.h"
#include "port/log.h"
#include "port/rtnl.h"
#include "port/tap.h"
#include "port/transport.h"

enum loop_source {
	LOOP_TAP,
	LOOP_COMPLETION, /* a transfer ended */
	LOOP_CONTROL, /* ep0, or the result of a data stage */
	LOOP_SIGNAL,
	LOOP_TIMER,
	LOOP_INTERFACE, /* netlink: the TAP interface changed */
	LOOP_SOURCES
};

struct loop {
	/* The caller's, open; they outlive the loop. */
	struct tap *tap;
	struct transport *transport;
	struct rtnl_watch *watch; /* may be NULL */
	struct to_host *to_host;
	struct from_host *from_host;
	struct link *link;
	struct stats *stats;

	/* Called for SIGUSR1; may be NULL. */
	void (*on_report)(void *argument);
	void *report_argument;

	int epoll, timer, signals;
	int64_t timer_ns; /* what the timer is set to; POLICY_NO_TIMER: off */
	int64_t expire_ns; /* when to look for stale NTBs; POLICY_NO_TIMER: nothing in flight */
	int64_t rearm_ns; /* when to arm failed reads again, or to submit what was left */
	int stop_signal; /* the signal that ended loop_run() */
	bool stop;
	bool no_pwait2; /* the system has no epoll_pwait2() */
	bool report; /* SIGUSR1 came in this turn */
};

/*
 * Blocks SIGTERM, SIGINT, SIGHUP and SIGUSR1: from now on they wait for loop_run(). SIGPIPE is
 * ignored. To be called before anything is made that a sudden end would leave behind.
 */
void loop_block_signals(void);

/* Starts watching. 0 or -errno with *f filled. */
int loop_open(struct loop *l, struct failure *f);

/*
 * Runs until SIGTERM, SIGINT, SIGHUP, `stop`, or the end of the transport (0), or until the
 * TAP interface is deleted or waiting fails (-errno with *f filled).
 */
int loop_run(struct loop *l, struct failure *f);
void loop_close(struct loop *l);

/* CLOCK_MONOTONIC, ns. */
int64_t loop_now_ns(void);

#endif
