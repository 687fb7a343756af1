/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One running gadget: everything that is open between start and end, in the order
 * in which it is opened. The context of the program.
 */
#ifndef NCMD_INSTANCE_H
#define NCMD_INSTANCE_H

#include "flow/from_host.h"
#include "flow/link.h"
#include "flow/stats.h"
#include "flow/to_host.h"
#include "ncmd/config.h"
#include "ncmd/device.h"
#include "ncmd/loop.h"
#include "port/log.h"
#include "port/rtnl.h"
#include "port/tap.h"

struct instance {
	const struct config *config;
	int lock; /* held while the instance lives */
	struct device device;
	struct tap tap;
	struct rtnl_watch watch;
	struct to_host to_host;
	struct from_host from_host;
	struct link link;
	struct stats stats;
	struct loop loop;
	int64_t started_ns;
};

/*
 * Runs the instance until it is told to stop, and takes everything down again.
 * 0, or -errno with *f filled; nothing is left behind either way.
 */
int instance_run(const struct config *c, struct failure *f);

#endif
