/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What no single setting shows to be wrong. */
#include <stdarg.h>
#include <stdio.h>

#include "sim/settings.h"

bool sim_wrong(struct sim_why *why, const config_setting_t *at, const char *format, ...)
{
	int used = 0;
	va_list args;

	if (at)
		used = snprintf(why->text, sizeof(why->text),
				"line %d: ", (int)config_setting_source_line(at));
	va_start(args, format);
	vsnprintf(why->text + used, sizeof(why->text) - (size_t)used, format, args);
	va_end(args);
	return false;
}

static bool check_traffic(const struct sim_traffic_settings *t, const config_setting_t *at,
			  struct sim_why *why)
{
	if (t->kind == SIM_UDP && !t->interval_ns)
		return sim_wrong(why, at, "udp needs interval_us");
	if (t->gap_ns && (t->kind != SIM_BURST || t->interval_ns))
		return sim_wrong(why, at, "gap_us is for a burst without interval_us");
	if (t->kind == SIM_TCP && t->tcp.window / t->tcp.segment >= SIM_TCP_WINDOW_SEGMENTS)
		return sim_wrong(why, at, "a window of %u segments or more",
				 SIM_TCP_WINDOW_SEGMENTS);
	return true;
}

/* In an NTB from the host; 40 is cdc_ncm's most. */
static uint32_t most_datagrams(const struct sim_device_settings *d)
{
	uint32_t most = d->out_datagrams ? d->out_datagrams : 40;
	uint32_t fit = d->out_size / SIM_FRAME_MIN;

	return most < fit ? most : fit;
}

bool sim_settings_check(const struct sim_run_settings *s, const config_setting_t *at,
			struct sim_why *why)
{
	if (!s->traffics)
		return sim_wrong(why, at, "there is no traffic");
	if (s->omit_ns >= s->seconds_ns)
		return sim_wrong(why, at, "omit_s leaves nothing of seconds");
	if (s->device.in_depth > s->device.in_buffers)
		return sim_wrong(why, at, "in_depth is more than in_buffers");
	if (s->device.out_buffers * most_datagrams(&s->device) > SIM_QUEUE_MAX)
		return sim_wrong(why, at, "out_buffers of out_size hold more than %u datagrams",
				 SIM_QUEUE_MAX);
	for (uint32_t i = 0; i < s->traffics; i++)
		if (!check_traffic(&s->traffic[i], at, why))
			return false;
	return true;
}
