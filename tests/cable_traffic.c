/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cable_traffic.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/udp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define UDP_MAX	   4000
#define UDP_STEP   37
#define PATIENCE_S 20

/* What byte `at` of a stream is; has no short period. */
static uint8_t pattern(size_t at)
{
	return (uint8_t)(at * 31 + (at >> 8) * 7 + (at >> 16));
}

static int server_socket(int type)
{
	struct sockaddr_in6 any = { .sin6_family = AF_INET6, .sin6_port = htons(CABLE_PORT) };
	int s = socket(AF_INET6, type, 0), one = 1;

	setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(s, (struct sockaddr *)&any, sizeof(any)) < 0) {
		perror("cable test: bind");
		exit(1);
	}
	if (type == SOCK_STREAM)
		listen(s, 8);
	return s;
}

static void echo_datagram(int s)
{
	struct sockaddr_storage from;
	socklen_t from_len = sizeof(from);
	uint8_t bytes[UDP_MAX];
	ssize_t n = recvfrom(s, bytes, sizeof(bytes), 0, (struct sockaddr *)&from, &from_len);

	if (n >= 0)
		sendto(s, bytes, (size_t)n, 0, (struct sockaddr *)&from, from_len);
}

static void echo_stream(int s)
{
	static uint8_t bytes[65536];
	ssize_t n;

	while ((n = read(s, bytes, sizeof(bytes))) > 0)
		for (ssize_t done = 0; done < n;) {
			ssize_t sent = send(s, bytes + done, (size_t)(n - done), MSG_NOSIGNAL);

			if (sent < 0)
				break;
			done += sent;
		}
	close(s);
}

void cable_serve(void)
{
	struct pollfd p[2] = { { server_socket(SOCK_STREAM), POLLIN, 0 },
			       { server_socket(SOCK_DGRAM), POLLIN, 0 } };

	for (;;) {
		poll(p, 2, -1);
		if (p[1].revents)
			echo_datagram(p[1].fd);
		if (p[0].revents)
			echo_stream(accept(p[0].fd, NULL, NULL));
	}
}

static int client_socket(const char *address, int type)
{
	struct sockaddr_in6 to6 = { .sin6_family = AF_INET6, .sin6_port = htons(CABLE_PORT) };
	struct sockaddr_in to4 = { .sin_family = AF_INET, .sin_port = htons(CABLE_PORT) };
	bool is6 = inet_pton(AF_INET6, address, &to6.sin6_addr) == 1;
	struct timeval patience = { PATIENCE_S, 0 };
	int s = socket(is6 ? AF_INET6 : AF_INET, type, 0);

	if (!is6)
		inet_pton(AF_INET, address, &to4.sin_addr);
	setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	for (int attempt = 0; attempt < 50; attempt++) {
		if (!connect(s, is6 ? (void *)&to6 : (void *)&to4, is6 ? sizeof(to6) : sizeof(to4)))
			return s;
		usleep(100000); /* the server or the carrier is not there yet */
	}
	fprintf(stderr, "cannot connect to %s: %s\n", address, strerror(errno));
	close(s);
	return -1;
}

/* Reads what the stream has and compares it; -1 when it is wrong or over. */
static int check_stream(int s, size_t *at)
{
	static uint8_t bytes[65536];
	ssize_t n = read(s, bytes, sizeof(bytes));

	if (n <= 0) {
		fprintf(stderr, "TCP ended at byte %zu: %s\n", *at, n ? strerror(errno) : "closed");
		return -1;
	}
	for (ssize_t i = 0; i < n; i++, (*at)++)
		if (bytes[i] != pattern(*at)) {
			fprintf(stderr, "TCP byte %zu is wrong\n", *at);
			return -1;
		}
	return 0;
}

static int tcp(const char *address, size_t bytes)
{
	int s = client_socket(address, SOCK_STREAM), result = 0;
	size_t sent = 0, received = 0;
	uint8_t block[16384];

	if (s < 0)
		return -1;
	while (!result && received < bytes) {
		struct pollfd p = { s, POLLIN, 0 };

		if (sent < bytes)
			p.events |= POLLOUT;
		if (poll(&p, 1, PATIENCE_S * 1000) <= 0) {
			fprintf(stderr, "TCP stands still: %zu sent, %zu back\n", sent, received);
			result = -1;
		}
		if (p.revents & POLLOUT) {
			size_t n = bytes - sent < sizeof(block) ? bytes - sent : sizeof(block);
			ssize_t went;

			for (size_t i = 0; i < n; i++)
				block[i] = pattern(sent + i);
			went = send(s, block, n, MSG_DONTWAIT | MSG_NOSIGNAL);
			sent += went > 0 ? (size_t)went : 0;
		}
		if (p.revents & (POLLIN | POLLHUP | POLLERR))
			result |= check_stream(s, &received);
	}
	close(s);
	return result;
}

static int udp(const char *address)
{
	int s = client_socket(address, SOCK_DGRAM), result = 0;
	uint8_t out[UDP_MAX], in[UDP_MAX];

	if (s < 0)
		return -1;
	for (size_t len = 0; !result && len <= UDP_MAX; len += UDP_STEP) {
		ssize_t n;

		for (size_t i = 0; i < len; i++)
			out[i] = pattern(i + len);
		send(s, out, len, 0);
		n = recv(s, in, sizeof(in), 0);
		if (n != (ssize_t)len || memcmp(in, out, len)) {
			fprintf(stderr, "UDP datagram of %zu bytes: %zd came back%s\n", len, n,
				n < 0 ? " (lost)" : "");
			result = -1;
		}
	}
	close(s);
	return result;
}

/* One send() of several datagrams, which the kernel leaves to the device to cut (USO). */
static int udp_segments(const char *address)
{
	int s = client_socket(address, SOCK_DGRAM), size = 1000, result = 0;
	uint8_t out[3500], in[UDP_MAX];

	for (size_t i = 0; i < sizeof(out); i++)
		out[i] = pattern(i);
	if (setsockopt(s, SOL_UDP, UDP_SEGMENT, &size, sizeof(size)) < 0) {
		close(s); /* not in this kernel */
		return 0;
	}
	send(s, out, sizeof(out), 0);
	for (size_t at = 0; !result && at < sizeof(out); at += (size_t)size) {
		size_t len = sizeof(out) - at < (size_t)size ? sizeof(out) - at : (size_t)size;
		ssize_t n = recv(s, in, sizeof(in), 0);

		if (n != (ssize_t)len || memcmp(in, out + at, len)) {
			fprintf(stderr, "UDP segment at %zu: %zd bytes came back\n", at, n);
			result = -1;
		}
	}
	close(s);
	return result;
}

int cable_client(const char *address, size_t bytes)
{
	return tcp(address, bytes) || udp(address) || udp_segments(address) ? -1 : 0;
}

/* Adds the named counters of /proc/net/snmp, which come as a line of names and a line of values. */
static long count_snmp(void)
{
	static const char *const wanted[] = { "InCsumErrors", "InHdrErrors", "InErrs" };
	char names[2048], values[2048];
	FILE *file = fopen("/proc/net/snmp", "r");
	long sum = 0;

	if (!file)
		return -1;
	while (fgets(names, sizeof(names), file) && fgets(values, sizeof(values), file)) {
		char *name_at, *value_at;
		char *name = strtok_r(names, " \n", &name_at);
		char *value = strtok_r(values, " \n", &value_at);

		for (; name && value; name = strtok_r(NULL, " \n", &name_at),
				      value = strtok_r(NULL, " \n", &value_at))
			for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
				if (!strcmp(name, wanted[i]))
					sum += atol(value);
	}
	fclose(file);
	return sum;
}

static long count_snmp6(void)
{
	char name[64];
	FILE *file = fopen("/proc/net/snmp6", "r");
	long value, sum = 0;

	if (!file)
		return -1;
	while (fscanf(file, "%63s %ld", name, &value) == 2)
		if (strstr(name, "InCsumErrors") || strstr(name, "InHdrErrors"))
			sum += value;
	fclose(file);
	return sum;
}

long cable_checksum_errors(void)
{
	long v4 = count_snmp(), v6 = count_snmp6();

	return v4 < 0 || v6 < 0 ? -1 : v4 + v6;
}
