/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "port/helper_thread.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>

#define INTERRUPT SIGUSR2 /* only ever sent to these threads, to end a system call */

static void interrupted(int signal)
{
	(void)signal;
}

int helper_thread_start(pthread_t *thread, void *(*body)(void *), void *argument)
{
	struct sigaction action = { .sa_handler = interrupted }; /* no SA_RESTART */
	sigset_t all, before;
	int error;

	sigaction(INTERRUPT, &action, NULL);
	/* The thread inherits this mask: every signal but ours goes to the loop. */
	sigfillset(&all);
	sigdelset(&all, INTERRUPT);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(thread, NULL, body, argument);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

void helper_thread_interrupt(pthread_t thread, const atomic_bool *until)
{
	static const struct timespec millisecond = { 0, 1000000 };

	while (!atomic_load(until)) {
		pthread_kill(thread, INTERRUPT);
		nanosleep(&millisecond, NULL);
	}
}
