/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ncmd/stats_json.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "port/rtnl.h"

static void add(json_object *to, const char *key, uint64_t value)
{
	json_object_object_add(to, key, json_object_new_uint64(value));
}

static void add_text(json_object *to, const char *key, const char *value)
{
	json_object_object_add(to, key, json_object_new_string(value));
}

static json_object *add_object(json_object *to, const char *key)
{
	json_object *o = json_object_new_object();

	json_object_object_add(to, key, o);
	return o;
}

static void add_histogram(json_object *to, const char *key, const struct histogram *h)
{
	json_object *o = add_object(to, key), *buckets;

	add(o, "count", h->count);
	add(o, "sum", h->sum);
	add(o, "p50", histogram_quantile(h, 500));
	add(o, "p99", histogram_quantile(h, 990));
	add(o, "max", h->max);
	buckets = json_object_new_array();
	json_object_object_add(o, "buckets",
			       buckets); /* [from, count] of those that are not empty */
	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++) {
		json_object *pair;

		if (!h->bucket[i])
			continue;
		pair = json_object_new_array_ext(2);
		json_object_array_add(pair, json_object_new_uint64(histogram_floor(i)));
		json_object_array_add(pair, json_object_new_uint64(h->bucket[i]));
		json_object_array_add(buckets, pair);
	}
}

static void add_to_host(json_object *root, const struct stats_source *s)
{
	const struct stats_to_host *t = &s->stats->to_host;
	json_object *o = add_object(root, "to_host"), *part;

	add(o, "datagrams", t->datagrams);
	add(o, "bytes", t->bytes);
	add(o, "ntbs", t->ntbs);
	add(o, "ntb_bytes", t->ntb_bytes);
	add(o, "copied_bytes", t->copied_bytes);
	add(o, "tap_reads", t->tap_reads);
	add(o, "tap_read_errors", t->tap_read_errors);
	add(o, "gso_packets", t->gso_packets);
	add(o, "queued_bytes", s->to_host->queue.backlog);
	add(o, "in_flight_bytes", s->to_host->in_flight.bytes);
	add(o, "rate_bytes_per_ms", s->to_host->rate.bytes_per_ms);
	add(o, "transfer_errors", t->transfer_errors);
	add(o, "in_flight", s->to_host->in_flight.ntbs);
	add(o, "depth", s->to_host->settings.depth);
	part = add_object(o, "drops");
	for (int i = 0; i < TO_HOST_DROPS; i++)
		add(part, to_host_drop_name(i), t->drop[i]);
	add(part, "tap_queue_full", rtnl_tx_dropped(s->link->tap->name));
	part = add_object(o, "offload_faults");
	for (int i = GSO_OK + 1; i < GSO_VERDICT_COUNT; i++)
		add(part, gso_verdict_name(i), t->gso_verdict[i]);
	part = add_object(o, "reasons");
	for (int i = 0; i < POLICY_REASONS; i++)
		add(part, policy_reason_name(i), t->reason[i]);
	add_histogram(o, "hold_ns", &t->hold_ns);
	add_histogram(o, "ntb_datagrams", &t->ntb_datagrams);
}

static void add_from_host(json_object *root, const struct stats_source *s)
{
	const struct stats_from_host *t = &s->stats->from_host;
	json_object *o = add_object(root, "from_host"), *part;

	add(o, "datagrams", t->datagrams);
	add(o, "bytes", t->bytes);
	add(o, "tap_writes", t->tap_writes);
	add(o, "joined", t->joined);
	add(o, "join_refused", t->join_refused);
	add(o, "joining", s->from_host->join.frames_max > 1);
	add(o, "copied_bytes", t->copied_bytes);
	add(o, "transfers", t->transfers);
	add(o, "transfer_bytes", t->transfer_bytes);
	add(o, "zero_length_transfers", t->zero_length_transfers);
	add(o, "ntbs", t->ntbs);
	add(o, "sequence_gaps", t->sequence_gaps);
	add(o, "transfer_errors", t->transfer_errors);
	add(o, "transfer_resets", t->transfer_resets);
	add(o, "out_armed", from_host_armed(s->from_host));
	add(o, "out_count", s->from_host->count);
	part = add_object(o, "drops");
	for (int i = 0; i < FROM_HOST_DROPS; i++)
		add(part, from_host_drop_name(i), t->drop[i]);
	part = add_object(o, "verdicts");
	for (int i = NTB_END + 1; i < NTB_VERDICT_COUNT; i++)
		add(part, ntb_verdict_name(i), t->verdict[i]);
}

static void add_link(json_object *root, const struct stats_source *s)
{
	const struct stats_link *t = &s->stats->link;
	const struct link *l = s->link;
	json_object *o = add_object(root, "link");

	add_text(o, "state", link_state_name(l->state));
	add(o, "carrier", l->tap->carrier);
	add(o, "bulk_packet", l->usb.bulk_packet);
	add(o, "interface", l->usb.interface);
	add(o, "packet_filter", l->choice.packet_filter);
	add(o, "ntb_format", l->choice.format == NTB_FORMAT_32 ? 32 : 16);
	add(o, "crc_mode", l->choice.crc);
	add(o, "ntb_in_size", l->choice.ntb_in_size);
	add(o, "binds", t->binds);
	add(o, "unbinds", t->unbinds);
	add(o, "enables", t->enables);
	add(o, "disables", t->disables);
	add(o, "suspends", t->suspends);
	add(o, "resumes", t->resumes);
	add(o, "requests", t->requests);
	add(o, "stalls", t->stalls);
	add(o, "refused_data", t->refused_data);
	add(o, "failed_stages", t->failed_stages);
	add(o, "notifications", t->notifications);
	add(o, "notification_retries", t->notification_retries);
	add(o, "carrier_changes", t->carrier_changes);
}

static uint64_t ns_of(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_usec * 1000;
}

/*
 * Of the whole program. What writes to the TAP cost is in it, and so is the work of the network
 * stack in them.
 */
static void add_processor(json_object *to, const struct stats *s)
{
	uint64_t datagrams = s->to_host.datagrams + s->from_host.datagrams;
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	add(to, "user_ns", ns_of(used.ru_utime));
	add(to, "system_ns", ns_of(used.ru_stime));
	add(to, "ns_per_datagram",
	    datagrams ? (ns_of(used.ru_utime) + ns_of(used.ru_stime)) / datagrams : 0);
}

static json_object *build(const struct stats_source *s)
{
	json_object *root = json_object_new_object(), *loop;
	char policy[POLICY_TEXT_MAX];

	policy_print(&s->to_host->settings.policy, policy);
	add(root, "schema", 1);
	add_text(root, "name", s->name);
	add_text(root, "udc", s->udc);
	add_text(root, "transport", s->transport->ops->name);
	add_text(root, "policy", policy);
	add(root, "uptime_ms", (uint64_t)(s->uptime_ns / 1000000));
	add_link(root, s);
	add_to_host(root, s);
	add_from_host(root, s);
	loop = add_object(root, "loop");
	add_processor(loop, s->stats);
	add(loop, "turns", s->stats->loop.turns);
	add(loop, "timer_sets", s->stats->loop.timer_sets);
	add(loop, "submit_retries", s->stats->loop.submit_retries);
	add(loop, "submit_calls", s->transport->submit_calls);
	add(loop, "reap_calls", s->transport->reap_calls);
	return root;
}

static int write_file(const char *path, const char *text, struct failure *f)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644), error = 0;
	size_t len = strlen(text);

	if (fd < 0)
		return fail(f, errno, "cannot write the statistics to %s: %s", path,
			    strerror(errno));
	if (write(fd, text, len) != (ssize_t)len)
		error = fail(f, EIO, "cannot write all of the statistics to %s", path);
	close(fd);
	return error;
}

int stats_json_write(const struct stats_source *source, const char *path, struct failure *f)
{
	json_object *root = build(source);
	char beside[512];
	int error;

	snprintf(beside, sizeof(beside), "%s.new", path);
	error = write_file(beside, json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY),
			   f);
	json_object_put(root);
	if (!error && rename(beside, path) < 0)
		error = fail(f, errno, "cannot rename %s to %s: %s", beside, path, strerror(errno));
	return error;
}
