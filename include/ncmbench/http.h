/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One GET over plain HTTP/1.1. */
#ifndef NCMBENCH_HTTP_H
#define NCMBENCH_HTTP_H

#include <stdbool.h>
#include <stdint.h>

#include "port/log.h"

#define HTTP_PATIENCE_S 30 /* without a byte, the connection has failed */

/* http://HOST[:PORT][/PATH]; an IPv6 address stands in brackets. */
struct http_url {
	char host[256], port[6];
	char path[1024]; /* with the query; "/" if there is none */
	bool literal6; /* host is an IPv6 address */
};

/* False, with *why for people, if `text` is none. */
bool http_url_parse(struct http_url *u, const char *text, const char **why);

/* Times are from before the connection is made. */
struct http_result {
	int status;
	uint64_t bytes; /* of the body */
	int64_t connect_us, first_byte_us, total_us;
};

/* 0, or -errno with *f filled; any status but 200 is a failure. */
int http_fetch(const struct http_url *u, struct http_result *r, struct failure *f);

#endif
