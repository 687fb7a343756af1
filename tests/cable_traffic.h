/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traffic of the cable test, over ordinary sockets: the kernels at both ends make and
 * verify every checksum, the programs compare every byte.
 */
#ifndef TESTS_CABLE_TRAFFIC_H
#define TESTS_CABLE_TRAFFIC_H

#include <stddef.h>

#define CABLE_PORT 7700

/* Serves TCP (sends back what comes) and UDP (the same) on all addresses; never returns. */
void cable_serve(void);

/*
 * Runs against cable_serve() at `address` (IPv4 or IPv6): a TCP stream of `bytes` each way at the
 * same time, then UDP datagrams of every size from 0 to 4000, fragments among them.
 * 0, or -1 after a line on stderr.
 */
int cable_client(const char *address, size_t bytes);

/* The checksum and header errors the kernel of this namespace has counted; -1: unknown. */
long cable_checksum_errors(void);

#endif
