/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Round trips: echo requests at jittered intervals, several on the way at a time if need be. */
#ifndef NCMBENCH_RTT_H
#define NCMBENCH_RTT_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "port/log.h"

#define RTT_COUNT_MAX 1000000

struct rtt_options {
	const char *peer, *interface; /* interface: NULL for whichever the route takes */
	unsigned int count; /* requests */
	unsigned int size; /* bytes of payload */
	int64_t interval_ns; /* mean of the gaps */
	int64_t wait_ns; /* for answers, after the last request */
	int stop_fd; /* no further requests once it is readable; -1: none */
};

struct rtt_result {
	char address[INET6_ADDRSTRLEN];
	bool raw; /* a raw socket was needed */
	unsigned int sent, received;
	unsigned int duplicates; /* answers to what had been answered; not in received */
	unsigned int refused; /* requests the kernel did not take; not in sent */
	int network_error; /* errno the network answered with last, 0: none */
	int64_t *ns; /* `received` times; rtt_free() */
};

/* Requests that were sent and not answered until wait_ns after the last one. */
static inline unsigned int rtt_lost(const struct rtt_result *r)
{
	return r->sent - r->received;
}

/*
 * 0, or -errno with *f filled: the peer cannot be tried, or answered nothing at all. Lost
 * answers are no failure: the caller says how many there are.
 */
int rtt_run(const struct rtt_options *o, struct rtt_result *r, struct failure *f);
void rtt_free(struct rtt_result *r);

#endif
