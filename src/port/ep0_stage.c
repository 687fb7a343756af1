/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "port/ep0_stage.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define INTERRUPT SIGUSR2 /* only ever sent to the thread, to end a system call */

static void interrupted(int signal)
{
	(void)signal;
}

/* A stall is asked for by a transfer in the wrong direction; -EL2HLT says that it worked (facts 4).
 */
static int32_t stalled(ssize_t n)
{
	return n < 0 && errno != EL2HLT ? -errno : 0;
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
		n = read(ep0, m->data, m->len);
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

int ep0_stage_open(struct ep0_stage *s, int ep0, struct failure *f)
{
	struct sigaction action = { .sa_handler = interrupted }; /* no SA_RESTART */
	sigset_t all, before;
	int pair[2], error;

	s->ep0 = ep0;
	s->busy = false;
	atomic_init(&s->done, false);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return fail(f, errno, "cannot make a socket pair: %s", strerror(errno));
	s->loop_end = pair[0];
	s->thread_end = pair[1];
	sigaction(INTERRUPT, &action, NULL);
	/* The thread inherits this mask: every signal but ours goes to the loop. */
	sigfillset(&all);
	sigdelset(&all, INTERRUPT);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&s->thread, NULL, stage_thread, s);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error) {
		close(s->loop_end);
		close(s->thread_end);
		s->loop_end = -1;
		return fail(f, error, "cannot start the thread for ep0's data stages: %s",
			    strerror(error));
	}
	return 0;
}

int ep0_stage_order(struct ep0_stage *s, const struct ep0_stage_message *order)
{
	if (send(s->loop_end, order, sizeof(*order), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		return -errno;
	s->busy = true;
	return 0;
}

bool ep0_stage_result(struct ep0_stage *s, struct ep0_stage_message *result)
{
	if (!s->busy || recv(s->loop_end, result, sizeof(*result), MSG_DONTWAIT) < 0)
		return false;
	s->busy = false;
	return true;
}

void ep0_stage_close(struct ep0_stage *s)
{
	static const struct timespec millisecond = { 0, 1000000 };
	struct ep0_stage_message quit = { .kind = EP0_STAGE_QUIT };

	(void)!send(s->loop_end, &quit, sizeof(quit), MSG_NOSIGNAL);
	/* Again and again: one signal may come just before the thread enters the system call. */
	while (!atomic_load(&s->done)) {
		pthread_kill(s->thread, INTERRUPT);
		nanosleep(&millisecond, NULL);
	}
	pthread_join(s->thread, NULL);
	close(s->loop_end);
	close(s->thread_end);
}
