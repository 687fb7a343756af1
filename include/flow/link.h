/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ep0, the link's state and its notifications. Starts and stops the two flows, and
 * tells the TAP through its carrier whether a host listens.
 *
 * FunctionFS does not show alternate settings: it says ENABLE for every
 * SET_INTERFACE, several may merge into one, and all endpoints were cycled (facts
 * 2). So every ENABLE is taken as "everything in flight is gone: arm again, notify
 * again", and the carrier comes on with the first sign that the host is ready: a
 * notification it took, SET_ETHERNET_PACKET_FILTER, or any OUT data.
 */
#ifndef NCMD_FLOW_LINK_H
#define NCMD_FLOW_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "flow/from_host.h"
#include "flow/stats.h"
#include "flow/to_host.h"
#include "port/tap.h"
#include "port/transport.h"
#include "wire/ncm_control.h"
#include "wire/ncm_notify.h"

enum link_state {
	LINK_UNBOUND, /* no UDC */
	LINK_BOUND, /* no host, or it has not configured us */
	LINK_CONFIGURED, /* endpoints are live, no sign of the host's driver yet */
	LINK_UP, /* the host listens */
	LINK_SUSPENDED,
};

struct link {
	struct ncm_offer offer;
	struct ncm_choice choice;
	struct transport *transport;
	struct tap *tap;
	struct to_host *to_host;
	struct from_host *from_host;
	struct stats_link *stats;
	enum link_state state;
	enum link_state before_suspend;
	struct transport_link usb; /* since the last ENABLE */
	struct transfer notification;
	uint8_t notification_bytes[NCM_NOTIFICATION_MAX];
	bool notify_speed, notify_connection; /* still to be sent */
	bool connection_sent; /* the notification under way is NETWORK_CONNECTION */
	bool tap_up; /* the TAP interface is administratively up: what NETWORK_CONNECTION says */
	bool fresh; /* ENABLE since the last GET_NTB_PARAMETERS: the next one starts a host's set-up
		     */
	int64_t retry_ns; /* when to try a failed notification again; POLICY_NO_TIMER: none failed
			   */
	bool closed; /* the transport is gone */
};

void link_open(struct link *l, const struct ncm_offer *offer, struct transport *transport,
	       struct tap *tap, struct to_host *to_host, struct from_host *from_host,
	       struct stats_link *stats);

/* Takes every event the transport has. */
void link_events(struct link *l);

/* The notification ended. */
void link_done(struct link *l, struct transfer *transfer, int64_t now_ns);

/* Data came from the host in `transfer`: if that was armed since the last ENABLE, it is listening.
 */
void link_heard(struct link *l, const struct transfer *transfer);

/* The TAP interface was set up or down by its owner; the host is told. */
void link_tap_up(struct link *l, bool up);

/* The work of a turn: queues a notification that is due. */
void link_turn(struct link *l, int64_t now_ns);

/* "unbound", "bound", "configured", "up", "suspended". */
const char *link_state_name(enum link_state state);

#endif
