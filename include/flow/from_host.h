/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bulk OUT -> NTB -> TAP. Datagrams are written to the TAP straight out of the
 * received NTBs; consecutive segments of a TCP stream, in one NTB or in several that came
 * in the same turn, are written as one packet. Reads are always armed again, whatever
 * they brought.
 */
#ifndef NCMD_FLOW_FROM_HOST_H
#define NCMD_FLOW_FROM_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "flow/stats.h"
#include "port/tap.h"
#include "port/transport.h"
#include "wire/gro_join.h"
#include "wire/ntb_read.h"
#include "wire/policy.h"
#include "wire/usb_speed.h"

#define FROM_HOST_COUNT_MAX 128

struct from_host {
	struct tap *tap;
	struct transport *transport;
	struct stats_from_host *stats;
	struct ntb_read_rules rules;
	struct ntb_read reader;
	struct gro_join join; /* the run that is being collected */
	uint8_t *memory;
	uint8_t *bounce; /* as long as memory; NULL: datagrams are written from where they lie */
	struct transfer transfer[FROM_HOST_COUNT_MAX];
	uint32_t count;
	struct transfer *spent[FROM_HOST_COUNT_MAX]; /* unpacked, but frames of the run lie in it */
	uint32_t spent_count;
	uint32_t join_us;
	int64_t join_ns; /* at the speed in force */
	int64_t join_until_ns; /* when the run is written at the latest; POLICY_NO_TIMER: none waits
				*/
	uint32_t read_len; /* of each, bytes: whole packets */
	uint32_t generation; /* counts ENABLEs */
	uint16_t last_sequence;
	bool sequence_known;
	bool enabled;
	unsigned int delivered; /* since the last flush */
	bool rearm; /* some read is idle and has to be armed by from_host_arm() */
};

struct from_host_settings {
	uint32_t count; /* reads: 1 ... FROM_HOST_COUNT_MAX */
	struct ntb_read_rules rules; /* ntb_out_max_size says how long a read is: not 0 */
	/*
	 * How long a joined packet may wait for more of a stream that is not at its end (full
	 * segments, no PSH, two at least or one that goes on from the last run), or the time of
	 * four segments at the cable's speed if that is longer; 0: no longer than a turn.
	 * gro_flush_timeout is the kernel's word for it. Each packet less is an acknowledgment
	 * less for both ends.
	 */
	uint32_t join_us;
	bool bounce; /* copy every datagram once more, to measure what that costs */
};

/* Allocates everything the flow will ever use. 0 or -errno with *f filled. */
int from_host_open(struct from_host *h, const struct from_host_settings *settings, struct tap *tap,
		   struct transport *transport, struct stats_from_host *stats, struct failure *f);
void from_host_close(struct from_host *h);

/*
 * The endpoints were enabled (again), with this wMaxPacketSize: arms what is idle, and from
 * now on what comes back. Reads are dwNtbOutMaxSize long, in whole packets: an NTB as long as
 * that need not end with a short packet [NCM10 3.2.1], a shorter one does, and so does one
 * that is no whole number of packets.
 */
void from_host_enable(struct from_host *h, uint16_t max_packet);
void from_host_disable(struct from_host *h);

/* Format and CRC mode for what is read from now on. */
void from_host_reshape(struct from_host *h, enum ntb_format format, bool crc);

/*
 * Finds out whether the kernel takes joined packets, and does not join if not. The interface is
 * up; a packet for nobody is written to it (facts tap-offload 7.1).
 */
void from_host_probe(struct from_host *h);

/*
 * One of this flow's transfers ended: its datagrams go to the TAP, at the latest when
 * from_host_flush() says so, and it is queued again.
 */
void from_host_done(struct from_host *h, struct transfer *transfer);

/*
 * The end of a turn, before transport_submit(): writes the run that is being collected,
 * unless it may wait (join_us; `join_until_ns` then says when to call again), and queues the
 * reads that are free. Returns how many datagrams have reached the TAP since the last call.
 */
unsigned int from_host_flush(struct from_host *h, int64_t now_ns);

/* Queues idle reads; called when `rearm` has been set for a while (an endpoint that fails at once
 * is not asked in a tight loop). */
void from_host_arm(struct from_host *h);

/* Reads that the kernel has or will get with the next submit. */
unsigned int from_host_armed(const struct from_host *h);

#endif
