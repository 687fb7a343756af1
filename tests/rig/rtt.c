/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rtt ADDRESS COUNT GAP_US: round trips of single ICMP echoes, one at a time, sent
 * GAP_US apart, as `ping -i` sends them, but in microseconds, which it rounds to 10:
 * "P50 P99 MAX". Status 1 when an answer did not come within a second.
 */
#include <arpa/inet.h>
#include <netinet/ip_icmp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define COUNT_MAX  10000
#define TIMEOUT_NS 1000000000LL
#define IP_HEADER  20

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t); /* the clock of SO_TIMESTAMPNS */
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static uint16_t checksum(const uint8_t *bytes, size_t len)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < len; i += 2)
		sum += (uint32_t)bytes[i] << 8 | bytes[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return htons((uint16_t)~sum);
}

/* An echo of 64 bytes, as ping's. */
static void make_echo(uint8_t to[64], uint16_t id, uint16_t sequence)
{
	struct icmphdr h = { .type = ICMP_ECHO };

	h.un.echo.id = htons(id);
	h.un.echo.sequence = htons(sequence);
	memset(to, 0x5a, 64);
	memcpy(to, &h, sizeof(h));
	h.checksum = checksum(to, 64);
	memcpy(to, &h, sizeof(h));
}

static int is_reply(const uint8_t *packet, ssize_t len, uint16_t id, uint16_t sequence)
{
	struct icmphdr h;

	if (len < IP_HEADER + (ssize_t)sizeof(h))
		return 0;
	memcpy(&h, packet + (packet[0] & 15) * 4, sizeof(h));
	return h.type == ICMP_ECHOREPLY && ntohs(h.un.echo.id) == id &&
	       ntohs(h.un.echo.sequence) == sequence;
}

/*
 * Receives one packet; *arrived_ns is when the kernel got it, as `ping` counts, so
 * that waking up this program is no part of the figure.
 */
static ssize_t receive(int fd, uint8_t *packet, size_t len, int64_t *arrived_ns)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(struct timespec))];
	} control;
	struct iovec iov = { packet, len };
	struct msghdr m = { .msg_iov = &iov,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof(control) };
	ssize_t n = recvmsg(fd, &m, 0);
	struct cmsghdr *c = n < 0 ? NULL : CMSG_FIRSTHDR(&m);
	struct timespec t;

	*arrived_ns = now_ns();
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
		memcpy(&t, CMSG_DATA(c), sizeof(t));
		*arrived_ns = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
	}
	return n;
}

/* One round trip in nanoseconds, or -1. */
static int64_t round_trip(int fd, const struct sockaddr_in *to, uint16_t id, uint16_t sequence)
{
	uint8_t echo[64], packet[256];
	int64_t start, left, arrived;

	make_echo(echo, id, sequence);
	start = now_ns();
	if (sendto(fd, echo, sizeof(echo), 0, (const struct sockaddr *)to, sizeof(*to)) < 0)
		return -1;
	while ((left = start + TIMEOUT_NS - now_ns()) > 0) {
		struct pollfd p = { fd, POLLIN, 0 };

		if (poll(&p, 1, (int)(left / 1000000) + 1) <= 0)
			continue;
		if (is_reply(packet, receive(fd, packet, sizeof(packet), &arrived), id, sequence))
			return arrived - start;
	}
	return -1;
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	static int64_t times[COUNT_MAX];
	struct sockaddr_in to = { .sin_family = AF_INET };
	int count = argc == 4 ? atoi(argv[2]) : 0, on = 1, fd;

	if (count < 1 || count > COUNT_MAX || inet_pton(AF_INET, argv[1], &to.sin_addr) != 1) {
		fprintf(stderr, "usage: rtt ADDRESS COUNT(1...%d) GAP_US\n", COUNT_MAX);
		return 2;
	}
	fd = socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);
	if (fd < 0) {
		perror("rtt: raw socket");
		return 2;
	}
	setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on));
	for (int i = 0; i < count; i++) {
		int64_t due = now_ns() + atol(argv[3]) * 1000;
		struct timespec until = { due / 1000000000, due % 1000000000 };

		times[i] = round_trip(fd, &to, (uint16_t)getpid(), (uint16_t)i);
		if (times[i] < 0) {
			fprintf(stderr, "rtt: echo %d to %s has no answer\n", i, argv[1]);
			return 1;
		}
		clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL);
	}
	qsort(times, (size_t)count, sizeof(times[0]), compare);
	printf("%.1f %.1f %.1f\n", (double)times[(count - 1) / 2] / 1000,
	       (double)times[(count * 99 + 99) / 100 - 1] / 1000, (double)times[count - 1] / 1000);
	return 0;
}
