/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The network behind the device; see struct sim_uplink_settings. */
#ifndef NCMD_SIM_UPLINK_H
#define NCMD_SIM_UPLINK_H

#include "sim/world.h"

struct sim_uplink {
	struct sim_engine *engine;
	struct sim_uplink_settings settings;
	sim_take *to_device, *to_server;
	void (*room)(void *taker); /* a radio frame from the device has ended */
	void *taker;
	/* from the server: under way, waiting for the air, being handed on; and the other way */
	struct sim_queue coming, waiting, handed, going, sending;
	bool on_air, server_last, handing;
	uint32_t in_frame; /* packets of the radio frame */
	uint64_t lost;
};

void sim_uplink_begin(struct sim_uplink *u, struct sim_engine *engine,
		      const struct sim_uplink_settings *settings, sim_take *to_device,
		      sim_take *to_server, void (*room)(void *taker), void *taker);
void sim_uplink_from_server(struct sim_uplink *u, const struct sim_packet *packet);
void sim_uplink_from_device(struct sim_uplink *u, const struct sim_packet *packet);

/* Whether the device has to wait before it gives another packet. */
bool sim_uplink_is_full(const struct sim_uplink *u);

#endif
