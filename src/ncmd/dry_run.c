/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ncmd/dry_run.h"

#include <dirent.h>
#include <unistd.h>

#include "ncmd/config_profile.h"
#include "port/functionfs.h"

static void print_udcs(const struct config *c, FILE *to)
{
	DIR *dir = opendir("/sys/class/udc");
	const struct dirent *entry;
	unsigned int n = 0;

	fprintf(to, "# UDC: %s; this machine has", c->udc);
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			fprintf(to, "%s %s", n++ ? "," : "", entry->d_name);
	fprintf(to, "%s\n", n ? "" : " none");
	if (dir)
		closedir(dir);
}

static void print_transport(const struct config *c, FILE *to)
{
	bool functionfs = c->transport != CONFIG_TRANSPORT_GADGETFS;

	if (functionfs)
		fprintf(to, "# FunctionFS mounted on %s/%s.ffs\n", c->run_dir, c->name);
	if (functionfs && !functionfs_has_altsettings())
		fprintf(to,
			"#   but this kernel's has no alternate settings (Linux 6.10): that would "
			"fail\n");
	if (c->transport == CONFIG_TRANSPORT_AUTO)
		fprintf(to, "# and if it does not take NCM:\n");
	if (c->transport != CONFIG_TRANSPORT_FUNCTIONFS)
		fprintf(to, "# GadgetFS mounted on %s/%s.gadgetfs, NCM as the only function\n",
			c->run_dir, c->name);
}

static void print_queue(const struct config *c, FILE *to)
{
	if (!c->queue.target_us) {
		fprintf(to, "#   no queue of ncmd's own: frames wait in the kernel's\n");
		return;
	}
	fprintf(to, "#   and up to %u us of the cable's time; up to %u us more in a queue\n",
		c->queue.in_flight_us, c->queue.limit_us);
	fprintf(to, "#   a flow that waits there %u us or more, for %u us, is slowed down\n",
		c->queue.target_us, c->queue.interval_us);
}

static void print_flows(const struct config *c, FILE *to)
{
	char policy[POLICY_TEXT_MAX];

	policy_print(&c->policy, policy);
	fprintf(to, "# profile %s\n", config_profile_name(c->profile));
	fprintf(to, "# to the host: policy %s, up to %u NTBs of %u bytes on their way\n", policy,
		c->ntb.in_depth, c->ntb.in_max_size);
	print_queue(c, to);
	fprintf(to, "# from the host: %u reads of %u bytes armed", c->ntb.out_count,
		c->ntb.out_max_size);
	if (c->ntb.out_max_datagrams)
		fprintf(to, ", datagrams in each: at most %u", c->ntb.out_max_datagrams);
	fputs("\n", to);
	if (c->offload == CONFIG_OFFLOAD_AUTO)
		fprintf(to, "# TCP segments are split and joined where the kernel offers that\n");
	else
		fprintf(to, "# one frame a read or write: no offloads\n");
	if (c->copy == CONFIG_COPY_BOUNCE)
		fprintf(to, "# every datagram is copied once more, to measure what that costs\n");
}

void dry_run_print(const struct config *c, FILE *to)
{
	const uint8_t *m = c->tap.mac, *h = c->tap.host_mac;

	fprintf(to, "# The configuration is right. A start would do this:\n");
	fprintf(to,
		"# TAP interface %s: address %02x:%02x:%02x:%02x:%02x:%02x, MTU %u, up to %u "
		"frames queued\n",
		c->tap.name, m[0], m[1], m[2], m[3], m[4], m[5], c->tap.mtu, c->tap.txqueuelen);
	for (unsigned int i = 0; i < c->tap.addresses; i++)
		fprintf(to, "#   %s\n", c->tap.address[i]);
	if (c->gadget.scheme[0])
		fprintf(to, "# gadget \"%s\" of the scheme %s\n", c->name, c->gadget.scheme);
	else
		fprintf(to, "# gadget \"%s\", USB id %04x:%04x, with the one function NCM\n",
			c->name, c->gadget.vendor_id, c->gadget.product_id);
	fprintf(to, "# the host's address is %02x:%02x:%02x:%02x:%02x:%02x\n", h[0], h[1], h[2],
		h[3], h[4], h[5]);
	print_transport(c, to);
	print_flows(c, to);
	print_udcs(c, to);
	if (geteuid() != 0)
		fprintf(to, "# This was not run as root; a start needs it.\n");
	fprintf(to, "#\n# Every setting in force:\n");
	config_print(c, to);
}
