/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The host's NCM driver: when it sends what its network stack gives it, and how it reads.
 *
 *	cdc_ncm	Linux: a timer of `timer_ns`; it runs up to three times for an NTB of fewer
 *		than three datagrams; 40 datagrams or wNtbOutMaxDatagrams end an NTB at once;
 *		nearly full ones are padded to their maximum; NDP in front, room for all entries.
 *	windows	no timer: all that is queued when a pass runs, at most 16 datagrams or
 *		wNtbOutMaxDatagrams; NDP at the end
 *	at-once	each datagram in an NTB of its own
 */
#ifndef NCMD_SIM_HOST_H
#define NCMD_SIM_HOST_H

#include "sim/bus.h"
#include "sim/packet.h"
#include "wire/ntb_read.h"
#include "wire/ntb_write.h"

enum sim_host_driver { SIM_CDC_NCM, SIM_WINDOWS, SIM_AT_ONCE, SIM_HOST_DRIVERS };

struct sim_host_settings {
	enum sim_host_driver driver;
	int64_t timer_ns; /* cdc_ncm; 0: off */
	uint32_t out_max_size; /* dwNtbOutMaxSize of the device, bytes; drivers use up to 16384 */
	uint32_t out_max_datagrams; /* wNtbOutMaxDatagrams; 0: the driver's own limit */
	uint32_t out_transfers; /* writes it has pending at most */
	uint32_t max_packet; /* bytes */
	int64_t stack_ns; /* between an application and the driver, each way */
};

struct sim_host {
	struct sim_engine *engine;
	struct sim_bus *bus;
	struct sim_host_settings settings;
	sim_take *take;
	void *taker;
	struct ntb_write_shape shape;
	struct ntb_read_rules rules;
	struct ntb_write write;
	bool open;
	bool pass_asked;
	int pending; /* rounds of the timer to come */
	int64_t timer_ns; /* when it fires; SIM_NEVER: it does not run */
	uint32_t writes; /* pending */
	uint32_t next_buffer;
	uint16_t sequence;
	struct sim_queue queue; /* from the stack */
	struct sim_queue up, down; /* on their way through the stack */
	uint64_t ntbs, datagrams, faults;
	uint8_t *memory; /* out_transfers + 1 buffers of SIM_TRANSFER_MAX bytes */
};

/* `memory`: (out_transfers + 1) * SIM_TRANSFER_MAX bytes, the caller's. Packets that came go to
 * `take`. */
void sim_host_begin(struct sim_host *h, struct sim_engine *engine, struct sim_bus *bus,
		    const struct sim_host_settings *settings, uint8_t *memory, sim_take *take,
		    void *taker);

/* An application sends. What the driver cannot take waits in its queue, which is long. */
void sim_host_send(struct sim_host *h, const struct sim_packet *packet);

/* For struct sim_bus_events. */
void sim_host_out_done(void *host);
void sim_host_in_done(void *host, const uint8_t *bytes, uint32_t len);

/* "cdc_ncm", "windows", "at-once". */
const char *sim_host_driver_name(enum sim_host_driver driver);

#endif
