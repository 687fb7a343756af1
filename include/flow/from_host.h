/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bulk OUT -> NTB -> TAP. Each datagram is written to the TAP straight out of the
 * received NTB. Reads are always armed again, whatever they brought.
 */
#ifndef NCMD_FLOW_FROM_HOST_H
#define NCMD_FLOW_FROM_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "flow/stats.h"
#include "port/tap.h"
#include "port/transport.h"
#include "wire/ntb_read.h"

#define FROM_HOST_COUNT_MAX 64

struct from_host {
	struct tap *tap;
	struct transport *transport;
	struct stats_from_host *stats;
	struct ntb_read_rules rules;
	struct ntb_read reader;
	uint8_t *memory;
	struct transfer transfer[FROM_HOST_COUNT_MAX];
	uint32_t count;
	uint32_t generation; /* counts ENABLEs */
	uint16_t last_sequence;
	bool sequence_known;
	bool enabled;
	bool rearm; /* some read is idle and has to be armed by from_host_arm() */
};

/* Allocates `count` buffers of `size` bytes (a multiple of 1024). 0 or -errno with *f filled. */
int from_host_open(struct from_host *h, uint32_t count, uint32_t size,
		   const struct ntb_read_rules *rules, struct tap *tap, struct transport *transport,
		   struct stats_from_host *stats, struct failure *f);
void from_host_close(struct from_host *h);

/* The endpoints were enabled (again): arms what is idle, and from now on what comes back. */
void from_host_enable(struct from_host *h);
void from_host_disable(struct from_host *h);

/* Format and CRC mode for what is read from now on. */
void from_host_reshape(struct from_host *h, enum ntb_format format, bool crc);

/*
 * One of this flow's transfers ended: its datagrams go to the TAP and it is queued
 * again. Returns how many datagrams reached the TAP.
 */
unsigned int from_host_done(struct from_host *h, struct transfer *transfer);

/* Queues idle reads; called when `rearm` has been set for a while (an endpoint that fails at once
 * is not asked in a tight loop). */
void from_host_arm(struct from_host *h);

/* Reads that the kernel has or will get with the next submit. */
unsigned int from_host_armed(const struct from_host *h);

#endif
