/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The flows and the link on a transport that does as the test says, with a socket
 * pair in the TAP's place: what the test sends on its end is what the stack sends.
 */
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "flow/from_host.h"
#include "flow/histogram.h"
#include "flow/link.h"
#include "flow/to_host.h"
#include "ntb_vectors.h"
#include "unit.h"
#include "wire/csum.h"
#include "wire/frame.h"

#define TAKEN_MAX 512

static struct {
	struct transport base;
	int room; /* transfers it takes before it answers -EAGAIN; < 0: any number */
	bool only_reads; /* what goes to the host gets -EAGAIN */
	struct transfer *taken[TAKEN_MAX];
	unsigned int n_taken;
	struct transfer *done[TAKEN_MAX];
	unsigned int n_done;
	uint8_t ntb[64][16384]; /* what reached the kernel, copied as it does */
	uint32_t ntb_len[64];
	unsigned int ntbs;
	struct transport_event event[8];
	unsigned int events, next_event;
	struct ncm_answer answer;
	uint16_t max_packet;
} bus;

static struct tap tap;
static int stack; /* the other end of the TAP */
static struct stats stats;
static struct to_host to_host;
static struct from_host from_host;
static struct link usb_link;

static int bus_submit(struct transport *t, struct transfer **list, unsigned int n)
{
	unsigned int i = 0;

	(void)t;
	for (; i < n && bus.room; i++, bus.room--) {
		if (bus.only_reads && list[i]->endpoint != ENDPOINT_BULK_OUT)
			break;
		bus.taken[bus.n_taken++] = list[i];
		if (list[i]->endpoint != ENDPOINT_BULK_IN)
			continue;
		memcpy(bus.ntb[bus.ntbs % 64], list[i]->bytes, list[i]->len);
		bus.ntb_len[bus.ntbs++ % 64] = list[i]->len;
	}
	return i ? (int)i : -EAGAIN;
}

static unsigned int bus_reap(struct transport *t, struct transfer **done, unsigned int max)
{
	unsigned int n = 0;

	(void)t;
	while (n < max && bus.n_done)
		done[n++] = bus.done[--bus.n_done];
	return n;
}

static void bus_cancel(struct transport *t, struct transfer *transfer)
{
	(void)t;
	transfer->result = -ECONNRESET;
	bus.done[bus.n_done++] = transfer;
	for (unsigned int i = 0; i < bus.n_taken; i++)
		if (bus.taken[i] == transfer)
			bus.taken[i--] = bus.taken[--bus.n_taken];
}

static bool bus_event(struct transport *t, struct transport_event *event)
{
	(void)t;
	if (bus.next_event == bus.events)
		return false;
	*event = bus.event[bus.next_event++];
	return true;
}

static int bus_answer(struct transport *t, const struct ncm_answer *answer)
{
	(void)t;
	bus.answer = *answer;
	return 0;
}

static int bus_link(struct transport *t, struct transport_link *link)
{
	(void)t;
	*link = (struct transport_link){
		bus.max_packet == 64 ? USB_SPEED_IS_FULL : USB_SPEED_IS_HIGH, bus.max_packet, 2
	};
	return 0;
}

static const struct transport_ops bus_ops = { "bus",	 bus_submit, bus_reap, NULL, bus_cancel,
					      bus_event, bus_answer, bus_link };

static const struct ncm_offer offer = { .capabilities = NCM_CAP_PACKET_FILTER,
					.ntb_in_max_size = 16384,
					.ntb_out_max_size = 16384,
					.max_segment_size = 1514 };

static int setup(void **state)
{
	const struct to_host_settings settings = { .depth = 2,
						   .buffer_size = 16384,
						   .max_datagrams = 64,
						   .max_datagram_len = 1518,
						   .divisor = 4,
						   .alignment = 4,
						   .in_flight_us = 2000,
		.short_datagrams = 3,
						   .queue_target_us = 5000,
						   .queue_interval_us = 100000,
						   .queue_limit_us = 50000 };
	const struct from_host_settings from = { .count = 4,
						 .rules = { .ntb_out_max_size = 16384,
							    .max_datagram_len = 1518 } };
	int pair[2];

	(void)state;
	memset(&bus, 0, sizeof(bus));
	memset(&stats, 0, sizeof(stats));
	bus.base.ops = &bus_ops;
	bus.room = -1;
	bus.max_packet = 512;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair), 0);
	tap = (struct tap){ .fd = pair[0], .name = "test" };
	stack = pair[1];
	assert_int_equal(to_host_open(&to_host, &settings, &tap, &bus.base, &stats.to_host, NULL),
			 0);
	assert_int_equal(
		from_host_open(&from_host, &from, &tap, &bus.base, &stats.from_host, NULL), 0);
	link_open(&usb_link, &offer, &bus.base, &tap, &to_host, &from_host, &stats.link);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	to_host_close(&to_host);
	from_host_close(&from_host);
	close(tap.fd);
	close(stack);
	return 0;
}

/* A turn as src/ncmd/loop.c makes it. */
static void turn(int64_t now_ns)
{
	struct transfer *done[32];
	unsigned int n = transport_reap(&bus.base, done, 32);

	for (unsigned int i = 0; i < n; i++) {
		if (done[i]->endpoint == ENDPOINT_BULK_OUT)
			from_host_done(&from_host, done[i]);
		else if (done[i]->endpoint == ENDPOINT_BULK_IN)
			to_host_done(&to_host, done[i], now_ns);
		else
			link_done(&usb_link, done[i], now_ns);
	}
	from_host_flush(&from_host, now_ns);
	link_events(&usb_link);
	to_host_tap_ready(&to_host);
	to_host_turn(&to_host, now_ns);
	link_turn(&usb_link, now_ns);
	transport_submit(&bus.base);
	to_host_submitted(&to_host);
}

static void post(enum transport_event_kind kind)
{
	bus.event[bus.events++].kind = kind;
}

/* Ends everything of one endpoint that the bus has. */
static void end_all(enum endpoint endpoint, int32_t result)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < bus.n_taken; i++) {
		struct transfer *t = bus.taken[i];

		if (t->endpoint != endpoint) {
			bus.taken[kept++] = t;
			continue;
		}
		t->result = result < 0 ? result : (int32_t)t->len;
		bus.done[bus.n_done++] = t;
	}
	bus.n_taken = kept;
}

static void bring_up(void)
{
	post(TRANSPORT_ENABLE);
	turn(0); /* speed */
	end_all(ENDPOINT_NOTIFY, 0);
	turn(0); /* connection */
	end_all(ENDPOINT_NOTIFY, 0);
	turn(0);
	assert_int_equal(usb_link.state, LINK_UP);
}

static void send_frame(size_t len, uint8_t fill)
{
	uint8_t frame[2000];

	memset(frame, fill, len);
	assert_int_equal(send(stack, frame, len, 0), len);
}

/* The fill bytes of all datagrams in what the bus got, checked to be whole frames of one byte. */
static unsigned int datagrams(uint8_t *fill, size_t *len, unsigned int max)
{
	const struct ntb_read_rules rules = { .ntb_out_max_size = 16384, .max_datagram_len = 1518 };
	unsigned int n = 0;

	for (unsigned int i = 0; i < bus.ntbs; i++) {
		struct ntb_read r;
		struct ntb_datagram d;

		ntb_read_begin(&r, &rules, bus.ntb[i], bus.ntb_len[i]);
		while (ntb_read_next(&r, &d) == NTB_DATAGRAM) {
			assert_true(n < max);
			for (size_t k = 0; k < d.len; k++)
				assert_int_equal(d.bytes[k], d.bytes[0]);
			fill[n] = d.bytes[0];
			len[n++] = d.len;
		}
	}
	return n;
}

/* --- to_host --------------------------------------------------------------- */

static void frames_cross_the_end_of_an_ntb(void **state)
{
	uint8_t fill[64];
	size_t len[64];
	unsigned int n;

	(void)state;
	bring_up();
	for (uint8_t i = 0; i < 25; i++)
		send_frame(1514, i);
	for (int i = 0; i < 5; i++) {
		turn(1000);
		end_all(ENDPOINT_BULK_IN, 0);
	}
	n = datagrams(fill, len, 64);
	assert_int_equal(n, 25);
	for (unsigned int i = 0; i < n; i++) {
		assert_int_equal(fill[i], i);
		assert_int_equal(len[i], 1514);
	}
	/* Two frames straddled, five came while the wire was busy; the others were not copied. */
	assert_true(stats.to_host.copied_bytes > 7 * 1514);
	assert_true(stats.to_host.copied_bytes < 9 * 1514);
	turn(2000);
	assert_int_equal(stats.to_host.datagrams, 25);
	assert_int_equal(to_host.in_flight.free_buffers + (to_host.open != NULL), 3);
}

static void one_frame_leaves_at_once_and_uncopied(void **state)
{
	(void)state;
	bring_up();
	send_frame(60, 7);
	turn(1000);
	assert_int_equal(bus.ntbs, 1);
	assert_int_equal(stats.to_host.reason[POLICY_REASON_DRAINED], 1);
	assert_int_equal(stats.to_host.copied_bytes, 0);
}

static void a_busy_wire_collects(void **state)
{
	(void)state;
	bring_up();
	for (uint8_t i = 0; i < 2; i++) {
		send_frame(60, i);
		turn(1000);
	}
	for (uint8_t i = 2; i < 7; i++) {
		send_frame(60, i);
		turn(1000);
	}
	assert_int_equal(bus.ntbs, 2); /* depth */
	end_all(ENDPOINT_BULK_IN, 0);
	turn(2000);
	assert_int_equal(bus.ntbs, 3);
	assert_int_equal(stats.to_host.reason[POLICY_REASON_WIRE_FREE], 1);
}

static void wrong_frames_are_counted_not_cut(void **state)
{
	(void)state;
	bring_up();
	send_frame(1519, 1);
	send_frame(13, 2);
	send_frame(1518, 3);
	turn(1000);
	assert_int_equal(stats.to_host.drop[TO_HOST_DROP_TOO_LONG], 1);
	assert_int_equal(stats.to_host.drop[TO_HOST_DROP_TOO_SHORT], 1);
	assert_int_equal(bus.ntbs, 1);
}

static void a_host_that_does_not_read_gets_fresh_frames(void **state)
{
	int64_t now = 0;
	uint64_t sent = 0;

	(void)state;
	bring_up();
	for (int ms = 0; ms < 30000; ms++, now += 1000000) {
		sent += send(stack, "0123456789abcdef", 16, 0) == 16;
		turn(now);
		to_host_expire(&to_host, now);
		assert_true(to_host.in_flight.ntbs <= 2);
	}
	assert_true(stats.to_host.drop[TO_HOST_DROP_STALE] > 1000);
	assert_true(now - to_host.in_flight.progress_ns < 2 * TO_HOST_STALE_NS);
	/* It reads again: what is left comes, and every frame is accounted for. */
	for (int i = 0; i < 1000; i++) {
		turn(now);
		end_all(ENDPOINT_BULK_IN, 0);
	}
	assert_int_equal(sent, stats.to_host.datagrams + stats.to_host.drop[TO_HOST_DROP_STALE] +
				       stats.to_host.drop[TO_HOST_DROP_QUEUE_LATE] +
				       stats.to_host.drop[TO_HOST_DROP_QUEUE_FULL]);
}

static void memory_stays_until_it_was_taken(void **state)
{
	uint8_t fill[8];
	size_t len[8];

	(void)state;
	bring_up();
	bus.room = 0;
	send_frame(100, 1);
	turn(1000);
	send_frame(100, 2);
	turn(1000);
	bus.room = -1;
	turn(2000);
	assert_int_equal(datagrams(fill, len, 8), 2);
	assert_int_equal(fill[0], 1);
	assert_int_equal(fill[1], 2);
}

static void only_a_lone_ntb_ends_in_silence(void **state)
{
	const struct in_flight *f = &to_host.in_flight;

	(void)state;
	bring_up();
	send_frame(60, 1);
	turn(1000);
	assert_true(f->ntb[0].transfer.silent);
	/* The second may be waited for by what comes next. */
	send_frame(60, 2);
	turn(1000);
	assert_int_equal(f->ntbs, 2);
	assert_false(f->ntb[1].transfer.silent);
	end_all(ENDPOINT_BULK_IN, 0);
	turn(2000);
	for (uint8_t i = 0; i < 15; i++)
		send_frame(1514, i);
	turn(2000);
	assert_false(f->ntb[0].transfer.silent);
}

/* The host has the NTB, whatever became of the empty packet behind it. */
static void a_lost_zlp_loses_no_datagram(void **state)
{
	uint32_t fetched;
	struct in_flight f;
	static uint8_t memory[3][2048];
	struct ntb_in_flight *ntb;

	(void)state;
	in_flight_open(&f, &bus.base, 2, memory[0], 2048);
	ntb = in_flight_add(&f, in_flight_take_buffer(&f), 512, true, true, 5);
	assert_false(ntb->transfer.silent);
	transport_submit(&bus.base);
	in_flight_submitted(&f);
	assert_int_equal(f.free_buffers, 3);
	ntb->transfer.result = 512;
	assert_null(in_flight_done(&f, &ntb->transfer, 9, &fetched));
	assert_int_equal(fetched, 512);
	assert_int_equal(f.bytes, 0);
	ntb->withdrawn = true;
	ntb->zlp.result = -ECONNRESET;
	assert_ptr_equal(in_flight_done(&f, &ntb->zlp, 20, &fetched), ntb);
	assert_int_equal(fetched, 0);
	assert_int_equal(ntb->error, 0);
	assert_int_equal(f.ntbs, 0);
	assert_int_equal(f.progress_ns, 9);
}

static void the_rate_is_that_of_a_busy_wire(void **state)
{
	struct wire_rate r;

	(void)state;
	wire_rate_begin(&r, 64);
	assert_int_equal(r.bytes_per_ms, 1216);
	/* Nothing waits: what passes says nothing. */
	wire_rate_waiting(&r, false, 1);
	for (int64_t ms = 1; ms <= 100; ms++)
		wire_rate_fetched(&r, 10, ms * 1000000);
	assert_int_equal(r.bytes_per_ms, 1216);
	wire_rate_waiting(&r, true, 100000000);
	for (int64_t ms = 101; ms <= 300; ms++) {
		wire_rate_fetched(&r, 500, ms * 1000000);
		wire_rate_waiting(&r, true, ms * 1000000);
	}
	assert_in_range(r.bytes_per_ms, 490, 510);
	assert_int_equal(wire_rate_bytes_in(&r, 2000), 2 * r.bytes_per_ms);
	assert_in_range(wire_rate_ns_of(&r, 500), 980000, 1020000);
	/* Idle in between: the pause is not counted. */
	wire_rate_waiting(&r, false, 300000000);
	wire_rate_waiting(&r, true, 900000000);
	for (int64_t ms = 901; ms <= 920; ms++)
		wire_rate_fetched(&r, 500, ms * 1000000);
	assert_in_range(r.bytes_per_ms, 490, 510);
}

static uint32_t frames_in_ntb(unsigned int ntb)
{
	const struct ntb_read_rules rules = { .max_datagram_len = 1518 };
	struct ntb_datagram d;
	struct ntb_read r;
	uint32_t n = 0;

	ntb_read_begin(&r, &rules, bus.ntb[ntb % 64], bus.ntb_len[ntb % 64]);
	while (ntb_read_next(&r, &d) == NTB_DATAGRAM)
		n++;
	return n;
}

/* The fourth byte of the IP address tells one flow from another. */
static void send_of_flow(uint8_t flow)
{
	uint8_t frame[1514] = { 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0, 0x45 };

	frame[33] = flow;
	assert_int_equal(send(stack, frame, sizeof(frame), 0), sizeof(frame));
}

/* On a slow wire NTBs are short for the sake of others, and long where there are none. */
static void ntbs_are_long_for_a_flow_alone(void **state)
{
	int64_t now_ns = 5000000000;

	(void)state;
	bus.max_packet = 64;
	bring_up();
	for (unsigned int i = 0; i < 6; i++, now_ns += 10000000) {
		for (int k = 0; k < 8; k++)
			send_of_flow(1);
		turn(now_ns);
		end_all(ENDPOINT_BULK_IN, 0);
	}
	assert_int_equal(frames_in_ntb(bus.ntbs - 1), 8);
	for (int k = 0; k < 8 * 3; k++)
		send_of_flow(1);
	turn(now_ns);
	send_of_flow(2);
	turn(now_ns);
	end_all(ENDPOINT_BULK_IN, 0);
	turn(now_ns + 1000000);
	assert_int_equal(frames_in_ntb(bus.ntbs - 1), 3);
}

/* --- from_host ------------------------------------------------------------- */

static unsigned int armed(void)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < bus.n_taken; i++)
		n += bus.taken[i]->endpoint == ENDPOINT_BULK_OUT;
	return n;
}

/* The host writes `len` bytes into the oldest read. */
static void host_writes(const uint8_t *bytes, size_t len)
{
	for (unsigned int i = 0; i < bus.n_taken; i++) {
		struct transfer *t = bus.taken[i];

		if (t->endpoint != ENDPOINT_BULK_OUT)
			continue;
		memcpy(t->bytes, bytes, len);
		t->result = (int32_t)len;
		bus.done[bus.n_done++] = t;
		memmove(bus.taken + i, bus.taken + i + 1, (--bus.n_taken - i) * sizeof(*bus.taken));
		return;
	}
	fail_msg("no read is armed");
}

static void bad_ntbs_cost_no_read(void **state)
{
	uint8_t bytes[16384], frame[64];

	(void)state;
	bring_up();
	for (int round = 0; round < 1000; round++) {
		host_writes((const uint8_t *)"NCMHxxxxxxxxxxxxxxxxxxxxxxxxxxxx", 32);
		turn(0);
		assert_int_equal(armed(), 4);
	}
	assert_int_equal(stats.from_host.verdict[NTB_BAD_HEADER_LENGTH], 1000);
	host_writes(bytes, ntb_vector_build(ntb_vector_find("BASE-A"), bytes, sizeof(bytes)));
	turn(0);
	assert_int_equal(recv(stack, frame, sizeof(frame), 0), 60);
	assert_int_equal(armed(), 4);
}

static void a_reset_read_waits_for_enable(void **state)
{
	(void)state;
	bring_up();
	end_all(ENDPOINT_BULK_OUT, -ESHUTDOWN);
	turn(0);
	assert_int_equal(armed(), 0); /* no tight loop */
	assert_true(from_host.rearm);
	post(TRANSPORT_ENABLE);
	turn(0);
	assert_int_equal(armed(), 4);
	/* Ended by an ENABLE that was seen first: armed again at once. */
	end_all(ENDPOINT_BULK_OUT, -ESHUTDOWN);
	post(TRANSPORT_ENABLE);
	link_events(&usb_link);
	turn(0);
	assert_int_equal(armed(), 4);
}

static void reads_are_armed_though_nothing_can_leave(void **state)
{
	(void)state;
	bring_up();
	bus.only_reads = true;
	send_frame(60, 1);
	end_all(ENDPOINT_BULK_OUT, -EIO);
	turn(0);
	from_host_arm(&from_host);
	turn(0);
	assert_int_equal(armed(), 4);
	assert_int_equal(bus.base.queued, 1);
}

/* As long as an NTB may be, and whole packets: a longer read would take two NTBs for one. */
static void reads_are_whole_packets(void **state)
{
	static const struct {
		uint16_t max_packet;
		uint32_t size, len;
	} rows[] = {
		{ 64, 3200, 3200 }, { 64, 2052, 2112 },	    { 512, 3200, 3584 },
		{ 512, 3584, 3584 }, { 1024, 3584, 4096 }, { 1024, 16384, 16384 },
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		const struct from_host_settings from = {
			.count = 4,
			.rules = { .ntb_out_max_size = rows[i].size, .max_datagram_len = 1518 },
		};

		assert_int_equal(setup(state), 0);
		from_host_close(&from_host);
		assert_int_equal(from_host_open(&from_host, &from, &tap, &bus.base,
						&stats.from_host, NULL),
				 0);
		bus.max_packet = rows[i].max_packet;
		bring_up();
		assert_int_equal(armed(), 4);
		for (int t = 0; t < 4; t++)
			assert_int_equal(from_host.transfer[t].len, rows[i].len);
		teardown(state);
	}
}

static void refused_datagrams_are_counted(void **state)
{
	uint8_t bytes[16384];
	size_t len = ntb_vector_build(ntb_vector_find("BASE-A"), bytes, sizeof(bytes));

	(void)state;
	bring_up();
	for (int i = 0; i < 2000; i++) { /* nobody reads the TAP */
		host_writes(bytes, len);
		turn(0);
	}
	assert_int_equal(stats.from_host.datagrams + stats.from_host.drop[FROM_HOST_DROP_EAGAIN],
			 2000);
	assert_true(stats.from_host.drop[FROM_HOST_DROP_EAGAIN] > 0);
	assert_int_equal(armed(), 4);
}

/* --- joining ---------------------------------------------------------------- */

#define SEGMENT 1000u /* bytes of payload */

/* A TCP segment from the host at `sequence`. */
static size_t put_segment(uint8_t *frame, uint32_t sequence, uint8_t flags)
{
	static const uint8_t start[34] = { 2,  0, 0,  0,    0, 1, 2, 0, 0, 0, 0, 2, 8,	0, 0x45, 0, 0,
					   0,  0, 0,  0x40, 0, 9, 6, 0, 0, 10, 9, 0, 2, 10,  9, 0, 1 };
	struct ipv4_header *ip = (void *)(frame + 14);
	struct tcp_header *tcp = (void *)(frame + 34);

	memset(frame, 0, 54);
	memcpy(frame, start, sizeof(start));
	memset(frame + 54, (int)(sequence / SEGMENT), SEGMENT);
	ip->total_length = be16_of(40 + SEGMENT);
	ip->checksum = be16_of(csum_finish(csum_of(frame + 14, 20)));
	tcp->sequence = be32_of(sequence);
	tcp->offset = 0x50;
	tcp->flags = flags;
	tcp->checksum = be16_of(csum_finish(csum_pseudo4(ip->addresses, 6, 20 + SEGMENT) +
					    csum_of(frame + 34, 20 + SEGMENT)));
	return 54 + SEGMENT;
}

/* The host sends an NTB of `n` segments from number `first` on; the last has these flags. */
static void host_sends(uint32_t first, uint32_t n, uint8_t last_flags)
{
	const struct ntb_write_shape shape = {
		.max_size = 16384, .divisor = 4, .alignment = 4, .max_packet = 512
	};
	static uint8_t ntb[16384];
	struct ntb_write w;
	bool needs_zlp;

	ntb_write_begin(&w, &shape, ntb);
	for (uint32_t i = 0; i < n; i++) {
		size_t room;
		uint8_t *slot = ntb_write_slot(&w, &room);

		ntb_write_commit(&w, put_segment(slot, (first + i) * SEGMENT,
						 i + 1 < n ? TCP_ACK : last_flags));
	}
	host_writes(ntb, ntb_write_finish(&w, 0, &needs_zlp));
}

/* The number of segments in the next packet that the stack gets, checked to begin with number
 * `first`; 0: there is none. */
static size_t stack_gets(uint32_t first)
{
	uint8_t packet[65600];
	ssize_t len = recv(stack, packet, sizeof(packet), 0);

	if (len < 0)
		return 0;
	assert_true(len >= (ssize_t)(VNET_HDR_LEN + 54 + SEGMENT));
	for (size_t i = 0; i < (size_t)len - VNET_HDR_LEN - 54; i++)
		assert_int_equal(packet[VNET_HDR_LEN + 54 + i], (first + i / SEGMENT) & 0xff);
	return ((size_t)len - VNET_HDR_LEN - 54) / SEGMENT;
}

static int setup_joining(void **state)
{
	const struct from_host_settings from = { .count = 4,
						 .rules = { .ntb_out_max_size = 16384,
							    .max_datagram_len = 1518 },
						 .join_us = 300 };

	setup(state);
	from_host_close(&from_host);
	tap.vnet = true;
	return from_host_open(&from_host, &from, &tap, &bus.base, &stats.from_host, NULL);
}

static void a_stream_is_joined_across_turns(void **state)
{
	(void)state;
	bring_up();
	host_sends(0, 5, TCP_ACK);
	turn(1000);
	assert_int_equal(stack_gets(0), 0);
	assert_int_equal(from_host.join_until_ns, 301000);
	assert_int_equal(armed(), 3); /* the frames lie in the fourth */
	host_sends(5, 5, TCP_ACK | TCP_PSH);
	turn(200000);
	assert_int_equal(stack_gets(0), 10);
	assert_int_equal(armed(), 4);
	assert_int_equal(stats.from_host.joined, 10);
	assert_int_equal(stats.from_host.tap_writes, 1);
}

static void a_stream_that_pauses_is_written_in_time(void **state)
{
	(void)state;
	bring_up();
	host_sends(0, 3, TCP_ACK);
	turn(1000);
	turn(300999);
	assert_int_equal(stack_gets(0), 0);
	turn(301000);
	assert_int_equal(stack_gets(0), 3);
	assert_true(from_host.join_until_ns == POLICY_NO_TIMER);
	assert_int_equal(armed(), 4);
	/* It goes on: even one alone waits for the next. */
	host_sends(3, 1, TCP_ACK);
	turn(400000);
	assert_int_equal(stack_gets(3), 0);
	host_sends(4, 1, TCP_ACK);
	turn(500000);
	turn(700000);
	assert_int_equal(stack_gets(3), 2);
	/* One that goes on from nothing does not, nor does the end of a message. */
	host_sends(7, 1, TCP_ACK);
	turn(800000);
	assert_int_equal(stack_gets(7), 1);
	host_sends(8, 4, TCP_ACK | TCP_PSH);
	turn(900000);
	assert_int_equal(stack_gets(8), 4);
}

/* Where a segment takes 1.3 ms, 300 us would join none: it is the time of four. */
static void a_slow_wire_gives_a_stream_more_time(void **state)
{
	(void)state;
	bus.max_packet = 64;
	bring_up();
	host_sends(0, 1, TCP_ACK);
	turn(1000);
	assert_int_equal(stack_gets(0), 1);
	for (uint32_t i = 1; i < 3; i++) { /* each takes a read: with one more few were armed */
		host_sends(i, 1, TCP_ACK);
		turn(i * 1300000);
		assert_int_equal(stack_gets(1), 0);
	}
	turn(1300000 + 4970000);
	assert_int_equal(stack_gets(1), 0);
	turn(1300000 + 4990000);
	assert_int_equal(stack_gets(1), 2);
}

static void a_long_stream_leaves_reads_armed(void **state)
{
	size_t got = 0, n;

	(void)state;
	bring_up();
	for (uint32_t i = 0; i < 40; i++) {
		host_sends(10 * i, 10, TCP_ACK);
		turn(1000 + i);
		assert_true(armed() >= 1);
		while ((n = stack_gets((uint32_t)got)) > 0)
			got += n;
	}
	turn(1000000);
	while ((n = stack_gets((uint32_t)got)) > 0)
		got += n;
	assert_int_equal(got, 400);
	assert_int_equal(armed(), 4);
}

static bool refuse_joined;

ssize_t __real_writev(int fd, const struct iovec *iov, int n);
ssize_t __wrap_writev(int fd, const struct iovec *iov, int n);

/* A kernel that takes no joined packets: their virtio header names a gso_type. */
ssize_t __wrap_writev(int fd, const struct iovec *iov, int n)
{
	const struct vnet_hdr *hdr = iov[0].iov_base;

	if (refuse_joined && hdr->gso_type != VNET_GSO_NONE) {
		errno = EINVAL;
		return -1;
	}
	return __real_writev(fd, iov, n);
}

static void joining_ends_where_the_kernel_refuses(void **state)
{
	(void)state;
	bring_up();
	refuse_joined = true;
	host_sends(0, 5, TCP_ACK | TCP_PSH);
	turn(1000);
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(stack_gets(i), 1);
	assert_int_equal(stats.from_host.join_refused, 1);
	assert_int_equal(stats.from_host.datagrams, 5);
	host_sends(5, 5, TCP_ACK | TCP_PSH);
	turn(2000);
	refuse_joined = false;
	for (uint32_t i = 5; i < 10; i++)
		assert_int_equal(stack_gets(i), 1);
	assert_int_equal(stats.from_host.join_refused, 1);
	assert_int_equal(stats.from_host.drop[FROM_HOST_DROP_EINVAL], 0);
	assert_int_equal(armed(), 4);
}

static void a_probe_finds_that_out(void **state)
{
	(void)state;
	from_host_probe(&from_host);
	assert_int_equal(from_host.join.frames_max, GRO_JOIN_FRAMES_MAX);
	refuse_joined = true;
	from_host_probe(&from_host);
	refuse_joined = false;
	assert_int_equal(from_host.join.frames_max, 1);
}

static void an_enable_meets_no_waiting_stream(void **state)
{
	(void)state;
	bring_up();
	host_sends(0, 5, TCP_ACK);
	turn(1000);
	end_all(ENDPOINT_BULK_OUT, -ESHUTDOWN);
	post(TRANSPORT_ENABLE);
	turn(2000);
	assert_int_equal(stack_gets(0), 5);
	turn(3000);
	assert_int_equal(armed(), 4);
	host_sends(5, 2, TCP_ACK);
	turn(4000);
	post(TRANSPORT_DISABLE);
	turn(5000);
	assert_int_equal(stack_gets(5), 2);
}

/* --- link ------------------------------------------------------------------ */

static void notifications_name_the_hosts_interface(void **state)
{
	static const uint8_t connection[8] = { 0xa1, 0x00, 1, 0, 2, 0, 0, 0 };

	(void)state;
	post(TRANSPORT_ENABLE);
	turn(0);
	assert_int_equal(usb_link.notification.len, 16);
	assert_int_equal(usb_link.notification_bytes[4], 2);
	end_all(ENDPOINT_NOTIFY, 0);
	turn(0);
	assert_int_equal(usb_link.notification.len, 8);
	assert_memory_equal(usb_link.notification_bytes, connection, 8);
	assert_false(tap.carrier);
	end_all(ENDPOINT_NOTIFY, 0);
	turn(0);
	assert_true(tap.carrier);
	post(TRANSPORT_DISABLE);
	turn(0);
	assert_false(tap.carrier);
}

static void the_last_state_of_a_flapping_tap_wins(void **state)
{
	(void)state;
	bring_up();
	for (int i = 0; i < 101; i++)
		link_tap_up(&usb_link, i % 2 == 1);
	turn(0);
	end_all(ENDPOINT_NOTIFY, 0);
	turn(0);
	assert_int_equal(usb_link.notification_bytes[2], 0); /* down */
	assert_int_equal(usb_link.notification.state, TRANSFER_IDLE);
}

static void a_failed_notification_is_sent_again(void **state)
{
	(void)state;
	post(TRANSPORT_ENABLE);
	turn(0);
	end_all(ENDPOINT_NOTIFY, -EAGAIN);
	turn(1000);
	assert_int_equal(usb_link.notification.state, TRANSFER_IDLE);
	assert_true(usb_link.retry_ns > 1000);
	turn(usb_link.retry_ns);
	assert_int_equal(usb_link.notification.state, TRANSFER_IN_FLIGHT);
	assert_int_equal(usb_link.notification.len, 16);
}

static void a_packet_filter_is_a_sign_of_life(void **state)
{
	struct transport_event *e = &bus.event[1];

	(void)state;
	post(TRANSPORT_ENABLE);
	post(TRANSPORT_SETUP);
	e->setup = (struct usb_setup){ USB_CLASS_REQUEST_OUT, SET_ETHERNET_PACKET_FILTER,
				       le16_of(0x0e), le16_of(0), le16_of(0) };
	turn(0);
	assert_int_equal(bus.answer.kind, NCM_ACCEPT);
	assert_int_equal(usb_link.state, LINK_UP);
	assert_int_equal(usb_link.choice.packet_filter, 0x0e);
}

static void a_smaller_ntb_size_is_kept(void **state)
{
	static const struct usb_setup set = {
		USB_CLASS_REQUEST_OUT, SET_NTB_INPUT_SIZE, { { 0 } }, { { 0 } }, { { 4, 0 } }
	};

	(void)state;
	bring_up();
	bus.event[bus.events++] = (struct transport_event){ .kind = TRANSPORT_SETUP, .setup = set };
	bus.event[bus.events++] = (struct transport_event){
		.kind = TRANSPORT_DATA, .setup = set, .data = { 0, 8, 0, 0 }, .data_len = 4
	};
	turn(0);
	for (uint8_t i = 0; i < 40; i++)
		send_frame(300, i);
	for (int i = 0; i < 20; i++) {
		turn(0);
		end_all(ENDPOINT_BULK_IN, 0);
	}
	for (unsigned int i = 0; i < bus.ntbs; i++)
		assert_true(bus.ntb_len[i] <= 2048);
	assert_int_equal(stats.to_host.drop[TO_HOST_DROP_TOO_LONG], 0);
}

static void a_frame_too_long_for_any_ntb_is_counted(void **state)
{
	(void)state;
	bring_up();
	to_host.settings.max_datagram_len = 8004;
	usb_link.choice.ntb_in_size = 2048;
	to_host_shape(&to_host, &usb_link.choice, 512);
	for (uint64_t i = 1; i <= 3; i++) {
		uint8_t big[3000] = { 0 };

		assert_int_equal(send(stack, big, sizeof(big), 0), sizeof(big));
		turn(0);
		assert_int_equal(stats.to_host.drop[TO_HOST_DROP_TOO_LONG], i);
		send_frame(60, 1);
		turn(0);
		end_all(ENDPOINT_BULK_IN, 0);
		assert_int_equal(bus.ntbs, i);
	}
}

static void what_failed_in_suspend_is_said_after_it(void **state)
{
	(void)state;
	bring_up();
	link_tap_up(&usb_link, false);
	turn(0);
	post(TRANSPORT_SUSPEND);
	turn(0);
	end_all(ENDPOINT_NOTIFY, -EAGAIN);
	turn(0);
	usb_link.notify_connection = true; /* as if it had been due just before */
	link_tap_up(&usb_link, true);
	turn(0);
	assert_int_equal(usb_link.notification.state, TRANSFER_IDLE); /* the bus sleeps */
	assert_true(usb_link.retry_ns == POLICY_NO_TIMER);
	post(TRANSPORT_RESUME);
	turn(0);
	end_all(ENDPOINT_NOTIFY, 0);
	turn(0);
	assert_int_equal(usb_link.notification.len, 8);
	assert_int_equal(usb_link.notification_bytes[2], 1);
	assert_int_equal(usb_link.notification.state, TRANSFER_IN_FLIGHT);
	assert_int_equal(stats.link.resumes, 1);
}

/* A UDC that tells of a suspend and not of its end. */
static void data_ends_a_suspend(void **state)
{
	(void)state;
	bring_up();
	post(TRANSPORT_SUSPEND);
	turn(0);
	assert_int_equal(usb_link.state, LINK_SUSPENDED);
	link_heard(&usb_link, &(struct transfer){ .generation = from_host.generation - 1 });
	assert_int_equal(usb_link.state, LINK_SUSPENDED);
	link_heard(&usb_link, &(struct transfer){ .generation = from_host.generation });
	assert_int_equal(usb_link.state, LINK_UP);
	send_frame(60, 1);
	turn(0);
	assert_int_equal(bus.ntbs, 1);
}

static void a_late_completion_is_no_sign_of_life(void **state)
{
	(void)state;
	bring_up();
	link_tap_up(&usb_link, false);
	link_tap_up(&usb_link, true);
	turn(0);
	end_all(ENDPOINT_NOTIFY, 0); /* ended, not reaped */
	post(TRANSPORT_ENABLE);
	link_events(&usb_link);
	link_heard(&usb_link, &(struct transfer){ .generation = from_host.generation - 1 });
	assert_int_equal(usb_link.state, LINK_CONFIGURED);
	turn(0);
	assert_int_equal(usb_link.state, LINK_CONFIGURED);
	assert_false(tap.carrier);
	link_heard(&usb_link, &(struct transfer){ .generation = from_host.generation });
	assert_int_equal(usb_link.state, LINK_UP);
}

/* --- histogram ------------------------------------------------------------- */

static void buckets_hold_what_they_say(void **state)
{
	struct histogram h;

	(void)state;
	for (uint64_t v = 0; v < 1u << 20; v += v / 64 + 1) {
		unsigned int i = 0;

		memset(&h, 0, sizeof(h));
		histogram_add(&h, (int64_t)v);
		while (!h.bucket[i])
			i++;
		assert_true(histogram_floor(i) <= v && v < histogram_floor(i + 1));
		assert_int_equal(histogram_quantile(&h, 500), histogram_floor(i));
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(frames_cross_the_end_of_an_ntb),
		TEST(one_frame_leaves_at_once_and_uncopied),
		TEST(a_busy_wire_collects),
		TEST(wrong_frames_are_counted_not_cut),
		TEST(a_host_that_does_not_read_gets_fresh_frames),
		TEST(memory_stays_until_it_was_taken),
		TEST(only_a_lone_ntb_ends_in_silence),
		TEST(a_lost_zlp_loses_no_datagram),
		cmocka_unit_test_setup_teardown(ntbs_are_long_for_a_flow_alone, setup, teardown),
		cmocka_unit_test(the_rate_is_that_of_a_busy_wire),
		TEST(bad_ntbs_cost_no_read),
		TEST(a_reset_read_waits_for_enable),
		TEST(reads_are_armed_though_nothing_can_leave),
		cmocka_unit_test(reads_are_whole_packets),
		TEST(refused_datagrams_are_counted),
		TEST(notifications_name_the_hosts_interface),
		TEST(the_last_state_of_a_flapping_tap_wins),
		TEST(a_failed_notification_is_sent_again),
		TEST(a_packet_filter_is_a_sign_of_life),
		TEST(a_smaller_ntb_size_is_kept),
		TEST(a_frame_too_long_for_any_ntb_is_counted),
		TEST(what_failed_in_suspend_is_said_after_it),
		TEST(data_ends_a_suspend),
		TEST(a_late_completion_is_no_sign_of_life),
		cmocka_unit_test(buckets_hold_what_they_say),
		cmocka_unit_test_setup_teardown(a_stream_is_joined_across_turns, setup_joining,
						teardown),
		cmocka_unit_test_setup_teardown(a_slow_wire_gives_a_stream_more_time, setup_joining,
						teardown),
		cmocka_unit_test_setup_teardown(a_stream_that_pauses_is_written_in_time,
						setup_joining, teardown),
		cmocka_unit_test_setup_teardown(a_long_stream_leaves_reads_armed, setup_joining,
						teardown),
		cmocka_unit_test_setup_teardown(joining_ends_where_the_kernel_refuses,
						setup_joining, teardown),
		cmocka_unit_test_setup_teardown(a_probe_finds_that_out, setup_joining, teardown),
		cmocka_unit_test_setup_teardown(an_enable_meets_no_waiting_stream, setup_joining,
						teardown),
	};

	log_set_level(LOG_LEVEL_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
