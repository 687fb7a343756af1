/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ncmbench/rtt.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "ncmbench/clock.h"
#include "ncmbench/echo.h"
#include "ncmbench/jitter.h"

struct probes {
	const struct rtt_options *options;
	struct rtt_result *result;
	struct echo_socket socket;
	struct jitter jitter;
	int64_t *sent_ns; /* by number; 0: answered, or never sent */
	unsigned int tried; /* numbers given out */
	int64_t next_ns; /* when the next request is due */
	int64_t end_ns; /* no answers are waited for after that */
	bool stopped;
};

static bool may_send(const struct probes *p)
{
	return !p->stopped && p->tried < p->options->count;
}

static void send_one(struct probes *p)
{
	unsigned int i = p->tried++;
	int error = echo_send(&p->socket, (uint16_t)i, p->options->size, &p->sent_ns[i]);

	/* From now, not from when it was due: a late start is not made up for by a burst. */
	p->next_ns = clock_now_ns() + jitter_next_ns(&p->jitter, p->options->interval_ns);
	p->end_ns = clock_now_ns() + p->options->wait_ns;
	if (!error) {
		p->result->sent++;
		return;
	}
	p->sent_ns[i] = 0;
	p->result->refused++;
	p->result->network_error = -error;
}

/* The latest request that has these 16 bits of number. */
static unsigned int number_of(const struct probes *p, uint16_t sequence)
{
	unsigned int last = p->tried - 1;

	return last - ((last - sequence) & 0xffff);
}

static void take_answer(struct probes *p, uint16_t sequence, int64_t received_ns)
{
	unsigned int i;

	if (!p->tried)
		return;
	i = number_of(p, sequence);
	if (i >= p->tried)
		return; /* wrapped below 0: not one of ours */
	if (!p->sent_ns[i]) {
		p->result->duplicates++;
		return;
	}
	p->result->ns[p->result->received++] = received_ns - p->sent_ns[i];
	p->sent_ns[i] = 0;
}

static void take_answers(struct probes *p)
{
	int64_t received_ns;
	uint16_t sequence;
	int n;

	while ((n = echo_receive(&p->socket, &sequence, &received_ns)) != -EAGAIN) {
		if (n > 0)
			take_answer(p, sequence, received_ns);
		else if (n < 0)
			p->result->network_error = -n;
	}
}

static void wait_for_event(struct probes *p)
{
	struct pollfd fds[] = { { .fd = p->socket.fd, .events = POLLIN },
				{ .fd = p->stopped ? -1 : p->options->stop_fd, .events = POLLIN } };
	int64_t left = (may_send(p) ? p->next_ns : p->end_ns) - clock_now_ns();
	struct timespec t;

	if (left < 0)
		left = 0;
	t.tv_sec = left / NS_PER_SECOND;
	t.tv_nsec = left % NS_PER_SECOND;
	if (ppoll(fds, 2, &t, NULL) <= 0)
		return;
	if (fds[1].revents)
		p->stopped = true;
	if (fds[0].revents)
		take_answers(p);
}

static bool goes_on(const struct probes *p)
{
	return may_send(p) || (rtt_lost(p->result) && clock_now_ns() < p->end_ns);
}

static int nothing_came(const struct rtt_options *o, const struct rtt_result *r, struct failure *f)
{
	if (r->network_error)
		return fail(f, r->network_error, "none of %u pings to %s was answered: %s",
			    r->sent + r->refused, o->peer, strerror(r->network_error));
	return fail(f, ETIMEDOUT,
		    "none of %u pings to %s was answered: is it up, and does it answer echo "
		    "requests?",
		    r->sent, o->peer);
}

static int allocate(struct probes *p, struct failure *f)
{
	p->sent_ns = calloc(p->options->count, sizeof(*p->sent_ns));
	p->result->ns = calloc(p->options->count, sizeof(*p->result->ns));
	if (p->sent_ns && p->result->ns)
		return 0;
	return fail(f, ENOMEM, "no memory for %u round trips", p->options->count);
}

int rtt_run(const struct rtt_options *o, struct rtt_result *r, struct failure *f)
{
	struct probes p = { .options = o, .result = r, .socket.fd = -1, .jitter.state = 1 };
	int error;

	memset(r, 0, sizeof(*r));
	error = echo_open(&p.socket, o->peer, o->interface, f);
	if (error)
		return error;
	memcpy(r->address, p.socket.address, sizeof(r->address));
	r->raw = p.socket.raw;
	/*
	 * With the usual 50 us of slack a wake-up is moved to the next interrupt of any
	 * timer: where a timer drives the bus, requests are then sent in step with it.
	 */
	prctl(PR_SET_TIMERSLACK, 1UL);
	error = allocate(&p, f);
	p.next_ns = clock_now_ns();
	while (!error && goes_on(&p)) {
		if (may_send(&p) && clock_now_ns() >= p.next_ns)
			send_one(&p);
		wait_for_event(&p);
	}
	if (!error && !r->received)
		error = nothing_came(o, r, f);
	free(p.sent_ns);
	echo_close(&p.socket);
	if (error)
		rtt_free(r);
	return error;
}

void rtt_free(struct rtt_result *r)
{
	free(r->ns);
	r->ns = NULL;
}
