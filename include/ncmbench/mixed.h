/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Round trips while bulk TCP fills the link. */
#ifndef NCMBENCH_MIXED_H
#define NCMBENCH_MIXED_H

#include "ncmbench/rtt.h"
#include "ncmbench/tcp.h"

/*
 * The bulk runs as `tcp` says; requests are sent after its omitted part, until it ends:
 * rtt's count and stop_fd are not looked at. 0, or -errno with *f filled; rtt_free()
 * only after 0.
 */
int mixed_run(const struct rtt_options *rtt, const struct tcp_options *tcp,
	      struct rtt_result *rtt_result, struct tcp_result *tcp_result, struct failure *f);

#endif
