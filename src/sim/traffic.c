/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/traffic.h"

#include <string.h>

static const char *const names[] = {
	[SIM_PING] = "ping",
	[SIM_BURST] = "burst",
	[SIM_TCP] = "tcp",
	[SIM_UDP] = "udp",
};

const char *sim_traffic_kind_name(enum sim_traffic_kind kind)
{
	return names[kind];
}

static enum sim_end other(enum sim_end end)
{
	return end == SIM_HOST ? SIM_DEVICE : SIM_HOST;
}

static void sample(struct sim_traffic *t, int64_t ns)
{
	if (t->engine->now_ns >= t->omit_ns && t->samples < SIM_SAMPLES_MAX)
		t->sample_ns[t->samples++] = ns;
}

static void arrived(struct sim_traffic *t, uint64_t bytes)
{
	if (t->engine->now_ns < t->omit_ns)
		return;
	if (!t->received++)
		t->first_ns = t->engine->now_ns;
	t->last_ns = t->engine->now_ns;
	t->bytes += bytes;
}

static void ask(void *who, uint64_t what)
{
	struct sim_traffic *t = who;
	const struct sim_traffic_settings *s = &t->settings;
	struct sim_packet p = {
		.len = s->kind == SIM_BURST ? SIM_FRAME_MIN : s->size,
		.flow = t->index,
		.kind = SIM_PACKET_REQUEST,
		.seq = t->sent,
		.sent_ns = t->engine->now_ns,
	};

	(void)what;
	if (s->count && t->sent >= s->count)
		return;
	t->sent++;
	t->send(t->world, s->from, &p);
	if (!s->interval_ns)
		return;
	/* A flood keeps its pace; what asks for the phase of a bus must not. */
	sim_at(t->engine,
	       t->engine->now_ns +
		       (s->kind == SIM_UDP ?
				s->interval_ns :
				s->interval_ns / 2 +
					(int64_t)sim_random(t->engine, (uint64_t)s->interval_ns)),
	       ask, t, 0);
}

/* --- tcp -------------------------------------------------------------------- */

static void send_data(void *who, const struct sim_packet *packet)
{
	struct sim_traffic *t = who;

	t->sent++;
	t->send(t->world, t->settings.from, packet);
}

static void send_ack(void *who, const struct sim_packet *packet)
{
	struct sim_traffic *t = who;

	t->send(t->world, other(t->settings.from), packet);
}

/* SYN from the receiver of the data, SYN and ACK, request: the data follows. */
enum step { STEP_SYN, STEP_SYN_ACK, STEP_GET };

static void send_step(struct sim_traffic *t, enum step step, uint8_t connection, int64_t began_ns)
{
	struct sim_packet p = {
		.len = step == STEP_GET ? 200 : SIM_TCP_HEADERS + 8,
		.flow = t->index,
		.connection = connection,
		.kind = SIM_PACKET_REQUEST,
		.seq = step,
		.sent_ns = began_ns,
	};

	t->send(t->world, step == STEP_SYN_ACK ? t->settings.from : other(t->settings.from), &p);
}

static void begin_connection(void *who, uint64_t connection)
{
	struct sim_traffic *t = who;

	if (t->settings.tcp.bytes == UINT64_MAX)
		sim_tcp_start(&t->tcp[connection]);
	else
		send_step(t, STEP_SYN, (uint8_t)connection, t->engine->now_ns);
}

static void take_step(struct sim_traffic *t, const struct sim_packet *packet)
{
	if (packet->seq == STEP_GET)
		sim_tcp_start(&t->tcp[packet->connection]);
	else
		send_step(t, packet->seq == STEP_SYN ? STEP_SYN_ACK : STEP_GET, packet->connection,
			  packet->sent_ns);
}

static void take_tcp(struct sim_traffic *t, const struct sim_packet *packet)
{
	struct sim_tcp *tcp = &t->tcp[packet->connection];
	uint64_t before = tcp->expected;

	if (packet->kind == SIM_PACKET_REQUEST) {
		take_step(t, packet);
	} else if (packet->kind == SIM_PACKET_ACK) {
		sim_tcp_ack(tcp, packet);
	} else {
		sim_tcp_data(tcp, packet);
		if (tcp->expected > before)
			arrived(t, tcp->expected - before);
		if (tcp->done_ns == t->engine->now_ns)
			sample(t, t->engine->now_ns - t->settings.start_ns);
	}
}

/* --- requests and answers --------------------------------------------------- */

static void send_answer(void *who, uint64_t left)
{
	struct sim_traffic *t = who;
	enum sim_end from = other(t->settings.from);

	do {
		t->answer.last = --left == 0;
		t->send(t->world, from, &t->answer);
	} while (left && !t->settings.gap_ns);
	if (left)
		sim_at(t->engine, t->engine->now_ns + t->settings.gap_ns, send_answer, t, left);
}

static void answer(struct sim_traffic *t, const struct sim_packet *request)
{
	t->answer = *request;
	t->answer.kind = SIM_PACKET_ANSWER;
	t->answer.len = t->settings.size;
	send_answer(t, t->settings.kind == SIM_BURST ? t->settings.datagrams : 1);
}

static void take_answer(struct sim_traffic *t, const struct sim_packet *packet)
{
	int64_t think_ns = t->settings.think_ns;

	arrived(t, packet->len);
	if (!packet->last)
		return;
	sample(t, t->engine->now_ns - packet->sent_ns);
	if (t->settings.interval_ns)
		return;
	/* A burst is asked for by a program that does something else, not by a benchmark. */
	if (t->settings.kind == SIM_BURST)
		think_ns = sim_random_wait(t->engine, think_ns);
	sim_at(t->engine, t->engine->now_ns + think_ns, ask, t, 0);
}

void sim_traffic_take(struct sim_traffic *t, const struct sim_packet *packet)
{
	if (t->settings.kind == SIM_TCP) {
		take_tcp(t, packet);
	} else if (t->settings.kind == SIM_UDP) {
		arrived(t, packet->len);
		sample(t, t->engine->now_ns - packet->sent_ns);
	} else if (packet->kind == SIM_PACKET_REQUEST) {
		answer(t, packet);
	} else {
		take_answer(t, packet);
	}
}

void sim_traffic_begin(struct sim_traffic *t, struct sim_engine *engine,
		       const struct sim_traffic_settings *settings, uint8_t index, sim_send *send,
		       void *world, int64_t omit_ns, int64_t *sample_ns)
{
	memset(t, 0, sizeof(*t));
	t->engine = engine;
	t->settings = *settings;
	t->index = index;
	t->send = send;
	t->world = world;
	t->omit_ns = omit_ns;
	t->sample_ns = sample_ns;
	t->settings.tcp.flow = index;
	if (settings->kind != SIM_TCP) {
		sim_at(engine, settings->start_ns, ask, t, 0);
		return;
	}
	for (uint8_t i = 0; i < settings->connections; i++) {
		t->settings.tcp.connection = i;
		sim_tcp_begin(&t->tcp[i], engine, &t->settings.tcp, send_data, send_ack, t);
		sim_at(engine, settings->start_ns, begin_connection, t, i);
	}
}
