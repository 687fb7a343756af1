/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Not USB: an Ethernet cable, and a microcontroller whose MAC has a ring of receive descriptors
 * and takes buffers from a pool. The cable does not wait: a frame that finds no descriptor or no
 * buffer is lost. That is what USB's flow control spares an NCM device, shown by its absence.
 */
#ifndef NCMD_SIM_RING_H
#define NCMD_SIM_RING_H

#include "sim/engine.h"
#include "sim/packet.h"

struct sim_ring_settings {
	uint64_t bits_per_s; /* of the cable */
	uint32_t descriptors; /* frames received and not yet worked on at most */
	uint32_t pool; /* buffers that received frames and frames to send share */
	int64_t frame_ns; /* what the processor needs for any frame, either way */
	int64_t receive_copy_ns, send_copy_ns; /* and to copy one of SIM_FRAME_MAX bytes */
};

struct sim_ring {
	struct sim_engine *engine;
	struct sim_ring_settings settings;
	sim_take *take_host, *take_device;
	void *taker;
	struct sim_queue host_out; /* on the cable to the device, or waiting for it */
	struct sim_queue received, to_send; /* in the device */
	struct sim_queue device_out; /* on the cable to the host, or waiting for it */
	bool to_device_busy, to_host_busy, busy, received_last;
	int64_t work_ns, copy_ns; /* of the processor so far; of that, copying */
	uint64_t no_descriptor, no_buffer; /* frames lost */
};

void sim_ring_begin(struct sim_ring *r, struct sim_engine *engine,
		    const struct sim_ring_settings *settings, sim_take *take_host,
		    sim_take *take_device, void *taker);
void sim_ring_host_send(struct sim_ring *r, const struct sim_packet *packet);
void sim_ring_device_send(struct sim_ring *r, const struct sim_packet *packet);

#endif
