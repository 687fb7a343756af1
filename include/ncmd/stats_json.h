/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The counters as JSON, schema 1: what `ncmctl stats --json` will print too. */
#ifndef NCMD_STATS_JSON_H
#define NCMD_STATS_JSON_H

#include "flow/from_host.h"
#include "flow/link.h"
#include "flow/stats.h"
#include "flow/to_host.h"
#include "port/log.h"
#include "port/transport.h"

struct stats_source {
	const char *name; /* of the instance */
	const char *udc;
	const struct stats *stats;
	const struct link *link;
	const struct to_host *to_host;
	const struct from_host *from_host;
	const struct transport *transport;
	int64_t uptime_ns;
};

/*
 * Writes them to `path`, through a file beside it, so that a reader sees the old
 * or the new whole. 0 or -errno with *f filled. Allocates: not for the data path.
 */
int stats_json_write(const struct stats_source *source, const char *path, struct failure *f);

#endif
