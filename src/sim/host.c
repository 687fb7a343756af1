/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/host.h"

#include <string.h>

#define CDC_NCM_DATAGRAMS     40 /* most in an NTB, and entries it leaves room for */
#define CDC_NCM_NTB_MAX	      16384u
#define CDC_NCM_MORE_ROUNDS   2 /* of the timer, for an NTB ... */
#define CDC_NCM_FEW_DATAGRAMS 3 /* ... of fewer than these */
#define CDC_NCM_PAD_PACKETS   3 /* what has less room left than this is padded to the maximum */
#define WINDOWS_DATAGRAMS     16

static const char *const names[] = {
	[SIM_CDC_NCM] = "cdc_ncm",
	[SIM_WINDOWS] = "windows",
	[SIM_AT_ONCE] = "at-once",
};

const char *sim_host_driver_name(enum sim_host_driver driver)
{
	return names[driver];
}

static uint16_t datagram_limit(const struct sim_host_settings *s)
{
	uint32_t own = s->driver == SIM_CDC_NCM ? CDC_NCM_DATAGRAMS :
		       s->driver == SIM_WINDOWS ? WINDOWS_DATAGRAMS :
						  1;

	return (uint16_t)(s->out_max_datagrams && s->out_max_datagrams < own ?
				  s->out_max_datagrams :
				  own);
}

void sim_host_begin(struct sim_host *h, struct sim_engine *engine, struct sim_bus *bus,
		    const struct sim_host_settings *settings, uint8_t *memory, sim_take *take,
		    void *taker)
{
	memset(h, 0, sizeof(*h));
	h->engine = engine;
	h->bus = bus;
	h->settings = *settings;
	h->memory = memory;
	h->take = take;
	h->taker = taker;
	h->timer_ns = SIM_NEVER;
	h->shape = (struct ntb_write_shape){
		.format = NTB_FORMAT_16,
		.ending = NTB_ENDING_PAD,
		.ndp = settings->driver == SIM_CDC_NCM ? NTB_NDP_START : NTB_NDP_END,
		.max_size = settings->out_max_size < CDC_NCM_NTB_MAX ? settings->out_max_size :
								       CDC_NCM_NTB_MAX,
		.max_datagrams = datagram_limit(settings),
		.divisor = 4,
		.alignment = 4,
		.max_packet = (uint16_t)settings->max_packet,
	};
	h->rules = (struct ntb_read_rules){ .format = NTB_FORMAT_16,
					    .ntb_out_max_size = SIM_TRANSFER_MAX,
					    .max_datagram_len = SIM_FRAME_MAX };
}

/* Ends the open NTB and writes it. */
static void send_open(struct sim_host *h)
{
	uint8_t *ntb = h->write.ntb;
	bool zlp;
	uint32_t len, max = h->shape.max_size;

	h->datagrams += h->write.datagrams;
	len = ntb_write_finish(&h->write, h->sequence++, &zlp);
	if (h->settings.driver == SIM_CDC_NCM &&
	    len + CDC_NCM_PAD_PACKETS * h->settings.max_packet > max) {
		memset(ntb + len, 0, max - len);
		ntb[8] = (uint8_t)max; /* wBlockLength */
		ntb[9] = (uint8_t)(max >> 8);
		len = max;
	}
	h->open = false;
	h->ntbs++;
	h->writes++;
	h->next_buffer = (h->next_buffer + 1) % (h->settings.out_transfers + 1);
	sim_bus_write_out(h->bus, ntb, len);
}

static void begin_open(struct sim_host *h)
{
	ntb_write_begin(&h->write, &h->shape, h->memory + h->next_buffer * SIM_TRANSFER_MAX);
	h->open = true;
}

static void put(struct sim_host *h, const struct sim_packet *packet)
{
	size_t room;

	sim_packet_write(packet, ntb_write_slot(&h->write, &room));
	ntb_write_commit(&h->write, packet->len);
}

static void run(struct sim_host *h);

static void timer(void *who, uint64_t what)
{
	struct sim_host *h = who;

	if ((int64_t)what != h->timer_ns)
		return;
	h->timer_ns = SIM_NEVER;
	if (!h->open)
		return;
	if (h->pending) {
		h->pending--;
		h->timer_ns = h->engine->now_ns + h->settings.timer_ns;
		sim_at(h->engine, h->timer_ns, timer, h, (uint64_t)h->timer_ns);
		return;
	}
	send_open(h);
	run(h);
}

/* cdc_ncm: after a datagram went into the open NTB. */
static void hold(struct sim_host *h)
{
	if (h->write.datagrams >= h->shape.max_datagrams || !h->settings.timer_ns) {
		send_open(h);
		return;
	}
	if (h->write.datagrams < CDC_NCM_FEW_DATAGRAMS)
		h->pending = CDC_NCM_MORE_ROUNDS;
	if (h->timer_ns != SIM_NEVER)
		return;
	h->timer_ns = h->engine->now_ns + h->settings.timer_ns;
	sim_at(h->engine, h->timer_ns, timer, h, (uint64_t)h->timer_ns);
}

/* Takes what is queued as long as a write may be added. */
static void run(struct sim_host *h)
{
	while (h->queue.count && h->writes < h->settings.out_transfers) {
		const struct sim_packet *p = sim_queue_first(&h->queue);

		if (!h->open)
			begin_open(h);
		if (h->write.datagrams && ntb_write_is_full_for(&h->write, p->len)) {
			send_open(h);
			continue;
		}
		put(h, p);
		sim_queue_drop_first(&h->queue);
		if (h->settings.driver == SIM_CDC_NCM)
			hold(h);
		else if (h->write.datagrams == h->shape.max_datagrams)
			send_open(h);
	}
	if (h->open && h->settings.driver != SIM_CDC_NCM && h->writes < h->settings.out_transfers)
		send_open(h);
}

static void pass(void *who, uint64_t what)
{
	struct sim_host *h = who;

	(void)what;
	h->pass_asked = false;
	run(h);
}

static void through_stack_down(void *who, uint64_t what)
{
	struct sim_host *h = who;

	(void)what;
	sim_queue_push(&h->queue, sim_queue_first(&h->down), SIM_QUEUE_MAX);
	sim_queue_drop_first(&h->down);
	/* Behind all packets of this moment: they are one pass of the driver. */
	if (!h->pass_asked)
		sim_at(h->engine, h->engine->now_ns, pass, h, 0);
	h->pass_asked = true;
}

void sim_host_send(struct sim_host *h, const struct sim_packet *packet)
{
	if (sim_queue_push(&h->down, packet, SIM_QUEUE_MAX))
		sim_at(h->engine, h->engine->now_ns + h->settings.stack_ns, through_stack_down, h,
		       0);
}

void sim_host_out_done(void *host)
{
	struct sim_host *h = host;

	h->writes--;
	run(h);
}

static void through_stack_up(void *who, uint64_t what)
{
	struct sim_host *h = who;
	struct sim_packet packet = *sim_queue_first(&h->up);

	(void)what;
	sim_queue_drop_first(&h->up);
	h->take(h->taker, &packet);
}

void sim_host_in_done(void *host, const uint8_t *bytes, uint32_t len)
{
	struct sim_host *h = host;
	struct ntb_read read;
	struct ntb_datagram d;
	enum ntb_verdict v;
	struct sim_packet packet;

	ntb_read_begin(&read, &h->rules, bytes, len);
	while ((v = ntb_read_next(&read, &d)) != NTB_END) {
		if (v != NTB_DATAGRAM || !sim_packet_read(&packet, d.bytes, (uint32_t)d.len))
			h->faults++;
		else if (sim_queue_push(&h->up, &packet, SIM_QUEUE_MAX))
			sim_at(h->engine, h->engine->now_ns + h->settings.stack_ns,
			       through_stack_up, h, 0);
	}
}
