/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of ncmbench that need no network: figures, command line, what others answer. */
#include <json-c/json.h>

#include "ncmbench/cdc_ncm.h"
#include "ncmbench/environment.h"
#include "ncmbench/http.h"
#include "ncmbench/http_response.h"
#include "ncmbench/jitter.h"
#include "ncmbench/netif.h"
#include "ncmbench/options.h"
#include "ncmbench/processor.h"
#include "ncmbench/statistics.h"
#include "ncmbench/tcp.h"

/* Behind port/log.h, whose fail() is a macro of cmocka. */
#include "unit.h"

static void quantiles_are_measured_values(void **state)
{
	static const struct {
		size_t count;
		unsigned int per_mille;
		int64_t expected;
	} rows[] = {
		{ 0, 500, 0 },	    { 1, 0, 10 },	{ 1, 500, 10 },	    { 1, 1000, 10 },
		{ 2, 500, 10 },	    { 2, 501, 20 },	{ 4, 500, 20 },	    { 4, 750, 30 },
		{ 5, 500, 30 },	    { 100, 990, 990 },	{ 100, 991, 1000 }, { 1000, 999, 9990 },
		{ 500, 999, 5000 }, { 500, 990, 4950 },
	};
	int64_t ns[1000];

	(void)state;
	for (size_t i = 0; i < ROWS(ns); i++)
		ns[i] = (int64_t)(i + 1) * 10;
	for (size_t i = 0; i < ROWS(rows); i++)
		assert_int_equal(quantile(ns, rows[i].count, rows[i].per_mille), rows[i].expected);
}

static void summary_of_unsorted_values(void **state)
{
	int64_t ns[] = { 5000, 1000, 3000, 2000, 9000 };
	struct histogram h;
	struct summary s;

	(void)state;
	summarise(&s, &h, ns, ROWS(ns));
	assert_int_equal(s.count, 5);
	assert_int_equal(s.min, 1000);
	assert_int_equal(s.mean, 4000);
	assert_int_equal(s.p50, 3000);
	assert_int_equal(s.p90, 9000);
	assert_int_equal(s.max, 9000);
	assert_int_equal(h.count, 5);
	summarise(&s, NULL, ns, 0);
	assert_int_equal(s.count, 0);
	assert_int_equal(s.p999, 0);
}

static void gaps_are_spread_and_repeat(void **state)
{
	struct jitter a = { 1 }, b = { 1 };
	unsigned int tenth[10] = { 0 };
	int64_t sum = 0;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		int64_t gap = jitter_next_ns(&a, 1000000);

		assert_int_equal(gap, jitter_next_ns(&b, 1000000));
		assert_in_range(gap, 500000, 1499999);
		tenth[(gap - 500000) / 100000]++;
		sum += gap;
	}
	assert_in_range(sum, 980000000, 1020000000);
	for (size_t i = 0; i < ROWS(tenth); i++)
		assert_in_range(tenth[i], 70, 130);
}

static void processor_time_from_idle_counters(void **state)
{
	static const char before[] = "cpu  10 0 10 1000 50 0 0 0 0 0\n"
				     "cpu0 5 0 5 500 25 0 0 0 0 0\n"
				     "cpu1 5 0 5 500 25 0 0 0 0 0\nintr 1\ncpufreq 1\n";
	static const char after[] = "cpu  110 0 10 1080 70 0 0 0 0 0\ncpu0 1\ncpu1 1\n";
	struct processor_sample a, b;

	(void)state;
	assert_true(processor_parse(before, 100, &a));
	assert_int_equal(a.processors, 2);
	assert_int_equal(a.idle_us, 10500000);
	assert_true(processor_parse(after, 100, &b));
	a.time_ns = 0;
	b.time_ns = 1000000000;
	assert_int_equal(processor_busy_us(&a, &b), 1000000);
	b.time_ns = 1000000; /* counters are coarser than the clock: never negative */
	assert_int_equal(processor_busy_us(&a, &b), 0);
	assert_false(processor_parse("intr 1\n", 100, &a));
	assert_false(processor_parse("cpu  1 2 3\n", 100, &a));
}

/* Feeds `text` in pieces of `step` bytes; the end of the connection follows. */
static enum http_verdict feed(struct http_response *r, const char *text, size_t step)
{
	enum http_verdict verdict = HTTP_MORE;
	size_t len = strlen(text);

	http_response_init(r);
	for (size_t at = 0; at < len && verdict == HTTP_MORE; at += step) {
		size_t n = len - at < step ? len - at : step;
		uint8_t *piece = exact_copy((const uint8_t *)text + at, n);

		verdict = http_response_feed(r, (const char *)piece, n);
		free(piece);
	}
	return verdict == HTTP_MORE ? http_response_end(r) : verdict;
}

static void http_responses(void **state)
{
	static const struct {
		const char *text;
		enum http_verdict verdict;
		int status;
		uint64_t body;
	} rows[] = {
		{ "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", HTTP_DONE, 200, 5 },
		{ "HTTP/1.0 200 OK\r\nServer: x\r\n\r\nuntil the end", HTTP_DONE, 200, 13 },
		{ "HTTP/1.1 200\ncontent-length:2\n\nhi, more", HTTP_DONE, 200, 2 },
		{ "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", HTTP_DONE, 200, 0 },
		{ "HTTP/1.1 204 No Content\r\n\r\n", HTTP_DONE, 204, 0 },
		{ "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno", HTTP_DONE, 404, 2 },
		{ "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
		  HTTP_DONE, 200, 1 },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
		  "a\r\n0123456789\r\n3;x=y\r\nabc\r\n0\r\nTrailer: x\r\n\r\n",
		  HTTP_DONE, 200, 13 },
		/* cut short */
		{ "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", HTTP_BAD, 200, 4 },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", HTTP_BAD,
		  200, 3 },
		{ "HTTP/1.1 200 OK\r\n", HTTP_BAD, 200, 0 },
		{ "", HTTP_BAD, 0, 0 },
		/* no HTTP */
		{ "SSH-2.0-OpenSSH\r\n", HTTP_BAD, 0, 0 },
		{ "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n", HTTP_BAD, 200, 0 },
		{ "HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551617\r\n\r\nx", HTTP_BAD, 200,
		  0 },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", HTTP_BAD, 200, 0 },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", HTTP_BAD, 200,
		  0 },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n", HTTP_BAD,
		  200, 2 },
	};
	struct http_response r;

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		for (size_t step = 1; step < 80; step += 6) {
			assert_int_equal(feed(&r, rows[i].text, step), rows[i].verdict);
			assert_int_equal(r.status, rows[i].status);
			assert_int_equal(r.body_bytes, rows[i].body);
			assert_int_equal(!r.fault, rows[i].verdict == HTTP_DONE);
		}
	}
}

static void http_line_without_end(void **state)
{
	struct http_response r;
	char text[HTTP_LINE_MAX + 1];

	(void)state;
	memset(text, 'x', sizeof(text));
	http_response_init(&r);
	assert_int_equal(http_response_feed(&r, text, HTTP_LINE_MAX - 1), HTTP_MORE);
	assert_int_equal(http_response_feed(&r, text, 1), HTTP_BAD);
	assert_int_equal(http_response_feed(&r, text, 1), HTTP_BAD);
}

static void urls(void **state)
{
	static const struct {
		const char *text, *host, *port, *path;
	} rows[] = {
		{ "http://10.55.0.1/blob", "10.55.0.1", "80", "/blob" },
		{ "HTTP://pi.local:8080/a/b?c=d#e", "pi.local", "8080", "/a/b?c=d" },
		{ "http://host", "host", "80", "/" },
		{ "http://host?x", "host", "80", "/?x" },
		{ "http://[fe80::1%usb0]:81/", "fe80::1%usb0", "81", "/" },
		{ "https://host/", NULL, NULL, NULL },
		{ "ftp://host/", NULL, NULL, NULL },
		{ "http://", NULL, NULL, NULL },
		{ "http://:80/", NULL, NULL, NULL },
		{ "http://host:/", NULL, NULL, NULL },
		{ "http://host:0/", NULL, NULL, NULL },
		{ "http://host:65536/", NULL, NULL, NULL },
		{ "http://host:80x/", NULL, NULL, NULL },
		{ "http://[::1/", NULL, NULL, NULL },
		{ "http://host/a b", NULL, NULL, NULL },
		{ "http://host/\r\nX: y", NULL, NULL, NULL },
	};
	char text[2048] = "http://host/";
	struct http_url u;
	const char *why;

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		assert_int_equal(http_url_parse(&u, rows[i].text, &why), !!rows[i].host);
		if (!rows[i].host)
			continue;
		assert_string_equal(u.host, rows[i].host);
		assert_string_equal(u.port, rows[i].port);
		assert_string_equal(u.path, rows[i].path);
	}
	memset(text + 12, 'x', sizeof(text) - 13);
	assert_false(http_url_parse(&u, text, &why));
}

static bool parse(struct options *o, const char *line, char why[static 512])
{
	static char copy[512];
	char *argv[32], *save, *word;
	int argc = 0;

	strcpy(copy, line);
	for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	argv[argc] = NULL;
	why[0] = '\0';
	return options_parse(o, argc, argv, why, 512);
}

static void command_lines(void **state)
{
	struct options o;
	char why[512];

	(void)state;
	assert_true(parse(&o, "ncmbench rtt 10.55.0.2", why));
	assert_int_equal(o.command, COMMAND_RTT);
	assert_int_equal(o.rtt.count, 500);
	assert_int_equal(o.rtt.interval_ns, 10000000);
	assert_int_equal(o.rtt.stop_fd, -1);
	assert_false(o.json);
	assert_true(parse(&o, "ncmbench rtt -c 7 peer -i 2.5 --json -s 1400 -I usb0", why));
	assert_string_equal(o.rtt.peer, "peer");
	assert_string_equal(o.rtt.interface, "usb0");
	assert_int_equal(o.rtt.count, 7);
	assert_int_equal(o.rtt.interval_ns, 2500000);
	assert_int_equal(o.rtt.size, 1400);
	assert_true(o.json);
	assert_true(parse(&o, "ncmbench tcp peer -t 8 -O 0 -R -b 40M --port 5202", why));
	assert_int_equal(o.tcp.seconds, 8);
	assert_int_equal(o.tcp.omit_s, 0);
	assert_int_equal(o.tcp.port, 5202);
	assert_int_equal(o.tcp.rate_bps, 40000000);
	assert_true(o.tcp.reverse);
	assert_true(parse(&o, "ncmbench mixed -R peer -i 20", why));
	assert_string_equal(o.tcp.peer, "peer");
	assert_true(parse(&o, "ncmbench http http://h/x -j", why));
	assert_string_equal(o.url.path, "/x");
	assert_true(parse(&o, "ncmbench --help", why));
	assert_int_equal(o.command, COMMAND_HELP);
	assert_true(parse(&o, "ncmbench tcp --version", why));
	assert_int_equal(o.command, COMMAND_VERSION);
}

static void wrong_command_lines(void **state)
{
	static const struct {
		const char *line, *why;
	} rows[] = {
		{ "ncmbench", "command is missing" },
		{ "ncmbench frob", "no command \"frob\"" },
		{ "ncmbench rtt", "exactly one PEER" },
		{ "ncmbench rtt a b", "exactly one PEER" },
		{ "ncmbench http", "exactly one URL" },
		{ "ncmbench http ftp://x", "no URL" },
		{ "ncmbench tcp a -c 5", "tcp has no option -c" },
		{ "ncmbench mixed a --count 5", "mixed has no option -c" },
		{ "ncmbench rtt a --frob", "no option --frob" },
		{ "ncmbench rtt a -Z", "no option -Z" },
		{ "ncmbench rtt a -i", "-i needs a value" },
		{ "ncmbench rtt a -i 0", "milliseconds above 0" },
		{ "ncmbench rtt a -c 0", "from 1 to 1000000" },
		{ "ncmbench rtt a -c -1", "from 1 to 1000000" },
		{ "ncmbench rtt a -c 1e3", "from 1 to 1000000" },
		{ "ncmbench rtt a -s 65001", "up to 65000" },
		{ "ncmbench tcp a -t 0", "whole seconds" },
		{ "ncmbench tcp a -b fast", "bit/s" },
		{ "ncmbench tcp a -p 65536", "from 1 to 65535" },
	};
	struct options o;
	char why[512];

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		assert_false(parse(&o, rows[i].line, why));
		if (!strstr(why, rows[i].why))
			fail_msg("%s: \"%s\" lacks \"%s\"", rows[i].line, why, rows[i].why);
	}
}

static void rates(void **state)
{
	static const struct {
		const char *text;
		uint64_t bps; /* 0: refused */
	} rows[] = {
		{ "40M", 40000000 }, { "2.5k", 2500 }, { "1g", 1000000000 }, { "9728000", 9728000 },
		{ "0", 0 },	     { "", 0 },	       { "M", 0 },	     { "1MB", 0 },
		{ "-1", 0 },	     { "nan", 0 },     { "1.2.3", 0 },	     { "0x10", 0 },
	};
	uint64_t bps;

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		assert_int_equal(options_parse_rate(rows[i].text, &bps), rows[i].bps > 0);
		if (rows[i].bps)
			assert_int_equal(bps, rows[i].bps);
	}
}

static void iperf3_results(void **state)
{
	static const char good[] =
		"{\"intervals\":["
		"{\"sum\":{\"bytes\":500,\"seconds\":0.5,\"omitted\":true}},"
		"{\"sum\":{\"bytes\":0,\"seconds\":0.5,\"omitted\":true}},"
		"{\"sum\":{\"bytes\":1000,\"seconds\":0.5,\"omitted\":false}},"
		"{\"sum\":{\"bytes\":0,\"seconds\":0.5,\"omitted\":false}},"
		"{\"sum\":{\"bytes\":0,\"seconds\":0.01,\"omitted\":false}}],"
		"\"end\":{\"sum_sent\":{\"bytes\":1100,\"retransmits\":3},"
		"\"sum_received\":{\"bytes\":1000,\"seconds\":1.0,\"bits_per_second\":8000.0}}}";
	struct tcp_result r = { 0 };
	char why[128];

	(void)state;
	assert_true(tcp_parse(good, &r, why, sizeof(why)));
	assert_int_equal(r.bytes, 1000);
	assert_int_equal(r.all_bytes, 1500);
	assert_int_equal(r.retransmits, 3);
	assert_int_equal(r.stalls, 1);
	assert_true(r.mbps > 0.00799 && r.mbps < 0.00801);
	assert_false(tcp_parse("{\"error\":\"no server\"}", &r, why, sizeof(why)));
	assert_string_equal(why, "no server");
	assert_false(tcp_parse("{\"intervals\":[],\"end\":{}}", &r, why, sizeof(why)));
	assert_string_equal(why, "iperf3 ended without a result");
	assert_false(tcp_parse("", &r, why, sizeof(why)));
	assert_true(
		tcp_parse("{\"end\":{\"sum_sent\":{},\"sum_received\":{}}}", &r, why, sizeof(why)));
	assert_int_equal(r.retransmits, -1);
}

static void usb_paths(void **state)
{
	char controller[64], path[32];

	(void)state;
	assert_true(netif_parse_bus("usb-dummy_hcd.0-1", controller, path));
	assert_string_equal(controller, "dummy_hcd.0");
	assert_string_equal(path, "1");
	assert_true(netif_parse_bus("usb-xhci-hcd.1.auto-1.2.4", controller, path));
	assert_string_equal(controller, "xhci-hcd.1.auto");
	assert_string_equal(path, "1.2.4");
	assert_false(netif_parse_bus("0000:00:14.0", controller, path));
	assert_false(netif_parse_bus("usb-", controller, path));
	assert_false(netif_parse_bus("usb--1", controller, path));
	assert_false(netif_parse_bus("usb-a-", controller, path));
	assert_false(netif_parse_bus("usb-a", controller, path));
	assert_false(netif_parse_bus("usb-a-12345678901234567890123456789012", controller, path));
	assert_string_equal(netif_speed_name("12"), "full");
	assert_string_equal(netif_speed_name("480"), "high");
	assert_null(netif_speed_name("unknown"));
}

static const char *text_at(json_object *o, const char *key)
{
	return json_object_get_string(json_object_object_get(o, key));
}

static void environments(void **state)
{
	struct environment_told told = { 0 };
	json_object *o;
	char names[128];

	(void)state;
	assert_false(environment_tell(&told, "udc"));
	assert_false(environment_tell(&told, "=x"));
	assert_false(environment_tell(&told, "udc="));
	assert_false(environment_tell(&told, "Udc=x"));
	assert_int_equal(told.count, 0);
	assert_true(environment_tell(&told, "udc=rp2350=b"));
	assert_true(environment_tell(&told, "host_tx_timer_us=400"));
	o = environment_find("127.0.0.1", NULL, &told);
	assert_string_equal(text_at(o, "udc"), "rp2350=b");
	assert_true(json_object_is_type(json_object_object_get(o, "host_tx_timer_us"),
					json_type_int));
	assert_non_null(text_at(o, "kernel"));
	assert_true(environment_lacks(o, names, sizeof(names)));
	assert_string_equal(names, "speed, host_driver");
	json_object_put(o);
	assert_true(environment_tell(&told, "speed=full"));
	assert_true(environment_tell(&told, "host_driver=other"));
	o = environment_find("no such name.", NULL, &told);
	assert_null(text_at(o, "interface"));
	assert_false(environment_lacks(o, names, sizeof(names)));
	json_object_put(o);
	while (told.count < ENVIRONMENT_TOLD_MAX)
		assert_true(environment_tell(&told, "a=b"));
	assert_false(environment_tell(&told, "a=b"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_are_measured_values),
		cmocka_unit_test(summary_of_unsorted_values),
		cmocka_unit_test(gaps_are_spread_and_repeat),
		cmocka_unit_test(processor_time_from_idle_counters),
		cmocka_unit_test(http_responses),
		cmocka_unit_test(http_line_without_end),
		cmocka_unit_test(urls),
		cmocka_unit_test(command_lines),
		cmocka_unit_test(wrong_command_lines),
		cmocka_unit_test(rates),
		cmocka_unit_test(iperf3_results),
		cmocka_unit_test(usb_paths),
		cmocka_unit_test(environments),
	};

	return cmocka_run_group_tests_name("ncmbench", tests, NULL, NULL);
}
