/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ncmd/instance.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ncmd/config_text.h"
#include "ncmd/stats_json.h"
#include "port/slice.h"

_Static_assert(2 * IN_FLIGHT_MAX + FROM_HOST_COUNT_MAX + 1 <= TRANSPORT_QUEUE_MAX,
	       "NTBs, their zero-length packets, reads and a notification at the same time");

/* wNdpInDivisor and its like: IP headers 4-aligned at both ends; Windows wants at least 4 [cases
 * C04]. */
#define NDP_DIVISOR   4
#define NDP_REMAINDER 0
#define NDP_ALIGNMENT 4

void instance_offer(const struct config *c, struct ncm_offer *offer)
{
	memset(offer, 0, sizeof(*offer));
	/* D0 for every host: macOS drops the link now and then without it [cases C06]. */
	offer->capabilities = NCM_CAP_PACKET_FILTER | (c->ntb.crc ? NCM_CAP_CRC_MODE : 0);
	offer->ntb32 = c->ntb.ntb32;
	offer->ntb_in_max_size = c->ntb.in_max_size;
	offer->ntb_out_max_size = c->ntb.out_max_size;
	offer->ndp_in_divisor = offer->ndp_out_divisor = NDP_DIVISOR;
	offer->ndp_in_remainder = offer->ndp_out_remainder = NDP_REMAINDER;
	offer->ndp_in_alignment = offer->ndp_out_alignment = NDP_ALIGNMENT;
	offer->ntb_out_max_datagrams = c->ntb.out_max_datagrams;
	offer->max_segment_size = c->ntb.max_segment_size;
	memcpy(offer->host_mac, c->tap.host_mac, 6);
}

void instance_descriptors(const struct config *c, struct ncm_descriptors *d)
{
	struct ncm_offer offer;

	instance_offer(c, &offer);
	*d = (struct ncm_descriptors){
		.first_interface = 0, /* the kernel renumbers */
		.function_string = NCM_FFS_STRING_FUNCTION,
		.mac_string = NCM_FFS_STRING_MAC,
		.capabilities = offer.capabilities,
		.max_segment_size = offer.max_segment_size,
		.endpoint = { .notify = 0x81, .bulk_in = 0x82, .bulk_out = 0x03 },
	};
}

void instance_gadget_plan(const struct config *c, struct gadget_plan *plan)
{
	*plan = (struct gadget_plan){
		.name = c->name,
		.udc = c->udc,
		.scheme = c->gadget.scheme,
		.max_speed = c->max_speed == CONFIG_MAX_SPEED_AUTO ?
				     NULL :
				     text_choice_max_speed(c->max_speed),
		.vendor_id = c->gadget.vendor_id,
		.product_id = c->gadget.product_id,
		.bcd_device = c->gadget.bcd_device,
		.manufacturer = c->gadget.manufacturer,
		.product = c->gadget.product,
		.serial = c->gadget.serial,
		.configuration = c->gadget.function,
		.max_power_ma = c->gadget.max_power_ma,
		.self_powered = c->gadget.self_powered,
	};
}

static uint32_t max_datagram_len(const struct config *c)
{
	return c->ntb.max_segment_size + ETHERNET_VLAN_TAG_LEN;
}

static void path_of(const struct config *c, const char *suffix, char path[static 400])
{
	snprintf(path, 400, "%s/%s%s", c->run_dir, c->name, suffix);
}

/* One ncmd an instance: what an earlier one left may only be removed by who holds this. */
static int take_lock(struct instance *i, struct failure *f)
{
	char path[400];

	if (mkdir(i->config->run_dir, 0755) < 0 && errno != EEXIST)
		return fail(f, errno, "cannot make the directory %s: %s", i->config->run_dir,
			    strerror(errno));
	path_of(i->config, ".lock", path);
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

static int clean_up_after_a_crash(struct instance *i, const char *mount_point, struct failure *f)
{
	bool found;
	int error = functionfs_clean(mount_point, f);

	if (!error)
		error = gadget_clean(&i->gadget, i->config->name, &found, f);
	if (!error && found)
		log_info("removed the gadget \"%s\" that an earlier run left in configfs",
			 i->config->name);
	return error;
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

static int open_gadget(struct instance *i, const struct gadget_plan *plan, const char *mount_point,
		       struct failure *f)
{
	static uint8_t descriptors[NCM_FFS_DESCRIPTORS_MAX], strings[NCM_FFS_STRINGS_MAX];
	struct functionfs_blobs blobs = { .descriptors = descriptors, .strings = strings };
	struct ncm_descriptors d;
	int error;

	if (!functionfs_has_altsettings())
		return fail(f, EOPNOTSUPP,
			    "FunctionFS of this kernel has no alternate settings, which NCM needs: "
			    "they came with Linux 6.10 (ffs_func_get_alt in f_fs.c). Use a newer "
			    "kernel");
	instance_descriptors(i->config, &d);
	blobs.descriptors_len = ncm_ffs_descriptors(descriptors, &d, 0);
	blobs.strings_len =
		ncm_ffs_strings(strings, i->config->gadget.function, i->config->tap.host_mac);
	error = gadget_create(&i->gadget, plan, f);
	if (error)
		return error;
	error = functionfs_open(&i->functionfs, plan->name, mount_point, &blobs, f);
	if (error)
		gadget_remove(&i->gadget, NULL);
	return error;
}

/* Unbinding first: it ends every transfer, so that nothing waits for the host. */
static int close_gadget(struct instance *i, struct failure *f)
{
	functionfs_quiet(&i->functionfs);
	gadget_unbind(&i->gadget);
	functionfs_close(&i->functionfs);
	return gadget_remove(&i->gadget, f);
}

/* What it opens before it fails, close_flows() closes. */
static int open_flows(struct instance *i, struct failure *f)
{
	const struct config *c = i->config;
	struct ncm_offer offer;
	const struct to_host_settings to_host = {
		.depth = c->ntb.in_depth,
		.in_flight_us = c->queue.in_flight_us,
		.buffer_size = c->ntb.in_max_size,
		.max_datagrams = c->ntb.in_max_datagrams,
		.short_datagrams = c->ntb.in_short_datagrams,
		.max_datagram_len = max_datagram_len(c),
		.ending = c->ntb.ending,
		.ndp = c->ntb.ndp,
		.divisor = NDP_DIVISOR,
		.remainder = NDP_REMAINDER,
		.alignment = NDP_ALIGNMENT,
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
	struct transport *transport = &i->functionfs.base;
	int error;

	error = to_host_open(&i->to_host, &to_host, &i->tap, transport, &i->stats.to_host, f);
	if (error)
		return error;
	error = from_host_open(&i->from_host, &from_host, &i->tap, transport, &i->stats.from_host,
			       f);
	if (error)
		return error;
	from_host_probe(&i->from_host);
	instance_offer(c, &offer);
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
		.udc = i->gadget.udc,
		.stats = &i->stats,
		.link = &i->link,
		.to_host = &i->to_host,
		.from_host = &i->from_host,
		.transport = &i->functionfs.base,
		.uptime_ns = loop_now_ns() - i->started_ns,
	};
	struct failure f;
	char path[400];

	path_of(i->config, ".stats.json", path);
	if (stats_json_write(&source, path, &f))
		log_warning("%s", f.text);
}

static int run(struct instance *i, const struct gadget_plan *plan, struct failure *f)
{
	int error;

	i->loop = (struct loop){
		.tap = &i->tap,
		.transport = &i->functionfs.base,
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
	error = gadget_bind(&i->gadget, plan, f);
	if (!error) {
		log_info("gadget \"%s\" is bound to UDC %s; interface %s waits for a host",
			 plan->name, i->gadget.udc, i->tap.name);
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
	struct gadget_plan plan;
	char mount_point[400];
	struct failure late;
	int error;

	loop_block_signals();
	slice_shorten();
	i->config = c;
	i->started_ns = loop_now_ns();
	instance_gadget_plan(c, &plan);
	path_of(c, ".ffs", mount_point);
	error = take_lock(i, f);
	if (error)
		return error;
	error = gadget_open(&i->gadget, f);
	if (error)
		goto unlock;
	error = clean_up_after_a_crash(i, mount_point, f);
	if (error)
		goto close_configfs;
	error = open_tap(i, f);
	if (error)
		goto close_configfs;
	error = open_gadget(i, &plan, mount_point, f);
	if (error)
		goto close_tap;
	error = open_flows(i, f);
	if (!error)
		error = run(i, &plan, f);
	if (close_gadget(i, &late))
		log_error("%s", late.text);
	close_flows(i); /* until here the kernel might write into their memory */
close_tap:
	close_tap(i);
close_configfs:
	gadget_close(&i->gadget);
unlock:
	drop_lock(i);
	return error;
}
