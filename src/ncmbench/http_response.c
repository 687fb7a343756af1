/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ncmbench/http_response.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

void http_response_init(struct http_response *r)
{
	memset(r, 0, sizeof(*r));
}

static void broken(struct http_response *r, const char *fault)
{
	r->state = HTTP_BROKEN;
	r->fault = fault;
}

/* Decimal or hexadecimal digits up to the end or a ';' or space; false if it is anything else. */
static bool read_size(const char *text, unsigned int base, uint64_t *size)
{
	const char *c;

	*size = 0;
	for (c = text; isxdigit((unsigned char)*c); c++) {
		unsigned int digit = isdigit((unsigned char)*c) ?
					     (unsigned int)(*c - '0') :
					     (unsigned int)(tolower((unsigned char)*c) - 'a' + 10);

		if (digit >= base || *size >> 59)
			return false;
		*size = *size * base + digit;
	}
	return c > text && strchr("; \t", *c); /* the NUL is found as well */
}

static void status_line(struct http_response *r)
{
	unsigned int minor, status;

	if (sscanf(r->line, "HTTP/1.%1u %3u", &minor, &status) != 2 || status < 100)
		return broken(r, "it does not begin with an HTTP/1 status line");
	r->status = (int)status;
	r->state = HTTP_HEADER;
}

/* The value of header `name` if the line is one, else NULL. */
static const char *header_value(const char *line, const char *name)
{
	size_t len = strlen(name);

	if (strncasecmp(line, name, len) != 0 || line[len] != ':')
		return NULL;
	for (line += len + 1; *line == ' ' || *line == '\t'; line++)
		;
	return line;
}

/* The empty line behind the headers: what tells where the body ends [RFC 9112 6.3]? */
static void headers_end(struct http_response *r)
{
	if (r->status < 200) { /* 100 Continue and its like: the real one follows */
		r->status = 0;
		r->state = HTTP_STATUS_LINE;
	} else if (r->status == 204 || r->status == 304) {
		r->state = HTTP_COMPLETE;
	} else if (r->chunked) {
		r->state = HTTP_CHUNK_SIZE;
	} else if (!r->counted) {
		r->state = HTTP_BODY_OPEN;
	} else {
		r->state = r->left ? HTTP_BODY_COUNTED : HTTP_COMPLETE;
	}
}

static void header_line(struct http_response *r)
{
	const char *value;

	if (!r->line_len)
		return headers_end(r);
	value = header_value(r->line, "Content-Length");
	if (value) {
		if (!read_size(value, 10, &r->left))
			return broken(r, "its Content-Length is no number");
		r->counted = true;
	}
	value = header_value(r->line, "Transfer-Encoding");
	if (value) {
		if (strcasecmp(value, "chunked") != 0)
			return broken(r, "its Transfer-Encoding is unknown");
		r->chunked = true;
	}
}

static void chunk_line(struct http_response *r)
{
	if (!read_size(r->line, 16, &r->left))
		return broken(r, "a chunk has no size");
	r->state = r->left ? HTTP_CHUNK_DATA : HTTP_TRAILER;
}

static void line_done(struct http_response *r)
{
	if (r->line_len && r->line[r->line_len - 1] == '\r')
		r->line_len--;
	r->line[r->line_len] = '\0';
	switch (r->state) {
	case HTTP_STATUS_LINE:
		status_line(r);
		break;
	case HTTP_HEADER:
		header_line(r);
		break;
	case HTTP_CHUNK_SIZE:
		chunk_line(r);
		break;
	case HTTP_CHUNK_END:
		if (r->line_len)
			broken(r, "a chunk is longer than it said");
		else
			r->state = HTTP_CHUNK_SIZE;
		break;
	case HTTP_TRAILER:
		if (!r->line_len)
			r->state = HTTP_COMPLETE;
		break;
	default:
		break;
	}
	r->line_len = 0;
}

static size_t take_line(struct http_response *r, const char *bytes, size_t len)
{
	const char *end = memchr(bytes, '\n', len);
	size_t n = end ? (size_t)(end - bytes) : len;

	if (r->line_len + n >= sizeof(r->line)) {
		broken(r, "a line of its head is too long");
		return len;
	}
	memcpy(r->line + r->line_len, bytes, n);
	r->line_len += n;
	if (!end)
		return n;
	line_done(r);
	return n + 1;
}

static size_t take_body(struct http_response *r, size_t len)
{
	size_t n = len;

	if (r->state != HTTP_BODY_OPEN) {
		if (n > r->left)
			n = (size_t)r->left;
		r->left -= n;
		if (!r->left)
			r->state = r->state == HTTP_CHUNK_DATA ? HTTP_CHUNK_END : HTTP_COMPLETE;
	}
	r->body_bytes += n;
	return n;
}

static enum http_verdict verdict(const struct http_response *r)
{
	if (r->state == HTTP_BROKEN)
		return HTTP_BAD;
	return r->state == HTTP_COMPLETE ? HTTP_DONE : HTTP_MORE;
}

enum http_verdict http_response_feed(struct http_response *r, const char *bytes, size_t len)
{
	while (len && verdict(r) == HTTP_MORE) {
		bool body = r->state == HTTP_BODY_COUNTED || r->state == HTTP_BODY_OPEN ||
			    r->state == HTTP_CHUNK_DATA;
		size_t n = body ? take_body(r, len) : take_line(r, bytes, len);

		bytes += n;
		len -= n;
	}
	return verdict(r);
}

enum http_verdict http_response_end(struct http_response *r)
{
	if (r->state == HTTP_BODY_OPEN)
		r->state = HTTP_COMPLETE;
	else if (r->state != HTTP_COMPLETE && r->state != HTTP_BROKEN)
		broken(r, "the connection ended before it was complete");
	return verdict(r);
}
