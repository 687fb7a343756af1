/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ethernet frames on one interface, without the IP stack in between:
 *
 *   frames send IFACE LEN COUNT [GAP_US]   COUNT x F(LEN), see tests/ntb_vectors.h
 *   frames watch IFACE SECONDS [COUNT]     counts what comes in: "F60 12", "wrong ..."
 *
 * watch ends after SECONDS, or after COUNT frames; its status is 1 when a frame was
 * not an F(n), or when the kernel could not keep up.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "ntb_vectors.h"

#define FRAME_MAX   65536
#define WRONG_SHOWN 5 /* bad frames that are printed */

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

static int open_packet(const char *iface)
{
	struct sockaddr_ll at = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
	int fd = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL));
	int size = 16 << 20;

	at.sll_ifindex = (int)if_nametoindex(iface);
	if (fd < 0 || at.sll_ifindex == 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0) {
		fprintf(stderr, "frames: %s: %s\n", iface, strerror(errno));
		exit(2);
	}
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	return fd;
}

static int send_frames(const char *iface, size_t len, long count, long gap_us)
{
	struct timespec gap = { gap_us / 1000000, gap_us % 1000000 * 1000 };
	struct timespec full = { 0, 100000 };
	uint8_t frame[FRAME_MAX];
	int fd = open_packet(iface);
	long sent = 0;

	ntb_vector_frame(frame, len);
	while (sent < count && !stop) {
		ssize_t n = send(fd, frame, len, 0);

		if (n == (ssize_t)len) {
			sent++;
			if (gap_us)
				nanosleep(&gap, NULL);
		} else if (errno == ENOBUFS || errno == ENETDOWN || errno == EAGAIN) {
			nanosleep(&full, NULL); /* the queue is full, or the link is down */
		} else if (errno != EINTR) {
			fprintf(stderr, "frames: send on %s: %s\n", iface, strerror(errno));
			return 1;
		}
	}
	printf("sent %ld\n", sent);
	return 0;
}

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void show_wrong(const uint8_t *frame, size_t len)
{
	printf("wrong %zu ", len);
	for (size_t i = 0; i < len && i < 64; i++)
		printf("%02x", frame[i]);
	putchar('\n');
}

static int watch_frames(const char *iface, double seconds, long count)
{
	static long seen[FRAME_MAX];
	uint8_t frame[FRAME_MAX], expected[FRAME_MAX];
	long end = now_ms() + (long)(seconds * 1000), wrong = 0, all = 0, left;
	struct tpacket_stats lost = { 0 };
	socklen_t lost_len = sizeof(lost);
	int fd = open_packet(iface);

	puts("watching");
	fflush(stdout);
	while (!stop && (count == 0 || all < count) && (left = end - now_ms()) > 0) {
		struct pollfd p = { fd, POLLIN, 0 };
		struct sockaddr_ll from;
		socklen_t from_len = sizeof(from);
		ssize_t n;

		if (poll(&p, 1, (int)left) <= 0)
			continue;
		n = recvfrom(fd, frame, sizeof(frame), MSG_DONTWAIT, (struct sockaddr *)&from,
			     &from_len);
		if (n < 14 || from.sll_pkttype == PACKET_OUTGOING)
			continue;
		all++;
		ntb_vector_frame(expected, (size_t)n);
		if (memcmp(frame, expected, (size_t)n) == 0)
			seen[n]++;
		else if (wrong++ < WRONG_SHOWN)
			show_wrong(frame, (size_t)n);
	}
	for (size_t i = 0; i < FRAME_MAX; i++) {
		if (seen[i])
			printf("F%zu %ld\n", i, seen[i]);
	}
	getsockopt(fd, SOL_PACKET, PACKET_STATISTICS, &lost, &lost_len);
	printf("all %ld\nwrong %ld\nunseen %u\n", all, wrong, lost.tp_drops);
	return wrong || lost.tp_drops ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	if (argc >= 5 && strcmp(argv[1], "send") == 0 && atoi(argv[3]) >= 14 &&
	    atoi(argv[3]) <= FRAME_MAX)
		return send_frames(argv[2], (size_t)atoi(argv[3]), atol(argv[4]),
				   argc > 5 ? atol(argv[5]) : 0);
	if (argc >= 4 && strcmp(argv[1], "watch") == 0)
		return watch_frames(argv[2], atof(argv[3]), argc > 4 ? atol(argv[4]) : 0);
	fputs("usage: frames send IFACE LEN COUNT [GAP_US] | watch IFACE SECONDS [COUNT]\n",
	      stderr);
	return 2;
}
