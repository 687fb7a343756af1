/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/device.h"

#include <string.h>

static const struct {
	const char *name;
	struct sim_device_settings settings;
} presets[] = {
	/* One buffer each way, 32 datagrams; sends at once since its change 19469. */
	{ "nuttx",
	  { .in_size = 16384,
	    .in_depth = 1,
	    .in_buffers = 1,
	    .in_datagrams = 32,
	    .in_ndp_first = true,
	    .zlp = true,
	    .out_size = 16384,
	    .out_buffers = 1,
	    .queue = 8 } },
	/* As it comes: one buffer of 3200 bytes each way; sends at once, collects while busy. */
	{ "tinyusb",
	  { .in_size = 3200,
	    .in_depth = 1,
	    .in_buffers = 1,
	    .in_datagrams = 8,
	    .in_ndp_first = true,
	    .zlp = true,
	    .out_size = 3200,
	    .out_buffers = 1,
	    .out_datagrams = 6,
	    .queue = 1 } },
	{ "f_ncm",
	  { .policy = { .kind = POLICY_WINDOW, .window_us = 300 },
	    .in_size = 16384,
	    .in_depth = 10,
	    .in_buffers = 11,
	    .in_datagrams = 31,
	    .zlp = true,
	    .out_size = 16384,
	    .out_buffers = 10,
	    .queue = 1000 } },
	/* The latency profile. */
	{ "ncmd",
	  { .in_size = 16384,
	    .in_depth = 2,
	    .in_buffers = 3,
	    .in_datagrams = 240,
	    .out_size = 2048,
	    .out_buffers = 32,
	    .out_datagrams = 1,
	    .queue = 1000 } },
};

bool sim_device_preset(const char *name, struct sim_device_settings *settings)
{
	for (size_t i = 0; i < sizeof(presets) / sizeof(presets[0]); i++)
		if (strcmp(presets[i].name, name) == 0) {
			*settings = presets[i].settings;
			return true;
		}
	return false;
}

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

static void put(struct sim_device *d)
{
	const struct sim_packet *p = sim_queue_first(&d->queue);
	size_t room;

	sim_packet_write(p, ntb_write_slot(&d->write, &room));
	ntb_write_commit(&d->write, p->len);
	sim_queue_drop_first(&d->queue);
	if (d->write.datagrams == 1)
		d->oldest_ns = d->engine->now_ns;
	d->datagrams++;
}

/* Moves what is queued into the open NTB, as far as it goes; returns how many datagrams. */
static uint32_t fill(struct sim_device *d)
{
	uint32_t moved = 0;

	while (d->queue.count && !d->full) {
		if (!d->open) {
			if (d->used_buffers == d->settings.in_buffers)
				break;
			ntb_write_begin(&d->write, &d->shape,
					d->memory + d->next_buffer * SIM_TRANSFER_MAX);
			d->next_buffer = (d->next_buffer + 1) % d->settings.in_buffers;
			d->used_buffers++;
			d->open = true;
		}
		if (ntb_write_is_full_for(&d->write, sim_queue_first(&d->queue)->len)) {
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

/* Asks the policy; true if it closed the open NTB. */
static bool decide(struct sim_device *d)
{
	struct policy_view view = {
		.now_ns = d->engine->now_ns,
		.oldest_ns = d->oldest_ns,
		.datagrams = d->open ? d->write.datagrams : 0,
		.in_flight = d->in_flight,
		.depth = d->settings.in_depth,
		.tap_drained = d->queue.count == 0,
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
	d->closed[d->closed_count++] = close_open(d);
	d->in_flight++;
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
	bool again;

	d->closed_count = 0;
	while (d->ready_count && d->in_flight < d->settings.in_depth) {
		d->closed[d->closed_count++] = d->ready[d->ready_head];
		d->ready_head = (d->ready_head + 1) % SIM_NTBS_MAX;
		d->ready_count--;
		d->in_flight++;
	}
	do {
		moved += fill(d);
		again = d->in_flight < d->settings.in_depth ? decide(d) : set_aside(d);
	} while (again);
	d->wire_freed = false;
	return moved * d->settings.in_datagram_ns + d->closed_count * d->settings.in_ntb_ns;
}

void sim_device_send(struct sim_device *d, const struct sim_packet *packet)
{
	if (sim_queue_push(&d->queue, packet, d->settings.queue))
		want_turn(d);
	else
		d->dropped++;
}

void sim_device_in_left(void *device)
{
	struct sim_device *d = device;

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

/* What comes in and what goes out take turns. */
static void work(struct sim_device *d)
{
	if (d->busy)
		return;
	if (d->turn_wanted && (d->out_last || !d->ntb_count || d->held)) {
		d->out_last = d->turn_wanted = false;
		spend(d, JOB_TURN, turn(d));
	} else if (d->ntb_count && !d->held) {
		bool empty = !d->ntb_datagrams[d->ntb_head];

		d->out_last = true;
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
	} else if (what == JOB_NTB) {
		d->ntb_head = (d->ntb_head + 1) % SIM_NTBS_MAX;
		d->ntb_count--;
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
