/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One row is one profile, and the only place where its numbers stand: the manual and
 * configs/ send people to `ncmd -n` for them. A further profile is a further row; its
 * name is then allowed and printed, and a test wants it in the manual.
 */
#include "ncmd/config_profile.h"

#include <stddef.h>

struct profile {
	const char *name;
	struct policy policy;
	uint32_t in_max_size; /* from here on as in struct config */
	uint16_t in_depth;
	uint16_t in_max_datagrams;
	uint16_t in_short_datagrams;
	uint32_t out_max_size;
	uint16_t out_count;
	uint16_t out_max_datagrams;
};

static const struct profile profiles[] = {
	/*
	 * A Linux host sends each datagram at once, so an NTB holds one and there are many. TCP
	 * to the device with 16, 32, 64, 96 and 128: 258, 290, 307, 314 and 317 Mbit/s.
	 */
	[CONFIG_PROFILE_LATENCY] = {
		.name = "latency",
		.policy = { .kind = POLICY_IMMEDIATE },
		.in_max_size = 16384,
		.in_depth = 8,
		.in_max_datagrams = 64,
		.in_short_datagrams = 3, /* at full speed 5 carry 1 % more and double ping's p99 */
		.out_max_size = 0, /* what suits a Linux host */
		.out_count = 96,
		.out_max_datagrams = 1,
	},
	/*
	 * The host collects as much as it likes. With 4, 8, 16, 24 and 32: 497, 540, 576, 590
	 * and 590 Mbit/s; 8 of 16384 bytes, which the host fills with zeros: 518.
	 */
	[CONFIG_PROFILE_THROUGHPUT] = {
		.name = "throughput",
		.policy = { .kind = POLICY_IMMEDIATE },
		.in_max_size = 16384,
		.in_depth = 8,
		.in_max_datagrams = 64,
		.in_short_datagrams = 8, /* at full speed 3: 8.7 Mbit/s, 5: 8.9, 8: 9.0 */
		.out_max_size = 0,
		.out_count = 24,
		.out_max_datagrams = 0,
	},
};

const char *config_profile_name(unsigned int profile)
{
	return profile < sizeof(profiles) / sizeof(profiles[0]) ? profiles[profile].name : NULL;
}

void config_profile_apply(struct config *c, enum config_profile profile)
{
	const struct profile *p = &profiles[profile];

	c->profile = profile;
	c->policy = p->policy;
	c->ntb.in_max_size = p->in_max_size;
	c->ntb.in_depth = p->in_depth;
	c->ntb.in_max_datagrams = p->in_max_datagrams;
	c->ntb.in_short_datagrams = p->in_short_datagrams;
	c->ntb.out_max_size = p->out_max_size;
	c->ntb.out_count = p->out_count;
	c->ntb.out_max_datagrams = p->out_max_datagrams;
}
