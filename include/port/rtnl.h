/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is set on the TAP interface through rtnetlink, and hearing of its state (libnl-3). */
#ifndef NCMD_PORT_RTNL_H
#define NCMD_PORT_RTNL_H

#include <stdbool.h>
#include <stdint.h>

#include "port/log.h"

struct nl_sock;

struct rtnl_settings {
	const char *name;
	const uint8_t *mac; /* 6 bytes */
	unsigned int mtu; /* bytes */
	unsigned int txqueuelen; /* packets */
	const char *const *address; /* "10.55.0.1/24" */
	unsigned int addresses;
};

/* Sets all of it and brings the interface up. 0 or -errno with *f filled. */
int rtnl_apply(const struct rtnl_settings *s, struct failure *f);

/* Packets the kernel dropped because nobody read the TAP in time (its tx_dropped); 0 if it cannot
 * be read. */
uint64_t rtnl_tx_dropped(const char *name);

struct rtnl_watch {
	struct nl_sock *socket;
	int fd; /* readable when the interface may have changed */
	int ifindex;
	bool up; /* IFF_UP */
};

/* Starts hearing of interface `name`. 0 or -errno with *f filled. */
int rtnl_watch_open(struct rtnl_watch *w, const char *name, struct failure *f);

/* Reads what has come; w->up is then the present state. */
void rtnl_watch_read(struct rtnl_watch *w);
void rtnl_watch_close(struct rtnl_watch *w);

#endif
