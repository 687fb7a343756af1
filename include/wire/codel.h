/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CoDel [RFC 8289]: how a queue that only grows is kept short. When datagrams have
 * waited longer than a target for a whole interval, one is dropped, which tells its
 * sender to slow down; while that does not help, the next ones follow at shrinking
 * distances. A burst that drains by itself loses nothing. The law of one flow: it
 * keeps no datagrams, the caller does.
 */
#ifndef NCMD_WIRE_CODEL_H
#define NCMD_WIRE_CODEL_H

#include <stdbool.h>
#include <stdint.h>

struct codel_settings {
	int64_t target_ns; /* what may be waited; > 0 */
	int64_t interval_ns; /* for so long: a round trip time of the slowest sender */
};

/* All zero at the start. */
struct codel {
	int64_t first_above_ns; /* when the wait will have been too long for an interval; 0: it is not */
	int64_t drop_next_ns;
	uint32_t count; /* drops since dropping began */
	uint32_t last_count; /* count when dropping began last */
	bool dropping;
};

/*
 * Asked for each datagram that is about to leave its queue: true if it is to be
 * dropped instead, and the one behind it asked for. `waited_ns`: its time in the
 * queue. `standing`: more than one largest datagram is queued; less is never dropped.
 */
bool codel_drops(struct codel *c, const struct codel_settings *settings, int64_t now_ns,
		 int64_t waited_ns, bool standing);

#endif
