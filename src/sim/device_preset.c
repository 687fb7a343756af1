/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The devices by name; facts of each from its source, 2026. */
#include <string.h>

#include "sim/device.h"

static const struct {
	const char *name;
	struct sim_device_settings settings;
} presets[] = {
	/* One buffer each way, 32 datagrams; sends at once since its change 19469. */
	{ "nuttx",
	  { .in_size = 16384,
	    .in_depth = 1,
	    .in_buffers = 1,
	    .in_datagrams = 32,
	    .in_ndp_first = true,
	    .zlp = true,
	    .out_size = 16384,
	    .out_buffers = 1,
	    .queue = 8 } },
	/* As it comes: one buffer of 3200 bytes each way; sends at once, collects while busy. */
	{ "tinyusb",
	  { .in_size = 3200,
	    .in_depth = 1,
	    .in_buffers = 1,
	    .in_datagrams = 8,
	    .in_ndp_first = true,
	    .zlp = true,
	    .out_size = 3200,
	    .out_buffers = 1,
	    .out_datagrams = 6,
	    .queue = 1,
	    .fills_ahead = true } },
	{ "f_ncm",
	  { .policy = { .kind = POLICY_WINDOW, .window_us = 300 },
	    .in_size = 16384,
	    .in_depth = 10,
	    .in_buffers = 11,
	    .in_datagrams = 31,
	    .zlp = true,
	    .out_size = 16384,
	    .out_buffers = 10,
	    .queue = 1000 } },
	/* The latency profile. */
	{ "ncmd",
	  { .in_size = 16384,
	    .in_depth = 8,
	    .in_buffers = 9,
	    .in_datagrams = 64,
	    .out_size = 3584,
	    .out_buffers = 96,
	    .out_datagrams = 1,
	    .queue = 1000,
	    .fair = true,
	    .in_flight_ns = 400 * SIM_NS_PER_US,
	    .short_datagrams = 3 } },
};

bool sim_device_preset(const char *name, struct sim_device_settings *settings)
{
	for (size_t i = 0; i < sizeof(presets) / sizeof(presets[0]); i++)
		if (strcmp(presets[i].name, name) == 0) {
			*settings = presets[i].settings;
			return true;
		}
	return false;
}
