/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The policies: decisions for tables of views, their text, and replay. */
#include "unit.h"

#include "wire/policy.h"

static const struct policy immediate = { .kind = POLICY_IMMEDIATE };
static const struct policy window_300 = { .kind = POLICY_WINDOW, .window_us = 300 };
static const struct policy tick_100_1 = { .kind = POLICY_TICK, .tick_hz = 100,
					  .tick_delay_ms = 1 };

struct row {
	const char *name;
	struct policy_view view;
	bool send;
	enum policy_reason reason; /* if send */
	int64_t hold_until_ns; /* if not */
};

static void check_rows(const struct policy *policy, const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct policy_state state = { 0 };
		struct policy_decision d = policy_decide(policy, &state, &rows[i].view);

		if (d.send != rows[i].send)
			fail_msg("%s: %s", rows[i].name, d.send ? "sent" : "held");
		if (d.send && d.reason != rows[i].reason)
			fail_msg("%s: %s", rows[i].name, policy_reason_name(d.reason));
		if (!d.send && d.hold_until_ns != rows[i].hold_until_ns)
			fail_msg("%s: held until %lld", rows[i].name, (long long)d.hold_until_ns);
		assert_int_equal(state.held, !d.send && rows[i].view.datagrams > 0);
	}
}

#define NONE POLICY_NO_TIMER

static void immediate_decides(void **state)
{
	static const struct row rows[] = {
		{ "nothing there", { .depth = 2, .tap_drained = true }, false, 0, NONE },
		{ "nothing there, a transfer ended",
		  { .depth = 2, .tap_drained = true, .wire_freed = true }, false, 0, NONE },
		{ "one, drained", { .datagrams = 1, .depth = 2, .tap_drained = true },
		  true, POLICY_REASON_DRAINED, 0 },
		{ "one, more to read", { .datagrams = 1, .depth = 2 }, false, 0, NONE },
		{ "a place is free", { .datagrams = 1, .in_flight = 1, .depth = 2,
				       .tap_drained = true },
		  true, POLICY_REASON_DRAINED, 0 },
		{ "the wire is busy", { .datagrams = 1, .in_flight = 2, .depth = 2,
					.tap_drained = true },
		  false, 0, NONE },
		{ "busy and full", { .datagrams = 9, .in_flight = 2, .depth = 2, .full = true },
		  false, 0, NONE },
		{ "more in flight than may be", { .datagrams = 1, .in_flight = 5, .depth = 2,
						  .tap_drained = true },
		  false, 0, NONE },
		{ "a transfer ended", { .datagrams = 3, .in_flight = 1, .depth = 2,
					.tap_drained = true, .wire_freed = true },
		  true, POLICY_REASON_WIRE_FREE, 0 },
		{ "a transfer ended, more to read", { .datagrams = 3, .in_flight = 1, .depth = 2,
						      .wire_freed = true },
		  false, 0, NONE },
		{ "full, more to read", { .datagrams = 10, .depth = 2, .full = true },
		  true, POLICY_REASON_FULL, 0 },
		{ "full, a transfer ended", { .datagrams = 10, .depth = 2, .full = true,
					      .wire_freed = true, .tap_drained = true },
		  true, POLICY_REASON_FULL, 0 },
		{ "limit, more to read", { .datagrams = 1, .depth = 2, .datagram_limit = true },
		  true, POLICY_REASON_DATAGRAM_LIMIT, 0 },
		{ "limit and full", { .datagrams = 31, .depth = 2, .datagram_limit = true,
				      .full = true },
		  true, POLICY_REASON_FULL, 0 },
		{ "however long it waited", { .now_ns = INT64_C(9000000000), .datagrams = 1,
					      .depth = 2 },
		  false, 0, NONE },
	};

	(void)state;
	check_rows(&immediate, rows, ROWS(rows));
}

#define T0 INT64_C(5000000000)

static void window_decides(void **state)
{
	static const struct row rows[] = {
		{ "nothing there", { .now_ns = T0, .depth = 2, .tap_drained = true },
		  false, 0, NONE },
		{ "just come", { .now_ns = T0, .oldest_ns = T0, .datagrams = 1, .depth = 2,
				 .tap_drained = true },
		  false, 0, T0 + 300000 },
		{ "a nanosecond early", { .now_ns = T0 + 299999, .oldest_ns = T0, .datagrams = 1,
					  .depth = 2, .tap_drained = true },
		  false, 0, T0 + 300000 },
		{ "on time", { .now_ns = T0 + 300000, .oldest_ns = T0, .datagrams = 1,
			       .depth = 2 },
		  true, POLICY_REASON_WINDOW, 0 },
		{ "late", { .now_ns = T0 + 900000, .oldest_ns = T0, .datagrams = 1, .depth = 2 },
		  true, POLICY_REASON_WINDOW, 0 },
		{ "full", { .now_ns = T0, .oldest_ns = T0, .datagrams = 10, .depth = 2,
			    .full = true },
		  true, POLICY_REASON_FULL, 0 },
		{ "limit", { .now_ns = T0, .oldest_ns = T0, .datagrams = 31, .depth = 2,
			     .datagram_limit = true },
		  true, POLICY_REASON_DATAGRAM_LIMIT, 0 },
		{ "busy: only an end of transfer counts",
		  { .now_ns = T0, .oldest_ns = T0, .datagrams = 1, .in_flight = 2, .depth = 2 },
		  false, 0, NONE },
		{ "busy, full and late",
		  { .now_ns = T0 + 900000, .oldest_ns = T0, .datagrams = 9, .in_flight = 2,
		    .depth = 2, .full = true },
		  false, 0, NONE },
		/* f_ncm loses this flush: the window ended while all requests were in flight */
		{ "a transfer ended, late",
		  { .now_ns = T0 + 900000, .oldest_ns = T0, .datagrams = 9, .in_flight = 1,
		    .depth = 2, .wire_freed = true },
		  true, POLICY_REASON_WINDOW, 0 },
		{ "a transfer ended, early",
		  { .now_ns = T0 + 1000, .oldest_ns = T0, .datagrams = 9, .in_flight = 1,
		    .depth = 2, .wire_freed = true },
		  false, 0, T0 + 300000 },
	};
	static const struct policy longest = { POLICY_WINDOW, POLICY_WINDOW_MAX_US };
	static const struct row longest_rows[] = {
		{ "a second", { .now_ns = T0, .oldest_ns = T0, .datagrams = 1, .depth = 1 },
		  false, 0, T0 + INT64_C(1000000000) },
	};

	(void)state;
	check_rows(&window_300, rows, ROWS(rows));
	check_rows(&longest, longest_rows, ROWS(longest_rows));
}

#define MS INT64_C(1000000)

/* When the only datagram of an NTB leaves that came at `oldest_ns`. */
static int64_t leaves_ns(const struct policy *policy, int64_t oldest_ns)
{
	struct policy_view view = { .now_ns = oldest_ns, .oldest_ns = oldest_ns, .datagrams = 1,
				    .depth = 1, .tap_drained = true };
	struct policy_state state = { 0 };
	struct policy_decision d = policy_decide(policy, &state, &view);

	assert_false(d.send);
	view.now_ns = d.hold_until_ns - 1;
	assert_false(policy_decide(policy, &state, &view).send);
	view.now_ns++;
	assert_true(policy_decide(policy, &state, &view).send);
	return view.now_ns;
}

/* The delay of NuttX's logs: a "1 ms" at 100 Hz that is 10 to 20 ms. */
static void tick_decides(void **state)
{
	static const struct row rows[] = {
		{ "nothing there", { .now_ns = T0, .depth = 2 }, false, 0, NONE },
		{ "on a tick: that one is past", { .now_ns = T0, .oldest_ns = T0, .datagrams = 1,
						   .depth = 2, .tap_drained = true },
		  false, 0, T0 + 20 * MS },
		{ "just before the next", { .now_ns = T0 + 10 * MS, .oldest_ns = T0 + 10 * MS - 1,
					    .datagrams = 1, .depth = 2 },
		  false, 0, T0 + 20 * MS },
		{ "the tick", { .now_ns = T0 + 20 * MS, .oldest_ns = T0, .datagrams = 1,
				.depth = 2 },
		  true, POLICY_REASON_TICK, 0 },
		{ "full", { .now_ns = T0, .oldest_ns = T0, .datagrams = 9, .depth = 2,
			    .full = true },
		  true, POLICY_REASON_FULL, 0 },
		{ "busy", { .now_ns = T0 + 30 * MS, .oldest_ns = T0, .datagrams = 9,
			    .in_flight = 1, .depth = 1 },
		  false, 0, NONE },
	};
	static const struct policy at_once = { .kind = POLICY_TICK, .tick_hz = 100 };
	static const struct policy thirds = { .kind = POLICY_TICK, .tick_hz = 3,
					      .tick_delay_ms = 7 };
	static const struct policy exact = { .kind = POLICY_TICK, .tick_hz = 1000,
					     .tick_delay_ms = 3 };

	(void)state;
	check_rows(&tick_100_1, rows, ROWS(rows));
	assert_true(leaves_ns(&at_once, T0 + 3 * MS) == T0 + 10 * MS);
	assert_true(leaves_ns(&exact, T0 + 1) == T0 + 4 * MS);
	assert_true(leaves_ns(&thirds, 0) == 666666667);
}

/* At any rate, also one that does not divide a second, and after 300 years of uptime. */
static void tick_counts(void **state)
{
	static const uint32_t rates[] = { 1, 3, 60, 100, 300, 1000, 1024, 9999, 10000 };
	static const int64_t starts[] = { 0, 1, T0 + 12345678, INT64_C(9000000000123456789) };

	(void)state;
	for (size_t r = 0; r < ROWS(rates); r++) {
		struct policy p = { .kind = POLICY_TICK, .tick_hz = rates[r], .tick_delay_ms = 7 };
		int64_t ticks = (7 * rates[r] + 999) / 1000;

		for (size_t i = 0; i < ROWS(starts); i++) {
			int64_t held_ns = leaves_ns(&p, starts[i]) - starts[i];

			/* 1 ns: a tick that is no whole nanosecond is rounded up. */
			assert_true(held_ns >= ticks * 1000 * MS / rates[r] - 1);
			assert_true(held_ns <= (ticks + 1) * 1000 * MS / rates[r] + 1);
		}
	}
}

static void reads_text(void **state)
{
	static const struct {
		const char *text;
		struct policy policy;
	} rows[] = {
		{ "immediate", { POLICY_IMMEDIATE, 0 } },
		{ "window:1", { POLICY_WINDOW, 1 } },
		{ "window:300", { POLICY_WINDOW, 300 } },
		{ "window:1000000", { POLICY_WINDOW, 1000000 } },
		{ "tick:100,1", { POLICY_TICK, .tick_hz = 100, .tick_delay_ms = 1 } },
		{ "tick:1,0", { POLICY_TICK, .tick_hz = 1 } },
		{ "tick:10000,1000", { POLICY_TICK, .tick_hz = 10000, .tick_delay_ms = 1000 } },
	};
	struct policy tick;

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct policy policy = { POLICY_WINDOW, 77 };
		char text[POLICY_TEXT_MAX];

		assert_true(policy_parse(rows[i].text, &policy));
		assert_int_equal(policy.kind, rows[i].policy.kind);
		assert_int_equal(policy.window_us, rows[i].policy.window_us);
		assert_int_equal(policy.tick_hz, rows[i].policy.tick_hz);
		assert_int_equal(policy.tick_delay_ms, rows[i].policy.tick_delay_ms);
		policy_print(&policy, text);
		assert_string_equal(text, rows[i].text);
	}
	assert_true(policy_parse("tick:250", &tick));
	assert_int_equal(tick.tick_hz, 250);
	assert_int_equal(tick.tick_delay_ms, 1);
}

static void refuses_text(void **state)
{
	static const char *const rows[] = {
		"", " ", "i", "immediat", "immediately", "immediate ", " immediate", "Immediate",
		"immediate:1", "window", "window:", "window:0", "window:00", "window:-1",
		"window:+1", "window: 1", "window:1 ", "window:1000001", "window:99999999999",
		"window:4294967297", "window:18446744073709551617", "windows:3", "window:300x",
		"window:x300", "window:3.5", "window:0x10", "window:300us", "window;300",
		"tick", "tick:", "tick:0", "tick:0,1", "tick:10001", "tick:100,", "tick:100,1001",
		"tick:100,1,", "tick:100,x", "tick:,1", "tick:100 ,1", "tick:100, 1", "tick:-1",
		"tick:4294967396", "tick:100,4294967297", "\xff",
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct policy policy = { POLICY_WINDOW, 77 };

		if (policy_parse(rows[i], &policy))
			fail_msg("\"%s\" was taken", rows[i]);
		assert_int_equal(policy.kind, POLICY_WINDOW);
		assert_int_equal(policy.window_us, 77);
	}
}

/* Even a policy no parser made is printed inside its buffer. */
static void prints_inside(void **state)
{
	const struct policy policy = { POLICY_WINDOW, UINT32_MAX };
	const struct policy worst = { POLICY_TICK, .tick_hz = UINT32_MAX,
				      .tick_delay_ms = UINT32_MAX };
	char text[POLICY_TEXT_MAX];

	(void)state;
	policy_print(&policy, text);
	assert_string_equal(text, "window:4294967295");
	policy_print(&worst, text);
	assert_string_equal(text, "tick:4294967295,4294967295");
}

static void reason_names(void **state)
{
	static const char *const names[POLICY_REASONS] = {
		[POLICY_REASON_DRAINED] = "drained",
		[POLICY_REASON_FULL] = "full",
		[POLICY_REASON_DATAGRAM_LIMIT] = "datagram_limit",
		[POLICY_REASON_WINDOW] = "window",
		[POLICY_REASON_TICK] = "tick",
		[POLICY_REASON_WIRE_FREE] = "wire_free",
	};

	(void)state;
	for (int i = 0; i < POLICY_REASONS; i++)
		assert_string_equal(policy_reason_name((enum policy_reason)i), names[i]);
	assert_string_equal(policy_reason_name(POLICY_REASONS), "unknown");
}

#define EVENTS 5000

/* A stream of views as a busy link makes them; the clock only goes forward. */
static void record(struct policy_view views[static EVENTS])
{
	uint32_t seed = 0x706f6c69;
	int64_t now_ns = T0;

	for (unsigned int i = 0; i < EVENTS; i++) {
		now_ns += random_range(&seed, 0, 200000);
		views[i] = (struct policy_view){
			.now_ns = now_ns,
			.oldest_ns = now_ns - random_range(&seed, 0, 600000),
			.datagrams = random_range(&seed, 0, 31),
			.in_flight = random_range(&seed, 0, 2),
			.depth = 2,
			.full = random_range(&seed, 0, 7) == 0,
			.datagram_limit = random_range(&seed, 0, 7) == 0,
			.tap_drained = random_range(&seed, 0, 1),
			.wire_freed = random_range(&seed, 0, 3) == 0,
		};
	}
}

static void check_invariants(const struct policy *policy, const struct policy_view *view,
			     const struct policy_decision *d)
{
	if (d->send) {
		assert_true(view->datagrams > 0);
		assert_true(view->in_flight < view->depth);
		assert_in_range(d->reason, 0, POLICY_REASONS - 1);
	} else if (view->datagrams > 0 && view->in_flight < view->depth) {
		/* A held datagram has a timer, or a read to come that says more. */
		assert_true(d->hold_until_ns > view->now_ns);
		if (policy->kind == POLICY_WINDOW)
			assert_true(d->hold_until_ns <= view->now_ns + 300000);
		else if (policy->kind == POLICY_TICK)
			assert_true(d->hold_until_ns <= view->now_ns + 20 * MS);
		else
			assert_false(view->tap_drained);
	}
}

static void same_decision(const struct policy_decision *a, const struct policy_decision *b)
{
	assert_int_equal(a->send, b->send);
	assert_int_equal(a->reason, b->reason);
	assert_true(a->hold_until_ns == b->hold_until_ns);
}

static void replays(void **state)
{
	static const struct policy *const policies[] = { &immediate, &window_300, &tick_100_1 };
	static struct policy_view views[EVENTS];
	static struct policy_decision first[EVENTS];

	(void)state;
	record(views);
	for (size_t p = 0; p < ROWS(policies); p++) {
		struct policy_state s = { 0 }, again = { 0 };
		unsigned int sent = 0;

		for (unsigned int i = 0; i < EVENTS; i++) {
			first[i] = policy_decide(policies[p], &s, &views[i]);
			check_invariants(policies[p], &views[i], &first[i]);
			sent += first[i].send;
		}
		assert_in_range(sent, EVENTS / 10, EVENTS * 9 / 10);
		for (unsigned int i = 0; i < EVENTS; i++) {
			struct policy_decision d = policy_decide(policies[p], &again, &views[i]);

			same_decision(&d, &first[i]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(immediate_decides),
		cmocka_unit_test(window_decides),
		cmocka_unit_test(tick_decides),
		cmocka_unit_test(tick_counts),
		cmocka_unit_test(reads_text),
		cmocka_unit_test(refuses_text),
		cmocka_unit_test(prints_inside),
		cmocka_unit_test(reason_names),
		cmocka_unit_test(replays),
	};

	return cmocka_run_group_tests_name("policy", tests, NULL, NULL);
}
