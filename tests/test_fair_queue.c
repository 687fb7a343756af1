/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Order, shares, limits and memory of the fair queue. Frames are UDP with the flow as source
 * port and a number behind the header; a large packet is the same with gso_type 5.
 */
#include "unit.h"

#include "wire/codel.h"
#include "wire/fair_queue.h"
#include "wire/frame.h"

#define HEADER	  42u /* Ethernet, IPv4, UDP */
#define RING	  (256u * 1024)
#define MS	  1000000LL
#define DATAGRAM  1514u
#define FLOWS_MAX 40

static _Alignas(16) uint8_t ring[RING];
static struct fair_queue queue;

static const struct fair_queue_settings plain = { .max_datagram = DATAGRAM };

static void put16(uint8_t *at, uint32_t v)
{
	at[0] = (uint8_t)(v >> 8);
	at[1] = (uint8_t)v;
}

static void put_frame(uint8_t *frame, size_t len, uint16_t flow, uint32_t number)
{
	static const uint8_t start[] = { 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0, 0x45, 0, 0, 0,
					 0, 0, 0, 0, 64, 17, 0, 0, 10, 9, 0, 1, 10, 9, 0, 2 };

	memset(frame, 0, len);
	memcpy(frame, start, sizeof(start));
	put16(frame + 16, (uint32_t)len - 14);
	put16(frame + 34, flow);
	put16(frame + 38, (uint32_t)len - 34);
	if (len >= HEADER + 4)
		memcpy(frame + HEADER, &number, 4);
}

static void push(uint16_t flow, size_t len, uint32_t number, int64_t now_ns)
{
	static const struct vnet_hdr none;
	uint8_t *at = fair_queue_reserve(&queue, 1600);

	assert_non_null(at);
	assert_int_equal((uintptr_t)(at + 14) % 4, 0);
	put_frame(at, len, flow, number);
	assert_int_equal(fair_queue_push(&queue, &none, len, now_ns), GSO_OK);
}

/* `segments` of `size` payload bytes; each begins with its number, from `number` on. */
static void push_large(uint16_t flow, unsigned int segments, uint16_t size, uint32_t number,
		       int64_t now_ns)
{
	const struct vnet_hdr hdr = { VNET_FLAG_NEEDS_CSUM, VNET_GSO_UDP_L4, 0, size, 34, 6 };
	uint8_t *at = fair_queue_reserve(&queue, VNET_PACKET_MAX);

	assert_non_null(at);
	put_frame(at, HEADER + (size_t)segments * size, flow, 0);
	for (unsigned int i = 0; i < segments; i++, number++)
		memcpy(at + HEADER + (size_t)i * size, &number, 4);
	assert_int_equal(fair_queue_push(&queue, &hdr, HEADER + (size_t)segments * size, now_ns),
			 GSO_OK);
}

struct taken {
	uint16_t flow;
	size_t len;
	uint32_t number;
};

static bool take(struct taken *t, int64_t now_ns)
{
	uint8_t slot[2000];

	t->len = fair_queue_next(&queue, now_ns);
	if (t->len == 0)
		return false;
	assert_true(t->len <= sizeof(slot));
	assert_int_equal(fair_queue_take(&queue, slot), t->len);
	t->flow = (uint16_t)(slot[34] << 8 | slot[35]);
	memcpy(&t->number, slot + HEADER, 4);
	return true;
}

static void an_idle_flow_overtakes(void **state)
{
	struct taken t;

	(void)state;
	fair_queue_begin(&queue, &plain, ring, RING);
	for (uint32_t i = 0; i < 3; i++)
		push_large(1, 20, 1400, 20 * i, 0);
	for (int i = 0; i < 7; i++)
		assert_true(take(&t, 0));
	assert_int_equal(t.number, 6);
	push(2, 98, 77, 0);
	assert_true(take(&t, 0));
	assert_int_equal(t.flow, 2);
	assert_int_equal(t.number, 77);
	for (uint32_t i = 7; i < 60; i++) {
		assert_true(take(&t, 0));
		assert_int_equal(t.number, i);
	}
	assert_false(take(&t, 0));
	assert_true(fair_queue_is_empty(&queue));
}

/* Since when a flow has had the wire for itself. */
static void company_is_noted(void **state)
{
	struct taken t;

	(void)state;
	fair_queue_begin(&queue, &plain, ring, RING);
	for (int64_t ns = 1; ns <= 5; ns++) {
		push(1, 1514, 0, ns);
		push(1, 1514, 0, ns);
		assert_true(take(&t, ns));
	}
	assert_int_equal(queue.company_ns, 0);
	push(2, 98, 0, 6);
	assert_int_equal(queue.company_ns, 6);
	push(2, 98, 0, 7);
	assert_int_equal(queue.company_ns, 6);
	while (take(&t, 8))
		;
	push(1, 1514, 0, 9);
	assert_int_equal(queue.company_ns, 6);
	push(2, 98, 0, 10);
	assert_int_equal(queue.company_ns, 10);
}

/* Of many flows that take turns, it waits for none. */
static void an_idle_flow_overtakes_all(void **state)
{
	struct taken t;

	(void)state;
	fair_queue_begin(&queue, &plain, ring, RING);
	for (uint16_t flow = 10; flow < 16; flow++)
		push_large(flow, 10, 1400, 0, 0);
	for (int i = 0; i < 15; i++)
		assert_true(take(&t, 0));
	push(2, 98, 77, 0);
	assert_true(take(&t, 0));
	assert_int_equal(t.flow, 2);
	/* But not twice in a turn: the others come before it gets its next one. */
	push(2, 1514, 78, 0);
	push(2, 1514, 79, 0);
	assert_true(take(&t, 0));
	assert_int_equal(t.number, 78);
	assert_true(take(&t, 0));
	assert_int_not_equal(t.flow, 2);
}

static void long_flows_share_by_bytes(void **state)
{
	size_t sent[3] = { 0 };
	struct taken t;

	(void)state;
	fair_queue_begin(&queue, &plain, ring, RING);
	push_large(1, 40, 1400, 0, 0);
	for (uint32_t i = 0; i < 300; i++)
		push(2, 200, i, 0);
	while (sent[1] + sent[2] < 60000 && take(&t, 0))
		sent[t.flow] += t.len;
	assert_true(sent[1] > sent[2] ? sent[1] - sent[2] <= 2 * DATAGRAM :
					sent[2] - sent[1] <= 2 * DATAGRAM);
}

static void a_limit_is_paid_by_the_longest(void **state)
{
	unsigned int of[3] = { 0 };
	struct taken t;
	uint32_t last = 0;

	(void)state;
	fair_queue_begin(&queue, &plain, ring, RING);
	fair_queue_tune(&queue, queue.settings.codel.target_ns, 20000);
	push(2, 60, 1, 0);
	for (uint32_t i = 1; i <= 100; i++)
		push(1, 1000, i, 0);
	assert_true(queue.backlog <= 20000);
	assert_true(queue.dropped_full > 75);
	assert_true(queue.dropped_full < 100);
	while (take(&t, 0)) {
		of[t.flow]++;
		if (t.flow == 1)
			last = t.number;
	}
	assert_int_equal(of[2], 1);
	assert_int_equal(of[1] + queue.dropped_full, 100);
	assert_int_equal(last, 100); /* the front is dropped, the newest stay */
}

static void one_datagram_is_kept_whatever_the_limit(void **state)
{
	struct taken t;

	(void)state;
	fair_queue_begin(&queue, &plain, ring, RING);
	fair_queue_tune(&queue, queue.settings.codel.target_ns, 1);
	push(1, 1514, 5, 0);
	assert_true(take(&t, 0));
	assert_int_equal(t.number, 5);
}

static void full_memory_is_paid_by_the_oldest(void **state)
{
	struct taken t;
	uint32_t last = 0, n = 0;

	(void)state;
	fair_queue_begin(&queue, &plain, ring, RING);
	push(2, 60, 1, 0);
	for (uint32_t i = 0; i < 20; i++)
		push_large(1, 44, 1400, 44 * i, 0);
	for (; take(&t, 0); n++) {
		assert_int_equal(t.flow, 1);
		assert_true(n == 0 || t.number == last + 1);
		last = t.number;
	}
	assert_int_equal(last, 20 * 44 - 1);
	assert_int_equal(n + queue.dropped_full, 20 * 44 + 1);
	assert_null(fair_queue_reserve(&queue, RING));
}

static void late_datagrams_tell_their_sender(void **state)
{
	const struct fair_queue_settings settings = { { 5 * MS, 100 * MS }, DATAGRAM };
	struct taken t;
	int64_t now = 0;
	uint32_t number = 0;

	(void)state;
	fair_queue_begin(&queue, &settings, ring, RING);
	/* Two come and one leaves a ms, until ten wait; from then on one comes. */
	for (int ms = 0; ms < 1000; ms++, now += MS) {
		push(1, 1000, number++, now);
		if (ms < 10)
			push(1, 1000, number++, now);
		assert_true(take(&t, now));
	}
	assert_true(queue.dropped_late > 3);
	/* Drops made the queue short, and then they ended. */
	assert_true(queue.backlog <= 6 * 1000);
	assert_int_equal(queue.dropped_full, 0);
}

static void a_burst_that_drains_loses_nothing(void **state)
{
	const struct fair_queue_settings settings = { { 5 * MS, 100 * MS }, DATAGRAM };
	struct taken t;
	int64_t now = 1;

	(void)state;
	fair_queue_begin(&queue, &settings, ring, RING);
	for (uint32_t i = 0; i < 90; i++)
		push(1, 1514, i, now);
	for (uint32_t i = 0; i < 90; i++, now += MS) {
		assert_true(take(&t, now));
		assert_int_equal(t.number, i);
	}
}

static void what_offload_says_is_checked(void **state)
{
	const struct vnet_hdr wrong = { VNET_FLAG_NEEDS_CSUM, VNET_GSO_UDP_L4, 0, 0, 34, 6 };
	const struct vnet_hdr beyond = { VNET_FLAG_NEEDS_CSUM, 0, 0, 0, 2000, 6 };

	(void)state;
	fair_queue_begin(&queue, &plain, ring, RING);
	put_frame(fair_queue_reserve(&queue, 1600), 1000, 1, 0);
	assert_int_equal(fair_queue_push(&queue, &wrong, 1000, 0), GSO_BAD_SIZE);
	assert_int_equal(fair_queue_push(&queue, &beyond, 1000, 0), GSO_BAD_CSUM_START);
	assert_true(fair_queue_is_empty(&queue));
	assert_int_equal(fair_queue_next(&queue, 0), 0);
}

/* Whatever happens: order in a flow, every datagram taken or counted, no memory lost. */
static void every_datagram_is_accounted_for(void **state)
{
	const struct fair_queue_settings settings = { { 2 * MS, 20 * MS }, DATAGRAM };
	uint32_t next[FLOWS_MAX] = { 0 }, seen[FLOWS_MAX] = { 0 };
	uint32_t random = 12345;
	uint64_t pushed = 0, taken = 0;
	int64_t now = 1;
	struct taken t;

	(void)state;
	fair_queue_begin(&queue, &settings, ring, RING);
	fair_queue_tune(&queue, queue.settings.codel.target_ns, 100000);
	for (int i = 0; i < 200000; i++) {
		uint16_t flow = (uint16_t)(random_range(&random, 0, 3) ?
						   random_range(&random, 0, FLOWS_MAX - 1) :
						   0);
		uint32_t what = random_range(&random, 0, 99);

		now += random_range(&random, 0, 200000);
		if (what < 25) {
			push(flow, random_range(&random, HEADER + 4, DATAGRAM), ++next[flow], now);
			pushed++;
		} else if (what < 30) {
			unsigned int n = random_range(&random, 1, 40);

			push_large(flow, n, (uint16_t)random_range(&random, 4, 1400), next[flow] + 1,
				   now);
			next[flow] += n;
			pushed += n;
		} else if (what == 30 && i % 50 == 0) {
			taken += fair_queue_clear(&queue);
			assert_int_equal(queue.head, queue.tail);
		} else if (take(&t, now)) {
			taken++;
			assert_true(t.flow < FLOWS_MAX);
			assert_true(t.number > seen[t.flow]);
			seen[t.flow] = t.number;
		}
	}
	while (take(&t, now))
		taken++;
	assert_int_equal(pushed, taken + queue.dropped_late + queue.dropped_full);
	assert_true(queue.dropped_late > 0 && queue.dropped_full > 0);
	assert_int_equal(queue.head, 0);
	assert_int_equal(queue.tail, 0);
	assert_int_equal(queue.backlog, 0);
}

static void the_hash_tells_flows_apart(void **state)
{
	uint8_t frame[100];
	unsigned int used[FAIR_QUEUE_FLOWS] = { 0 }, most = 0;

	(void)state;
	for (uint16_t flow = 0; flow < 1024; flow++) {
		uint32_t hash;

		put_frame(frame, sizeof(frame), flow, 0);
		hash = frame_flow_hash(frame, sizeof(frame));
		put_frame(frame, sizeof(frame), flow, 1);
		assert_int_equal(hash, frame_flow_hash(frame, sizeof(frame)));
		used[hash % FAIR_QUEUE_FLOWS]++;
	}
	for (unsigned int i = 0; i < FAIR_QUEUE_FLOWS; i++)
		most = used[i] > most ? used[i] : most;
	assert_true(most <= 16); /* 4 on average */
	/* The fragments of a datagram are one flow, though only the first has ports. */
	put_frame(frame, sizeof(frame), 1, 0);
	frame[20] = 0x20;
	put16(frame + 34, 7);
	used[0] = frame_flow_hash(frame, sizeof(frame));
	put16(frame + 34, 8);
	assert_int_equal(frame_flow_hash(frame, sizeof(frame)), used[0]);
	/* Any length is read no further than it goes. */
	for (size_t len = 0; len <= sizeof(frame); len++) {
		uint8_t *copy = exact_copy(frame, len);

		frame_flow_hash(copy, len);
		free(copy);
	}
}

/* With a wait that nothing shortens, drop number n follows the one before after 100 ms / sqrt(n). */
static void drops_come_at_the_pace_of_the_law(void **state)
{
	static const int64_t after_ms[] = { 100, 71, 58, 50, 45, 41, 38, 35 };
	const struct codel_settings settings = { 5 * MS, 100 * MS };
	struct codel c = { 0 };
	int64_t last = 0;
	unsigned int drops = 0;

	(void)state;
	for (int64_t now = MS; drops <= ROWS(after_ms); now += MS / 10) {
		if (!codel_drops(&c, &settings, now, 10 * MS, true))
			continue;
		if (drops == 0)
			assert_int_equal(now, 101 * MS);
		else
			assert_in_range(now - last, after_ms[drops - 1] * MS - MS,
					after_ms[drops - 1] * MS + MS);
		last = now;
		drops++;
	}
	assert_false(codel_drops(&c, &settings, last + 1, 4 * MS, true));
	assert_false(c.dropping);
	for (int64_t now = last; now < last + 1000 * MS; now += MS)
		assert_false(codel_drops(&c, &settings, now, 10 * MS, false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_idle_flow_overtakes),
		cmocka_unit_test(company_is_noted),
		cmocka_unit_test(an_idle_flow_overtakes_all),
		cmocka_unit_test(long_flows_share_by_bytes),
		cmocka_unit_test(a_limit_is_paid_by_the_longest),
		cmocka_unit_test(one_datagram_is_kept_whatever_the_limit),
		cmocka_unit_test(full_memory_is_paid_by_the_oldest),
		cmocka_unit_test(late_datagrams_tell_their_sender),
		cmocka_unit_test(a_burst_that_drains_loses_nothing),
		cmocka_unit_test(what_offload_says_is_checked),
		cmocka_unit_test(every_datagram_is_accounted_for),
		cmocka_unit_test(the_hash_tells_flows_apart),
		cmocka_unit_test(drops_come_at_the_pace_of_the_law),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
