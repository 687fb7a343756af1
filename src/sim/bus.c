/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/bus.h"

#include <string.h>

/* Full-speed frames; controllers that count in frames do so at any speed. */
#define FRAME_NS      SIM_NS_PER_MS
#define MICROFRAME_NS (125 * SIM_NS_PER_US)

/* Linux' UHCI driver lets the controller go round its list within a frame for so long. */
#define RECLAIMS_NS (200 * SIM_NS_PER_MS)

static const struct {
	const char *name;
	int64_t start_ns; /* what is new starts with a multiple of this ... */
	int64_t idle_ns; /* ... if the wire was idle for so long */
	int64_t end_ns; /* what is done is told at a multiple of this */
	bool unlinks;
} controllers[] = {
	[SIM_OHCI_UNLINK] = { "ohci-unlink", 0, 0, FRAME_NS, true },
	[SIM_OHCI] = { "ohci", 0, 0, FRAME_NS, false },
	[SIM_UHCI] = { "uhci", FRAME_NS, RECLAIMS_NS, FRAME_NS, false },
	[SIM_EHCI] = { "ehci", MICROFRAME_NS, 0, MICROFRAME_NS, false },
	[SIM_XHCI] = { "xhci", 0, 0, 0, false },
};

const char *sim_controller_name(enum sim_controller controller)
{
	return controllers[controller].name;
}

double sim_bus_bytes_per_s(const struct sim_bus_settings *s)
{
	return (double)s->packet_bytes * s->packets * SIM_NS_PER_S / (double)s->frame_ns;
}

void sim_bus_begin(struct sim_bus *bus, struct sim_engine *engine,
		   const struct sim_bus_settings *settings, const struct sim_bus_events *events,
		   uint8_t *memory)
{
	memset(bus, 0, sizeof(*bus));
	bus->memory = memory;
	bus->engine = engine;
	bus->settings = *settings;
	bus->events = *events;
	bus->in_pending = settings->in_transfers;
	bus->next_ns = SIM_NEVER;
}

/* The first slot that starts at or behind `ns`. */
static int64_t slot_ns(const struct sim_bus_settings *s, int64_t ns)
{
	int64_t frame = ns / s->frame_ns * s->frame_ns;
	int64_t slot = ((ns - frame) * s->packets + s->frame_ns - 1) / s->frame_ns;

	return frame + slot * s->frame_ns / s->packets;
}

static void slot(void *who, uint64_t what);

static void look_at(struct sim_bus *bus, int64_t at_ns)
{
	bus->next_ns = at_ns;
	sim_at(bus->engine, at_ns, slot, bus, (uint64_t)at_ns);
}

/* Has the wire look at what there is to do, not before `ns`; a busy one will anyway. */
static void wake(struct sim_bus *bus, int64_t ns)
{
	int64_t at = slot_ns(&bus->settings, ns > bus->engine->now_ns ? ns : bus->engine->now_ns);

	if (!bus->on_wire && at < bus->next_ns)
		look_at(bus, at);
}

static bool push(struct sim_pipe *pipe, const uint8_t *bytes, uint32_t len, int64_t start_ns)
{
	if (pipe->count == SIM_TRANSFERS_MAX)
		return false;
	pipe->transfer[(pipe->head + pipe->count++) % SIM_TRANSFERS_MAX] =
		(struct sim_transfer){ bytes, len, start_ns };
	return true;
}

bool sim_bus_write_out(struct sim_bus *bus, const uint8_t *bytes, uint32_t len)
{
	int64_t now_ns = bus->engine->now_ns;
	/* One that follows another is on the schedule with it. */
	bool late = !bus->out.count &&
		    now_ns >= bus->used_ns + controllers[bus->settings.controller].idle_ns;
	int64_t step_ns = late ? controllers[bus->settings.controller].start_ns : 0;
	int64_t start_ns =
		sim_align(now_ns > bus->unlinked_ns ? now_ns : bus->unlinked_ns, step_ns);

	if (!push(&bus->out, bytes, len, start_ns))
		return false;
	bus->out_unfinished++;
	wake(bus, start_ns);
	return true;
}

void sim_bus_arm_out(struct sim_bus *bus)
{
	bus->out_armed++;
	wake(bus, 0);
}

/* A zero-length packet is one packet more. */
#define ZLP 0x80000000u

bool sim_bus_write_in(struct sim_bus *bus, const uint8_t *bytes, uint32_t len, bool zlp)
{
	if (!push(&bus->in, bytes, len | (zlp ? ZLP : 0), bus->engine->now_ns))
		return false;
	wake(bus, 0);
	return true;
}

static int64_t told_ns(const struct sim_bus *bus)
{
	int64_t step_ns = controllers[bus->settings.controller].end_ns;

	return sim_align(bus->engine->now_ns, step_ns) + bus->settings.interrupt_ns;
}

static void host_hears_out(void *who, uint64_t what)
{
	struct sim_bus *bus = who;

	(void)what;
	bus->out_unfinished--;
	/* Off the schedule until the frame after the one in which this was told has begun. */
	if (!bus->out_unfinished && controllers[bus->settings.controller].unlinks)
		bus->unlinked_ns = sim_align(bus->engine->now_ns + 1, FRAME_NS);
	bus->events.out_done(bus->events.host);
}

static void host_hears_in(void *who, uint64_t what)
{
	struct sim_bus *bus = who;
	uint32_t i = bus->heard_head;

	(void)what;
	bus->heard_head = (i + 1) % bus->settings.in_transfers;
	bus->heard_count--;
	bus->in_pending++;
	bus->events.in_done(bus->events.host, bus->memory + (size_t)i * SIM_TRANSFER_MAX,
			    bus->heard_len[i]);
	wake(bus, 0);
}

/*
 * The device's memory is its own again; what came is in the host's. There is room: the host
 * keeps `in_transfers` reads on the schedule.
 */
static void hear(struct sim_bus *bus, const uint8_t *bytes, uint32_t len)
{
	uint32_t i = (bus->heard_head + bus->heard_count++) % bus->settings.in_transfers;

	memcpy(bus->memory + (size_t)i * SIM_TRANSFER_MAX, bytes, len);
	bus->heard_len[i] = len;
}

static void end_transfer(struct sim_bus *bus, struct sim_pipe *pipe)
{
	struct sim_transfer t = pipe->transfer[pipe->head];

	pipe->head = (pipe->head + 1) % SIM_TRANSFERS_MAX;
	pipe->count--;
	if (pipe == &bus->out) {
		sim_at(bus->engine, told_ns(bus), host_hears_out, bus, 0);
		bus->events.out_came(bus->events.device, t.bytes, t.len);
		return;
	}
	hear(bus, t.bytes, t.len & ~ZLP);
	sim_at(bus->engine, told_ns(bus), host_hears_in, bus, 0);
	bus->events.in_left(bus->events.device);
}

static bool can_start(const struct sim_bus *bus, const struct sim_pipe *pipe, int64_t now_ns)
{
	if (!pipe->count)
		return false;
	if (pipe->packets_left)
		return true;
	return pipe->transfer[pipe->head].start_ns <= now_ns &&
	       (pipe == &bus->out ? bus->out_armed : bus->in_pending);
}

/* Takes the buffer or the read that the first transfer of the pipe goes into. */
static void start(struct sim_bus *bus, struct sim_pipe *pipe)
{
	const struct sim_transfer *t = &pipe->transfer[pipe->head];
	uint32_t bytes = bus->settings.packet_bytes, len = t->len & ~ZLP;

	if (pipe == &bus->out)
		bus->out_armed--;
	else
		bus->in_pending--;
	pipe->packets_left = (len + bytes - 1) / bytes + (t->len & ZLP ? 1 : 0);
}

static struct sim_pipe *choose(struct sim_bus *bus, int64_t now_ns)
{
	bool out = can_start(bus, &bus->out, now_ns), in = can_start(bus, &bus->in, now_ns);

	if (!out && !in)
		return NULL;
	return out && (!in || bus->out_next) ? &bus->out : &bus->in;
}

/* One slot ends and the next begins. */
static void slot(void *who, uint64_t what)
{
	struct sim_bus *bus = who;
	int64_t now_ns = bus->engine->now_ns;
	struct sim_pipe *done = bus->on_wire;

	if ((int64_t)what != bus->next_ns)
		return; /* an earlier one was asked for meanwhile */
	bus->next_ns = SIM_NEVER;
	bus->on_wire = NULL;
	if (done && --done->packets_left == 0)
		end_transfer(bus, done);
	bus->next_ns = SIM_NEVER; /* what end_transfer() asked for is looked at here */
	bus->on_wire = choose(bus, now_ns);
	if (!bus->on_wire) {
		if (bus->out.count && bus->out.transfer[bus->out.head].start_ns > now_ns)
			wake(bus, bus->out.transfer[bus->out.head].start_ns);
		return;
	}
	if (!bus->on_wire->packets_left)
		start(bus, bus->on_wire);
	bus->out_next = bus->on_wire == &bus->in;
	bus->packets++;
	bus->used_ns = now_ns;
	look_at(bus, slot_ns(&bus->settings, now_ns + 1));
}
