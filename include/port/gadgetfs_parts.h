/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the GadgetFS transport have of each other; nobody else needs it. */
#ifndef NCMD_PORT_GADGETFS_PARTS_H
#define NCMD_PORT_GADGETFS_PARTS_H

#include "port/gadgetfs.h"

/* The transport's ops (port/transport.h). */
int gadgetfs_submit(struct transport *t, struct transfer **list, unsigned int n);
unsigned int gadgetfs_reap(struct transport *t, struct transfer **done, unsigned int max);
bool gadgetfs_ended(const struct transport *t);
void gadgetfs_cancel(struct transport *t, struct transfer *transfer);
bool gadgetfs_next_event(struct transport *t, struct transport_event *event);
int gadgetfs_answer(struct transport *t, const struct ncm_answer *answer);

/* SET_CONFIGURATION: (re)opens and enables the three. Trouble is logged: it cannot be refused. */
void gadgetfs_open_endpoints(struct gadgetfs *g);

/* Calls the helpers back and closes; AIO requests end when the host has left. */
void gadgetfs_close_endpoints(struct gadgetfs *g);

/* SET_INTERFACE: the data toggle of an endpoint begins anew. */
void gadgetfs_restart_toggle(struct gadgetfs *g, enum endpoint endpoint);

/* The same for the endpoint of that address, if it is one of ours. */
void gadgetfs_clear_halt(struct gadgetfs *g, uint8_t address);

/* Has the loop ask for events, though ep0 has none. */
void gadgetfs_wake(struct gadgetfs *g);

/* Reads what ep0 has; false: nothing. */
bool gadgetfs_read_events(struct gadgetfs *g);

#endif
