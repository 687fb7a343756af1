/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "port/ep0_stage.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "port/helper_thread.h"

/* How long GadgetFS is asked for data that is not there yet, and how often. */
#define RECEIVE_TRIES 1000
#define RECEIVE_NS    1000000

/* A stall is asked for by a transfer in the wrong direction; -EL2HLT says that it worked (facts 4).
 */
static int32_t stalled(ssize_t n)
{
	return n < 0 && errno != EL2HLT ? -errno : 0;
}

/*
 * GadgetFS has its ep0 say -EAGAIN until the data has come, and -EIDRM when the host has gone
 * on to something else; a sleep there would not end with that. FunctionFS sleeps.
 */
static ssize_t receive(int ep0, struct ep0_stage_message *m)
{
	static const struct timespec pause = { 0, RECEIVE_NS };
	ssize_t n = read(ep0, m->data, m->len);

	for (int i = 0; n < 0 && errno == EAGAIN && i < RECEIVE_TRIES; i++) {
		if (nanosleep(&pause, NULL) < 0)
			return -1; /* interrupted */
		n = read(ep0, m->data, m->len);
	}
	return n;
}

static int32_t carry_out(int ep0, struct ep0_stage_message *m)
{
	ssize_t n = 0;
	uint8_t none;

	switch (m->kind) {
	case EP0_STAGE_SEND:
		n = write(ep0, m->data, m->len);
		break;
	case EP0_STAGE_RECEIVE:
		n = receive(ep0, m);
		break;
	case EP0_STAGE_ACKNOWLEDGE:
		n = read(ep0, &none, 0);
		break;
	case EP0_STAGE_STALL_IN:
		return stalled(read(ep0, &none, 0));
	case EP0_STAGE_STALL_OUT:
		return stalled(write(ep0, &none, 0));
	case EP0_STAGE_QUIT:
		break;
	}
	return n < 0 ? -errno : (int32_t)n;
}

static void *stage_thread(void *argument)
{
	struct ep0_stage *s = argument;
	struct ep0_stage_message m;

	for (;;) {
		ssize_t n = recv(s->thread_end, &m, sizeof(m), 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n != sizeof(m) || m.kind == EP0_STAGE_QUIT)
			break;
		m.result = carry_out(s->ep0, &m);
		/* Never blocks: there is one message at a time. */
		(void)!send(s->thread_end, &m, sizeof(m), MSG_NOSIGNAL);
	}
	atomic_store(&s->done, true);
	return NULL;
}

static void watch_ep0(struct ep0_stage *s, bool on)
{
	struct epoll_event e = { .events = EPOLLIN };

	if (s->ep0_watched == on)
		return;
	/* Not EPOLL_CTL_MOD with no events: EPOLLHUP cannot be masked. */
	epoll_ctl(s->watch, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, s->ep0, &e);
	s->ep0_watched = on;
}

static int start_watch(struct ep0_stage *s, struct failure *f)
{
	struct epoll_event e = { .events = EPOLLIN };

	if (epoll_ctl(s->watch, EPOLL_CTL_ADD, s->loop_end, &e) < 0) {
		int error = errno;

		ep0_stage_close(s);
		s->loop_end = -1;
		return fail(f, error, "cannot watch ep0: %s", strerror(error));
	}
	watch_ep0(s, true);
	return 0;
}

int ep0_stage_open(struct ep0_stage *s, int ep0, int watch, struct failure *f)
{
	int pair[2], error;

	s->ep0 = ep0;
	s->watch = watch;
	s->ep0_watched = false;
	s->busy = false;
	atomic_init(&s->done, false);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return fail(f, errno, "cannot make a socket pair: %s", strerror(errno));
	s->loop_end = pair[0];
	s->thread_end = pair[1];
	error = helper_thread_start(&s->thread, stage_thread, s);
	if (error) {
		close(s->loop_end);
		close(s->thread_end);
		s->loop_end = -1;
		return fail(f, error, "cannot start the thread for ep0's data stages: %s",
			    strerror(error));
	}
	return start_watch(s, f);
}

void ep0_stage_of_answer(struct ep0_stage_message *m, const struct ncm_answer *answer,
			 uint8_t bRequestType)
{
	memset(m, 0, sizeof(*m));
	m->len = answer->len;
	switch (answer->kind) {
	case NCM_REPLY:
		m->kind = EP0_STAGE_SEND;
		memcpy(m->data, answer->reply, answer->len);
		break;
	case NCM_WANT_DATA:
		m->kind = EP0_STAGE_RECEIVE;
		break;
	case NCM_ACCEPT:
		m->kind = EP0_STAGE_ACKNOWLEDGE;
		break;
	case NCM_STALL:
	case NCM_REFUSE_DATA:
		m->kind = bRequestType & 0x80 ? EP0_STAGE_STALL_IN : EP0_STAGE_STALL_OUT;
		break;
	}
}

int ep0_stage_order(struct ep0_stage *s, const struct ep0_stage_message *order)
{
	watch_ep0(s, false);
	if (send(s->loop_end, order, sizeof(*order), MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
		int error = errno;

		watch_ep0(s, true);
		return -error;
	}
	s->busy = true;
	return 0;
}

bool ep0_stage_result(struct ep0_stage *s, struct ep0_stage_message *result)
{
	if (!s->busy || recv(s->loop_end, result, sizeof(*result), MSG_DONTWAIT) < 0)
		return false;
	s->busy = false;
	watch_ep0(s, true);
	return true;
}

void ep0_stage_event(const struct ep0_stage_message *result, const struct usb_setup *setup,
		     struct transport_event *event)
{
	memset(event, 0, sizeof(*event));
	event->setup = *setup;
	if (result->kind == EP0_STAGE_RECEIVE && result->result >= 0) {
		event->kind = TRANSPORT_DATA;
		event->data_len = (size_t)result->result;
		memcpy(event->data, result->data, event->data_len);
	} else {
		event->kind = TRANSPORT_ANSWERED;
		event->error = result->result < 0 ? result->result : 0;
	}
}

void ep0_stage_close(struct ep0_stage *s)
{
	struct ep0_stage_message quit = { .kind = EP0_STAGE_QUIT };

	(void)!send(s->loop_end, &quit, sizeof(quit), MSG_NOSIGNAL);
	helper_thread_interrupt(s->thread, &s->done);
	pthread_join(s->thread, NULL);
	close(s->loop_end);
	close(s->thread_end);
}
