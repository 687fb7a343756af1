/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The coalescing policies. Everything a decision depends on comes in as an
 * argument and everything it remembers goes out through policy_state, so the
 * daemon and the simulator cannot differ.
 */
#include "wire/policy.h"

#include <string.h>

static const char immediate_text[] = "immediate";
static const char window_text[] = "window:";

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

/* The whole of `text` as 1 ... POLICY_WINDOW_MAX_US in decimal digits. */
static bool parse_window_us(const char *text, uint32_t *window_us)
{
	uint32_t us = 0;

	if (!*text)
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return false;
		us = us * 10 + (uint32_t)(*text - '0');
		if (us > POLICY_WINDOW_MAX_US)
			return false;
	}
	*window_us = us;
	return us > 0;
}

bool policy_parse(const char *text, struct policy *policy)
{
	uint32_t window_us;

	if (skip_word(&text, immediate_text)) {
		if (*text)
			return false;
		*policy = (struct policy){ .kind = POLICY_IMMEDIATE };
		return true;
	}
	if (skip_word(&text, window_text) && parse_window_us(text, &window_us)) {
		*policy = (struct policy){ .kind = POLICY_WINDOW, .window_us = window_us };
		return true;
	}
	return false;
}

static void print_decimal(char *text, uint32_t value)
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
}

_Static_assert(sizeof(window_text) + 10 <= POLICY_TEXT_MAX, "policy_print() stays inside");

void policy_print(const struct policy *policy, char text[static POLICY_TEXT_MAX])
{
	switch (policy->kind) {
	case POLICY_IMMEDIATE:
		memcpy(text, immediate_text, sizeof(immediate_text));
		return;
	case POLICY_WINDOW:
		memcpy(text, window_text, sizeof(window_text));
		print_decimal(text + sizeof(window_text) - 1, policy->window_us);
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
	case POLICY_REASON_WIRE_FREE:
		return "wire_free";
	case POLICY_REASONS:
		break;
	}
	return "unknown";
}
