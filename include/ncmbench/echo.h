/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ICMP and ICMPv6 echo on a socket: SOCK_DGRAM where net.ipv4.ping_group_range admits
 * this process, else SOCK_RAW, which needs CAP_NET_RAW.
 */
#ifndef NCMBENCH_ECHO_H
#define NCMBENCH_ECHO_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "port/log.h"

#define ECHO_SIZE_MAX	 65000 /* bytes of payload; 65,507 is what IPv4 can carry */
#define ECHO_HEADER_SIZE 8

struct echo_socket {
	int fd;
	bool raw, ipv6;
	uint16_t id; /* raw only: with SOCK_DGRAM the kernel chooses and checks it */
	char address[INET6_ADDRSTRLEN]; /* the peer's, for people */
};

/*
 * `peer` is a name or an address, %interface included; `interface` may be NULL.
 * 0, or -errno with *f filled. echo_close() it.
 */
int echo_open(struct echo_socket *s, const char *peer, const char *interface, struct failure *f);
void echo_close(struct echo_socket *s);

/* One request with `size` bytes of payload. 0 or -errno; *sent_ns is CLOCK_MONOTONIC just before.
 */
int echo_send(struct echo_socket *s, uint16_t sequence, unsigned int size, int64_t *sent_ns);

/*
 * Takes one packet, without waiting. 1: it answers a request of this socket, *received_ns
 * is when the kernel took it from the interface; 0: it is something else; -EAGAIN:
 * none is there; other -errno: what the network said, for instance -EHOSTUNREACH.
 */
int echo_receive(struct echo_socket *s, uint16_t *sequence, int64_t *received_ns);

#endif
