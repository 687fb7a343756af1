/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GadgetFS: endpoints and what goes over them. */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "port/gadgetfs.h"
#include "port/gadgetfs_parts.h"

/* A file whose last transfer has just ended is given back a moment later (facts 1.10). */
#define REOPEN_TRIES 100
#define REOPEN_NS    1000000

_Static_assert(ENDPOINT_NOTIFY < GADGETFS_WRITERS && ENDPOINT_BULK_IN < GADGETFS_WRITERS,
	       "both have a writer");

static struct gadgetfs *self(struct transport *t)
{
	return (struct gadgetfs *)t;
}

/*
 * What goes by write() in a helper: notifications, which wait until the host asks for them, and
 * what a controller's driver might end inside usb_ep_queue() (port/ep_writer.h).
 */
static bool is_for_writer(const struct transfer *t)
{
	return t->endpoint == ENDPOINT_NOTIFY ||
	       (t->endpoint == ENDPOINT_BULK_IN && t->len <= EP_WRITER_BYTES_MAX);
}

/* While the helper is in write() the file takes nothing else; what is behind it waits. */
static bool must_wait(const struct gadgetfs *g, const struct transfer *t)
{
	return t->endpoint != ENDPOINT_BULK_OUT && !ep_writer_is_idle(&g->writer[t->endpoint]);
}

/* How many of the list go to AIO in one call: up to the first that does not. */
static unsigned int aio_run(const struct gadgetfs *g, struct transfer **list, unsigned int n)
{
	unsigned int run = 0;

	while (run < n && !is_for_writer(list[run]) && !must_wait(g, list[run]))
		run++;
	return run;
}

int gadgetfs_submit(struct transport *t, struct transfer **list, unsigned int n)
{
	struct gadgetfs *g = self(t);
	unsigned int run = aio_run(g, list, n);

	if (g->ep[list[0]->endpoint] < 0)
		return -ESHUTDOWN;
	if (run) {
		t->submit_calls++;
		return ep_aio_submit(&g->aio, list, run);
	}
	if (must_wait(g, list[0]))
		return 0;
	ep_writer_order(&g->writer[list[0]->endpoint], g->ep[list[0]->endpoint], list[0]);
	return 1;
}

void gadgetfs_wake(struct gadgetfs *g)
{
	static const uint64_t one = 1;

	(void)!write(g->wake, &one, sizeof(one));
}

/* GadgetFS does not tell when the bus wakes up; a transfer that the host took does. */
static void notice_resume(struct gadgetfs *g, struct transfer *const *done, unsigned int n)
{
	for (unsigned int i = 0; i < n && g->suspended; i++) {
		if (done[i]->result < 0 || done[i]->endpoint == ENDPOINT_NOTIFY)
			continue;
		g->suspended = false;
		g->say_resume = true;
		gadgetfs_wake(g);
	}
}

unsigned int gadgetfs_reap(struct transport *t, struct transfer **done, unsigned int max)
{
	struct gadgetfs *g = self(t);
	unsigned int n = 0;

	for (int i = 0; i < GADGETFS_WRITERS && n < max; i++) {
		done[n] = ep_writer_reap(&g->writer[i]);
		n += done[n] != NULL;
	}
	if (n < max)
		n += ep_aio_reap(&g->aio, done + n, max - n, &t->reap_calls);
	notice_resume(g, done, n);
	return n;
}

bool gadgetfs_ended(const struct transport *t)
{
	const struct gadgetfs *g = (const struct gadgetfs *)t;

	return ep_aio_ended(&g->aio) || ep_writer_ended(&g->writer[ENDPOINT_NOTIFY]) ||
	       ep_writer_ended(&g->writer[ENDPOINT_BULK_IN]);
}

/*
 * An AIO request of GadgetFS must not be cancelled: it ends inside io_cancel(), which holds the
 * lock that its end takes. It ends when the host takes it, or leaves.
 */
void gadgetfs_cancel(struct transport *t, struct transfer *transfer)
{
	struct gadgetfs *g = self(t);

	if (transfer->endpoint != ENDPOINT_BULK_OUT &&
	    g->writer[transfer->endpoint].transfer == transfer)
		ep_writer_interrupt(&g->writer[transfer->endpoint]);
}

void gadgetfs_close_endpoints(struct gadgetfs *g)
{
	for (int i = 0; i < GADGETFS_WRITERS; i++)
		ep_writer_interrupt(&g->writer[i]);
	for (int i = 0; i < ENDPOINTS; i++) {
		if (g->ep[i] >= 0)
			close(g->ep[i]);
		g->ep[i] = g->aio.file[i] = -1;
	}
}

static uint8_t address_of(const struct gadgetfs *g, enum endpoint endpoint)
{
	const struct ncm_endpoints *e = &g->plan.function.endpoint;

	switch (endpoint) {
	case ENDPOINT_NOTIFY:
		return e->notify;
	case ENDPOINT_BULK_IN:
		return e->bulk_in;
	case ENDPOINT_BULK_OUT:
		break;
	}
	return e->bulk_out;
}

static int open_endpoint(struct gadgetfs *g, enum endpoint endpoint)
{
	static const struct timespec pause = { 0, REOPEN_NS };
	uint8_t bytes[NCM_GADGETFS_ENDPOINT_LEN];
	size_t len =
		ncm_gadgetfs_endpoint(bytes, &g->plan.function.endpoint, address_of(g, endpoint));
	int fd = gadgetfs_file(&g->mount, g->endpoint_file[endpoint]);

	for (int i = 0; fd == -EBUSY && i < REOPEN_TRIES; i++) {
		nanosleep(&pause, NULL);
		fd = gadgetfs_file(&g->mount, g->endpoint_file[endpoint]);
	}
	if (fd < 0)
		return fd;
	if (write(fd, bytes, len) < 0) {
		int error = -errno;

		close(fd);
		return error;
	}
	g->ep[endpoint] = g->aio.file[endpoint] = fd;
	return 0;
}

/* SET_CONFIGURATION. It cannot be refused any more, so trouble is only said. */
void gadgetfs_open_endpoints(struct gadgetfs *g)
{
	gadgetfs_close_endpoints(g);
	for (int i = 0; i < ENDPOINTS; i++) {
		int error = open_endpoint(g, (enum endpoint)i);

		if (!error)
			continue;
		log_error("cannot enable endpoint %s: %s; without it the host cannot use the "
			  "device",
			  g->endpoint_file[i], strerror(-error));
		gadgetfs_close_endpoints(g);
		return;
	}
}

/* SET_INTERFACE, CLEAR_FEATURE: the data toggle begins anew, at both ends. */
void gadgetfs_restart_toggle(struct gadgetfs *g, enum endpoint endpoint)
{
	if (g->ep[endpoint] < 0)
		return;
	if (endpoint != ENDPOINT_BULK_OUT)
		ep_writer_interrupt(&g->writer[endpoint]);
	if (ioctl(g->ep[endpoint], GADGETFS_CLEAR_HALT) < 0)
		log_debug("cannot clear the halt of endpoint %s: %s", g->endpoint_file[endpoint],
			  strerror(errno));
}

void gadgetfs_clear_halt(struct gadgetfs *g, uint8_t address)
{
	for (int i = 0; i < ENDPOINTS; i++)
		if (address_of(g, (enum endpoint)i) == address)
			gadgetfs_restart_toggle(g, (enum endpoint)i);
}
