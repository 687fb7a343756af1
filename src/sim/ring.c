/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/ring.h"

#include <string.h>

/* Preamble 8, frame check 4, gap 12 bytes [802.3]. */
#define CABLE_BYTES 24

void sim_ring_begin(struct sim_ring *r, struct sim_engine *engine,
		    const struct sim_ring_settings *settings, sim_take *take_host,
		    sim_take *take_device, void *taker)
{
	memset(r, 0, sizeof(*r));
	r->engine = engine;
	r->settings = *settings;
	r->take_host = take_host;
	r->take_device = take_device;
	r->taker = taker;
}

static int64_t cable_ns(const struct sim_ring *r, uint32_t len)
{
	return (int64_t)((len + CABLE_BYTES) * UINT64_C(8000000000) / r->settings.bits_per_s);
}

/* --- the processor ---------------------------------------------------------- */

static void worked(void *who, uint64_t what);

static void work(struct sim_ring *r)
{
	const struct sim_ring_settings *s = &r->settings;
	bool receive = r->received.count && !(r->received_last && r->to_send.count);
	const struct sim_queue *q = receive ? &r->received : &r->to_send;
	int64_t copy_ns, ns;

	if (r->busy || !q->count)
		return;
	copy_ns = (receive ? s->receive_copy_ns : s->send_copy_ns) * sim_queue_first(q)->len /
		  SIM_FRAME_MAX;
	ns = s->frame_ns + copy_ns;
	r->busy = true;
	r->received_last = receive;
	r->work_ns += ns;
	r->copy_ns += copy_ns;
	sim_at(r->engine, r->engine->now_ns + ns, worked, r, receive);
}

/* --- device to host --------------------------------------------------------- */

static void at_host(void *who, uint64_t what);

static void put_on_cable_to_host(struct sim_ring *r)
{
	if (r->to_host_busy || !r->device_out.count)
		return;
	r->to_host_busy = true;
	sim_at(r->engine, r->engine->now_ns + cable_ns(r, sim_queue_first(&r->device_out)->len),
	       at_host, r, 0);
}

static void at_host(void *who, uint64_t what)
{
	struct sim_ring *r = who;
	struct sim_packet packet = *sim_queue_first(&r->device_out);

	(void)what;
	sim_queue_drop_first(&r->device_out);
	r->to_host_busy = false;
	put_on_cable_to_host(r);
	r->take_host(r->taker, &packet);
}

void sim_ring_device_send(struct sim_ring *r, const struct sim_packet *packet)
{
	if (sim_queue_push(&r->to_send, packet, SIM_QUEUE_MAX))
		work(r);
}

/* --- host to device --------------------------------------------------------- */

static void at_device(void *who, uint64_t what);

static void put_on_cable_to_device(struct sim_ring *r)
{
	if (r->to_device_busy || !r->host_out.count)
		return;
	r->to_device_busy = true;
	sim_at(r->engine, r->engine->now_ns + cable_ns(r, sim_queue_first(&r->host_out)->len),
	       at_device, r, 0);
}

static void at_device(void *who, uint64_t what)
{
	struct sim_ring *r = who;
	uint32_t in_pool = r->received.count + r->device_out.count;

	(void)what;
	if (r->received.count >= r->settings.descriptors)
		r->no_descriptor++;
	else if (in_pool >= r->settings.pool)
		r->no_buffer++;
	else
		sim_queue_push(&r->received, sim_queue_first(&r->host_out), SIM_QUEUE_MAX);
	sim_queue_drop_first(&r->host_out);
	r->to_device_busy = false;
	put_on_cable_to_device(r);
	work(r);
}

void sim_ring_host_send(struct sim_ring *r, const struct sim_packet *packet)
{
	if (sim_queue_push(&r->host_out, packet, SIM_QUEUE_MAX))
		put_on_cable_to_device(r);
}

static void worked(void *who, uint64_t received)
{
	struct sim_ring *r = who;
	struct sim_queue *q = received ? &r->received : &r->to_send;
	struct sim_packet packet = *sim_queue_first(q);

	sim_queue_drop_first(q);
	if (received) {
		r->take_device(r->taker, &packet);
	} else {
		sim_queue_push(&r->device_out, &packet, SIM_QUEUE_MAX);
		put_on_cable_to_host(r);
	}
	r->busy = false;
	work(r);
}
