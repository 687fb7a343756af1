/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pseudo code of [RFC 8289 5], turned inside out: there, dequeue() drops in a loop;
 * here each datagram is judged once, so the loop is the caller's.
 */
#include "wire/codel.h"

/* Intervals after which what was learnt about the sender is forgotten [RFC 8289 5.5]. */
#define MEMORY_INTERVALS 16

/* Rounded down; 16 steps of one bit. */
static uint32_t square_root(uint32_t v)
{
	uint32_t root = 0;

	for (uint32_t bit = 1u << 15; bit; bit >>= 1)
		if ((uint64_t)(root | bit) * (root | bit) <= v)
			root |= bit;
	return root;
}

/* interval / sqrt(count) after `from`: drops at this pace make a TCP sender yield steadily. */
static int64_t control_law(const struct codel_settings *s, int64_t from_ns, uint32_t count)
{
	/* Of count * 2^10, the root has 5 more bits. */
	uint32_t scaled = count < 1u << 22 ? count << 10 : UINT32_MAX;

	return from_ns + s->interval_ns * 32 / square_root(scaled);
}

/* Whether the wait has been above the target for an interval. */
static bool is_too_long(struct codel *c, const struct codel_settings *s, int64_t now_ns,
			int64_t waited_ns, bool standing)
{
	if (waited_ns < s->target_ns || !standing) {
		c->first_above_ns = 0;
		return false;
	}
	if (c->first_above_ns == 0) {
		c->first_above_ns = now_ns + s->interval_ns;
		return false;
	}
	return now_ns >= c->first_above_ns;
}

static void begin_dropping(struct codel *c, const struct codel_settings *s, int64_t now_ns)
{
	uint32_t delta = c->count - c->last_count;
	bool recently = now_ns - c->drop_next_ns < MEMORY_INTERVALS * s->interval_ns;

	c->dropping = true;
	c->count = delta > 1 && recently ? delta : 1;
	c->drop_next_ns = control_law(s, now_ns, c->count);
	c->last_count = c->count;
}

bool codel_drops(struct codel *c, const struct codel_settings *settings, int64_t now_ns,
		 int64_t waited_ns, bool standing)
{
	if (!is_too_long(c, settings, now_ns, waited_ns, standing)) {
		c->dropping = false;
		return false;
	}
	if (!c->dropping) {
		begin_dropping(c, settings, now_ns);
		return true;
	}
	if (now_ns < c->drop_next_ns)
		return false;
	c->count++;
	c->drop_next_ns = control_law(settings, c->drop_next_ns, c->count);
	return true;
}
