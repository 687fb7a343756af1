/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The coalescing policies. Everything a decision depends on comes in as an
 * argument and everything it remembers goes out through policy_state, so the
 * daemon and the simulator cannot differ.
 */
#include "wire/policy.h"

static const char immediate_text[] = "immediate";
static const char window_text[] = "window:";
static const char tick_text[] = "tick:";

#define NS_PER_S INT64_C(1000000000)

static struct policy_decision send_for(enum policy_reason reason)
{
	return (struct policy_decision){ .send = true, .reason = reason };
}

static struct policy_decision hold_until(int64_t ns)
{
	return (struct policy_decision){ .send = false, .hold_until_ns = ns };
}

static struct policy_decision decide_immediate(const struct policy_view *view)
{
	if (!view->tap_drained) /* the next read says more */
		return hold_until(POLICY_NO_TIMER);
	return send_for(view->wire_freed ? POLICY_REASON_WIRE_FREE : POLICY_REASON_DRAINED);
}

static struct policy_decision decide_window(const struct policy *policy,
					    const struct policy_view *view)
{
	int64_t end_ns = view->oldest_ns + (int64_t)policy->window_us * 1000;

	return view->now_ns >= end_ns ? send_for(POLICY_REASON_WINDOW) : hold_until(end_ns);
}

/* The ticks up to and with `ns`. Seconds are counted apart: the product stays inside 64 bits. */
static int64_t ticks_until(int64_t ns, uint32_t hz)
{
	return ns / NS_PER_S * hz + ns % NS_PER_S * hz / NS_PER_S;
}

/* The first moment at which ticks_until() says `tick`. */
static int64_t tick_ns(int64_t tick, uint32_t hz)
{
	return tick / hz * NS_PER_S + (tick % hz * NS_PER_S + hz - 1) / hz;
}

static struct policy_decision decide_tick(const struct policy *policy,
					  const struct policy_view *view)
{
	uint32_t hz = policy->tick_hz;
	/* A delay is rounded up to ticks, and the tick under way does not count. */
	int64_t delay = ((int64_t)policy->tick_delay_ms * hz + 999) / 1000 + 1;
	int64_t end_ns = tick_ns(ticks_until(view->oldest_ns, hz) + delay, hz);

	return view->now_ns >= end_ns ? send_for(POLICY_REASON_TICK) : hold_until(end_ns);
}

static struct policy_decision decide(const struct policy *policy, const struct policy_view *view)
{
	/* While the wire is busy nothing can leave; the end of a transfer asks again. */
	if (view->datagrams == 0 || view->in_flight >= view->depth)
		return hold_until(POLICY_NO_TIMER);
	/* An NTB that takes no more goes, whatever the policy would like. */
	if (view->full)
		return send_for(POLICY_REASON_FULL);
	if (view->datagram_limit)
		return send_for(POLICY_REASON_DATAGRAM_LIMIT);
	switch (policy->kind) {
	case POLICY_IMMEDIATE:
		return decide_immediate(view);
	case POLICY_WINDOW:
		return decide_window(policy, view);
	case POLICY_TICK:
		return decide_tick(policy, view);
	}
	return hold_until(POLICY_NO_TIMER);
}

struct policy_decision policy_decide(const struct policy *policy, struct policy_state *state,
				     const struct policy_view *view)
{
	struct policy_decision d = decide(policy, view);

	state->held = !d.send && view->datagrams > 0;
	return d;
}

/* Moves *text behind `word` if it starts with it. */
static bool skip_word(const char **text, const char *word)
{
	const char *p = *text;

	while (*word && *p == *word) {
		p++;
		word++;
	}
	if (*word)
		return false;
	*text = p;
	return true;
}

/* Moves *text behind the decimal number it starts with, of at most `max`. */
static bool read_decimal(const char **text, uint32_t max, uint32_t *number)
{
	const char *p = *text;
	uint32_t n = 0;

	for (; *p >= '0' && *p <= '9'; p++) {
		n = n * 10 + (uint32_t)(*p - '0');
		if (n > max) /* which is small: the next digit does not wrap */
			return false;
	}
	if (p == *text)
		return false;
	*text = p;
	*number = n;
	return true;
}

_Static_assert(POLICY_WINDOW_MAX_US < UINT32_MAX / 10 - 1, "read_decimal() does not wrap");

/* Behind "window:". */
static bool parse_window(const char *text, struct policy *policy)
{
	policy->kind = POLICY_WINDOW;
	return read_decimal(&text, POLICY_WINDOW_MAX_US, &policy->window_us) &&
	       policy->window_us > 0 && !*text;
}

/* Behind "tick:". */
static bool parse_tick(const char *text, struct policy *policy)
{
	policy->kind = POLICY_TICK;
	policy->tick_delay_ms = 1;
	if (!read_decimal(&text, POLICY_TICK_MAX_HZ, &policy->tick_hz) || policy->tick_hz == 0)
		return false;
	if (skip_word(&text, ",") &&
	    !read_decimal(&text, POLICY_TICK_MAX_MS, &policy->tick_delay_ms))
		return false;
	return !*text;
}

bool policy_parse(const char *text, struct policy *policy)
{
	struct policy p = { .kind = POLICY_IMMEDIATE };
	bool good = false;

	if (skip_word(&text, immediate_text))
		good = !*text;
	else if (skip_word(&text, window_text))
		good = parse_window(text, &p);
	else if (skip_word(&text, tick_text))
		good = parse_tick(text, &p);
	if (good)
		*policy = p;
	return good;
}

/* Both return where the text ends. */
static char *print_word(char *text, const char *word)
{
	while (*word)
		*text++ = *word++;
	*text = '\0';
	return text;
}

static char *print_decimal(char *text, uint32_t value)
{
	char reversed[10]; /* 4294967295 */
	size_t n = 0;

	do {
		reversed[n++] = (char)('0' + value % 10);
		value /= 10;
	} while (value > 0);
	while (n > 0)
		*text++ = reversed[--n];
	*text = '\0';
	return text;
}

_Static_assert(sizeof(window_text) + 10 <= POLICY_TEXT_MAX &&
		       sizeof(tick_text) + 10 + 1 + 10 <= POLICY_TEXT_MAX,
	       "policy_print() stays inside");

void policy_print(const struct policy *policy, char text[static POLICY_TEXT_MAX])
{
	switch (policy->kind) {
	case POLICY_IMMEDIATE:
		print_word(text, immediate_text);
		return;
	case POLICY_WINDOW:
		print_decimal(print_word(text, window_text), policy->window_us);
		return;
	case POLICY_TICK:
		text = print_decimal(print_word(text, tick_text), policy->tick_hz);
		print_decimal(print_word(text, ","), policy->tick_delay_ms);
		return;
	}
	text[0] = '\0';
}

const char *policy_reason_name(enum policy_reason reason)
{
	switch (reason) {
	case POLICY_REASON_DRAINED:
		return "drained";
	case POLICY_REASON_FULL:
		return "full";
	case POLICY_REASON_DATAGRAM_LIMIT:
		return "datagram_limit";
	case POLICY_REASON_WINDOW:
		return "window";
	case POLICY_REASON_TICK:
		return "tick";
	case POLICY_REASON_WIRE_FREE:
		return "wire_free";
	case POLICY_REASONS:
		break;
	}
	return "unknown";
}
