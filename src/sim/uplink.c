/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/uplink.h"

#include <string.h>

void sim_uplink_begin(struct sim_uplink *u, struct sim_engine *engine,
		      const struct sim_uplink_settings *settings, sim_take *to_device,
		      sim_take *to_server, void (*room)(void *taker), void *taker)
{
	memset(u, 0, sizeof(*u));
	u->engine = engine;
	u->settings = *settings;
	u->to_device = to_device;
	u->to_server = to_server;
	u->room = room;
	u->taker = taker;
}

static void air(struct sim_uplink *u);

static void hand_on(void *who, uint64_t what)
{
	struct sim_uplink *u = who;
	struct sim_packet packet = *sim_queue_first(&u->handed);

	(void)what;
	sim_queue_drop_first(&u->handed);
	u->handing = u->handed.count > 0;
	if (u->handing)
		sim_at(u->engine, u->engine->now_ns + u->settings.hand_ns, hand_on, u, 0);
	u->to_device(u->taker, &packet);
}

static void at_server(void *who, uint64_t what)
{
	struct sim_uplink *u = who;
	struct sim_packet packet = *sim_queue_first(&u->going);

	(void)what;
	sim_queue_drop_first(&u->going);
	u->to_server(u->taker, &packet);
}

/* A radio frame has ended. */
static void sent(void *who, uint64_t from_server)
{
	struct sim_uplink *u = who;
	struct sim_queue *from = from_server ? &u->waiting : &u->sending;
	struct sim_queue *to = from_server ? &u->handed : &u->going;

	for (uint32_t i = 0; i < u->in_frame; i++) {
		if (!sim_queue_push(to, sim_queue_first(from), SIM_QUEUE_MAX))
			u->lost++;
		else if (!from_server)
			sim_at(u->engine, u->engine->now_ns + u->settings.delay_ns, at_server, u,
			       0);
		sim_queue_drop_first(from);
	}
	if (from_server && !u->handing) {
		u->handing = true;
		sim_at(u->engine, u->engine->now_ns + u->settings.hand_ns, hand_on, u, 0);
	}
	u->on_air = false;
	air(u);
	if (!from_server)
		u->room(u->taker);
}

/* The next radio frame, the two ends in turn. */
static void air(struct sim_uplink *u)
{
	bool server = u->waiting.count && !(u->server_last && u->sending.count);
	struct sim_queue *q = server ? &u->waiting : &u->sending;
	uint64_t bytes = 0;
	uint32_t most;

	if (u->on_air || !q->count)
		return;
	u->on_air = true;
	u->server_last = server;
	most = server ? u->settings.aggregate : u->settings.send_aggregate;
	u->in_frame = q->count < most ? q->count : most;
	for (uint32_t i = 0; i < u->in_frame; i++)
		bytes += q->packet[(q->head + i) % SIM_QUEUE_MAX].len;
	sim_at(u->engine,
	       u->engine->now_ns + sim_random_wait(u->engine, u->settings.access_ns) +
		       (int64_t)(bytes * UINT64_C(8000000000) / u->settings.bits_per_s),
	       sent, u, server);
}

static void at_access_point(void *who, uint64_t what)
{
	struct sim_uplink *u = who;

	(void)what;
	if (!sim_queue_push(&u->waiting, sim_queue_first(&u->coming), u->settings.queue))
		u->lost++;
	sim_queue_drop_first(&u->coming);
	air(u);
}

void sim_uplink_from_server(struct sim_uplink *u, const struct sim_packet *packet)
{
	if (sim_queue_push(&u->coming, packet, SIM_QUEUE_MAX))
		sim_at(u->engine, u->engine->now_ns + u->settings.delay_ns, at_access_point, u, 0);
	else
		u->lost++;
}

void sim_uplink_from_device(struct sim_uplink *u, const struct sim_packet *packet)
{
	if (!sim_queue_push(&u->sending, packet, SIM_QUEUE_MAX))
		u->lost++;
	air(u);
}

bool sim_uplink_is_full(const struct sim_uplink *u)
{
	return u->sending.count >= u->settings.send_queue;
}
