/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ncmbench/http.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ncmbench/clock.h"
#include "ncmbench/http_response.h"

static bool copy(char *to, size_t size, const char *from, size_t len)
{
	if (len >= size)
		return false;
	memcpy(to, from, len);
	to[len] = '\0';
	return true;
}

/* The host; returns what follows it, or NULL. */
static const char *read_host(struct http_url *u, const char *text)
{
	size_t len;

	u->literal6 = *text == '[';
	if (u->literal6) {
		len = strcspn(++text, "]/");
		if (text[len] != ']')
			return NULL;
	} else {
		len = strcspn(text, ":/?#");
	}
	if (!len || !copy(u->host, sizeof(u->host), text, len))
		return NULL;
	return text + len + u->literal6;
}

static const char *read_port(struct http_url *u, const char *text)
{
	size_t len;

	strcpy(u->port, "80");
	if (*text != ':')
		return text;
	len = strspn(++text, "0123456789");
	if (!len || !copy(u->port, sizeof(u->port), text, len) || atoi(u->port) > 65535 ||
	    atoi(u->port) < 1)
		return NULL;
	return text + len;
}

bool http_url_parse(struct http_url *u, const char *text, const char **why)
{
	static const char scheme[] = "http://";

	*why = "it has to be http://HOST[:PORT]/PATH";
	if (strncasecmp(text, "https://", 8) == 0) {
		*why = "only plain http:// is spoken here";
		return false;
	}
	if (strncasecmp(text, scheme, strlen(scheme)) != 0)
		return false;
	for (const char *c = text; *c; c++)
		if ((unsigned char)*c <= ' ' || *c == 0x7f)
			return false;
	text = read_host(u, text + strlen(scheme));
	if (text)
		text = read_port(u, text);
	if (!text || (*text && !strchr("/?#", *text)))
		return false;
	snprintf(u->path, sizeof(u->path), "%s", *text == '/' ? "" : "/");
	return copy(u->path + strlen(u->path), sizeof(u->path) - 1, text, strcspn(text, "#"));
}

static int connect_to(const struct http_url *u, struct failure *f)
{
	const struct timeval patience = { .tv_sec = HTTP_PATIENCE_S };
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *found;
	int fd = -1, error = getaddrinfo(u->host, u->port, &hints, &found);

	if (error)
		return fail(f, EHOSTUNREACH, "cannot find the address of %s: %s", u->host,
			    gai_strerror(error));
	for (struct addrinfo *a = found; a && fd < 0; a = a->ai_next) {
		fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fd < 0) {
			error = errno;
			continue;
		}
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
		if (connect(fd, a->ai_addr, a->ai_addrlen) == 0)
			break;
		error = errno;
		close(fd);
		fd = -1;
	}
	freeaddrinfo(found);
	if (fd < 0)
		return fail(f, error, "cannot connect to %s, port %s: %s; is an HTTP server there?",
			    u->host, u->port, strerror(error));
	return fd;
}

static int send_request(int fd, const struct http_url *u, struct failure *f)
{
	char text[2048];
	int len =
		snprintf(text, sizeof(text),
			 "GET %s HTTP/1.1\r\nHost: %s%s%s%s%s\r\nUser-Agent: ncmbench/" NCMD_VERSION
			 "\r\nAccept: */*\r\nAccept-Encoding: identity\r\n"
			 "Connection: close\r\n\r\n",
			 u->path, u->literal6 ? "[" : "", u->host, u->literal6 ? "]" : "",
			 strcmp(u->port, "80") ? ":" : "", strcmp(u->port, "80") ? u->port : "");

	if (send(fd, text, (size_t)len, MSG_NOSIGNAL) != len)
		return fail(f, errno, "cannot send the request to %s: %s", u->host,
			    strerror(errno));
	return 0;
}

static int receive(int fd, const struct http_url *u, struct http_response *response,
		   int64_t *first_ns, struct failure *f)
{
	static char bytes[65536];
	enum http_verdict verdict = HTTP_MORE;
	ssize_t n;

	while (verdict == HTTP_MORE) {
		n = recv(fd, bytes, sizeof(bytes), 0);
		if (n < 0 && errno == EAGAIN)
			return fail(f, ETIMEDOUT,
				    "no byte from %s for %u s, after %llu bytes of the body",
				    u->host, HTTP_PATIENCE_S,
				    (unsigned long long)response->body_bytes);
		if (n < 0)
			return fail(f, errno, "the connection to %s broke: %s", u->host,
				    strerror(errno));
		if (!*first_ns)
			*first_ns = clock_now_ns();
		verdict = n ? http_response_feed(response, bytes, (size_t)n) :
			      http_response_end(response);
	}
	if (verdict == HTTP_BAD)
		return fail(f, EPROTO, "the response of %s is wrong: %s", u->host, response->fault);
	if (response->status != 200)
		return fail(f, EPROTO, "%s answers %s with status %d instead of 200", u->host,
			    u->path, response->status);
	return 0;
}

int http_fetch(const struct http_url *u, struct http_result *r, struct failure *f)
{
	static struct http_response response;
	int64_t start_ns = clock_now_ns(), connected_ns, first_ns = 0;
	int fd = connect_to(u, f), error;

	if (fd < 0)
		return fd;
	connected_ns = clock_now_ns();
	http_response_init(&response);
	error = send_request(fd, u, f);
	if (!error)
		error = receive(fd, u, &response, &first_ns, f);
	r->total_us = (clock_now_ns() - start_ns) / NS_PER_US;
	close(fd);
	r->connect_us = (connected_ns - start_ns) / NS_PER_US;
	r->first_byte_us = (first_ns - start_ns) / NS_PER_US;
	r->status = response.status;
	r->bytes = response.body_bytes;
	return error;
}
