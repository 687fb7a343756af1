/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of ncmbench. */
#ifndef NCMBENCH_OPTIONS_H
#define NCMBENCH_OPTIONS_H

#include <stdbool.h>

#include "ncmbench/environment.h"
#include "ncmbench/http.h"
#include "ncmbench/rtt.h"
#include "ncmbench/tcp.h"

enum command {
	COMMAND_NONE,
	COMMAND_RTT,
	COMMAND_TCP,
	COMMAND_HTTP,
	COMMAND_MIXED,
	COMMAND_HELP,
	COMMAND_VERSION,
};

struct options {
	enum command command;
	bool json;
	struct environment_told told;
	struct rtt_options rtt; /* rtt, mixed */
	struct tcp_options tcp; /* tcp, mixed */
	struct http_url url; /* http */
};

/* False if it is wrong: `why` is one line for people. *o points into argv. */
bool options_parse(struct options *o, int argc, char **argv, char *why, size_t why_size);

/* "10M" -> 10,000,000; k, M and G in either case. False if it is no such number, or 0. */
bool options_parse_rate(const char *text, uint64_t *bps);

/* "0.5" ms -> ns; at most an hour. False if it is no such number, or not above 0. */
bool options_parse_ms(const char *text, int64_t *ns);

extern const char options_help[];

#endif
