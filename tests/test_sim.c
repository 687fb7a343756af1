/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The model: its clock, its wire against arithmetic, its hosts' rules, the reports' bounds. */
#include "unit.h"

#include <math.h>
#include <stdio.h>

#include "sim/bus.h"
#include "sim/scenario.h"

/* --- time ------------------------------------------------------------------- */

static struct sim_engine engine; /* large */
static char order[16];

static void note(void *who, uint64_t what)
{
	size_t len = strlen(order);

	assert_ptr_equal(who, &engine);
	order[len] = (char)what;
	if (what == 'b') /* now, but behind what was asked for before */
		sim_at(&engine, 0, note, &engine, 'x');
}

static void events_come_in_order(void **state)
{
	(void)state;
	memset(order, 0, sizeof(order));
	sim_engine_begin(&engine, 1);
	sim_at(&engine, 30, note, &engine, 'd');
	sim_at(&engine, 10, note, &engine, 'b');
	sim_at(&engine, 10, note, &engine, 'c');
	sim_at(&engine, 5, note, &engine, 'a');
	sim_at(&engine, 99, note, &engine, 'z');
	sim_at(&engine, SIM_NEVER, note, &engine, 'n');
	assert_int_equal(sim_run(&engine, 50, 100), 5);
	assert_string_equal(order, "abcxd");
	assert_int_equal(engine.now_ns, 30);
	/* no more than asked for */
	sim_at(&engine, 40, note, &engine, 'e');
	assert_int_equal(sim_run(&engine, INT64_MAX - 1, 1), 1);
	assert_string_equal(order, "abcxde");
}

static void too_many_events_are_told(void **state)
{
	(void)state;
	sim_engine_begin(&engine, 1);
	for (int i = 0; i < SIM_EVENTS_MAX; i++)
		sim_at(&engine, i, note, &engine, '.');
	assert_false(engine.overflowed);
	sim_at(&engine, 7, note, &engine, '.');
	assert_true(engine.overflowed);
}

static void random_numbers_repeat(void **state)
{
	uint64_t first[64];
	double sum = 0;

	(void)state;
	sim_engine_begin(&engine, 7);
	for (size_t i = 0; i < ROWS(first); i++)
		first[i] = sim_random(&engine, 1000);
	sim_engine_begin(&engine, 7);
	for (size_t i = 0; i < ROWS(first); i++) {
		assert_int_equal(sim_random(&engine, 1000), first[i]);
		assert_true(first[i] < 1000);
	}
	for (int i = 0; i < 100000; i++)
		sum += (double)sim_random_wait(&engine, 1000);
	assert_true(fabs(sum / 100000 - 1000) < 15); /* 4.7 standard errors */
}

/* --- the wire --------------------------------------------------------------- */

static struct sim_bus bus;
static uint8_t bytes[SIM_TRANSFER_MAX];
static uint8_t bus_memory[4 * SIM_TRANSFER_MAX];
static uint32_t in_len;
static bool in_zlp;
static uint64_t in_done, out_done;

static void next_out(void *host)
{
	(void)host;
	out_done++;
	sim_bus_write_out(&bus, bytes, in_len);
}

static void host_read(void *host, const uint8_t *from, uint32_t len)
{
	(void)host;
	(void)from;
	assert_int_equal(len, in_len);
	in_done++;
}

static void device_read(void *device, const uint8_t *from, uint32_t len)
{
	(void)device;
	assert_ptr_equal(from, bytes);
	assert_int_equal(len, in_len);
	sim_bus_arm_out(&bus);
}

static void next_in(void *device)
{
	(void)device;
	sim_bus_write_in(&bus, bytes, in_len, in_zlp);
}

/* A second with both pipes, or one, always full of transfers of `len` bytes. */
static void flood(const struct sim_bus_settings *settings, uint32_t len, bool zlp, bool in,
		  bool out)
{
	const struct sim_bus_events events = {
		NULL, NULL, next_out, host_read, device_read, next_in
	};

	in_len = len;
	in_zlp = zlp;
	in_done = out_done = 0;
	sim_engine_begin(&engine, 1);
	sim_bus_begin(&bus, &engine, settings, &events, bus_memory);
	for (int i = 0; i < 4; i++) {
		sim_bus_arm_out(&bus);
		if (in)
			sim_bus_write_in(&bus, bytes, len, zlp);
		if (out)
			sim_bus_write_out(&bus, bytes, len);
	}
	sim_run(&engine, SIM_NS_PER_S, 10000000);
}

static const struct sim_bus_settings full = { 64, 19, SIM_NS_PER_MS, SIM_XHCI, 0, 4 };
static const struct sim_bus_settings high = { 512, 13, 125 * SIM_NS_PER_US, SIM_XHCI, 0, 4 };

static void wire_carries_its_budget(void **state)
{
	(void)state;
	/* 19 packets of 64 bytes in each of 1000 frames [USB20 5.8.4], and no more */
	flood(&full, 1216, false, true, false);
	assert_int_equal(in_done, 1000);
	assert_in_range(bus.packets, 19000, 19001);
	/* 13 packets of 512 in each of 8000 microframes; 13312 bytes are 26 packets */
	flood(&high, 13312, false, true, false);
	assert_int_equal(in_done, 4000);
	assert_in_range(bus.packets, 104000, 104001);
	assert_true(sim_bus_bytes_per_s(&full) == 1216000);
	assert_true(sim_bus_bytes_per_s(&high) == 53248000);
}

static void directions_share_the_wire(void **state)
{
	(void)state;
	flood(&full, 1216, false, true, true);
	assert_in_range(in_done, 499, 500);
	assert_in_range(out_done, 499, 500);
	assert_in_range(bus.packets, 19000, 19001);
}

static void short_packets_and_zlps_take_a_slot(void **state)
{
	(void)state;
	flood(&full, 1, false, true, false);
	assert_int_equal(in_done, 19000);
	flood(&full, 64, false, true, false);
	assert_int_equal(in_done, 19000);
	flood(&full, 65, false, true, false);
	assert_int_equal(in_done, 9500);
	flood(&full, 64, true, true, false);
	assert_int_equal(in_done, 9500);
}

/* --- whole runs ------------------------------------------------------------- */

static struct sim_run_settings ping_settings(void)
{
	struct sim_run_settings s;

	sim_settings_default(&s);
	s.seconds_ns = 60 * SIM_NS_PER_S;
	s.traffics = 1;
	s.traffic[0] = (struct sim_traffic_settings){
		.kind = SIM_PING, .from = SIM_HOST, .interval_ns = 100 * SIM_NS_PER_MS, .size = 98
	};
	return s;
}

static struct sim_traffic_result run_first(const struct sim_run_settings *s)
{
	struct sim_run_result r;

	assert_int_equal(sim_run_world(s, &r), SIM_OK);
	return r.traffic[0];
}

static void same_input_same_result(void **state)
{
	struct sim_run_settings s = ping_settings();
	struct sim_run_result a, b;

	(void)state;
	assert_true(policy_parse("tick:100,1", &s.device.policy));
	assert_int_equal(sim_run_world(&s, &a), SIM_OK);
	assert_int_equal(sim_run_world(&s, &b), SIM_OK);
	assert_memory_equal(&a, &b, sizeof(a));
	s.seed++;
	assert_int_equal(sim_run_world(&s, &b), SIM_OK);
	assert_memory_not_equal(&a, &b, sizeof(a));
}

static void tick_adds_what_it_should(void **state)
{
	struct sim_run_settings s = ping_settings();
	struct sim_traffic_result at_once = run_first(&s), tick;

	(void)state;
	assert_true(policy_parse("tick:100,1", &s.device.policy));
	tick = run_first(&s);
	assert_true(tick.samples > 500);
	assert_true(fabs(tick.mean_us - at_once.mean_us - 15000) < 500);
	assert_true(fabs(tick.least_us - at_once.mean_us - 10000) < 200);
	assert_true(fabs(tick.most_us - at_once.mean_us - 20000) < 200);
}

static void window_adds_its_length(void **state)
{
	struct sim_run_settings s = ping_settings();
	double at_once = run_first(&s).mean_us;

	(void)state;
	assert_true(policy_parse("window:300", &s.device.policy));
	/* within a slot of the wire */
	assert_true(fabs(run_first(&s).mean_us - at_once - 300) < 53);
}

static void cdc_ncm_holds_a_lone_datagram(void **state)
{
	struct sim_run_settings s = ping_settings();
	double held, off, limit, windows;

	(void)state;
	held = run_first(&s).mean_us;
	s.host.timer_ns = 0;
	off = run_first(&s).mean_us;
	assert_true(fabs(held - off - 1200) < 53);
	/* The device ends it as well, and the NTB is shorter. */
	s.host.timer_ns = 400 * SIM_NS_PER_US;
	s.device.out_datagrams = 1;
	limit = run_first(&s).mean_us;
	assert_true(limit < off);
	s.device.out_datagrams = 0;
	s.host.driver = SIM_WINDOWS;
	windows = run_first(&s).mean_us;
	assert_true(fabs(windows - limit) < 53);
}

/* The host answers `datagrams` at once to what the device asks: what its driver makes of them. */
static uint64_t ntbs_of_burst(enum sim_host_driver driver, uint32_t datagrams, uint32_t limit,
			      double *latency_us)
{
	struct sim_run_settings s = ping_settings();
	struct sim_run_result r;

	s.link = SIM_LINK_HIGH;
	s.host.driver = driver;
	s.host.out_transfers = 32;
	s.device.out_datagrams = limit;
	s.traffic[0] = (struct sim_traffic_settings){ .kind = SIM_BURST,
						      .from = SIM_DEVICE,
						      .count = 1,
						      .size = 300,
						      .datagrams = datagrams };
	assert_int_equal(sim_run_world(&s, &r), SIM_OK);
	assert_int_equal(r.traffic[0].samples, 1);
	assert_int_equal(r.datagrams_from_host, datagrams);
	*latency_us = r.traffic[0].mean_us;
	return r.ntbs_from_host;
}

static void drivers_combine_as_they_do(void **state)
{
	double us, held_us;

	(void)state;
	assert_int_equal(ntbs_of_burst(SIM_AT_ONCE, 20, 0, &us), 20);
	assert_int_equal(ntbs_of_burst(SIM_WINDOWS, 20, 0, &us), 2); /* 16 and 4 */
	assert_int_equal(ntbs_of_burst(SIM_WINDOWS, 20, 6, &us), 4);
	assert_int_equal(ntbs_of_burst(SIM_CDC_NCM, 20, 0, &held_us), 1);
	assert_true(held_us > us + 1000); /* the timer's rounds */
	assert_int_equal(ntbs_of_burst(SIM_CDC_NCM, 20, 10, &us), 2);
	assert_true(us < 1000); /* full: at once */
	/* 41: one NTB of 40 at once, and a lone datagram */
	assert_int_equal(ntbs_of_burst(SIM_CDC_NCM, 41, 0, &us), 2);
}

static double exchange_us(enum sim_controller controller)
{
	struct sim_run_settings s = ping_settings();

	s.controller = controller;
	s.host.driver = SIM_AT_ONCE;
	s.traffic[0].interval_ns = 0;
	s.traffic[0].think_ns = 10 * SIM_NS_PER_US;
	s.traffic[0].size = 60;
	s.seconds_ns = SIM_NS_PER_S;
	return run_first(&s).mean_us;
}

static void controllers_count_in_frames(void **state)
{
	(void)state;
	assert_true(fabs(exchange_us(SIM_OHCI_UNLINK) - 1990) < 5);
	assert_true(fabs(exchange_us(SIM_OHCI) - 990) < 5);
	assert_true(fabs(exchange_us(SIM_UHCI) - 990) < 5);
	/* 2 packets there and 4 back, in slots of 53 us */
	assert_true(exchange_us(SIM_XHCI) < 400);
}

static void usb_loses_nothing(void **state)
{
	struct sim_run_settings s = ping_settings();
	struct sim_run_result r;
	double rate[3];

	(void)state;
	/* One buffer for NTBs of the host or four: slower, but nothing is lost. */
	s.device.out_datagram_ns = 500 * SIM_NS_PER_US;
	s.host.driver = SIM_AT_ONCE;
	s.seconds_ns = 5 * SIM_NS_PER_S;
	s.traffic[0] = (struct sim_traffic_settings){
		.kind = SIM_TCP,
		.from = SIM_HOST,
		.connections = 1,
		.tcp = { 1448, 65535, UINT64_MAX, false, 2, SIM_NS_PER_MS, 200 * SIM_NS_PER_MS },
	};
	for (uint32_t i = 0; i < 3; i++) {
		s.device.out_buffers = 1u << i;
		assert_int_equal(sim_run_world(&s, &r), SIM_OK);
		assert_int_equal(r.lost + r.traffic[0].retransmits, 0);
		rate[i] = r.traffic[0].bits_per_s;
	}
	assert_true(rate[1] > 1.2 * rate[0]);
	assert_true(rate[2] >= 0.99 * rate[1]);
}

/* --- reports ---------------------------------------------------------------- */

static struct sim_scenario *run_shipped(const char *wanted)
{
	const char *name, *text;
	struct sim_why why;

	for (int i = 0; sim_scenario_shipped(i, &name, &text); i++) {
		struct sim_scenario *s;

		if (strcmp(name, wanted) != 0)
			continue;
		s = sim_scenario_read(text, &why);
		if (!s || !sim_scenario_run(s, &why))
			fail_msg("%s: %s", name, why.text);
		assert_string_equal(s->name, name);
		return s;
	}
	fail_msg("%s is not built in", wanted);
	return NULL;
}

struct reported {
	const char *figure;
	double value;
};

/* The reports' figures stand here a second time, so that the file cannot be bent to the model. */
static void check_report(const struct sim_scenario *s, const struct reported *figure, size_t count,
			 double bound)
{
	for (size_t i = 0; i < count; i++) {
		int r = 0;

		while (r < s->rows && strcmp(s->row[r].figure, figure[i].figure) != 0)
			r++;
		if (r == s->rows)
			fail_msg("%s: no row \"%s\"", s->name, figure[i].figure);
		assert_true(s->row[r].reported == figure[i].value);
		if (fabs(s->row[r].model / figure[i].value - 1) > bound)
			fail_msg("%s, %s: %g reported, %g in the model", s->name, figure[i].figure,
				 figure[i].value, s->row[r].model);
	}
}

static void nuttx_report(void **state)
{
	static const struct reported figures[] = {
		{ "ping, before", 16.86 },	  { "ping, after", 2.28 },
		{ "HTTP, 257 KB, before", 5.79 }, { "HTTP, 257 KB, after", 0.92 },
		{ "throughput, before", 44.5 },	  { "throughput, after", 279 },
	};
	struct sim_scenario *s = run_shipped("nuttx-19469");

	(void)state;
	check_report(s, figures, ROWS(figures), 0.15);
	sim_scenario_free(s);
}

static void ohci_report(void **state)
{
	static const struct reported figures[] = {
		{ "write-read, idle endpoints unlinked at once", 1.984 },
		{ "write-read, idle endpoints stay", 0.981 },
	};
	struct sim_scenario *s = run_shipped("ohci-unlink");

	(void)state;
	check_report(s, figures, ROWS(figures), 0.05);
	sim_scenario_free(s);
}

static void esp_report(void **state)
{
	static const struct reported figures[] = {
		{ "1x3200 down", 1.19 }, { "2x3200 down", 4.22 }, { "2x6400 down", 5.7 },
		{ "3x8192 down", 7.21 }, { "4x8192 down", 7.6 },  { "1x3200 up", 5.04 },
		{ "2x3200 up", 5.67 },	 { "2x6400 up", 5.96 },	  { "3x8192 up", 6.14 },
		{ "4x8192 up", 6.03 },
	};
	struct sim_scenario *s = run_shipped("esp-ntb");
	int a, b;

	(void)state;
	check_report(s, figures, ROWS(figures), 0.2);
	for (int i = 0; i < s->rows; i++)
		assert_non_null(s->row[i].column);
	assert_true(sim_scenario_ranks(s, "down", &a, &b));
	assert_true(sim_scenario_ranks(s, "up", &a, &b));
	/* and would be told if they did not */
	s->row[0].model = 100;
	assert_false(sim_scenario_ranks(s, "down", &a, &b));
	assert_int_equal(b, 0);
	sim_scenario_free(s);
}

static void pic32_report(void **state)
{
	static const struct reported figures[] = {
		{ "send, copied", 55.1 },
		{ "send, in place", 65 },
		{ "copying, of the processor, send", 20 },
		{ "receive, 16 descriptors", 48.6 },
	};
	static const struct reported collapsed[] = {
		{ "receive, 4 descriptors", 1 },
		{ "receive, 16 descriptors, pool dry", 1 },
	};
	struct sim_scenario *s = run_shipped("pic32-rings");

	(void)state;
	check_report(s, figures, ROWS(figures), 0.15);
	check_report(s, collapsed, ROWS(collapsed), 0.5);
	sim_scenario_free(s);
}

static const struct sim_scenario_point *find_point(const struct sim_scenario *s,
						   const char *pattern, const char *policy)
{
	for (int i = 0; i < s->points; i++)
		if (strcmp(s->pattern[s->point[i].pattern].name, pattern) == 0 &&
		    strcmp(s->policy_text[s->point[i].policy], policy) == 0)
			return &s->point[i];
	fail_msg("no point %s, %s", pattern, policy);
	return NULL;
}

static void curve_compares_policies(void **state)
{
	struct sim_scenario *s = run_shipped("curve");
	const struct sim_scenario_point *p;

	(void)state;
	assert_int_equal(s->points, s->policies * s->patterns);
	p = find_point(s, "single exchanges, high speed", "immediate");
	assert_int_equal(p->beaten_by, -1);
	assert_true(p->has_latency && p->datagrams_per_ntb == 1);
	p = find_point(s, "single exchanges, high speed", "window:3000");
	assert_string_equal(s->policy_text[p->beaten_by], "immediate");
	p = find_point(s, "bulk, full speed", "immediate");
	assert_false(p->has_latency);
	/* the wire carries 9.728, the frames' share of it is some 0.91 */
	assert_true(p->throughput_mbit_s > 8.5 && p->throughput_mbit_s < 9.2);
	sim_scenario_free(s);
}

/* --- bad input -------------------------------------------------------------- */

#define HEAD "name = \"n\"; title = \"t\"; "
#define PING "traffic = ( { kind = \"ping\"; from = \"host\"; } ); "
#define GOOD                                                                                       \
	"runs = ( { name = \"r\"; seconds = 1; " PING "} ); rows = ( { figure = \"f\"; "           \
	"unit = \"ms\"; run = \"r\"; value = \"latency_ms\"; reported = 1; } );"

static void good_input_is_taken(void **state)
{
	struct sim_why why;
	struct sim_scenario *s = sim_scenario_read(HEAD GOOD, &why);

	(void)state;
	if (!s)
		fail_msg("%s", why.text);
	assert_true(sim_scenario_run(s, &why));
	sim_scenario_free(s);
}

static void bad_input_is_told(void **state)
{
	static const char *const rows[][2] = {
		{ "", "name is missing" },
		{ "name = \"n\"; {", "line 1: syntax error" },
		{ HEAD, "runs and rows are missing" },
		{ HEAD GOOD " colour = 1;", "no setting \"colour\"" },
		{ HEAD "\nbase = { speed = \"ful\"; };" GOOD, "line 2: speed has to be one of" },
		{ HEAD "base = { speed = 1; };" GOOD, "full, high, ethernet" },
		{ HEAD "base = { seconds = 0; };" GOOD, "from 0.001 to 3600" },
		{ HEAD "base = { seconds = \"1\"; };" GOOD, "seconds has to be a number" },
		{ HEAD "base = { seconds = 1e999; };" GOOD, "seconds = inf" },
		{ HEAD "base = { in_transfers = 1.5; };" GOOD, "a whole number" },
		{ HEAD "base = { in_transfers = -1; };" GOOD, "from 1 to 64" },
		{ HEAD "base = { device = 3; };" GOOD, "device has to be a group" },
		{ HEAD "base = { device = { like = \"toaster\"; }; };" GOOD, "nuttx, tinyusb" },
		{ HEAD "base = { device = { policy = \"later\"; }; };" GOOD, "ncmd.conf(5)" },
		{ HEAD "base = { device = { fair = 1; }; };" GOOD, "true or false" },
		{ HEAD "base = { device = { in_size = 100; }; };" GOOD, "from 2048 to 65532" },
		{ HEAD "base = { device = { in_depth = 9; }; };" GOOD, "more than in_buffers" },
		{ HEAD "base = { device = { out_buffers = 128; out_size = 16384; }; };" GOOD,
		  "hold more than" },
		{ HEAD "base = { host = { tiemr_us = 1; }; };" GOOD, "no setting \"tiemr_us\"" },
		{ HEAD "base = 5;" GOOD, "a group is wanted" },
		{ HEAD "runs = ( { name = \"r\"; } );", "there is no traffic" },
		{ HEAD "runs = ( { " PING "} );", "name is missing" },
		{ HEAD "runs = ( { name = 4; " PING "} );", "name has to be a text" },
		{ HEAD "runs = { };", "runs has to be a list" },
		{ HEAD "runs = ( 3 );", "a group is wanted" },
		{ HEAD "runs = ( { name = \"r\"; omit_s = 11; " PING "} );",
		  "omit_s leaves nothing" },
		{ HEAD "runs = ( { name = \"r\"; traffic = ( { kind = \"udp\"; } ); } );",
		  "udp needs interval_us" },
		{ HEAD
		  "runs = ( { name = \"r\"; traffic = ( { kind = \"ping\"; gap_us = 1; } ); } );",
		  "gap_us is for a burst" },
		{ HEAD "runs = ( { name = \"r\"; traffic = ( { kind = \"tcp\"; window = 1000000; "
		       "segment = 64; } ); } );",
		  "1024 segments" },
		{ HEAD "runs = ( { name = \"r\"; " PING "} ); rows = ( { } );",
		  "figure is missing" },
		{ HEAD "runs = ( { name = \"r\"; " PING "} ); rows = ( 1 );", "a row has to be" },
		{ HEAD "policies = ( \"immediate\", 3 ); patterns = ( { name = \"p\"; " PING "} );",
		  "a list of policies" },
	};
	static const char *const changes[][3] = {
		{ "run = \"r\"", "run = \"q\"", "no run \"q\"" },
		{ "latency_ms", "latency", "no value \"latency\"" },
		{ "reported = 1", "reported = 0", "reported has to be at least" },
		{ "reported = 1", "reported = \"1\"", "reported has to be a number" },
		{ "reported = 1", "reported = 1; bound = -1", "bound has to be at least" },
		{ "reported = 1", "reported = 1; traffic = 4", "no traffic 4" },
		{ "figure = \"f\"", "figure = 4", "figure has to be a text" },
	};
	struct sim_why why;

	(void)state;
	for (size_t i = 0; i < ROWS(rows) + ROWS(changes); i++) {
		char text[1024];
		const char *wanted;

		if (i < ROWS(rows)) {
			snprintf(text, sizeof(text), "%s", rows[i][0]);
			wanted = rows[i][1];
		} else {
			const char *const *change = changes[i - ROWS(rows)];
			const char *at = strstr(HEAD GOOD, change[0]);

			snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - HEAD GOOD), HEAD GOOD,
				 change[1], at + strlen(change[0]));
			wanted = change[2];
		}
		if (sim_scenario_read(text, &why))
			fail_msg("taken: %s", text);
		if (!strstr(why.text, wanted))
			fail_msg("\"%s\" has no \"%s\" for: %s", why.text, wanted, text);
	}
}

static void too_much_ends(void **state)
{
	static const char text[] = HEAD
		"runs = ( { name = \"r\"; speed = \"high\"; seconds = 3600; host = { driver = "
		"\"at-once\"; }; device = { like = \"ncmd\"; }; traffic = ( { kind = \"udp\"; from "
		"= "
		"\"host\"; size = 60; interval_us = 1; } ); } ); rows = ( { figure = \"f\"; unit = "
		"\"s\"; run = \"r\"; value = \"time_s\"; reported = 1; } );";
	struct sim_why why;
	struct sim_scenario *s = sim_scenario_read(text, &why);

	(void)state;
	assert_non_null(s);
	assert_false(sim_scenario_run(s, &why));
	assert_non_null(strstr(why.text, "too much happens"));
	sim_scenario_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_come_in_order),
		cmocka_unit_test(too_many_events_are_told),
		cmocka_unit_test(random_numbers_repeat),
		cmocka_unit_test(wire_carries_its_budget),
		cmocka_unit_test(directions_share_the_wire),
		cmocka_unit_test(short_packets_and_zlps_take_a_slot),
		cmocka_unit_test(same_input_same_result),
		cmocka_unit_test(tick_adds_what_it_should),
		cmocka_unit_test(window_adds_its_length),
		cmocka_unit_test(cdc_ncm_holds_a_lone_datagram),
		cmocka_unit_test(drivers_combine_as_they_do),
		cmocka_unit_test(controllers_count_in_frames),
		cmocka_unit_test(usb_loses_nothing),
		cmocka_unit_test(nuttx_report),
		cmocka_unit_test(ohci_report),
		cmocka_unit_test(esp_report),
		cmocka_unit_test(pic32_report),
		cmocka_unit_test(curve_compares_policies),
		cmocka_unit_test(good_input_is_taken),
		cmocka_unit_test(bad_input_is_told),
		cmocka_unit_test(too_much_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
