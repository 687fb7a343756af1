/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters of one running instance: plain numbers, written by the flows, read by
 * whoever prints them. Nothing is dropped that is not counted here. Names carry
 * their unit; a drop is counted in datagrams.
 */
#ifndef NCMD_FLOW_STATS_H
#define NCMD_FLOW_STATS_H

#include <stdint.h>

#include "flow/histogram.h"
#include "wire/gso_split.h"
#include "wire/ntb_read.h"
#include "wire/policy.h"

/* Why a frame read from the TAP did not reach the host. */
enum to_host_drop {
	TO_HOST_DROP_NO_LINK, /* read while no host listens */
	TO_HOST_DROP_TOO_SHORT, /* no Ethernet header */
	TO_HOST_DROP_TOO_LONG, /* over the maximum datagram size in force */
	TO_HOST_DROP_STALE, /* the host did not fetch it for STALE_NS */
	TO_HOST_DROP_RESET, /* the host reconfigured or went away while it was under way */
	TO_HOST_DROP_ERROR, /* the endpoint refused it otherwise */
	TO_HOST_DROP_OFFLOAD, /* what the kernel said about it cannot be: see gso_verdict */
	TO_HOST_DROP_QUEUE_LATE, /* CoDel: it stood too long in ncmd's queue */
	TO_HOST_DROP_QUEUE_FULL, /* ncmd's queue was longer than its limit */
	TO_HOST_DROPS
};

/* Why a datagram from the host did not reach the TAP: the errno of the write. */
enum from_host_drop {
	FROM_HOST_DROP_EAGAIN,
	FROM_HOST_DROP_ENOBUFS, /* ENOMEM too */
	FROM_HOST_DROP_EIO, /* the interface is down */
	FROM_HOST_DROP_EINVAL,
	FROM_HOST_DROP_OTHER,
	FROM_HOST_DROPS
};

struct stats_to_host {
	uint64_t datagrams, bytes; /* handed to the host's side */
	uint64_t ntbs, ntb_bytes;
	uint64_t copied_bytes; /* by ncmd itself; 0 when every frame fits where it was read */
	uint64_t tap_reads, tap_read_errors; /* system calls; the empty ones too */
	uint64_t gso_packets; /* read uncut: of several datagrams each */
	uint64_t gso_verdict[GSO_VERDICT_COUNT]; /* faults; the first stays 0 */
	uint64_t reason[POLICY_REASONS]; /* why NTBs were closed */
	uint64_t drop[TO_HOST_DROPS];
	uint64_t transfer_errors;
	struct histogram hold_ns; /* first datagram in to submit, per NTB */
	struct histogram ntb_datagrams; /* datagrams per NTB */
};

struct stats_from_host {
	uint64_t datagrams, bytes; /* written to the TAP */
	uint64_t tap_writes; /* system calls */
	uint64_t joined; /* datagrams that were written together with others */
	uint64_t join_refused; /* writes of joined packets that the kernel refused */
	uint64_t copied_bytes; /* by ncmd itself; 0 without copy = "bounce" */
	uint64_t transfers, transfer_bytes, zero_length_transfers;
	uint64_t ntbs;
	uint64_t verdict[NTB_VERDICT_COUNT]; /* faults; the first two stay 0 */
	uint64_t drop[FROM_HOST_DROPS];
	uint64_t sequence_gaps;
	uint64_t transfer_errors; /* other than the endpoint being reset */
	uint64_t transfer_resets; /* reads ended by SET_INTERFACE, unplug and so on */
};

struct stats_link {
	uint64_t binds, unbinds, enables, disables, suspends, resumes;
	uint64_t requests, stalls, refused_data, failed_stages;
	uint64_t notifications, notification_retries;
	uint64_t carrier_changes;
};

struct stats_loop {
	uint64_t turns;
	uint64_t timer_sets; /* system calls to set the timer */
	uint64_t submit_retries; /* turns that left transfers queued */
};

struct stats {
	struct stats_to_host to_host;
	struct stats_from_host from_host;
	struct stats_link link;
	struct stats_loop loop;
};

/* Names of counters: "no_link", "eagain" and so on. Never NULL. */
const char *to_host_drop_name(enum to_host_drop drop);
const char *from_host_drop_name(enum from_host_drop drop);

#endif
