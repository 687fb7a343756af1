/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ncmbench/echo.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/icmp.h>
#include <netdb.h>
#include <netinet/icmp6.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "ncmbench/clock.h"
#include "wire/csum.h"

static int resolve(const char *peer, struct addrinfo **found, struct failure *f)
{
	const struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_DGRAM };
	int error = getaddrinfo(peer, NULL, &hints, found);

	if (error)
		return fail(f, EHOSTUNREACH, "cannot find the address of %s: %s", peer,
			    gai_strerror(error));
	return 0;
}

static int open_socket(struct echo_socket *s, struct failure *f)
{
	int family = s->ipv6 ? AF_INET6 : AF_INET;
	int protocol = s->ipv6 ? IPPROTO_ICMPV6 : IPPROTO_ICMP;

	s->raw = false;
	s->fd = socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
	if (s->fd >= 0)
		return 0;
	s->raw = true;
	s->fd = socket(family, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
	if (s->fd >= 0)
		return 0;
	return fail(f, errno,
		    "cannot open an ICMP socket: %s; run as root, or let every group do it: "
		    "sysctl net.ipv4.ping_group_range='0 2147483647'",
		    strerror(errno));
}

/* A raw socket sees all ICMP of the machine; only echo replies are of interest. */
static void set_filter(struct echo_socket *s)
{
	if (s->ipv6) {
		struct icmp6_filter filter;

		ICMP6_FILTER_SETBLOCKALL(&filter);
		ICMP6_FILTER_SETPASS(ICMP6_ECHO_REPLY, &filter);
		(void)setsockopt(s->fd, IPPROTO_ICMPV6, ICMP6_FILTER, &filter, sizeof(filter));
	} else {
		struct icmp_filter filter = { .data = ~(1u << ICMP_ECHOREPLY) };

		(void)setsockopt(s->fd, SOL_RAW, ICMP_FILTER, &filter, sizeof(filter));
	}
}

static int set_options(struct echo_socket *s, const char *interface, struct failure *f)
{
	const int on = 1, room = 1 << 20;

	if (interface && setsockopt(s->fd, SOL_SOCKET, SO_BINDTODEVICE, interface,
				    (socklen_t)strlen(interface)) < 0)
		return fail(f, errno, "cannot bind to interface %s: %s", interface,
			    strerror(errno));
	/* Without stamps of the kernel echo_receive() takes its own time; a small buffer loses. */
	(void)setsockopt(s->fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on));
	(void)setsockopt(s->fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	if (s->raw)
		set_filter(s);
	return 0;
}

int echo_open(struct echo_socket *s, const char *peer, const char *interface, struct failure *f)
{
	struct addrinfo *found;
	int error = resolve(peer, &found, f);

	if (error)
		return error;
	s->ipv6 = found->ai_family == AF_INET6;
	s->id = (uint16_t)getpid();
	getnameinfo(found->ai_addr, found->ai_addrlen, s->address, sizeof(s->address), NULL, 0,
		    NI_NUMERICHOST);
	error = open_socket(s, f);
	if (!error)
		error = set_options(s, interface, f);
	if (!error && connect(s->fd, found->ai_addr, found->ai_addrlen) < 0)
		error = fail(f, errno, "cannot reach %s: %s; is there a route to it (ip route)?",
			     peer, strerror(errno));
	freeaddrinfo(found);
	if (error)
		echo_close(s);
	return error;
}

void echo_close(struct echo_socket *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

int echo_send(struct echo_socket *s, uint16_t sequence, unsigned int size, int64_t *sent_ns)
{
	static uint8_t packet[ECHO_HEADER_SIZE + ECHO_SIZE_MAX];
	const size_t len = ECHO_HEADER_SIZE + size;
	uint16_t sum;

	/* Type, code, checksum, identifier, sequence number [RFC 792, RFC 4443]. */
	packet[0] = s->ipv6 ? ICMP6_ECHO_REQUEST : ICMP_ECHO;
	packet[2] = packet[3] = 0;
	packet[4] = (uint8_t)(s->id >> 8);
	packet[5] = (uint8_t)s->id;
	packet[6] = (uint8_t)(sequence >> 8);
	packet[7] = (uint8_t)sequence;
	if (!s->ipv6) { /* the kernel sums ICMPv6, whose sum covers the addresses */
		sum = csum_finish(csum_of(packet, len));
		packet[2] = (uint8_t)(sum >> 8);
		packet[3] = (uint8_t)sum;
	}
	*sent_ns = clock_now_ns();
	return send(s->fd, packet, len, 0) < 0 ? -errno : 0;
}

/* One moment on both clocks: read again if something came between the readings. */
static void read_clocks(int64_t *monotonic_ns, int64_t *real_ns)
{
	struct timespec real;
	int64_t before_ns;

	for (int i = 0; i < 5; i++) {
		before_ns = clock_now_ns();
		clock_gettime(CLOCK_REALTIME, &real);
		*monotonic_ns = clock_now_ns();
		if (*monotonic_ns - before_ns < 10 * NS_PER_US)
			break;
	}
	*real_ns = (int64_t)real.tv_sec * NS_PER_SECOND + real.tv_nsec;
}

/* The kernel stamps in CLOCK_REALTIME; how old the stamp is now is the same in any clock. */
static int64_t stamp_ns(struct msghdr *m)
{
	int64_t now_ns, real_ns, age_ns = 0;
	struct timespec stamp;

	read_clocks(&now_ns, &real_ns);
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS)
			continue;
		memcpy(&stamp, CMSG_DATA(c), sizeof(stamp));
		age_ns = real_ns - (int64_t)stamp.tv_sec * NS_PER_SECOND - stamp.tv_nsec;
	}
	if (age_ns < 0 || age_ns > 10 * NS_PER_SECOND) /* somebody set the clock */
		age_ns = 0;
	return now_ns - age_ns;
}

/* Bytes of IPv4 header that a raw socket puts in front. */
static size_t header_len(const struct echo_socket *s, const uint8_t *packet, size_t len)
{
	return s->raw && !s->ipv6 && len ? (size_t)(packet[0] & 0xf) * 4 : 0;
}

static bool is_answer(const struct echo_socket *s, const uint8_t *icmp)
{
	if (icmp[0] != (s->ipv6 ? ICMP6_ECHO_REPLY : ICMP_ECHOREPLY))
		return false;
	return !s->raw || (icmp[4] << 8 | icmp[5]) == s->id;
}

int echo_receive(struct echo_socket *s, uint16_t *sequence, int64_t *received_ns)
{
	static uint8_t packet[60 + ECHO_HEADER_SIZE + ECHO_SIZE_MAX];
	char control[CMSG_SPACE(sizeof(struct timespec))] __attribute__((aligned(8)));
	struct iovec v = { packet, sizeof(packet) };
	struct msghdr m = { .msg_iov = &v,
			    .msg_iovlen = 1,
			    .msg_control = control,
			    .msg_controllen = sizeof(control) };
	ssize_t n = recvmsg(s->fd, &m, 0);
	size_t skip;

	if (n < 0)
		return -errno;
	skip = header_len(s, packet, (size_t)n);
	if ((size_t)n < skip + ECHO_HEADER_SIZE || !is_answer(s, packet + skip))
		return 0;
	*sequence = (uint16_t)(packet[skip + 6] << 8 | packet[skip + 7]);
	*received_ns = stamp_ns(&m);
	return 1;
}
