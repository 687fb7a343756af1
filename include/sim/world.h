/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One run of the model: two ends, what lies between them, the traffic, and what came of it. */
#ifndef NCMD_SIM_WORLD_H
#define NCMD_SIM_WORLD_H

#include "sim/device.h"
#include "sim/host.h"
#include "sim/ring.h"
#include "sim/traffic.h"

enum sim_link {
	SIM_LINK_FULL, /* USB, full speed */
	SIM_LINK_HIGH,
	SIM_LINK_ETHERNET, /* and a ring of descriptors instead of NTBs */
	SIM_LINKS
};

/*
 * A network behind the device, as behind a Wi-Fi station: the peer of the host is a server
 * there. Both directions share one radio.
 */
struct sim_uplink_settings {
	int64_t delay_ns; /* between the access point and the server, each way; 0: no uplink */
	uint64_t bits_per_s; /* of a radio frame once it is on the air */
	int64_t access_ns; /* mean time to get the air; distributed exponentially */
	uint32_t aggregate; /* packets to the device in one radio frame at most ... */
	uint32_t send_aggregate; /* ... and from it */
	uint32_t queue; /* packets that wait at the access point; more are lost */
	uint32_t send_queue; /* packets that wait in the device; the host has to wait with more */
	int64_t hand_ns; /* the device takes this long to hand one packet of it on */
};

#define SIM_TRAFFICS_MAX 4u

struct sim_run_settings {
	enum sim_link link;
	enum sim_controller controller;
	int64_t interrupt_ns;
	uint32_t in_transfers;
	struct sim_host_settings host;
	struct sim_device_settings device;
	struct sim_ring_settings ring;
	struct sim_uplink_settings uplink;
	struct sim_traffic_settings traffic[SIM_TRAFFICS_MAX];
	uint32_t traffics;
	int64_t seconds_ns, omit_ns;
	uint64_t seed;
};

/* Of one traffic. Latencies are 0 if there was none. */
struct sim_traffic_result {
	uint64_t samples, retransmits, timeouts, sent, received;
	double mean_us, least_us, p50_us, p99_us, most_us;
	double bits_per_s; /* over the run without what is omitted */
	double time_s; /* of the transfers, the longest; 0: none has ended */
};

struct sim_run_result {
	struct sim_traffic_result traffic[SIM_TRAFFICS_MAX];
	uint64_t ntbs_to_host, ntbs_from_host, datagrams_to_host, datagrams_from_host;
	uint64_t lost; /* in the device's queue, or for want of descriptor or buffer */
	uint64_t lost_uplink;
	double processor; /* share of the time the device's was busy */
	double copying; /* share of the time it copied; ring only */
	uint64_t events;
};

enum sim_verdict {
	SIM_OK,
	SIM_NO_MEMORY,
	SIM_TOO_MANY_EVENTS, /* more than SIM_RUN_EVENTS_MAX, or too many at a time */
	SIM_FAULT, /* an end got an NTB it could not read: the model is broken */
};

#define SIM_RUN_EVENTS_MAX UINT64_C(100000000)

/* Runs it; the same settings give the same result. Settings are within scenario.c's limits. */
enum sim_verdict sim_run_world(const struct sim_run_settings *settings,
			       struct sim_run_result *result);

/* "full", "high", "ethernet". */
const char *sim_link_name(enum sim_link link);

#endif
