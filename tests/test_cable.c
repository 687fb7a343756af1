/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two TAPs in two network namespaces, joined by the real flows over a socket pair:
 *
 *	sockets - kernel - TAP - to_host / from_host == cable == the same - TAP - kernel - sockets
 *
 * TCP, UDP and fragments, IPv4 and IPv6, through real NTBs; far kernels verify the
 * checksums. Also: the data path allocates nothing once it runs. Needs root and
 * /dev/net/tun; skipped (77) without.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cable_traffic.h"
#include "ncmd/loop.h"
#include "port/cable.h"

#define SKIPPED 77

/* Most TAP reads and writes a datagram of bulk TCP, where offloads work. */
#define READS_MAX  0.35
#define WRITES_MAX 0.5
#define BULK_BYTES (4u << 20)

struct cable_case {
	const char *name;
	enum usb_speed speed;
	enum ntb_format format;
	bool crc;
	uint32_t ntb_size; /* both ways */
	uint16_t max_datagrams;
	uint32_t depth;
	const char *policy;
	unsigned int mtu;
	bool bounce; /* every frame is copied once more */
};

static const struct cable_case cases[] = {
	{ "NTB16, high speed", USB_SPEED_IS_HIGH, NTB_FORMAT_16, false, 16384, 64, 4, "immediate", 1500 },
	{ "NTB16, full speed, 2 KiB", USB_SPEED_IS_FULL, NTB_FORMAT_16, false, 2048, 16, 2, "immediate", 1500 },
	{ "one datagram an NTB", USB_SPEED_IS_HIGH, NTB_FORMAT_16, false, 2048, 1, 8, "immediate", 1500 },
	{ "NTB32, super speed", USB_SPEED_IS_SUPER, NTB_FORMAT_32, false, 65536, 240, 4, "immediate", 1500 },
	{ "CRC mode", USB_SPEED_IS_HIGH, NTB_FORMAT_16, true, 16384, 64, 4, "immediate", 1500 },
	{ "NTB32, CRC mode, one in flight", USB_SPEED_IS_HIGH, NTB_FORMAT_32, true, 8192, 64, 1, "immediate", 1500 },
	{ "window of 300 us", USB_SPEED_IS_HIGH, NTB_FORMAT_16, false, 16384, 31, 4, "window:300", 1500 },
	{ "8000-byte datagrams", USB_SPEED_IS_HIGH, NTB_FORMAT_16, false, 16384, 64, 4, "immediate", 7986 },
	{ "copied once more", USB_SPEED_IS_HIGH, NTB_FORMAT_16, false, 16384, 64, 4, "immediate", 1500, true },
};

static size_t stream_bytes = 8u << 20;

/* --- no allocation on the data path: the linker sends these calls here ------- */

static bool allocation_forbidden;
static unsigned int allocations;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_malloc(size_t size)
{
	allocations += allocation_forbidden;
	return __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	allocations += allocation_forbidden;
	return __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	allocations += allocation_forbidden;
	return __real_realloc(old, size);
}

/* --- one end --------------------------------------------------------------- */

struct end {
	const char *address4, *address6; /* its own, with prefix length */
	const char *peer4, *peer6; /* NULL: it only serves */
	uint8_t mac[6];
};

static const struct end ends[2] = {
	{ "10.77.0.1/24", "fd77::1/64", NULL, NULL, { 2, 0, 0, 0, 0, 1 } },
	{ "10.77.0.2/24", "fd77::2/64", "10.77.0.1", "fd77::1", { 2, 0, 0, 0, 0, 2 } },
};

struct cable_end {
	struct cable cable;
	struct tap tap;
	struct to_host to_host;
	struct from_host from_host;
	struct link link;
	struct stats stats;
	struct loop loop;
};

static void check(int error, const struct failure *f)
{
	if (!error)
		return;
	fprintf(stderr, "%s\n", f->text);
	_exit(1);
}

/* Addresses are usable at once: nobody else is on this cable. */
static void no_duplicate_address_detection(void)
{
	static const char *const files[] = { "/proc/sys/net/ipv6/conf/all/accept_dad",
					     "/proc/sys/net/ipv6/conf/default/accept_dad" };

	for (int i = 0; i < 2; i++) {
		int fd = open(files[i], O_WRONLY);

		(void)!write(fd, "0", 1);
		close(fd);
	}
}

static void open_tap(struct cable_end *e, const struct end *end, unsigned int mtu)
{
	const char *address[] = { end->address4, end->address6 };
	const struct rtnl_settings settings = { "cable0", end->mac, mtu, 500, address, 2 };
	struct failure f;

	no_duplicate_address_detection();
	check(tap_open(&e->tap, settings.name, false, true, &f), &f);
	check(rtnl_apply(&settings, &f), &f);
}

static void open_flows(struct cable_end *e, const struct cable_case *c, int socket)
{
	const uint32_t longest = c->mtu + ETHERNET_HEADER_LEN + ETHERNET_VLAN_TAG_LEN;
	struct to_host_settings to_host = {
		.depth = c->depth,
		.buffer_size = c->ntb_size,
		.max_datagrams = c->max_datagrams,
		.max_datagram_len = longest,
		.divisor = 4,
		.alignment = 4,
		.in_flight_us = 2000,
		.short_datagrams = 3,
		.queue_target_us = 5000,
		.queue_interval_us = 100000,
		.queue_limit_us = 50000,
		.bounce = c->bounce,
	};
	const struct from_host_settings from_host = {
		.count = 8,
		.rules = { .ntb_out_max_size = c->ntb_size,
			   .max_datagram_len = longest,
			   .ntb_out_max_datagrams = c->max_datagrams },
		.join_us = 300,
		.bounce = c->bounce,
	};
	const struct ncm_offer offer = { .ntb_in_max_size = c->ntb_size,
					 .max_segment_size = (uint16_t)(longest - 4) };
	struct failure f;

	policy_parse(c->policy, &to_host.policy);
	check(cable_open(&e->cable, socket, c->speed, &f), &f);
	check(to_host_open(&e->to_host, &to_host, &e->tap, &e->cable.base, &e->stats.to_host, &f), &f);
	check(from_host_open(&e->from_host, &from_host, &e->tap, &e->cable.base, &e->stats.from_host,
			     &f), &f);
	from_host_probe(&e->from_host);
	link_open(&e->link, &offer, &e->cable.base, &e->tap, &e->to_host, &e->from_host,
		  &e->stats.link);
	/* What a host would have asked for with SET_NTB_FORMAT and SET_CRC_MODE. */
	e->link.choice.format = c->format;
	e->link.choice.crc = c->crc;
}

/* Anything that must be zero after clean traffic. */
static int check_counters(const struct cable_end *e)
{
	int wrong = 0;

	for (int i = NTB_END + 1; i < NTB_VERDICT_COUNT; i++)
		if (e->stats.from_host.verdict[i])
			wrong += fprintf(stderr, "%s: %lu\n", ntb_verdict_name(i),
					 (unsigned long)e->stats.from_host.verdict[i]);
	for (int i = 0; i < FROM_HOST_DROPS; i++)
		if (e->stats.from_host.drop[i])
			wrong += fprintf(stderr, "drop %s: %lu\n", from_host_drop_name(i),
					 (unsigned long)e->stats.from_host.drop[i]);
	/* What CoDel drops and what is dropped at either end of a case is no fault. */
	for (int i = TO_HOST_DROP_TOO_SHORT; i < TO_HOST_DROPS; i++)
		if (e->stats.to_host.drop[i] && i != TO_HOST_DROP_RESET &&
		    i != TO_HOST_DROP_QUEUE_LATE && i != TO_HOST_DROP_QUEUE_FULL)
			wrong += fprintf(stderr, "drop %s: %lu\n", to_host_drop_name(i),
					 (unsigned long)e->stats.to_host.drop[i]);
	if (e->stats.from_host.sequence_gaps)
		wrong += fprintf(stderr, "NTBs lost: %lu\n",
				 (unsigned long)e->stats.from_host.sequence_gaps);
	if (!e->stats.from_host.datagrams || !e->stats.to_host.datagrams)
		wrong += fprintf(stderr, "nothing was carried\n");
	if (allocations)
		wrong += fprintf(stderr, "%u allocations on the data path\n", allocations);
	return wrong;
}

/* Only `bounce` copies what comes from the host. */
static int check_copies(const struct cable_end *e, const struct cable_case *c)
{
	if (e->stats.from_host.copied_bytes == (c->bounce ? e->stats.from_host.bytes : 0))
		return 0;
	return fprintf(stderr, "%lu bytes from the host were copied, of %lu\n",
		       (unsigned long)e->stats.from_host.copied_bytes,
		       (unsigned long)e->stats.from_host.bytes);
}

/*
 * Offloads can be lost without anything going wrong but the speed. Most of the traffic is a
 * TCP stream each way.
 */
static int check_offloads(const struct cable_end *e, const struct cable_case *c)
{
	double reads = (double)e->stats.to_host.tap_reads / (double)e->stats.to_host.datagrams;
	double writes = (double)e->stats.from_host.tap_writes / (double)e->stats.from_host.datagrams;
	int wrong = 0;

	printf("# %s: %.2f TAP reads and %.2f writes a datagram\n", c->name, reads, writes);
	fflush(stdout);
	/* A stream too short to tell. */
	if (stream_bytes < BULK_BYTES)
		return 0;
	/* Not cut by us; three datagrams instead of sixteen; many turns, each with an empty read. */
	if (c->speed == USB_SPEED_IS_FULL || c->mtu > 1500 || c->max_datagrams == 1)
		return 0;
	if (reads >= READS_MAX)
		wrong += fprintf(stderr, "%.2f TAP reads a datagram: is TSO lost?\n", reads);
	if (writes >= WRITES_MAX)
		wrong += fprintf(stderr, "%.2f TAP writes a datagram: is joining lost?\n", writes);
	return wrong;
}

static int run_end(const struct cable_case *c, const struct end *end, int socket)
{
	static struct cable_end e;
	struct failure f;
	int status;
	pid_t traffic;

	if (unshare(CLONE_NEWNET) < 0)
		return SKIPPED;
	open_tap(&e, end, c->mtu);
	traffic = fork();
	if (!traffic) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(socket);
		if (!end->peer4)
			cable_serve();
		status = cable_client(end->peer4, stream_bytes) || cable_client(end->peer6, stream_bytes);
		/* The client's end is what stops both flows. */
		kill(getppid(), SIGTERM);
		_exit(status);
	}
	open_flows(&e, c, socket);
	e.loop = (struct loop){ .tap = &e.tap, .transport = &e.cable.base, .to_host = &e.to_host,
				.from_host = &e.from_host, .link = &e.link, .stats = &e.stats };
	check(loop_open(&e.loop, &f), &f);
	allocation_forbidden = true;
	check(loop_run(&e.loop, &f), &f);
	allocation_forbidden = false;
	loop_close(&e.loop);
	if (!end->peer4)
		kill(traffic, SIGKILL);
	waitpid(traffic, &status, 0);
	status = (end->peer4 && status) || check_counters(&e) ||
		 check_offloads(&e, c) || check_copies(&e, c) || cable_checksum_errors() != 0;
	cable_close(&e.cable);
	from_host_close(&e.from_host);
	to_host_close(&e.to_host);
	tap_close(&e.tap);
	return status;
}

static int run_case(const struct cable_case *c)
{
	int pair[2], result = 0;
	pid_t child[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return 1;
	for (int i = 0; i < 2; i++) {
		child[i] = fork();
		if (!child[i]) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			close(pair[!i]);
			exit(run_end(c, &ends[i], pair[i]));
		}
	}
	close(pair[0]);
	close(pair[1]);
	for (int i = 0; i < 2; i++) {
		int status;

		waitpid(child[i], &status, 0);
		if (!WIFEXITED(status) || WEXITSTATUS(status) > result)
			result = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
	}
	return result;
}

int main(int argc, char **argv)
{
	int failed = 0;

	if (argc > 1)
		stream_bytes = (size_t)strtoul(argv[1], NULL, 0);
	if (geteuid() || access("/dev/net/tun", R_OK | W_OK)) {
		fprintf(stderr, "needs root and /dev/net/tun: skipped\n");
		return SKIPPED;
	}
	log_set_level(LOG_LEVEL_WARNING);
	printf("1..%zu\n", sizeof(cases) / sizeof(*cases));
	fflush(stdout);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int result = run_case(&cases[i]);

		if (result == SKIPPED)
			return SKIPPED;
		printf("%s %zu - %s\n", result ? "not ok" : "ok", i + 1, cases[i].name);
		fflush(stdout);
		failed += result != 0;
	}
	return failed != 0;
}
