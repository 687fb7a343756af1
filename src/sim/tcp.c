/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/tcp.h"

#include <string.h>

#define INITIAL_SEGMENTS 10 /* RFC 6928 */
#define DUPLICATES	 3
#define FIRST_RTO_NS	 SIM_NS_PER_S
#define LONGEST_RTO_NS	 (60 * SIM_NS_PER_S)

void sim_tcp_begin(struct sim_tcp *t, struct sim_engine *engine,
		   const struct sim_tcp_settings *settings, sim_take *send_data, sim_take *send_ack,
		   void *sender)
{
	memset(t, 0, sizeof(*t));
	t->engine = engine;
	t->settings = *settings;
	t->send_data = send_data;
	t->send_ack = send_ack;
	t->sender = sender;
	t->cwnd = INITIAL_SEGMENTS * (uint64_t)settings->segment;
	t->ssthresh = UINT64_MAX;
	t->rto_ns = FIRST_RTO_NS;
	t->timer_ns = t->ack_ns = t->done_ns = SIM_NEVER;
}

/* --- the sender ------------------------------------------------------------- */

static void expired(void *who, uint64_t what);

static void set_timer(struct sim_tcp *t)
{
	t->timer_ns = t->una == t->top ? SIM_NEVER : t->engine->now_ns + t->rto_ns;
	sim_at(t->engine, t->timer_ns, expired, t, (uint64_t)t->timer_ns);
}

static void send_segment(struct sim_tcp *t, uint64_t offset)
{
	uint64_t left = t->settings.bytes - offset;
	uint32_t payload = left < t->settings.segment ? (uint32_t)left : t->settings.segment;
	struct sim_packet p = {
		.len = payload + SIM_TCP_HEADERS,
		.flow = t->settings.flow,
		.connection = t->settings.connection,
		.kind = SIM_PACKET_DATA,
		.seq = offset,
		.ack = payload,
		.sent_ns = t->engine->now_ns,
	};

	if (offset < t->top)
		t->retransmits++;
	if (offset + payload > t->top)
		t->top = offset + payload;
	t->send_data(t->sender, &p);
}

static void send_what_may(struct sim_tcp *t)
{
	uint64_t window = t->cwnd < t->settings.window ? t->cwnd : t->settings.window;
	bool idle = t->timer_ns == SIM_NEVER;

	while (t->next < t->settings.bytes &&
	       (t->next == t->una || t->next - t->una + t->settings.segment <= window)) {
		uint64_t at = t->next;
		uint64_t left = t->settings.bytes - at;

		t->next += left < t->settings.segment ? left : t->settings.segment;
		send_segment(t, at);
	}
	if (idle)
		set_timer(t);
}

void sim_tcp_start(struct sim_tcp *t)
{
	t->running = true;
	send_what_may(t);
}

static uint64_t halved(const struct sim_tcp *t)
{
	uint64_t half = (t->top - t->una) / 2, least = 2 * (uint64_t)t->settings.segment;

	return half > least ? half : least;
}

static void expired(void *who, uint64_t what)
{
	struct sim_tcp *t = who;

	if ((int64_t)what != t->timer_ns)
		return;
	t->timeouts++;
	t->ssthresh = halved(t);
	t->cwnd = t->settings.segment;
	t->next = t->una;
	t->recovering = false;
	t->duplicates = 0;
	t->recover = t->top;
	t->rto_ns = t->rto_ns < LONGEST_RTO_NS / 2 ? t->rto_ns * 2 : LONGEST_RTO_NS;
	t->timer_ns = SIM_NEVER;
	send_what_may(t);
}

static void measure(struct sim_tcp *t, int64_t rtt_ns)
{
	int64_t error_ns = rtt_ns - t->srtt_ns;

	if (!t->srtt_ns) {
		t->srtt_ns = rtt_ns;
		t->rttvar_ns = rtt_ns / 2;
	} else {
		t->rttvar_ns += ((error_ns < 0 ? -error_ns : error_ns) - t->rttvar_ns) / 4;
		t->srtt_ns += error_ns / 8;
	}
	t->rto_ns = t->srtt_ns + 4 * t->rttvar_ns;
	if (t->rto_ns < t->settings.rto_min_ns)
		t->rto_ns = t->settings.rto_min_ns;
}

static void duplicate(struct sim_tcp *t)
{
	uint32_t segment = t->settings.segment;

	t->duplicates++;
	if (t->recovering) {
		t->cwnd += segment;
	} else if (t->duplicates == DUPLICATES && t->una >= t->recover) {
		t->recovering = true;
		t->recover = t->top;
		t->ssthresh = halved(t);
		t->cwnd = t->ssthresh + DUPLICATES * segment;
		send_segment(t, t->una);
		set_timer(t);
	}
}

static void advance(struct sim_tcp *t, uint64_t ack)
{
	uint64_t acked = ack - t->una, segment = t->settings.segment;

	t->una = ack;
	if (t->next < ack)
		t->next = ack;
	t->duplicates = 0;
	if (t->recovering && ack >= t->recover) {
		t->recovering = false;
		t->cwnd = t->ssthresh;
	} else if (t->recovering) {
		t->cwnd = (t->cwnd > acked ? t->cwnd - acked : 0) + segment;
		send_segment(t, t->una);
	} else if (t->cwnd < t->ssthresh) {
		t->cwnd += acked;
	} else {
		t->cwnd += segment * acked / t->cwnd;
	}
	set_timer(t);
}

void sim_tcp_ack(struct sim_tcp *t, const struct sim_packet *packet)
{
	if (packet->ack > t->una) {
		measure(t, t->engine->now_ns - packet->sent_ns);
		advance(t, packet->ack);
	} else if (packet->ack == t->una && t->top > t->una) {
		duplicate(t);
	}
	send_what_may(t);
}

/* --- the receiver ----------------------------------------------------------- */

static void acknowledge(struct sim_tcp *t)
{
	struct sim_packet p = {
		.len = SIM_ACK_FRAME,
		.flow = t->settings.flow,
		.connection = t->settings.connection,
		.kind = SIM_PACKET_ACK,
		.ack = t->expected,
		.sent_ns = t->echo_ns,
	};

	t->unacknowledged = 0;
	t->ack_ns = SIM_NEVER;
	t->send_ack(t->sender, &p);
}

static void ack_expired(void *who, uint64_t what)
{
	struct sim_tcp *t = who;

	if ((int64_t)what == t->ack_ns)
		acknowledge(t);
}

/* True if what had come out of order is now in order, or nothing is missing: no gap was seen. */
static bool in_order(struct sim_tcp *t, const struct sim_packet *packet)
{
	uint32_t segment = t->settings.segment;
	bool filled = false;
	uint8_t *have;

	t->expected = packet->seq + packet->ack;
	while (*(have = &t->have[t->expected / segment % SIM_TCP_WINDOW_SEGMENTS])) {
		*have = 0;
		t->expected += t->settings.bytes - t->expected < segment ?
				       t->settings.bytes - t->expected :
				       segment;
		filled = true;
	}
	if (t->expected == t->settings.bytes)
		t->done_ns = t->engine->now_ns;
	return !filled;
}

void sim_tcp_data(struct sim_tcp *t, const struct sim_packet *packet)
{
	uint32_t index = (uint32_t)(packet->seq / t->settings.segment % SIM_TCP_WINDOW_SEGMENTS);

	if (packet->seq != t->expected) {
		if (packet->seq > t->expected && !t->settings.keeps_order)
			t->have[index] = 1;
		acknowledge(t);
		return;
	}
	if (!t->unacknowledged)
		t->echo_ns = packet->sent_ns;
	t->unacknowledged++;
	if (!in_order(t, packet) || t->unacknowledged >= t->settings.ack_every ||
	    t->expected == t->settings.bytes) {
		acknowledge(t);
	} else if (t->ack_ns == SIM_NEVER) {
		t->ack_ns = t->engine->now_ns + t->settings.ack_delay_ns;
		sim_at(t->engine, t->ack_ns, ack_expired, t, (uint64_t)t->ack_ns);
	}
}
