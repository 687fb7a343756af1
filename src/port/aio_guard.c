/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "port/aio_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STACK_BYTES (64 * 1024)
#define FILES_MAX   4096 /* closed one by one where there is no close_range() (Linux 5.9) */

/*
 * The guard's life. It has the maker's thread-local storage, errno included: until it has
 * closed its files the maker waits, and from then on nothing fails.
 */
static int keep_watch(void *argument)
{
	static const struct timespec millisecond = { 0, 1000000 };
	int alive = (int)(intptr_t)argument;
	pid_t maker = getppid();
	char word;

	prctl(PR_SET_NAME, "ncmd-guard");
	dup2(alive, 0);
	if (close_range(1, ~0u, 0) < 0)
		for (int fd = 1; fd < FILES_MAX; fd++)
			close(fd);
	/* A word is the good end. Else wait until the last of the maker's threads has closed all.
	 */
	if (read(0, &word, 1) == 0)
		while (getppid() == maker)
			nanosleep(&millisecond, NULL);
	_exit(0);
}

static pid_t start(void *stack, int alive)
{
	sigset_t all, before;
	pid_t pid;

	sigfillset(&all);
	/* It must not be ended by what ends us. */
	sigprocmask(SIG_SETMASK, &all, &before);
	pid = clone(keep_watch, (char *)stack + STACK_BYTES, CLONE_VM, (void *)(intptr_t)alive);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return pid;
}

int aio_guard_open(struct aio_guard *g, struct failure *f)
{
	int alive[2], ready[2], error = 0;
	char none;

	memset(g, 0, sizeof(*g));
	g->stack = aligned_alloc(16, STACK_BYTES);
	if (!g->stack || pipe2(alive, O_CLOEXEC) < 0) {
		free(g->stack);
		return fail(f, errno, "cannot prepare the guard process: %s", strerror(errno));
	}
	if (pipe2(ready, O_CLOEXEC) < 0) {
		ready[0] = ready[1] = -1;
		error = errno;
	} else {
		g->pid = start(g->stack, alive[0]);
		if (g->pid < 0)
			error = errno;
	}
	close(alive[0]);
	close(ready[1]);
	if (!error) /* until the guard has closed its files, the other end of this one too */
		(void)!read(ready[0], &none, 1);
	close(ready[0]);
	g->alive = alive[1];
	if (!error)
		return 0;
	close(alive[1]);
	free(g->stack);
	g->pid = 0;
	return fail(f, error, "cannot start the guard process: %s", strerror(error));
}

void aio_guard_close(struct aio_guard *g)
{
	if (!g->pid)
		return;
	(void)!write(g->alive, "q", 1);
	close(g->alive);
	while (waitpid(g->pid, NULL, __WCLONE) < 0 && errno == EINTR)
		;
	free(g->stack);
	g->pid = 0;
}
