/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The helper that writes short transfers, on a socket in an endpoint's place: one that is full
 * keeps it waiting as an endpoint does that the host does not ask. And the guard process.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "port/aio_guard.h"
#include "port/ep_writer.h"
#include "unit.h"

static struct ep_writer writer;
static int wake, bus[2]; /* bus[0] is the endpoint, bus[1] the host */

static int set_up(void **state)
{
	struct failure f;

	(void)state;
	wake = eventfd(0, EFD_NONBLOCK);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, bus))
		return -1;
	return ep_writer_open(&writer, wake, &f);
}

static int tear_down(void **state)
{
	(void)state;
	ep_writer_close(&writer);
	close(wake);
	close(bus[0]);
	close(bus[1]);
	return 0;
}

static struct transfer *wait_for_end(void)
{
	struct pollfd p = { .fd = wake, .events = POLLIN };
	uint64_t times;

	assert_int_equal(poll(&p, 1, 5000), 1);
	assert_int_equal(read(wake, &times, sizeof(times)), sizeof(times));
	assert_int_equal(times, 1);
	return ep_writer_reap(&writer);
}

/* Until the host has no room for another packet. */
static void fill_the_host(void)
{
	uint8_t packet[64] = { 0 };

	while (send(bus[0], packet, sizeof(packet), MSG_DONTWAIT) > 0)
		;
}

static void bytes_go_out(void **state)
{
	uint8_t bytes[64], got[128];
	struct transfer t = { .endpoint = ENDPOINT_NOTIFY, .bytes = bytes };

	(void)state;
	assert_null(ep_writer_reap(&writer));
	assert_false(ep_writer_ended(&writer));
	for (uint32_t len = 1; len <= 64; len += 21) {
		memset(bytes, (int)len, sizeof(bytes));
		t.len = len;
		ep_writer_order(&writer, bus[0], &t);
		assert_false(ep_writer_is_idle(&writer));
		memset(bytes, 0xff, sizeof(bytes)); /* it has its own copy */
		assert_ptr_equal(wait_for_end(), &t);
		assert_int_equal(t.result, len);
		assert_true(ep_writer_is_idle(&writer));
		assert_int_equal(recv(bus[1], got, sizeof(got), 0), len);
		assert_int_equal(got[0], len);
		assert_int_equal(got[len - 1], len);
	}
}

static void an_error_is_the_result(void **state)
{
	uint8_t byte = 0;
	struct transfer t = { .bytes = &byte, .len = 1 };

	(void)state;
	ep_writer_order(&writer, -1, &t);
	assert_ptr_equal(wait_for_end(), &t);
	assert_int_equal(t.result, -EBADF);
}

static void it_is_called_back(void **state)
{
	uint8_t bytes[64] = { 0 };
	struct transfer t = { .bytes = bytes, .len = sizeof(bytes) };

	(void)state;
	fill_the_host();
	for (int i = 0; i < 50; i++) {
		ep_writer_order(&writer, bus[0], &t);
		if (i % 2)
			usleep(1000); /* it waits in the call, or has not come to it */
		ep_writer_interrupt(&writer);
		assert_ptr_equal(wait_for_end(), &t);
		assert_int_equal(t.result, -ECONNRESET);
	}
	ep_writer_interrupt(&writer); /* nothing is out: no harm */
}

static void closing_does_not_wait(void **state)
{
	uint8_t bytes[64] = { 0 };
	struct transfer t = { .bytes = bytes, .len = sizeof(bytes) };

	(void)state;
	fill_the_host();
	ep_writer_order(&writer, bus[0], &t);
	usleep(1000); /* tear_down() closes it while it waits */
}

/* And not only its entry in the table of processes. */
static bool is_there(pid_t pid)
{
	char path[40], state = 'Z';
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		state = 'Z';
	fclose(file);
	return state != 'Z';
}

/* It has no file of ours: the pipe's other end tells. */
static void guard_keeps_no_file(void **state)
{
	struct aio_guard g;
	struct failure f;
	int pair[2];
	char none;

	(void)state;
	assert_int_equal(pipe(pair), 0);
	assert_int_equal(aio_guard_open(&g, &f), 0);
	assert_true(is_there(g.pid));
	close(pair[1]);
	assert_int_equal(read(pair[0], &none, 1), 0);
	close(pair[0]);
	aio_guard_close(&g);
	assert_int_equal(g.pid, 0);
	aio_guard_close(&g);
}

/* The one that is killed ends; the guard a moment later, by itself. */
static void guard_outlives(void **state)
{
	pid_t child, guard;
	int pair[2];

	(void)state;
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	assert_int_equal(pipe(pair), 0);
	child = fork();
	if (child == 0) {
		struct aio_guard g;
		struct failure f;

		prctl(PR_SET_PDEATHSIG, SIGKILL); /* also if an assertion ends the test */
		if (aio_guard_open(&g, &f) || write(pair[1], &g.pid, sizeof(g.pid)) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(pair[0], &guard, sizeof(guard)), sizeof(guard));
	kill(guard, SIGTERM); /* it takes no notice */
	usleep(20000);
	assert_true(is_there(guard));
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	for (int i = 0; i < 5000 && waitpid(guard, NULL, __WALL | WNOHANG) != guard; i++)
		usleep(1000);
	assert_false(is_there(guard));
	close(pair[0]);
	close(pair[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(bytes_go_out, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_error_is_the_result, set_up, tear_down),
		cmocka_unit_test_setup_teardown(it_is_called_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(closing_does_not_wait, set_up, tear_down),
		cmocka_unit_test(guard_keeps_no_file),
		cmocka_unit_test(guard_outlives),
	};

	return cmocka_run_group_tests_name("ep_writer", tests, NULL, NULL);
}
