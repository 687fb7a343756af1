/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ncmbench/report.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ncmbench/clock.h"
#include "ncmbench/environment.h"
#include "ncmbench/statistics.h"

/* Three digits behind the point are all a measurement has, and 0.1 stays 0.1. */
static json_object *decimal(double value)
{
	char text[64];

	snprintf(text, sizeof(text), "%.3f", value);
	return json_object_new_double_s(value, text);
}

static void add_decimal(json_object *to, const char *key, double value)
{
	json_object_object_add(to, key, decimal(value));
}

static void add_us(json_object *to, const char *key, int64_t ns)
{
	add_decimal(to, key, (double)ns / NS_PER_US);
}

static void add_int(json_object *to, const char *key, int64_t value)
{
	json_object_object_add(to, key, json_object_new_int64(value));
}

static void add_text(json_object *to, const char *key, const char *value)
{
	json_object_object_add(to, key, json_object_new_string(value));
}

/* [from us, count] of the buckets that are not empty. */
static json_object *histogram_json(const struct histogram *h)
{
	json_object *buckets = json_object_new_array(), *pair;

	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++) {
		if (!h->bucket[i])
			continue;
		pair = json_object_new_array_ext(2);
		json_object_array_add(pair, decimal((double)histogram_floor(i) / NS_PER_US));
		json_object_array_add(pair, json_object_new_uint64(h->bucket[i]));
		json_object_array_add(buckets, pair);
	}
	return buckets;
}

static json_object *rtt_json(const struct options *o, const struct rtt_result *r,
			     const struct summary *s, const struct histogram *h)
{
	json_object *root = json_object_new_object(), *us = json_object_new_object();

	add_text(root, "peer", o->rtt.peer);
	add_text(root, "address", r->address);
	add_text(root, "socket", r->raw ? "raw" : "dgram");
	add_int(root, "size", o->rtt.size);
	add_decimal(root, "interval_ms", (double)o->rtt.interval_ns / NS_PER_MS);
	add_int(root, "sent", r->sent);
	add_int(root, "received", r->received);
	add_int(root, "lost", rtt_lost(r));
	add_int(root, "duplicates", r->duplicates);
	add_int(root, "refused", r->refused);
	json_object_object_add(root, "rtt_us", us);
	add_us(us, "min", s->min);
	add_us(us, "mean", s->mean);
	add_us(us, "p50", s->p50);
	add_us(us, "p90", s->p90);
	add_us(us, "p99", s->p99);
	add_us(us, "p99.9", s->p999);
	add_us(us, "max", s->max);
	json_object_object_add(root, "histogram_us", histogram_json(h));
	return root;
}

static json_object *tcp_json(const struct options *o, const struct tcp_result *r)
{
	json_object *root = json_object_new_object(), *p;

	add_text(root, "peer", o->tcp.peer);
	add_text(root, "direction", o->tcp.reverse ? "from_peer" : "to_peer");
	add_decimal(root, "mbps", r->mbps);
	add_int(root, "bytes", (int64_t)r->bytes);
	add_decimal(root, "seconds", r->seconds);
	add_int(root, "omitted_seconds", o->tcp.omit_s);
	if (r->retransmits >= 0)
		add_int(root, "retransmits", r->retransmits);
	add_int(root, "stalls", r->stalls);
	add_int(root, "stall_ms", TCP_INTERVAL_MS);
	add_int(root, "all_bytes", (int64_t)r->all_bytes);
	p = json_object_new_object();
	json_object_object_add(root, "processor", p);
	add_int(p, "elapsed_us", r->elapsed_us);
	add_int(p, "busy_us", r->busy_us);
	add_int(p, "processors", r->processors);
	return root;
}

static json_object *http_json(const struct http_result *r)
{
	json_object *root = json_object_new_object();

	add_int(root, "status", r->status);
	add_int(root, "bytes", (int64_t)r->bytes);
	add_int(root, "connect_us", r->connect_us);
	add_int(root, "first_byte_us", r->first_byte_us);
	add_int(root, "total_us", r->total_us);
	add_decimal(root, "mbps", r->total_us ? (double)r->bytes * 8 / (double)r->total_us : 0);
	return root;
}

/* What the figures depend on; a person is told what a table of them will miss. */
static void add_environment(json_object *root, const struct options *o)
{
	const char *peer = o->command == COMMAND_HTTP ? o->url.host : o->rtt.peer;
	json_object *environment = environment_find(peer, o->rtt.interface, &o->told);
	char names[128];

	json_object_object_add(root, "environment", environment);
	if (environment_lacks(environment, names, sizeof(names)) && isatty(STDERR_FILENO))
		fprintf(stderr,
			"ncmbench: not known from this end: %s; say it with -e NAME=VALUE, or "
			"`ncmbench report` will not take this result\n",
			names);
}

static void print_json(json_object *root)
{
	puts(json_object_to_json_string_ext(root, JSON_C_TO_STRING_SPACED));
	json_object_put(root);
}

static void print_result(const struct options *o, json_object *root)
{
	add_environment(root, o);
	print_json(root);
}

static void print_rtt(const struct options *o, const struct rtt_result *r, const struct summary *s)
{
	printf("%s: %u sent, %u received", o->rtt.peer, r->sent, r->received);
	if (rtt_lost(r))
		printf(", %u lost (%.1f %%)", rtt_lost(r), 100.0 * rtt_lost(r) / r->sent);
	if (r->duplicates)
		printf(", %u duplicates", r->duplicates);
	if (r->refused)
		printf(", %u could not be sent (%s)", r->refused, strerror(r->network_error));
	printf("\nround trip, us: min %.0f  mean %.0f  p50 %.0f  p90 %.0f  p99 %.0f  p99.9 %.0f  "
	       "max %.0f\n",
	       s->min / 1e3, s->mean / 1e3, s->p50 / 1e3, s->p90 / 1e3, s->p99 / 1e3, s->p999 / 1e3,
	       s->max / 1e3);
}

static void print_histogram(const struct histogram *h)
{
	uint64_t most = 0;

	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++)
		if (h->bucket[i] > most)
			most = h->bucket[i];
	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++)
		if (h->bucket[i])
			printf("%10.1f us %8llu %.*s\n", (double)histogram_floor(i) / NS_PER_US,
			       (unsigned long long)h->bucket[i],
			       (int)((h->bucket[i] * 50 + most - 1) / most),
			       "##################################################");
}

static void print_tcp(const struct options *o, const struct tcp_result *r)
{
	double share = r->elapsed_us && r->processors ?
			       100.0 * (double)r->busy_us / (double)r->elapsed_us / r->processors :
			       0;

	printf("TCP %s %s: %.1f Mbit/s, %llu bytes in %.1f s", o->tcp.reverse ? "from" : "to",
	       o->tcp.peer, r->mbps, (unsigned long long)r->bytes, r->seconds);
	if (r->retransmits >= 0)
		printf(", %lld retransmits", (long long)r->retransmits);
	printf(", %u stalls of %d ms\nthis machine was %.1f %% busy\n", r->stalls, TCP_INTERVAL_MS,
	       share);
}

void report_rtt(const struct options *o, struct rtt_result *r)
{
	struct histogram h;
	struct summary s;

	summarise(&s, &h, r->ns, r->received);
	if (o->json) {
		print_result(o, rtt_json(o, r, &s, &h));
		return;
	}
	print_rtt(o, r, &s);
	print_histogram(&h);
}

void report_tcp(const struct options *o, const struct tcp_result *r)
{
	if (o->json)
		print_result(o, tcp_json(o, r));
	else
		print_tcp(o, r);
}

void report_http(const struct options *o, const struct http_result *r)
{
	if (o->json)
		print_result(o, http_json(r));
	else
		printf("%llu bytes: connected after %.1f ms, first byte %.1f ms, all %.1f ms, "
		       "%.1f Mbit/s\n",
		       (unsigned long long)r->bytes, (double)r->connect_us / 1e3,
		       (double)r->first_byte_us / 1e3, (double)r->total_us / 1e3,
		       r->total_us ? (double)r->bytes * 8 / (double)r->total_us : 0);
}

void report_mixed(const struct options *o, struct rtt_result *rtt, const struct tcp_result *tcp)
{
	struct histogram h;
	struct summary s;
	json_object *root;

	summarise(&s, &h, rtt->ns, rtt->received);
	if (!o->json) {
		print_tcp(o, tcp);
		print_rtt(o, rtt, &s);
		print_histogram(&h);
		return;
	}
	root = json_object_new_object();
	json_object_object_add(root, "tcp", tcp_json(o, tcp));
	json_object_object_add(root, "rtt", rtt_json(o, rtt, &s, &h));
	print_result(o, root);
}

void report_failure(const struct options *o, const struct failure *f)
{
	json_object *root;

	fprintf(stderr, "ncmbench: %s\n", f->text);
	if (!o->json)
		return;
	root = json_object_new_object();
	add_text(root, "error", f->text);
	print_json(root);
}
