/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "port/rtnl.h"

#include <errno.h>
#include <net/if.h>
#include <netlink/netlink.h>
#include <netlink/route/addr.h>
#include <netlink/route/link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* libnl's errors, as errno for the caller and as text for people. */
static int nl_fail(struct failure *f, int nl_error, const char *what, const char *name)
{
	int error = nl_error == -NLE_PERM ? EPERM : nl_error == -NLE_OBJ_NOTFOUND ? ENODEV : EINVAL;

	return fail(f, error, "cannot set %s of interface %s: %s", what, name,
		    nl_geterror(nl_error));
}

static int set_link(struct nl_sock *socket, const struct rtnl_settings *s, int ifindex,
		    struct failure *f)
{
	struct rtnl_link *link = rtnl_link_alloc(), *change = rtnl_link_alloc();
	struct nl_addr *mac = nl_addr_build(AF_LLC, s->mac, 6);
	int error = -NLE_NOMEM;

	if (link && change && mac) {
		rtnl_link_set_ifindex(link, ifindex);
		rtnl_link_set_addr(change, mac);
		rtnl_link_set_mtu(change, s->mtu);
		rtnl_link_set_txqlen(change, s->txqueuelen);
		error = rtnl_link_change(socket, link, change, 0);
	}
	nl_addr_put(mac);
	rtnl_link_put(change);
	rtnl_link_put(link);
	return error < 0 ? nl_fail(f, error, "address, MTU and queue length", s->name) : 0;
}

static int set_up(struct nl_sock *socket, const struct rtnl_settings *s, int ifindex,
		  struct failure *f)
{
	struct rtnl_link *link = rtnl_link_alloc(), *change = rtnl_link_alloc();
	int error = -NLE_NOMEM;

	if (link && change) {
		rtnl_link_set_ifindex(link, ifindex);
		rtnl_link_set_flags(change, IFF_UP);
		error = rtnl_link_change(socket, link, change, 0);
	}
	rtnl_link_put(change);
	rtnl_link_put(link);
	return error < 0 ? nl_fail(f, error, "the state \"up\"", s->name) : 0;
}

static int add_address(struct nl_sock *socket, const struct rtnl_settings *s, int ifindex,
		       const char *text, struct failure *f)
{
	struct rtnl_addr *address = rtnl_addr_alloc();
	struct nl_addr *local = NULL;
	char what[80];
	int error = address ? nl_addr_parse(text, AF_UNSPEC, &local) : -NLE_NOMEM;

	if (error >= 0) {
		rtnl_addr_set_ifindex(address, ifindex);
		error = rtnl_addr_set_local(address, local);
	}
	/* There already: a persistent interface of the last run. */
	if (error >= 0)
		error = rtnl_addr_add(socket, address, NLM_F_REPLACE);
	nl_addr_put(local);
	rtnl_addr_put(address);
	snprintf(what, sizeof(what), "the address %s", text);
	return error < 0 ? nl_fail(f, error, what, s->name) : 0;
}

static int apply(struct nl_sock *socket, const struct rtnl_settings *s, struct failure *f)
{
	int ifindex = (int)if_nametoindex(s->name), error;

	if (!ifindex)
		return fail(f, errno, "cannot find interface %s: %s", s->name, strerror(errno));
	error = set_link(socket, s, ifindex, f);
	for (unsigned int i = 0; !error && i < s->addresses; i++)
		error = add_address(socket, s, ifindex, s->address[i], f);
	return error ? error : set_up(socket, s, ifindex, f);
}

int rtnl_apply(const struct rtnl_settings *s, struct failure *f)
{
	struct nl_sock *socket = nl_socket_alloc();
	int error;

	if (!socket)
		return fail(f, ENOMEM, "cannot open a netlink socket: out of memory");
	error = nl_connect(socket, NETLINK_ROUTE);
	if (error < 0)
		error = nl_fail(f, error, "anything", s->name);
	else
		error = apply(socket, s, f);
	nl_socket_free(socket);
	return error;
}

uint64_t rtnl_tx_dropped(const char *name)
{
	struct nl_sock *socket = nl_socket_alloc();
	struct rtnl_link *link = NULL;
	uint64_t dropped = 0;

	if (socket && nl_connect(socket, NETLINK_ROUTE) >= 0 &&
	    rtnl_link_get_kernel(socket, 0, name, &link) >= 0)
		dropped = rtnl_link_get_stat(link, RTNL_LINK_TX_DROPPED);
	rtnl_link_put(link);
	nl_socket_free(socket);
	return dropped;
}

static int on_link(struct nl_msg *message, void *argument)
{
	const struct nlmsghdr *header = nlmsg_hdr(message);
	struct rtnl_watch *w = argument;
	const struct ifinfomsg *info = nlmsg_data(header);

	if (header->nlmsg_type == RTM_NEWLINK && info->ifi_index == w->ifindex)
		w->up = info->ifi_flags & IFF_UP;
	return NL_OK;
}

int rtnl_watch_open(struct rtnl_watch *w, const char *name, struct failure *f)
{
	int error;

	memset(w, 0, sizeof(*w));
	w->ifindex = (int)if_nametoindex(name);
	w->socket = nl_socket_alloc();
	if (!w->ifindex || !w->socket) {
		nl_socket_free(w->socket);
		return fail(f, ENODEV, "cannot watch interface %s: there is none", name);
	}
	nl_socket_disable_seq_check(w->socket);
	nl_socket_modify_cb(w->socket, NL_CB_VALID, NL_CB_CUSTOM, on_link, w);
	error = nl_connect(w->socket, NETLINK_ROUTE);
	if (error >= 0)
		error = nl_socket_add_membership(w->socket, RTNLGRP_LINK);
	if (error >= 0)
		error = nl_socket_set_nonblocking(w->socket);
	if (error < 0) {
		nl_socket_free(w->socket);
		return nl_fail(f, error, "a watch on the state", name);
	}
	w->fd = nl_socket_get_fd(w->socket);
	/* Whoever opens has brought the interface up just before; changes come as messages. */
	w->up = true;
	return 0;
}

void rtnl_watch_read(struct rtnl_watch *w)
{
	nl_recvmsgs_default(w->socket);
}

void rtnl_watch_close(struct rtnl_watch *w)
{
	nl_socket_free(w->socket);
}
