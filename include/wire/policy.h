/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When a datagram waits for company and when it leaves at once: the reason this
 * program exists. A pure function of the policy, the open NTB, the wire and the
 * clock reading it is given; a recorded series of views replays to the same
 * decisions. The same code runs in the daemon and in the simulator.
 *
 *	immediate	send as soon as the TAP is drained and the wire has a free place;
 *			while the wire is busy, collect. No timer at all.
 *	window:<us>	hold until the oldest datagram has waited <us>, or the NTB is
 *			full. f_ncm is window:300 with 31 datagrams.
 *	tick:<hz>[,<ms>]
 *			hold for <ms> (1 if not said) as a kernel with a tick of <hz> counts
 *			them: until the (ceil(ms * hz / 1000) + 1)-th tick after the oldest
 *			datagram, or full. NuttX's cdcncm before its change 19469 was tick:100,1:
 *			10 to 20 ms. Ticks are whole multiples of 1/hz s of the clock.
 */
#ifndef NCMD_WIRE_POLICY_H
#define NCMD_WIRE_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum policy_kind {
	POLICY_IMMEDIATE,
	POLICY_WINDOW,
	POLICY_TICK,
};

struct policy {
	enum policy_kind kind;
	uint32_t window_us; /* POLICY_WINDOW: 1 ... POLICY_WINDOW_MAX_US */
	uint32_t tick_hz; /* POLICY_TICK: 1 ... POLICY_TICK_MAX_HZ */
	uint32_t tick_delay_ms; /* POLICY_TICK: 0 ... POLICY_TICK_MAX_MS; 0: the next tick */
};

#define POLICY_WINDOW_MAX_US 1000000u
#define POLICY_TICK_MAX_HZ   10000u
#define POLICY_TICK_MAX_MS   1000u
#define POLICY_TEXT_MAX	     32

/* What a policy remembers between decisions; zero at the start. None of today's needs it. */
struct policy_state {
	bool held; /* the last decision was to hold */
};

/* Why the open NTB is closed; the names of counters. */
enum policy_reason {
	POLICY_REASON_DRAINED, /* nothing more to read, the wire is free */
	POLICY_REASON_FULL, /* the next datagram does not fit */
	POLICY_REASON_DATAGRAM_LIMIT, /* as many datagrams as the host takes */
	POLICY_REASON_WINDOW, /* the oldest datagram has waited long enough */
	POLICY_REASON_TICK, /* the tick that ends its wait has come */
	POLICY_REASON_WIRE_FREE, /* a transfer ended and what it had held back goes now */
	POLICY_REASONS
};

/* What a decision may know. */
struct policy_view {
	int64_t now_ns; /* CLOCK_MONOTONIC */
	int64_t oldest_ns; /* when the open NTB got its first datagram */
	uint32_t datagrams; /* in the open NTB; 0: nothing to decide */
	uint32_t in_flight; /* NTBs on their way to the host */
	uint32_t depth; /* most that may be */
	bool full; /* a datagram did not fit */
	bool datagram_limit; /* the limit of datagrams is reached */
	bool tap_drained; /* the last read found nothing */
	bool wire_freed; /* this decision is asked because a transfer ended */
};

struct policy_decision {
	bool send;
	enum policy_reason reason; /* if send */
	/* if not: when to ask again at the latest; POLICY_NO_TIMER: only events count */
	int64_t hold_until_ns;
};

#define POLICY_NO_TIMER INT64_MAX

struct policy_decision policy_decide(const struct policy *policy, struct policy_state *state,
				     const struct policy_view *view);

/*
 * Reads "immediate", "window:<us>" or "tick:<hz>[,<ms>]". False, and *policy untouched, for
 * anything else.
 */
bool policy_parse(const char *text, struct policy *policy);

/* Writes the policy as policy_parse() reads it. */
void policy_print(const struct policy *policy, char text[static POLICY_TEXT_MAX]);

/* "drained", "full", "datagram_limit", "window", "tick", "wire_free". Never NULL. */
const char *policy_reason_name(enum policy_reason reason);

#endif
