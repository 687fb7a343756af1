/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ncmd/loop.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/* How long an endpoint that failed at once is left alone. */
#define REARM_NS 10000000LL
/* How soon transfers that the kernel had no room for are offered again. */
#define RESUBMIT_NS 1000000LL

int64_t loop_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int watch(struct loop *l, int fd, enum loop_source source, uint32_t events)
{
	struct epoll_event e = { .events = events, .data.u32 = source };

	if (fd < 0)
		return 0;
	return epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &e) < 0 ? -errno : 0;
}

static int watch_all(struct loop *l)
{
	int error = 0;

	/*
	 * Edge-triggered where the reader remembers that more may be there: the TAP is
	 * left alone while the wire is busy, and the AIO eventfd is never read.
	 */
	error |= watch(l, l->tap->fd, LOOP_TAP, EPOLLIN | EPOLLET);
	error |= watch(l, l->transport->completion_fd, LOOP_COMPLETION, EPOLLIN | EPOLLET);
	error |= watch(l, l->transport->event_fd, LOOP_CONTROL, EPOLLIN);
	error |= watch(l, l->signals, LOOP_SIGNAL, EPOLLIN);
	error |= watch(l, l->timer, LOOP_TIMER, EPOLLIN);
	error |= watch(l, l->watch ? l->watch->fd : -1, LOOP_INTERFACE, EPOLLIN);
	return error ? -EIO : 0;
}

static void caught_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGUSR1);
}

void loop_block_signals(void)
{
	sigset_t set;

	caught_signals(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN); /* whoever read the log is gone: no reason to end */
}

int loop_open(struct loop *l, struct failure *f)
{
	sigset_t set;

	l->timer_ns = l->expire_ns = l->rearm_ns = POLICY_NO_TIMER;
	l->stop = l->report = false;
	l->stop_signal = 0;
	loop_block_signals();
	caught_signals(&set);
	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	l->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	l->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (l->epoll < 0 || l->timer < 0 || l->signals < 0 || watch_all(l)) {
		int error = errno;

		loop_close(l);
		return fail(f, error, "cannot set up the event loop: %s", strerror(error));
	}
	return 0;
}

void loop_close(struct loop *l)
{
	if (l->epoll >= 0)
		close(l->epoll);
	if (l->timer >= 0)
		close(l->timer);
	if (l->signals >= 0)
		close(l->signals);
	l->epoll = l->timer = l->signals = -1;
}

static void on_signal(struct loop *l)
{
	struct signalfd_siginfo info;

	while (read(l->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGUSR1) {
			l->report = true;
			continue;
		}
		l->stop_signal = (int)info.ssi_signo;
		l->stop = true;
	}
}

static void on_timer(struct loop *l)
{
	uint64_t times;

	(void)!read(l->timer, &times, sizeof(times));
	l->timer_ns = POLICY_NO_TIMER;
}

static void ended(struct loop *l, struct transfer *transfer, int64_t now_ns)
{
	switch (transfer->endpoint) {
	case ENDPOINT_NOTIFY:
		link_done(l->link, transfer, now_ns);
		break;
	case ENDPOINT_BULK_IN:
		to_host_done(l->to_host, transfer, now_ns);
		break;
	case ENDPOINT_BULK_OUT:
		/* Before the datagrams are written: the answers they cause need the carrier. */
		if (transfer->result > 0)
			link_heard(l->link, transfer);
		from_host_done(l->from_host, transfer);
		break;
	}
}

static void on_completion(struct loop *l, int64_t now_ns)
{
	struct transfer *done[32];
	unsigned int n;

	do {
		n = transport_reap(l->transport, done, 32);
		for (unsigned int i = 0; i < n; i++)
			ended(l, done[i], now_ns);
	} while (n == 32);
	/* A transport without a descriptor for events has them from its completions. */
	if (l->transport->event_fd < 0)
		link_events(l->link);
}

static bool dispatch(struct loop *l, enum loop_source source)
{
	switch (source) {
	case LOOP_TAP:
		to_host_tap_ready(l->to_host);
		break;
	case LOOP_COMPLETION:
		return true;
	case LOOP_CONTROL:
		link_events(l->link);
		break;
	case LOOP_SIGNAL:
		on_signal(l);
		break;
	case LOOP_TIMER:
		on_timer(l);
		break;
	case LOOP_INTERFACE:
		rtnl_watch_read(l->watch);
		link_tap_up(l->link, l->watch->up);
		break;
	case LOOP_SOURCES:
		break;
	}
	return false;
}

static int64_t earliest(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* The timer is only ever moved forward in time when something is due sooner: most turns set
 * nothing. */
static void set_timer(struct loop *l, int64_t due_ns)
{
	struct itimerspec when = { .it_value = { due_ns / 1000000000, due_ns % 1000000000 } };

	if (due_ns == POLICY_NO_TIMER || due_ns >= l->timer_ns)
		return;
	l->timer_ns = due_ns;
	l->stats->loop.timer_sets++;
	timerfd_settime(l->timer, TFD_TIMER_ABSTIME, &when, NULL);
}

static void look_for_stale(struct loop *l, int64_t now_ns)
{
	if (l->expire_ns == POLICY_NO_TIMER) {
		if (l->to_host->in_flight.ntbs)
			l->expire_ns = now_ns + TO_HOST_STALE_NS;
	} else if (now_ns >= l->expire_ns) {
		l->expire_ns = to_host_expire(l->to_host, now_ns);
	}
}

/* What is done once, after all events of a turn. */
static void deferred(struct loop *l, int64_t now_ns)
{
	bool left;

	/* A write to the TAP runs the network stack, which may have answered already. */
	if (from_host_flush(l->from_host, now_ns))
		to_host_tap_ready(l->to_host);
	if (now_ns >= l->rearm_ns) {
		l->rearm_ns = POLICY_NO_TIMER;
		from_host_arm(l->from_host);
	}
	to_host_turn(l->to_host, now_ns);
	link_turn(l->link, now_ns);
	look_for_stale(l, now_ns);
	left = transport_submit(l->transport);
	to_host_submitted(l->to_host);
	if (left) {
		l->stats->loop.submit_retries++;
		l->rearm_ns = earliest(l->rearm_ns, now_ns + RESUBMIT_NS);
	} else if (l->from_host->rearm) {
		l->rearm_ns = earliest(l->rearm_ns, now_ns + REARM_NS);
	}
	set_timer(l, earliest(earliest(to_host_deadline_ns(l->to_host), l->link->retry_ns),
			      earliest(l->expire_ns, l->rearm_ns)));
}

/* Not at all if something is known already. For a wait of microseconds the timer is too dear. */
static int wait_for_events(struct loop *l, struct epoll_event *event, bool known, int64_t now_ns)
{
	struct timespec timeout = { 0, 0 };
	int64_t until_ns = l->from_host->join_until_ns;

	int n;

	if (!known && until_ns == POLICY_NO_TIMER)
		return epoll_wait(l->epoll, event, LOOP_SOURCES, -1);
	if (!known && until_ns > now_ns)
		timeout.tv_nsec = (long)(until_ns - now_ns);
	n = l->no_pwait2 ? -1 : epoll_pwait2(l->epoll, event, LOOP_SOURCES, &timeout, NULL);
	/* Before Linux 5.11, or in a tool that does not know it: in milliseconds. */
	if (l->no_pwait2 || (n < 0 && errno == ENOSYS)) {
		l->no_pwait2 = true;
		n = epoll_wait(l->epoll, event, LOOP_SOURCES, timeout.tv_nsec ? 1 : 0);
	}
	return n;
}

int loop_run(struct loop *l, struct failure *f)
{
	struct epoll_event event[LOOP_SOURCES];
	int64_t now_ns = loop_now_ns();

	link_events(l->link);
	deferred(l, now_ns);
	while (!l->stop && !l->link->closed) {
		bool completed = transport_ready(l->transport);
		int n = wait_for_events(l, event, completed, now_ns);

		if (n < 0 && errno != EINTR)
			return fail(f, errno, "cannot wait for events: %s", strerror(errno));
		l->stats->loop.turns++;
		now_ns = loop_now_ns();
		for (int i = 0; i < n; i++)
			completed |= dispatch(l, event[i].data.u32);
		if (completed || transport_ready(l->transport))
			on_completion(l, now_ns);
		deferred(l, now_ns);
		if (l->report && l->on_report)
			l->on_report(l->report_argument);
		l->report = false;
		if (l->to_host->tap_error)
			return fail(f, l->to_host->tap_error,
				    "the TAP interface %s is gone: %s; was it deleted?",
				    l->tap->name, strerror(-l->to_host->tap_error));
	}
	return 0;
}
