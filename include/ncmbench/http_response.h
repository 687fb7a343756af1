/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An HTTP/1.x response as it arrives, piece by piece [RFC 9112]. No I/O in here. */
#ifndef NCMBENCH_HTTP_RESPONSE_H
#define NCMBENCH_HTTP_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTTP_LINE_MAX 4096

enum http_verdict {
	HTTP_MORE, /* the response goes on */
	HTTP_DONE,
	HTTP_BAD, /* see fault */
};

enum http_state {
	HTTP_STATUS_LINE,
	HTTP_HEADER,
	HTTP_BODY_COUNTED, /* Content-Length bytes */
	HTTP_BODY_OPEN, /* until the connection ends */
	HTTP_CHUNK_SIZE,
	HTTP_CHUNK_DATA,
	HTTP_CHUNK_END,
	HTTP_TRAILER,
	HTTP_COMPLETE,
	HTTP_BROKEN,
};

struct http_response {
	enum http_state state;
	int status; /* 200, 404 ...; 0 until it is known */
	bool counted, chunked;
	uint64_t left; /* bytes of the body, or of the chunk, still to come */
	uint64_t body_bytes; /* without chunk headers */
	const char *fault; /* why HTTP_BAD, for people; static */
	char line[HTTP_LINE_MAX];
	size_t line_len;
};

void http_response_init(struct http_response *r);
enum http_verdict http_response_feed(struct http_response *r, const char *bytes, size_t len);

/* The peer has closed the connection: is that the end of the response, or too early? */
enum http_verdict http_response_end(struct http_response *r);

#endif
