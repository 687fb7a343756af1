/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ncmbench/mixed.h"

#include "ncmbench/clock.h"

/* Gaps are at least half the interval, and the run ends at its deadline at the latest. */
static unsigned int requests_at_most(const struct tcp_options *tcp, int64_t interval_ns)
{
	int64_t longest_ns = (tcp->seconds + tcp->omit_s + TCP_PATIENCE_S) * NS_PER_SECOND;
	int64_t count = longest_ns / (interval_ns / 2 + 1) + 1;

	return count > RTT_COUNT_MAX ? RTT_COUNT_MAX : (unsigned int)count;
}

int mixed_run(const struct rtt_options *rtt, const struct tcp_options *tcp,
	      struct rtt_result *rtt_result, struct tcp_result *tcp_result, struct failure *f)
{
	struct rtt_options loaded = *rtt;
	struct failure tcp_failure;
	struct tcp_run run;
	int error = tcp_start(&run, tcp, f), tcp_error;

	if (error)
		return error;
	/* Woken early only when iperf3 failed; its own words are then the better ones. */
	clock_wait_readable(run.exit_fd, clock_now_ns() + tcp->omit_s * NS_PER_SECOND);
	loaded.stop_fd = run.exit_fd;
	loaded.count = requests_at_most(tcp, rtt->interval_ns);
	error = rtt_run(&loaded, rtt_result, f);
	tcp_error = tcp_finish(&run, tcp, tcp_result, &tcp_failure);
	if (!tcp_error)
		return error;
	if (!error)
		rtt_free(rtt_result);
	*f = tcp_failure;
	return tcp_error;
}
