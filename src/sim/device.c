/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/device.h"

#include <string.h>

void sim_device_begin(struct sim_device *d, struct sim_engine *engine, struct sim_bus *bus,
		      const struct sim_device_settings *settings, uint8_t *memory, sim_take *take,
		      void *taker)
{
	memset(d, 0, sizeof(*d));
	d->engine = engine;
	d->bus = bus;
	d->settings = *settings;
	d->memory = memory;
	d->take = take;
	d->taker = taker;
	d->timer_ns = SIM_NEVER;
	d->shape = (struct ntb_write_shape){
		.format = NTB_FORMAT_16,
		.ending = settings->zlp ? NTB_ENDING_ZLP : NTB_ENDING_PAD,
		.ndp = settings->in_ndp_first ? NTB_NDP_START : NTB_NDP_END,
		.max_size = settings->in_size,
		.max_datagrams = (uint16_t)settings->in_datagrams,
		.divisor = 4,
		.alignment = 4,
		.max_packet = (uint16_t)bus->settings.packet_bytes,
	};
	d->rules = (struct ntb_read_rules){
		.format = NTB_FORMAT_16,
		.ntb_out_max_size = settings->out_size,
		.max_datagram_len = SIM_FRAME_MAX,
		.ntb_out_max_datagrams = (uint16_t)settings->out_datagrams,
	};
	for (uint32_t i = 0; i < settings->out_buffers; i++)
		sim_bus_arm_out(bus);
}

static void work(struct sim_device *d);

static void want_turn(struct sim_device *d)
{
	d->turn_wanted = true;
	work(d);
}

/* --- to the host ------------------------------------------------------------ */

/* The next packet, which has to be there: of the flow whose turn it is. */
static const struct sim_packet *peek(struct sim_device *d)
{
	uint32_t i = d->next_flow;

	while (!d->queue[i].count)
		i = (i + 1) % SIM_FLOWS_MAX;
	d->from = &d->queue[i];
	return sim_queue_first(d->from);
}

static uint64_t wire_bytes(const struct sim_device *d)
{
	return (uint64_t)(sim_bus_bytes_per_s(&d->bus->settings) *
			  (double)d->settings.in_flight_ns / 1e9);
}

/* What headers and gaps take in a short NTB; as in flow/to_host. */
#define CAP_HEADERS 256

static uint32_t cap_now(const struct sim_device *d)
{
	uint64_t cap = wire_bytes(d);
	uint64_t least = d->settings.short_datagrams * SIM_FRAME_MAX + CAP_HEADERS;

	if (!d->settings.in_flight_ns)
		return UINT32_MAX;
	return (uint32_t)(cap > least ? cap : least);
}

static bool does_not_fit(const struct sim_device *d, uint32_t len)
{
	return ntb_write_is_full_for(&d->write, len) ||
	       (d->write.datagrams && d->write.slot + len > d->cap);
}

/* Whether the controller may get one more NTB. */
static bool wire_is_free(const struct sim_device *d)
{
	if (d->in_flight >= d->settings.in_depth)
		return false;
	return d->in_flight < 2 || !d->settings.in_flight_ns || d->in_flight_bytes < wire_bytes(d);
}

static void put(struct sim_device *d)
{
	const struct sim_packet *p = peek(d);
	size_t room;

	sim_packet_write(p, ntb_write_slot(&d->write, &room));
	ntb_write_commit(&d->write, p->len);
	sim_queue_drop_first(d->from);
	d->next_flow = (uint32_t)(d->from - d->queue + 1) % SIM_FLOWS_MAX;
	d->queued--;
	if (d->write.datagrams == 1)
		d->oldest_ns = d->engine->now_ns;
	d->datagrams++;
}

/* Moves what is queued into the open NTB, as far as it goes; returns how many datagrams. */
static uint32_t fill(struct sim_device *d)
{
	uint32_t moved = 0;

	while (d->queued && !d->full) {
		if (!d->open) {
			if (d->used_buffers == d->settings.in_buffers)
				break;
			ntb_write_begin(&d->write, &d->shape,
					d->memory + d->next_buffer * SIM_TRANSFER_MAX);
			d->next_buffer = (d->next_buffer + 1) % d->settings.in_buffers;
			d->used_buffers++;
			d->open = true;
			d->cap = cap_now(d);
		}
		if (does_not_fit(d, peek(d)->len)) {
			d->full = true;
			break;
		}
		put(d);
		moved++;
		d->full = d->write.datagrams == d->shape.max_datagrams;
	}
	return moved;
}

static struct sim_device_ntb close_open(struct sim_device *d)
{
	struct sim_device_ntb ntb = { .bytes = d->write.ntb };

	ntb.len = ntb_write_finish(&d->write, d->sequence++, &ntb.zlp);
	d->open = d->full = false;
	d->ntbs++;
	return ntb;
}

static void timer(void *who, uint64_t what)
{
	struct sim_device *d = who;

	if ((int64_t)what != d->timer_ns)
		return;
	d->timer_ns = SIM_NEVER;
	want_turn(d);
}

static void set_timer(struct sim_device *d, int64_t ns)
{
	if (ns == d->timer_ns)
		return;
	d->timer_ns = ns;
	sim_at(d->engine, ns, timer, d, (uint64_t)ns);
}

/* The NTB goes to the controller at the end of the turn. */
static void give(struct sim_device *d, struct sim_device_ntb ntb)
{
	d->closed[d->closed_count++] = ntb;
	d->in_flight_len[(d->in_flight_head + d->in_flight++) % SIM_NTBS_MAX] = ntb.len;
	d->in_flight_bytes += ntb.len;
}

/* Asks the policy; true if it closed the open NTB. */
static bool decide(struct sim_device *d)
{
	struct policy_view view = {
		.now_ns = d->engine->now_ns,
		.oldest_ns = d->oldest_ns,
		.datagrams = d->open ? d->write.datagrams : 0,
		.in_flight = d->in_flight,
		.depth = d->settings.in_depth,
		.tap_drained = d->queued == 0,
		.wire_freed = d->wire_freed,
	};
	struct policy_decision decision;

	view.datagram_limit = view.datagrams == d->shape.max_datagrams;
	view.full = d->full && !view.datagram_limit;
	decision = policy_decide(&d->settings.policy, &d->policy_state, &view);
	if (!decision.send) {
		set_timer(d, view.datagrams ? decision.hold_until_ns : SIM_NEVER);
		return false;
	}
	set_timer(d, SIM_NEVER);
	d->reason[decision.reason]++;
	give(d, close_open(d));
	return true;
}

/* A full NTB the controller has no place for makes room for the next one, if there is memory. */
static bool set_aside(struct sim_device *d)
{
	if (!d->open || !d->full || d->used_buffers == d->settings.in_buffers)
		return false;
	d->reason[POLICY_REASON_FULL]++;
	d->ready[(d->ready_head + d->ready_count++) % SIM_NTBS_MAX] = close_open(d);
	return true;
}

/* Returns how long it takes. */
static int64_t turn(struct sim_device *d)
{
	uint32_t moved = 0;
	bool again = true;

	d->closed_count = 0;
	while (d->ready_count && wire_is_free(d)) {
		give(d, d->ready[d->ready_head]);
		d->ready_head = (d->ready_head + 1) % SIM_NTBS_MAX;
		d->ready_count--;
	}
	while (again) {
		bool free = wire_is_free(d);

		/* The daemon leaves packets in their queue while the wire is busy. */
		if (!free && !d->settings.fills_ahead)
			break;
		moved += fill(d);
		again = free ? decide(d) : set_aside(d);
	}
	d->wire_freed = false;
	return moved * d->settings.in_datagram_ns + d->closed_count * d->settings.in_ntb_ns;
}

void sim_device_send(struct sim_device *d, const struct sim_packet *packet)
{
	uint32_t flow = d->settings.fair ? packet->flow % SIM_FLOWS_MAX : 0;

	if (d->queued < d->settings.queue &&
	    sim_queue_push(&d->queue[flow], packet, SIM_QUEUE_MAX)) {
		d->queued++;
		want_turn(d);
	} else {
		d->dropped++;
	}
}

void sim_device_in_left(void *device)
{
	struct sim_device *d = device;

	d->in_flight_bytes -= d->in_flight_len[d->in_flight_head];
	d->in_flight_head = (d->in_flight_head + 1) % SIM_NTBS_MAX;
	d->in_flight--;
	d->used_buffers--;
	d->wire_freed = true;
	want_turn(d);
}

/* --- from the host ---------------------------------------------------------- */

void sim_device_out_came(void *device, const uint8_t *bytes, uint32_t len)
{
	struct sim_device *d = device;
	struct ntb_read read;
	struct ntb_datagram datagram;
	struct sim_packet packet;
	enum ntb_verdict v;
	uint32_t n = 0;

	ntb_read_begin(&read, &d->rules, bytes, len);
	while ((v = ntb_read_next(&read, &datagram)) != NTB_END) {
		if (v != NTB_DATAGRAM ||
		    !sim_packet_read(&packet, datagram.bytes, (uint32_t)datagram.len) ||
		    !sim_queue_push(&d->came, &packet, SIM_QUEUE_MAX))
			d->faults++;
		else
			n++;
	}
	d->ntb_datagrams[(d->ntb_head + d->ntb_count++) % SIM_NTBS_MAX] = n;
	work(d);
}

void sim_device_hold(struct sim_device *d, bool held)
{
	d->held = held;
	work(d);
}

/* --- the processor ---------------------------------------------------------- */

enum job { JOB_NTB, JOB_DATAGRAM, JOB_TURN };

static void done(void *who, uint64_t what);

static void spend(struct sim_device *d, enum job job, int64_t ns)
{
	d->busy = true;
	d->work_ns += ns;
	sim_at(d->engine, d->engine->now_ns + ns, done, d, job);
}

static int64_t out_datagram_ns(const struct sim_device *d)
{
	return d->settings.out_datagram_ns +
	       d->settings.out_copy_ns * sim_queue_first(&d->came)->len / SIM_FRAME_MAX;
}

/* As in the daemon: all NTBs that have come, then one turn. */
static void work(struct sim_device *d)
{
	if (d->busy)
		return;
	if (d->turn_wanted && (!d->round || d->held)) {
		d->turn_wanted = false;
		spend(d, JOB_TURN, turn(d));
	} else if (d->ntb_count && !d->held) {
		bool empty = !d->ntb_datagrams[d->ntb_head];

		if (!d->round)
			d->round = d->ntb_count;
		spend(d, empty ? JOB_NTB : JOB_DATAGRAM,
		      empty ? d->settings.out_ntb_ns : out_datagram_ns(d));
	}
}

static void done(void *who, uint64_t what)
{
	struct sim_device *d = who;
	struct sim_packet packet;

	if (what == JOB_TURN) {
		for (uint32_t i = 0; i < d->closed_count; i++)
			sim_bus_write_in(d->bus, d->closed[i].bytes, d->closed[i].len,
					 d->closed[i].zlp);
		d->round = d->ntb_count;
	} else if (what == JOB_NTB) {
		d->ntb_head = (d->ntb_head + 1) % SIM_NTBS_MAX;
		d->ntb_count--;
		d->round--;
		sim_bus_arm_out(d->bus);
	} else {
		packet = *sim_queue_first(&d->came);
		sim_queue_drop_first(&d->came);
		d->ntb_datagrams[d->ntb_head]--;
		d->take(d->taker, &packet);
	}
	d->busy = false;
	work(d);
}
