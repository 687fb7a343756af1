/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Results on stdout: lines for people, or one JSON object. */
#ifndef NCMBENCH_REPORT_H
#define NCMBENCH_REPORT_H

#include "ncmbench/http.h"
#include "ncmbench/options.h"
#include "ncmbench/rtt.h"
#include "ncmbench/tcp.h"

/* Sorts r->ns. */
void report_rtt(const struct options *o, struct rtt_result *r);
void report_tcp(const struct options *o, const struct tcp_result *r);
void report_http(const struct options *o, const struct http_result *r);
void report_mixed(const struct options *o, struct rtt_result *rtt, const struct tcp_result *tcp);

/* A failure: on stderr, and with --json as {"error": ...} on stdout too. */
void report_failure(const struct options *o, const struct failure *f);

#endif
