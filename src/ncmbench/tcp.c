/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ncmbench/tcp.h"

#include <errno.h>
#include <iperf_api.h>
#include <json-c/json.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ncmbench/clock.h"

static struct iperf_test *configure(const struct tcp_options *o)
{
	struct iperf_test *test = iperf_new_test();

	if (!test || iperf_defaults(test) < 0)
		return NULL;
	iperf_set_test_role(test, 'c');
	iperf_set_test_server_hostname(test, o->peer);
	iperf_set_test_server_port(test, (int)o->port);
	iperf_set_test_connect_timeout(test, 5000);
	iperf_set_test_duration(test, (int)o->seconds);
	iperf_set_test_omit(test, (int)o->omit_s);
	iperf_set_test_reverse(test, o->reverse);
	iperf_set_test_rate(test, o->rate_bps);
	iperf_set_test_stats_interval(test, TCP_INTERVAL_MS / 1000.0);
	iperf_set_test_reporter_interval(test, TCP_INTERVAL_MS / 1000.0);
	iperf_set_test_json_output(test, 1);
	return test;
}

/* What iperf3 says when it fails takes the place of what it has printed. */
static void child_failed(int output_fd)
{
	json_object *o = json_object_new_object();
	const char *text;

	json_object_object_add(o, "error", json_object_new_string(iperf_strerror(i_errno)));
	text = json_object_to_json_string(o);
	fflush(stdout);
	if (ftruncate(output_fd, 0) == 0)
		(void)!pwrite(output_fd, text, strlen(text), 0);
	_exit(1);
}

static void child_main(const struct tcp_options *o, int output_fd)
{
	struct iperf_test *test;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_IGN);
	dup2(output_fd, STDOUT_FILENO);
	test = configure(o);
	if (!test || iperf_run_client(test) < 0)
		child_failed(output_fd);
	fflush(stdout);
	_exit(0);
}

int tcp_start(struct tcp_run *run, const struct tcp_options *o, struct failure *f)
{
	int error;

	run->exit_fd = -1;
	run->output_fd = memfd_create("iperf3", MFD_CLOEXEC);
	if (run->output_fd < 0)
		return fail(f, errno, "cannot make a memory file for iperf3's output: %s",
			    strerror(errno));
	processor_read(&run->before);
	run->deadline_ns =
		clock_now_ns() + (o->seconds + o->omit_s + TCP_PATIENCE_S) * NS_PER_SECOND;
	fflush(stdout);
	run->child = fork();
	if (run->child == 0)
		child_main(o, run->output_fd);
	if (run->child > 0)
		run->exit_fd = pidfd_open(run->child, 0);
	if (run->exit_fd >= 0)
		return 0;
	error = errno;
	if (run->child > 0) {
		kill(run->child, SIGKILL);
		waitpid(run->child, NULL, 0);
	}
	close(run->output_fd);
	return fail(f, error, "cannot start a process for iperf3: %s", strerror(error));
}

/* The number at object.key, or `otherwise` if there is none. */
static double number(json_object *object, const char *key, double otherwise)
{
	json_object *value;

	if (!json_object_object_get_ex(object, key, &value))
		return otherwise;
	return json_object_get_double(value);
}

static unsigned int count_stalls(json_object *root, double *all_bytes)
{
	json_object *intervals, *sum;
	unsigned int stalls = 0;

	*all_bytes = 0;
	if (!json_object_object_get_ex(root, "intervals", &intervals))
		return 0;
	for (size_t i = 0; i < json_object_array_length(intervals); i++) {
		json_object *omitted = NULL, *one = json_object_array_get_idx(intervals, i);
		double bytes;

		if (!json_object_object_get_ex(one, "sum", &sum))
			continue;
		bytes = number(sum, "bytes", 0);
		*all_bytes += bytes;
		json_object_object_get_ex(sum, "omitted", &omitted);
		/* The last one may be a fragment of an interval. */
		if (bytes <= 0 && !json_object_get_boolean(omitted) &&
		    number(sum, "seconds", 0) * 1000 > TCP_INTERVAL_MS / 2.0)
			stalls++;
	}
	return stalls;
}

static bool read_sums(json_object *root, struct tcp_result *r)
{
	json_object *end, *sent, *received;

	if (!json_object_object_get_ex(root, "end", &end) ||
	    !json_object_object_get_ex(end, "sum_sent", &sent) ||
	    !json_object_object_get_ex(end, "sum_received", &received))
		return false;
	r->mbps = number(received, "bits_per_second", 0) / 1e6;
	r->bytes = (uint64_t)number(received, "bytes", 0);
	r->seconds = number(received, "seconds", 0);
	r->retransmits = (int64_t)number(sent, "retransmits", -1);
	return true;
}

bool tcp_parse(const char *json, struct tcp_result *r, char *why, size_t why_size)
{
	json_object *root = json_tokener_parse(json), *error;
	double all_bytes;
	bool good = false;

	if (root && json_object_object_get_ex(root, "error", &error)) {
		snprintf(why, why_size, "%s", json_object_get_string(error));
	} else if (root && read_sums(root, r)) {
		r->stalls = count_stalls(root, &all_bytes);
		r->all_bytes = (uint64_t)all_bytes;
		good = true;
	} else {
		snprintf(why, why_size, "iperf3 ended without a result");
	}
	json_object_put(root);
	return good;
}

/* All of the file, NUL-terminated; NULL if that cannot be. free() it. */
static char *read_all(int fd)
{
	struct stat st;
	char *text;
	ssize_t n;

	if (fstat(fd, &st) < 0)
		return NULL;
	text = malloc((size_t)st.st_size + 1);
	if (!text)
		return NULL;
	n = pread(fd, text, (size_t)st.st_size, 0);
	text[n > 0 ? n : 0] = '\0';
	return text;
}

static int stalled(const struct tcp_options *o, struct failure *f)
{
	return fail(f, ETIMEDOUT,
		    "TCP with %s did not end within %u s of its %u s: the connection has stalled",
		    o->peer, TCP_PATIENCE_S, o->seconds + o->omit_s);
}

static int read_output(int fd, const struct tcp_options *o, struct tcp_result *r, struct failure *f)
{
	char why[256], *text = read_all(fd);
	int error = 0;

	if (!text)
		error = fail(f, ENOMEM, "cannot read what iperf3 said");
	else if (!tcp_parse(text, r, why, sizeof(why)))
		error = fail(f, EIO,
			     "TCP with %s, port %u: %s; there has to be an iperf3 -s that is idle",
			     o->peer, o->port, why);
	free(text);
	return error;
}

int tcp_finish(struct tcp_run *run, const struct tcp_options *o, struct tcp_result *r,
	       struct failure *f)
{
	bool ended = clock_wait_readable(run->exit_fd, run->deadline_ns);
	struct processor_sample after;
	int error;

	memset(r, 0, sizeof(*r));
	if (!ended)
		kill(run->child, SIGKILL);
	waitpid(run->child, NULL, 0);
	processor_read(&after);
	error = ended ? read_output(run->output_fd, o, r, f) : stalled(o, f);
	close(run->output_fd);
	close(run->exit_fd);
	r->elapsed_us = (after.time_ns - run->before.time_ns) / NS_PER_US;
	r->busy_us = processor_busy_us(&run->before, &after);
	r->processors = after.processors;
	return error;
}
