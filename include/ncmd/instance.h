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
#include "ncmd/loop.h"
#include "port/functionfs.h"
#include "port/gadget.h"
#include "port/log.h"
#include "port/rtnl.h"
#include "port/tap.h"
#include "wire/ncm_control.h"
#include "wire/ncm_descriptors.h"

struct instance {
	const struct config *config;
	int lock; /* held while the instance lives */
	struct gadget gadget;
	struct tap tap;
	struct rtnl_watch watch;
	struct functionfs functionfs;
	struct to_host to_host;
	struct from_host from_host;
	struct link link;
	struct stats stats;
	struct loop loop;
	int64_t started_ns;
};

/* What the configuration offers the host, in the terms of wire/. Pure. */
void instance_offer(const struct config *c, struct ncm_offer *offer);
void instance_descriptors(const struct config *c, struct ncm_descriptors *d);
void instance_gadget_plan(const struct config *c, struct gadget_plan *plan);

/*
 * Runs the instance until it is told to stop, and takes everything down again.
 * 0, or -errno with *f filled; nothing is left behind either way.
 */
int instance_run(const struct config *c, struct failure *f);

#endif
