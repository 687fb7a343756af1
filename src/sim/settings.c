/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/settings.h"

#include <math.h>
#include <string.h>

enum kind { KIND_U32, KIND_U64, KIND_TIME, KIND_BOOL, KIND_WORD, KIND_POLICY };

struct row {
	const char *name;
	enum kind kind;
	size_t offset;
	double least, most;
	double unit; /* ns or whatever the member counts, in one of the file's */
	const char *(*word)(int value); /* NULL behind the last */
};

/* --- words ------------------------------------------------------------------ */

#define WORDS(FUNCTION, NAME, TYPE, COUNT)                                                         \
	static const char *FUNCTION(int value)                                                     \
	{                                                                                          \
		return value < (COUNT) ? NAME((TYPE)value) : NULL;                                 \
	}

WORDS(link_word, sim_link_name, enum sim_link, SIM_LINKS)
WORDS(controller_word, sim_controller_name, enum sim_controller, SIM_CONTROLLERS)
WORDS(driver_word, sim_host_driver_name, enum sim_host_driver, SIM_HOST_DRIVERS)
WORDS(traffic_word, sim_traffic_kind_name, enum sim_traffic_kind, SIM_TRAFFIC_KINDS)

static const char *end_word(int value)
{
	return value == SIM_HOST ? "host" : value == SIM_DEVICE ? "device" : NULL;
}

/* --- tables ----------------------------------------------------------------- */

#define US	   1e3
#define MS	   1e6
#define S	   1e9

#define RUN(M)	   offsetof(struct sim_run_settings, M)
#define TRAFFIC(M) offsetof(struct sim_traffic_settings, M)

static const struct row run_rows[] = {
	{ "speed", KIND_WORD, RUN(link), .word = link_word },
	{ "controller", KIND_WORD, RUN(controller), .word = controller_word },
	{ "interrupt_us", KIND_TIME, RUN(interrupt_ns), 0, 10000, US },
	{ "in_transfers", KIND_U32, RUN(in_transfers), 1, SIM_TRANSFERS_MAX, 1 },
	{ "seconds", KIND_TIME, RUN(seconds_ns), 0.001, 3600, S },
	{ "omit_s", KIND_TIME, RUN(omit_ns), 0, 3600, S },
	{ "seed", KIND_U64, RUN(seed), 0, 1e15, 1 },
	{ 0 },
};

static const struct row host_rows[] = {
	{ "driver", KIND_WORD, RUN(host.driver), .word = driver_word },
	{ "timer_us", KIND_TIME, RUN(host.timer_ns), 0, 1000000, US },
	{ "out_transfers", KIND_U32, RUN(host.out_transfers), 1, 32, 1 },
	{ "stack_us", KIND_TIME, RUN(host.stack_ns), 0, 100000, US },
	{ 0 },
};

static const struct row device_rows[] = {
	{ "policy", KIND_POLICY, RUN(device.policy) },
	{ "in_size", KIND_U32, RUN(device.in_size), 2048, 65532, 1 },
	{ "in_depth", KIND_U32, RUN(device.in_depth), 1, 32, 1 },
	{ "in_buffers", KIND_U32, RUN(device.in_buffers), 1, 33, 1 },
	{ "in_datagrams", KIND_U32, RUN(device.in_datagrams), 1, NTB_WRITE_MAX_DATAGRAMS, 1 },
	{ "fills_ahead", KIND_BOOL, RUN(device.fills_ahead) },
	{ "ndp_first", KIND_BOOL, RUN(device.in_ndp_first) },
	{ "zlp", KIND_BOOL, RUN(device.zlp) },
	{ "out_size", KIND_U32, RUN(device.out_size), 2048, 65532, 1 },
	{ "out_buffers", KIND_U32, RUN(device.out_buffers), 1, SIM_NTBS_MAX, 1 },
	{ "out_datagrams", KIND_U32, RUN(device.out_datagrams), 0, 40, 1 },
	{ "queue", KIND_U32, RUN(device.queue), 1, SIM_QUEUE_MAX, 1 },
	{ "fair", KIND_BOOL, RUN(device.fair) },
	{ "in_flight_us", KIND_TIME, RUN(device.in_flight_ns), 0, 1000000, US },
	{ "short_datagrams", KIND_U32, RUN(device.short_datagrams), 0, 240, 1 },
	{ "in_ntb_us", KIND_TIME, RUN(device.in_ntb_ns), 0, 100000, US },
	{ "in_datagram_us", KIND_TIME, RUN(device.in_datagram_ns), 0, 100000, US },
	{ "out_ntb_us", KIND_TIME, RUN(device.out_ntb_ns), 0, 100000, US },
	{ "out_copy_us", KIND_TIME, RUN(device.out_copy_ns), 0, 100000, US },
	{ "out_datagram_us", KIND_TIME, RUN(device.out_datagram_ns), 0, 100000, US },
	{ 0 },
};

static const struct row ring_rows[] = {
	{ "mbit_s", KIND_U64, RUN(ring.bits_per_s), 1, 10000, 1e6 },
	{ "descriptors", KIND_U32, RUN(ring.descriptors), 1, 1024, 1 },
	{ "pool", KIND_U32, RUN(ring.pool), 1, SIM_QUEUE_MAX, 1 },
	{ "frame_us", KIND_TIME, RUN(ring.frame_ns), 0, 100000, US },
	{ "receive_copy_us", KIND_TIME, RUN(ring.receive_copy_ns), 0, 100000, US },
	{ "send_copy_us", KIND_TIME, RUN(ring.send_copy_ns), 0, 100000, US },
	{ 0 },
};

static const struct row uplink_rows[] = {
	{ "delay_ms", KIND_TIME, RUN(uplink.delay_ns), 0, 1000, MS },
	{ "mbit_s", KIND_U64, RUN(uplink.bits_per_s), 1, 10000, 1e6 },
	{ "access_us", KIND_TIME, RUN(uplink.access_ns), 0, 100000, US },
	{ "aggregate", KIND_U32, RUN(uplink.aggregate), 1, 64, 1 },
	{ "send_aggregate", KIND_U32, RUN(uplink.send_aggregate), 1, 64, 1 },
	{ "queue", KIND_U32, RUN(uplink.queue), 1, SIM_QUEUE_MAX, 1 },
	{ "send_queue", KIND_U32, RUN(uplink.send_queue), 1, SIM_QUEUE_MAX, 1 },
	{ "hand_us", KIND_TIME, RUN(uplink.hand_ns), 0, 100000, US },
	{ 0 },
};

static const struct row traffic_rows[] = {
	{ "kind", KIND_WORD, TRAFFIC(kind), .word = traffic_word },
	{ "from", KIND_WORD, TRAFFIC(from), .word = end_word },
	{ "count", KIND_U32, TRAFFIC(count), 0, SIM_SAMPLES_MAX, 1 },
	{ "start_ms", KIND_TIME, TRAFFIC(start_ns), 0, 1000000, MS },
	{ "interval_us", KIND_TIME, TRAFFIC(interval_ns), 0, 1e8, US },
	{ "think_us", KIND_TIME, TRAFFIC(think_ns), 1, 1e8, US },
	{ "size", KIND_U32, TRAFFIC(size), SIM_FRAME_MIN, SIM_FRAME_MAX, 1 },
	{ "datagrams", KIND_U32, TRAFFIC(datagrams), 1, 256, 1 },
	{ "gap_us", KIND_TIME, TRAFFIC(gap_ns), 0, 1000000, US },
	{ "connections", KIND_U32, TRAFFIC(connections), 1, SIM_CONNECTIONS_MAX, 1 },
	{ "segment", KIND_U32, TRAFFIC(tcp.segment), 64, SIM_FRAME_MAX - SIM_TCP_HEADERS, 1 },
	{ "window", KIND_U64, TRAFFIC(tcp.window), 64, 1048576, 1 },
	{ "bytes", KIND_U64, TRAFFIC(tcp.bytes), 1, 1e12, 1 },
	{ "keeps_order", KIND_BOOL, TRAFFIC(tcp.keeps_order) },
	{ "ack_every", KIND_U32, TRAFFIC(tcp.ack_every), 1, 100, 1 },
	{ "ack_delay_ms", KIND_TIME, TRAFFIC(tcp.ack_delay_ns), 0.01, 1000, MS },
	{ "rto_min_ms", KIND_TIME, TRAFFIC(tcp.rto_min_ns), 1, 10000, MS },
	{ 0 },
};

static const struct {
	const char *name;
	const struct row *rows;
} groups[] = {
	{ "host", host_rows },
	{ "device", device_rows },
	{ "ring", ring_rows },
	{ "uplink", uplink_rows },
};

#define GROUPS (sizeof(groups) / sizeof(groups[0]))

void sim_settings_default(struct sim_run_settings *s)
{
	memset(s, 0, sizeof(*s));
	s->controller = SIM_XHCI;
	s->in_transfers = 4; /* Linux at full speed */
	s->host = (struct sim_host_settings){ .timer_ns = 400 * SIM_NS_PER_US, .out_transfers = 4 };
	sim_device_preset("nuttx", &s->device);
	s->ring = (struct sim_ring_settings){ .bits_per_s = 100000000,
					      .descriptors = 16,
					      .pool = SIM_QUEUE_MAX };
	s->uplink = (struct sim_uplink_settings){ .bits_per_s = 100000000,
						  .aggregate = 1,
						  .send_aggregate = 1,
						  .queue = 100,
						  .send_queue = 100 };
	s->seconds_ns = 10 * SIM_NS_PER_S;
	s->seed = 1;
}

static void default_traffic(struct sim_traffic_settings *t)
{
	memset(t, 0, sizeof(*t));
	t->think_ns = SIM_NS_PER_US;
	t->size = 98; /* ping's 56 bytes */
	t->datagrams = t->connections = 1;
	t->tcp = (struct sim_tcp_settings){ .segment = SIM_FRAME_MAX - SIM_TCP_HEADERS,
					    .window = 65535,
					    .bytes = UINT64_MAX,
					    .ack_every = 2,
					    .ack_delay_ns = 40 * SIM_NS_PER_MS,
					    .rto_min_ns = 200 * SIM_NS_PER_MS };
}

/* --- reading ---------------------------------------------------------------- */

static bool read_number(const struct row *row, void *member, const config_setting_t *at,
			struct sim_why *why)
{
	double value;

	switch (config_setting_type(at)) {
	case CONFIG_TYPE_INT:
	case CONFIG_TYPE_INT64:
		value = (double)config_setting_get_int64(at);
		break;
	case CONFIG_TYPE_FLOAT:
		value = config_setting_get_float(at);
		break;
	default:
		return sim_wrong(why, at, "%s has to be a number", row->name);
	}
	if (!(value >= row->least && value <= row->most))
		return sim_wrong(why, at, "%s = %g: it has to be from %g to %g", row->name, value,
				 row->least, row->most);
	if (row->kind == KIND_TIME)
		*(int64_t *)member = (int64_t)llround(value * row->unit);
	else if (floor(value) != value)
		return sim_wrong(why, at, "%s = %g: it has to be a whole number", row->name, value);
	else if (row->kind == KIND_U32)
		*(uint32_t *)member = (uint32_t)value;
	else
		*(uint64_t *)member = (uint64_t)(value * row->unit);
	return true;
}

static bool read_word(const struct row *row, void *member, const config_setting_t *at,
		      struct sim_why *why)
{
	const char *text = config_setting_get_string(at), *word;
	char words[128] = "";

	for (int i = 0; (word = row->word(i)) != NULL; i++) {
		if (text && strcmp(text, word) == 0) {
			*(unsigned int *)member = (unsigned int)i;
			return true;
		}
		strncat(words, i ? ", " : "", sizeof(words) - strlen(words) - 1);
		strncat(words, word, sizeof(words) - strlen(words) - 1);
	}
	return sim_wrong(why, at, "%s has to be one of these, in quotes: %s", row->name, words);
}

static bool read_member(const struct row *row, void *base, const config_setting_t *at,
			struct sim_why *why)
{
	void *member = (char *)base + row->offset;
	const char *text;

	switch (row->kind) {
	case KIND_U32:
	case KIND_U64:
	case KIND_TIME:
		return read_number(row, member, at, why);
	case KIND_WORD:
		return read_word(row, member, at, why);
	case KIND_BOOL:
		if (config_setting_type(at) != CONFIG_TYPE_BOOL)
			return sim_wrong(why, at, "%s has to be true or false", row->name);
		*(bool *)member = config_setting_get_bool(at);
		return true;
	case KIND_POLICY:
		text = config_setting_get_string(at);
		if (text && policy_parse(text, member))
			return true;
		return sim_wrong(why, at, "%s has to be a policy as ncmd.conf(5) has it",
				 row->name);
	}
	return false;
}

static const struct row *find_row(const struct row *rows, const char *name)
{
	for (; rows->name; rows++)
		if (strcmp(rows->name, name) == 0)
			return rows;
	return NULL;
}

/* "like" comes first wherever it stands: all else is said on top of it. */
static bool read_like(struct sim_run_settings *s, const config_setting_t *group,
		      struct sim_why *why)
{
	const config_setting_t *like = config_setting_get_member(group, "like");
	const char *text = like ? config_setting_get_string(like) : NULL;

	if (!like || (text && sim_device_preset(text, &s->device)))
		return true;
	return sim_wrong(why, like,
			 "like has to be one of these, in quotes: nuttx, tinyusb, "
			 "f_ncm, ncmd");
}

static bool read_group(const char *name, const struct row *rows, void *base,
		       const config_setting_t *group, struct sim_why *why)
{
	if (!config_setting_is_group(group))
		return sim_wrong(why, group, "%s has to be a group, { ... }", name);
	for (int i = 0; i < config_setting_length(group); i++) {
		const config_setting_t *at = config_setting_get_elem(group, (unsigned int)i);
		const struct row *row = find_row(rows, config_setting_name(at));

		if (rows == device_rows && strcmp(config_setting_name(at), "like") == 0)
			continue;
		if (!row)
			return sim_wrong(why, at, "%s has no setting \"%.40s\"", name,
					 config_setting_name(at));
		if (!read_member(row, base, at, why))
			return false;
	}
	return true;
}

static bool read_traffic(struct sim_run_settings *s, const config_setting_t *list,
			 struct sim_why *why)
{
	int n = config_setting_length(list);

	if (!config_setting_is_list(list) || n < 1 || n > (int)SIM_TRAFFICS_MAX)
		return sim_wrong(why, list,
				 "traffic has to be a list of 1 to %u groups, ( { ... } )",
				 SIM_TRAFFICS_MAX);
	s->traffics = (uint32_t)n;
	for (int i = 0; i < n; i++) {
		default_traffic(&s->traffic[i]);
		if (!read_group("traffic", traffic_rows, &s->traffic[i],
				config_setting_get_elem(list, (unsigned int)i), why))
			return false;
	}
	return true;
}

static bool is_in(const char *const *list, const char *name)
{
	for (; *list; list++)
		if (strcmp(*list, name) == 0)
			return true;
	return false;
}

static bool read_one(struct sim_run_settings *s, const config_setting_t *at,
		     const char *const *others, struct sim_why *why)
{
	const char *name = config_setting_name(at);
	const struct row *row = find_row(run_rows, name);

	if (is_in(others, name))
		return true;
	if (row)
		return read_member(row, s, at, why);
	if (strcmp(name, "traffic") == 0)
		return read_traffic(s, at, why);
	for (size_t i = 0; i < GROUPS; i++) {
		if (strcmp(name, groups[i].name) != 0)
			continue;
		if (groups[i].rows == device_rows && !read_like(s, at, why))
			return false;
		return read_group(name, groups[i].rows, s, at, why);
	}
	return sim_wrong(why, at, "there is no setting \"%.40s\" here", name);
}

bool sim_settings_read(struct sim_run_settings *s, const config_setting_t *group,
		       const char *const *others, struct sim_why *why)
{
	if (!config_setting_is_group(group))
		return sim_wrong(why, group, "a group is wanted here, { ... }");
	for (int i = 0; i < config_setting_length(group); i++)
		if (!read_one(s, config_setting_get_elem(group, (unsigned int)i), others, why))
			return false;
	return true;
}
