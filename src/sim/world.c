/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/world.h"

#include <stdlib.h>
#include <string.h>

#include "sim/uplink.h"

struct world {
	struct sim_engine engine;
	const struct sim_run_settings *settings;
	struct sim_bus bus;
	struct sim_host host;
	struct sim_device device;
	struct sim_ring ring;
	struct sim_uplink uplink;
	struct sim_traffic traffic[SIM_TRAFFICS_MAX];
};

static const char *const link_names[] = {
	[SIM_LINK_FULL] = "full",
	[SIM_LINK_HIGH] = "high",
	[SIM_LINK_ETHERNET] = "ethernet",
};

const char *sim_link_name(enum sim_link link)
{
	return link_names[link];
}

/* What kind of packet it is says at which end: only one of them gets such. */
static void take_at_end(void *who, const struct sim_packet *packet)
{
	struct world *w = who;

	sim_traffic_take(&w->traffic[packet->flow], packet);
}

static void take_at_device(void *who, const struct sim_packet *packet)
{
	struct world *w = who;

	if (!w->settings->uplink.delay_ns) {
		take_at_end(w, packet);
		return;
	}
	sim_uplink_from_device(&w->uplink, packet);
	if (sim_uplink_is_full(&w->uplink))
		sim_device_hold(&w->device, true);
}

static void room_behind_device(void *who)
{
	struct world *w = who;

	if (!sim_uplink_is_full(&w->uplink))
		sim_device_hold(&w->device, false);
}

static void send_from_device(void *who, const struct sim_packet *packet)
{
	struct world *w = who;

	if (w->settings->link == SIM_LINK_ETHERNET)
		sim_ring_device_send(&w->ring, packet);
	else
		sim_device_send(&w->device, packet);
}

static void send_packet(void *who, enum sim_end from, const struct sim_packet *packet)
{
	struct world *w = who;

	if (from == SIM_DEVICE && w->settings->uplink.delay_ns)
		sim_uplink_from_server(&w->uplink, packet);
	else if (from == SIM_DEVICE)
		send_from_device(w, packet);
	else if (w->settings->link == SIM_LINK_ETHERNET)
		sim_ring_host_send(&w->ring, packet);
	else
		sim_host_send(&w->host, packet);
}

/* [USB20 5.8.4] */
static const struct sim_bus_settings buses[] = {
	[SIM_LINK_FULL] = { .packet_bytes = 64, .packets = 19, .frame_ns = SIM_NS_PER_MS },
	[SIM_LINK_HIGH] = { .packet_bytes = 512, .packets = 13, .frame_ns = 125 * SIM_NS_PER_US },
};

static bool begin_usb(struct world *w)
{
	const struct sim_run_settings *s = w->settings;
	struct sim_bus_settings bus = buses[s->link];
	struct sim_host_settings host = s->host;
	const struct sim_bus_events events = {
		&w->host,	  &w->device,	       sim_host_out_done,
		sim_host_in_done, sim_device_out_came, sim_device_in_left
	};
	uint8_t *host_memory = malloc((size_t)(host.out_transfers + 1) * SIM_TRANSFER_MAX);
	uint8_t *device_memory = malloc((size_t)s->device.in_buffers * SIM_TRANSFER_MAX);
	uint8_t *bus_memory = malloc((size_t)s->in_transfers * SIM_TRANSFER_MAX);

	bus.controller = s->controller;
	bus.interrupt_ns = s->interrupt_ns;
	bus.in_transfers = s->in_transfers;
	host.out_max_size = s->device.out_size;
	host.out_max_datagrams = s->device.out_datagrams;
	host.max_packet = bus.packet_bytes;
	sim_bus_begin(&w->bus, &w->engine, &bus, &events, bus_memory);
	sim_host_begin(&w->host, &w->engine, &w->bus, &host, host_memory, take_at_end, w);
	sim_device_begin(&w->device, &w->engine, &w->bus, &s->device, device_memory, take_at_device,
			 w);
	return host_memory && device_memory && bus_memory;
}

static bool begin(struct world *w, const struct sim_run_settings *s)
{
	int64_t *samples = malloc(s->traffics * SIM_SAMPLES_MAX * sizeof(*samples));
	bool good = samples != NULL;

	w->settings = s;
	sim_engine_begin(&w->engine, s->seed);
	if (s->link == SIM_LINK_ETHERNET)
		sim_ring_begin(&w->ring, &w->engine, &s->ring, take_at_end, take_at_device, w);
	else
		good = begin_usb(w) && good;
	sim_uplink_begin(&w->uplink, &w->engine, &s->uplink, send_from_device, take_at_end,
			 room_behind_device, w);
	w->traffic[0].sample_ns = samples; /* for end(), even if nothing else was begun */
	for (uint32_t i = 0; good && i < s->traffics; i++)
		sim_traffic_begin(&w->traffic[i], &w->engine, &s->traffic[i], (uint8_t)i,
				  send_packet, w, s->omit_ns, samples + i * SIM_SAMPLES_MAX);
	return good;
}

static void end(struct world *w)
{
	free(w->traffic[0].sample_ns);
	free(w->host.memory);
	free(w->bus.memory);
	free(w->device.memory);
	free(w);
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void summarize_latency(struct sim_traffic *t, struct sim_traffic_result *r)
{
	double sum = 0;
	uint32_t n = t->samples;

	r->samples = n;
	if (!n)
		return;
	qsort(t->sample_ns, n, sizeof(*t->sample_ns), compare);
	for (uint32_t i = 0; i < n; i++)
		sum += (double)t->sample_ns[i];
	r->mean_us = sum / n / 1e3;
	r->least_us = (double)t->sample_ns[0] / 1e3;
	r->p50_us = (double)t->sample_ns[(n - 1) / 2] / 1e3;
	r->p99_us = (double)t->sample_ns[(uint32_t)((n - 1) * UINT64_C(99) / 100)] / 1e3;
	r->most_us = (double)t->sample_ns[n - 1] / 1e3;
}

static void summarize(struct world *w, uint32_t i, struct sim_traffic_result *r)
{
	const struct sim_run_settings *s = w->settings;
	struct sim_traffic *t = &w->traffic[i];
	int64_t span_ns = s->seconds_ns - s->omit_ns;

	summarize_latency(t, r);
	r->sent = t->sent;
	r->received = t->received;
	for (uint32_t c = 0; t->settings.kind == SIM_TCP && c < t->settings.connections; c++) {
		r->retransmits += t->tcp[c].retransmits;
		r->timeouts += t->tcp[c].timeouts;
		if (t->tcp[c].done_ns != SIM_NEVER)
			r->time_s = (double)(t->tcp[c].done_ns - t->settings.start_ns) / 1e9;
	}
	/* What has an end is measured by it. */
	if (r->time_s > 0)
		span_ns = (int64_t)(r->time_s * 1e9);
	r->bits_per_s = (double)t->bytes * 8e9 / (double)span_ns;
}

enum sim_verdict sim_run_world(const struct sim_run_settings *s, struct sim_run_result *r)
{
	struct world *w = calloc(1, sizeof(*w));
	enum sim_verdict verdict = SIM_OK;

	memset(r, 0, sizeof(*r));
	if (!w)
		return SIM_NO_MEMORY;
	if (!begin(w, s)) {
		end(w);
		return SIM_NO_MEMORY;
	}
	r->events = sim_run(&w->engine, s->seconds_ns, SIM_RUN_EVENTS_MAX);
	if (r->events == SIM_RUN_EVENTS_MAX || w->engine.overflowed)
		verdict = SIM_TOO_MANY_EVENTS;
	else if (w->host.faults || w->device.faults)
		verdict = SIM_FAULT;
	for (uint32_t i = 0; i < s->traffics; i++)
		summarize(w, i, &r->traffic[i]);
	r->ntbs_to_host = w->device.ntbs;
	r->datagrams_to_host = w->device.datagrams;
	r->ntbs_from_host = w->host.ntbs;
	r->datagrams_from_host = w->host.datagrams;
	r->lost = w->device.dropped + w->ring.no_descriptor + w->ring.no_buffer;
	r->lost_uplink = w->uplink.lost;
	r->processor = (double)(w->device.work_ns + w->ring.work_ns) / (double)s->seconds_ns;
	r->copying = (double)w->ring.copy_ns / (double)s->seconds_ns;
	end(w);
	return verdict;
}
