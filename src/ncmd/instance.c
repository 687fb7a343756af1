/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ncmd/instance.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ncmd/stats_json.h"
#include "port/slice.h"

_Static_assert(2 * IN_FLIGHT_MAX + FROM_HOST_COUNT_MAX + 1 <= TRANSPORT_QUEUE_MAX,
	       "NTBs, their zero-length packets, reads and a notification at the same time");

static uint32_t max_datagram_len(const struct config *c)
{
	return c->ntb.max_segment_size + ETHERNET_VLAN_TAG_LEN;
}

/* One ncmd an instance: what an earlier one left may only be removed by who holds this. */
static int take_lock(struct instance *i, struct failure *f)
{
	char path[CONFIG_RUN_PATH_MAX];

	if (mkdir(i->config->run_dir, 0755) < 0 && errno != EEXIST)
		return fail(f, errno, "cannot make the directory %s: %s", i->config->run_dir,
			    strerror(errno));
	config_run_path(i->config, ".lock", path);
	i->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (i->lock < 0)
		return fail(f, errno, "cannot open %s: %s", path, strerror(errno));
	if (flock(i->lock, LOCK_EX | LOCK_NB) < 0) {
		int error = errno;

		close(i->lock);
		return fail(f, error, "another ncmd runs the instance \"%s\" (it holds %s)",
			    i->config->name, path);
	}
	return 0;
}

/* The lock file stays: removing it would let two processes lock two files of one name. */
static void drop_lock(struct instance *i)
{
	close(i->lock);
}

static int open_tap(struct instance *i, struct failure *f)
{
	const struct config *c = i->config;
	const char *address[CONFIG_ADDRESSES_MAX];
	const struct rtnl_settings settings = {
		.name = c->tap.name,
		.mac = c->tap.mac,
		.mtu = c->tap.mtu,
		.txqueuelen = c->tap.txqueuelen,
		.address = address,
		.addresses = c->tap.addresses,
	};
	int error = tap_open(&i->tap, c->tap.name, c->tap.persist,
			     c->offload == CONFIG_OFFLOAD_AUTO, f);

	if (error)
		return error;
	for (unsigned int n = 0; n < c->tap.addresses; n++)
		address[n] = c->tap.address[n];
	error = rtnl_apply(&settings, f);
	if (!error)
		error = rtnl_watch_open(&i->watch, c->tap.name, f);
	if (error)
		tap_close(&i->tap);
	return error;
}

static void close_tap(struct instance *i)
{
	rtnl_watch_close(&i->watch);
	tap_close(&i->tap);
}

/* What it opens before it fails, close_flows() closes. */
static int open_flows(struct instance *i, struct failure *f)
{
	const struct config *c = i->config;
	const struct ncm_offer offer = device_offer(c);
	const struct to_host_settings to_host = {
		.depth = c->ntb.in_depth,
		.in_flight_us = c->queue.in_flight_us,
		.buffer_size = c->ntb.in_max_size,
		.max_datagrams = c->ntb.in_max_datagrams,
		.short_datagrams = c->ntb.in_short_datagrams,
		.max_datagram_len = max_datagram_len(c),
		.ending = c->ntb.ending,
		.ndp = c->ntb.ndp,
		.divisor = offer.ndp_in_divisor,
		.remainder = offer.ndp_in_remainder,
		.alignment = offer.ndp_in_alignment,
		.policy = c->policy,
		.queue_target_us = c->queue.target_us,
		.queue_interval_us = c->queue.interval_us,
		.queue_limit_us = c->queue.limit_us,
		.bounce = c->copy == CONFIG_COPY_BOUNCE,
	};
	const struct from_host_settings from_host = {
		.count = c->ntb.out_count,
		.rules = { .ntb_out_max_size = c->ntb.out_max_size,
			   .max_datagram_len = max_datagram_len(c),
			   .ntb_out_max_datagrams = c->ntb.out_max_datagrams },
		.join_us = c->tap.join_us,
		.bounce = c->copy == CONFIG_COPY_BOUNCE,
	};
	struct transport *transport = i->device.transport;
	int error;

	error = to_host_open(&i->to_host, &to_host, &i->tap, transport, &i->stats.to_host, f);
	if (error)
		return error;
	error = from_host_open(&i->from_host, &from_host, &i->tap, transport, &i->stats.from_host,
			       f);
	if (error)
		return error;
	from_host_probe(&i->from_host);
	link_open(&i->link, &offer, transport, &i->tap, &i->to_host, &i->from_host, &i->stats.link);
	return 0;
}

static void close_flows(struct instance *i)
{
	from_host_close(&i->from_host);
	to_host_close(&i->to_host);
}

static void report(void *argument)
{
	struct instance *i = argument;
	const struct stats_source source = {
		.name = i->config->name,
		.udc = device_udc(&i->device),
		.stats = &i->stats,
		.link = &i->link,
		.to_host = &i->to_host,
		.from_host = &i->from_host,
		.transport = i->device.transport,
		.uptime_ns = loop_now_ns() - i->started_ns,
	};
	struct failure f;
	char path[CONFIG_RUN_PATH_MAX];

	config_run_path(i->config, ".stats.json", path);
	if (stats_json_write(&source, path, &f))
		log_warning("%s", f.text);
}

static int run(struct instance *i, struct failure *f)
{
	int error;

	i->loop = (struct loop){
		.tap = &i->tap,
		.transport = i->device.transport,
		.watch = &i->watch,
		.to_host = &i->to_host,
		.from_host = &i->from_host,
		.link = &i->link,
		.stats = &i->stats,
		.on_report = report,
		.report_argument = i,
	};
	error = loop_open(&i->loop, f);
	if (error)
		return error;
	error = device_bind(&i->device, f);
	if (!error) {
		log_info("gadget \"%s\" is bound to UDC %s; interface %s waits for a host",
			 i->config->name, device_udc(&i->device), i->tap.name);
		error = loop_run(&i->loop, f);
		report(i);
	}
	loop_close(&i->loop);
	return error;
}

int instance_run(const struct config *c, struct failure *f)
{
	static struct instance instance; /* the one of this process; too large for a stack */
	struct instance *i = &instance;
	struct failure late;
	int error;

	loop_block_signals();
	slice_shorten();
	i->config = c;
	i->started_ns = loop_now_ns();
	error = take_lock(i, f);
	if (error)
		return error;
	error = open_tap(i, f);
	if (error)
		goto unlock;
	error = device_open(&i->device, c, f);
	if (error)
		goto close_tap;
	error = open_flows(i, f);
	if (!error)
		error = run(i, f);
	if (device_close(&i->device, &late))
		log_error("%s", late.text);
	close_flows(i); /* until here the kernel might write into their memory */
close_tap:
	close_tap(i);
unlock:
	drop_lock(i);
	return error;
}
