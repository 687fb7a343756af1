/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "port/gadgetfs.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* A file whose last transfer has just ended is given back a moment later (facts 1.10). */
#define REOPEN_TRIES 100
#define REOPEN_NS    1000000

#define WRITERS	     2
_Static_assert(ENDPOINT_NOTIFY < WRITERS && ENDPOINT_BULK_IN < WRITERS, "both have a writer");
_Static_assert(EP0_STAGE_DATA_MAX >= USB_DEVICE_REPLY_MAX, "a string fits into a message");

static struct gadgetfs *self(struct transport *t)
{
	return (struct gadgetfs *)t;
}

/* --- transfers --------------------------------------------------------------- */

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

static int gfs_submit(struct transport *t, struct transfer **list, unsigned int n)
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

static void wake(struct gadgetfs *g)
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
		wake(g);
	}
}

static unsigned int gfs_reap(struct transport *t, struct transfer **done, unsigned int max)
{
	struct gadgetfs *g = self(t);
	unsigned int n = 0;

	for (int i = 0; i < WRITERS && n < max; i++) {
		done[n] = ep_writer_reap(&g->writer[i]);
		n += done[n] != NULL;
	}
	if (n < max)
		n += ep_aio_reap(&g->aio, done + n, max - n, &t->reap_calls);
	notice_resume(g, done, n);
	return n;
}

static bool gfs_ended(const struct transport *t)
{
	const struct gadgetfs *g = (const struct gadgetfs *)t;

	return ep_aio_ended(&g->aio) || ep_writer_ended(&g->writer[ENDPOINT_NOTIFY]) ||
	       ep_writer_ended(&g->writer[ENDPOINT_BULK_IN]);
}

/*
 * An AIO request of GadgetFS must not be cancelled: it ends inside io_cancel(), which holds the
 * lock that its end takes. It ends when the host takes it, or leaves.
 */
static void gfs_cancel(struct transport *t, struct transfer *transfer)
{
	struct gadgetfs *g = self(t);

	if (transfer->endpoint != ENDPOINT_BULK_OUT &&
	    g->writer[transfer->endpoint].transfer == transfer)
		ep_writer_interrupt(&g->writer[transfer->endpoint]);
}

/* --- endpoints --------------------------------------------------------------- */

static void close_endpoints(struct gadgetfs *g)
{
	for (int i = 0; i < WRITERS; i++)
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
static void open_endpoints(struct gadgetfs *g)
{
	close_endpoints(g);
	for (int i = 0; i < ENDPOINTS; i++) {
		int error = open_endpoint(g, (enum endpoint)i);

		if (!error)
			continue;
		log_error("cannot enable endpoint %s: %s; without it the host cannot use the "
			  "device",
			  g->endpoint_file[i], strerror(-error));
		close_endpoints(g);
		return;
	}
}

/* SET_INTERFACE, CLEAR_FEATURE: the data toggle begins anew, at both ends. */
static void restart_toggle(struct gadgetfs *g, enum endpoint endpoint)
{
	if (g->ep[endpoint] < 0)
		return;
	if (endpoint != ENDPOINT_BULK_OUT)
		ep_writer_interrupt(&g->writer[endpoint]);
	if (ioctl(g->ep[endpoint], GADGETFS_CLEAR_HALT) < 0)
		log_debug("cannot clear the halt of endpoint %s: %s", g->endpoint_file[endpoint],
			  strerror(errno));
}

static void clear_halt(struct gadgetfs *g, uint8_t address)
{
	for (int i = 0; i < ENDPOINTS; i++)
		if (address_of(g, (enum endpoint)i) == address)
			restart_toggle(g, (enum endpoint)i);
}

/* --- events ------------------------------------------------------------------ */

/* While a stage is under way ep0 is the stage's: reading it would be taken for the data stage. */
static void watch_ep0(struct gadgetfs *g, bool on)
{
	struct epoll_event e = { .events = on ? EPOLLIN : 0 };

	if (g->ep0_watched == on)
		return;
	epoll_ctl(g->watch, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, g->ep0, &e);
	g->ep0_watched = on;
}

static int order(struct gadgetfs *g, const struct ep0_stage_message *m)
{
	int error;

	watch_ep0(g, false);
	error = ep0_stage_order(&g->stage, m);
	if (error)
		watch_ep0(g, true);
	return error;
}

static bool stage_event(struct gadgetfs *g, struct transport_event *event)
{
	struct ep0_stage_message m;

	if (!ep0_stage_result(&g->stage, &m))
		return false;
	watch_ep0(g, true);
	g->aborted = m.result == -EIDRM || m.result == -EAGAIN || m.result == -EINTR;
	if (g->ours) {
		if (m.result < 0)
			log_debug("request %02x was not finished by the host: %s",
				  g->setup.bRequest, strerror(-m.result));
		return false;
	}
	memset(event, 0, sizeof(*event));
	event->setup = g->setup;
	if (m.kind == EP0_STAGE_RECEIVE && m.result >= 0) {
		event->kind = TRANSPORT_DATA;
		event->data_len = (size_t)m.result;
		memcpy(event->data, m.data, event->data_len);
	} else {
		event->kind = TRANSPORT_ANSWERED;
		event->error = m.result < 0 ? m.result : 0;
	}
	return true;
}

/*
 * GadgetFS cannot stall a request once its data is on the way, so the data is taken and
 * forgotten.
 */
static bool takes_data(const struct usb_setup *setup)
{
	return !(setup->bRequestType & 0x80) && le16_get(setup->wLength);
}

static void answer_standard(struct gadgetfs *g, const struct usb_device_answer *a)
{
	struct ep0_stage_message m = { .len = a->len };
	int error;

	switch (a->action) {
	case USB_DEVICE_REPLY:
		m.kind = EP0_STAGE_SEND;
		memcpy(m.data, a->reply, a->len);
		break;
	case USB_DEVICE_ACCEPT:
		m.kind = EP0_STAGE_ACKNOWLEDGE;
		break;
	case USB_DEVICE_STALL:
	case USB_DEVICE_FORWARD:
		m.kind = g->setup.bRequestType & 0x80 ? EP0_STAGE_STALL_IN : EP0_STAGE_STALL_OUT;
		if (takes_data(&g->setup)) {
			m.kind = EP0_STAGE_RECEIVE;
			m.len = le16_get(g->setup.wLength);
		}
		break;
	}
	g->ours = true;
	error = order(g, &m);
	if (error)
		log_warning("cannot answer request %02x: %s", g->setup.bRequest, strerror(-error));
}

static bool say(struct transport_event *event, enum transport_event_kind kind)
{
	memset(event, 0, sizeof(*event));
	event->kind = kind;
	return true;
}

static bool disable(struct gadgetfs *g, struct transport_event *event)
{
	bool was = g->enabled;

	g->enabled = false;
	return was && say(event, TRANSPORT_DISABLE);
}

/* True if *event is for the link. */
static bool take_effect(struct gadgetfs *g, const struct usb_device_answer *a,
			struct transport_event *event)
{
	switch (a->effect) {
	case USB_DEVICE_NO_EFFECT:
		return false;
	case USB_DEVICE_CONFIGURED:
		open_endpoints(g);
		return disable(g, event);
	case USB_DEVICE_UNCONFIGURED:
		close_endpoints(g);
		return disable(g, event);
	case USB_DEVICE_ALTERNATE:
		log_debug("alternate setting %u of the data interface", g->device.alternate);
		restart_toggle(g, ENDPOINT_BULK_IN);
		restart_toggle(g, ENDPOINT_BULK_OUT);
		if (!g->device.alternate)
			return disable(g, event);
		g->enabled = true;
		return say(event, TRANSPORT_ENABLE);
	case USB_DEVICE_CLEAR_HALT:
		clear_halt(g, a->endpoint);
		return false;
	}
	return false;
}

static bool on_setup(struct gadgetfs *g, struct transport_event *event)
{
	struct usb_device_answer a = usb_device_setup(&g->device, &g->setup);
	bool told;

	if (a.action == USB_DEVICE_FORWARD) {
		g->ours = false;
		say(event, TRANSPORT_SETUP);
		event->setup = g->setup;
		return true;
	}
	log_debug("standard request %02x %02x, value %04x, index %04x: %s", g->setup.bRequestType,
		  g->setup.bRequest, le16_get(g->setup.wValue), le16_get(g->setup.wIndex),
		  a.action == USB_DEVICE_STALL ? "stall" : "taken");
	told = take_effect(g, &a, event);
	answer_standard(g, &a);
	return told;
}

static bool translate(struct gadgetfs *g, const struct usb_gadgetfs_event *from,
		      struct transport_event *to)
{
	if (from->type != GADGETFS_SUSPEND && from->type != GADGETFS_NOP && g->suspended) {
		g->suspended = false;
		g->say_resume = true;
		wake(g);
	}
	switch (from->type) {
	case GADGETFS_NOP:
		return false;
	case GADGETFS_CONNECT:
		g->speed = from->u.speed == USB_SPEED_HIGH ? USB_SPEED_IS_HIGH : USB_SPEED_IS_FULL;
		return false;
	case GADGETFS_DISCONNECT:
		usb_device_reset(&g->device);
		close_endpoints(g);
		return disable(g, to);
	case GADGETFS_SUSPEND:
		g->suspended = true;
		return say(to, TRANSPORT_SUSPEND);
	case GADGETFS_SETUP:
		_Static_assert(sizeof(g->setup) == sizeof(from->u.setup), "both are 8 wire bytes");
		memcpy(&g->setup, &from->u.setup, sizeof(g->setup));
		return on_setup(g, to);
	}
	return false;
}

/* Events that the kernel does not have. */
static bool own_event(struct gadgetfs *g, struct transport_event *event)
{
	uint64_t times;

	if (!g->say_bind && !g->say_resume)
		return false;
	(void)!read(g->wake, &times, sizeof(times));
	if (g->say_bind) {
		g->say_bind = false;
		return say(event, TRANSPORT_BIND);
	}
	g->say_resume = false;
	return say(event, TRANSPORT_RESUME);
}

/*
 * When the host gives a request up and makes another, the kernel says so once and takes what
 * comes next for the answer to the new one, whose SETUP nobody has read. Ending that one, with
 * a stall, is the only way to the events behind it.
 */
static void free_ep0(struct gadgetfs *g)
{
	struct pollfd p = { .fd = g->ep0, .events = POLLIN };
	uint8_t none;

	g->aborted = false;
	if (poll(&p, 1, 0) > 0 && p.revents & POLLIN)
		return;
	(void)!read(g->ep0, &none, 0);
}

static bool read_events(struct gadgetfs *g)
{
	ssize_t n;

	do {
		if (g->aborted)
			free_ep0(g);
		n = read(g->ep0, g->event, sizeof(g->event));
		g->aborted = n < 0 && errno == EIDRM;
	} while (n < 0 && (errno == EIDRM || errno == EINTR));
	g->event_next = 0;
	g->events = n < 0 ? 0 : (unsigned int)((size_t)n / sizeof(g->event[0]));
	return g->events > 0;
}

static bool gfs_next_event(struct transport *t, struct transport_event *event)
{
	struct gadgetfs *g = self(t);

	if (own_event(g, event) || stage_event(g, event))
		return true;
	while (g->ep0 >= 0 && !g->stage.busy) {
		while (g->event_next < g->events && !g->stage.busy)
			if (translate(g, &g->event[g->event_next++], event))
				return true;
		if (g->stage.busy || !read_events(g))
			break;
	}
	return own_event(g, event);
}

static int gfs_answer(struct transport *t, const struct ncm_answer *answer)
{
	struct gadgetfs *g = self(t);
	struct ep0_stage_message m;

	if (answer->kind == NCM_REFUSE_DATA)
		return 0;
	ep0_stage_of_answer(&m, answer, g->setup.bRequestType);
	if (answer->kind == NCM_STALL && takes_data(&g->setup)) {
		m.kind = EP0_STAGE_RECEIVE;
		m.len = le16_get(g->setup.wLength);
		g->ours = true;
	}
	return order(g, &m);
}

static int gfs_link(struct transport *t, struct transport_link *link)
{
	const struct gadgetfs *g = self(t);

	if (g->ep[ENDPOINT_BULK_IN] < 0)
		return -ENODEV;
	link->speed = g->speed;
	link->bulk_packet = usb_speed_bulk_packet(g->speed);
	link->interface = g->plan.function.first_interface;
	return 0;
}

static const struct transport_ops gadgetfs_ops = {
	.name = "gadgetfs",
	.submit = gfs_submit,
	.reap = gfs_reap,
	.ended = gfs_ended,
	.cancel = gfs_cancel,
	.next_event = gfs_next_event,
	.answer = gfs_answer,
	.link = gfs_link,
};

/* --- life -------------------------------------------------------------------- */

static int start_watch(struct gadgetfs *g, struct failure *f)
{
	struct epoll_event e = { .events = EPOLLIN };

	g->watch = epoll_create1(EPOLL_CLOEXEC);
	g->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (g->watch < 0 || g->wake < 0 || epoll_ctl(g->watch, EPOLL_CTL_ADD, g->wake, &e) < 0)
		return fail(f, errno, "cannot watch GadgetFS: %s", strerror(errno));
	return 0;
}

int gadgetfs_open(struct gadgetfs *g, const char *mount_point, const struct gadgetfs_plan *plan,
		  struct failure *f)
{
	int error;

	memset(g, 0, sizeof(*g));
	g->ep0 = g->watch = g->wake = g->stage.loop_end = -1;
	for (int i = 0; i < ENDPOINTS; i++)
		g->ep[i] = -1;
	g->plan = *plan;
	g->plan.function.function_string = USB_STRING_FUNCTION;
	g->plan.function.mac_string = USB_STRING_MAC;
	memcpy(g->device.string, plan->string, sizeof(g->device.string));
	g->device.self_powered = plan->identity.self_powered;
	error = ep_aio_open(&g->aio, f);
	if (error)
		return error;
	g->aio.vectors = true;
	error = gadgetfs_mount(&g->mount, mount_point, plan->udc, f);
	if (!error)
		error = start_watch(g, f);
	if (!error)
		error = aio_guard_open(&g->guard, f);
	for (int i = 0; i < WRITERS && !error; i++)
		error = ep_writer_open(&g->writer[i], g->aio.event_fd, f);
	if (error) {
		gadgetfs_close(g);
		return error;
	}
	g->base.ops = &gadgetfs_ops;
	g->base.completion_fd = g->aio.event_fd;
	g->base.event_fd = g->watch;
	g->base.resume_is_silent = true;
	return 0;
}

/* Opens the control file and writes the device to it, which binds it to the UDC. */
static int write_device(struct gadgetfs *g, struct failure *f)
{
	uint8_t bytes[NCM_GADGETFS_DEVICE_MAX];
	size_t len =
		ncm_gadgetfs_device(bytes, &g->plan.function, &g->plan.identity, g->plan.fastest);

	g->ep0 = gadgetfs_file(&g->mount, g->mount.control);
	if (g->ep0 < 0)
		return fail(f, g->ep0, "cannot open %s/%s: %s%s", g->mount.at, g->mount.control,
			    strerror(-g->ep0),
			    g->ep0 == -EBUSY ? "; another program has a gadget there" : "");
	if (write(g->ep0, bytes, len) < 0)
		return fail(
			f, errno,
			"cannot bind to the UDC %s through GadgetFS: %s; the UDC may be in use; "
			"`dmesg` has the kernel's reason",
			g->mount.udc, strerror(errno));
	return 0;
}

static bool is_same(const struct ncm_endpoints *a, const struct ncm_endpoints *b)
{
	return a->notify == b->notify && a->bulk_in == b->bulk_in && a->bulk_out == b->bulk_out;
}

/* *as_written: the device was described with the numbers that the endpoints have. */
static int find_endpoints(struct gadgetfs *g, bool *as_written, struct failure *f)
{
	char name[GADGETFS_ENDPOINTS_MAX][USB_ENDPOINT_NAME_MAX];
	unsigned int n = gadgetfs_endpoints(&g->mount, name);
	struct usb_endpoint_choice c;

	if (!usb_endpoint_choose((const char(*)[USB_ENDPOINT_NAME_MAX])name, n, &c))
		return fail(f, ENODEV,
			    "the UDC %s has %u endpoints, but not the three that NCM needs: bulk "
			    "IN, bulk OUT and interrupt IN",
			    g->mount.udc, n);
	strcpy(g->endpoint_file[ENDPOINT_NOTIFY], name[c.notify]);
	strcpy(g->endpoint_file[ENDPOINT_BULK_IN], name[c.bulk_in]);
	strcpy(g->endpoint_file[ENDPOINT_BULK_OUT], name[c.bulk_out]);
	*as_written = is_same(&c.address, &g->plan.function.endpoint);
	g->plan.function.endpoint = c.address;
	return 0;
}

/*
 * The endpoints show only once the device is bound, and their numbers stand in what was
 * written to bind it. If they are others it is bound again; a host that waits until a plug has
 * settled [USB20 7.1.7.3: 100 ms] does not see the first time.
 */
static int describe(struct gadgetfs *g, struct failure *f)
{
	bool as_written = false;
	int error = 0;

	for (int i = 0; i < 2 && !error && !as_written; i++) {
		if (g->ep0 >= 0)
			close(g->ep0);
		error = write_device(g, f);
		if (!error)
			error = find_endpoints(g, &as_written, f);
	}
	return error;
}

int gadgetfs_bind(struct gadgetfs *g, struct failure *f)
{
	struct epoll_event e = { .events = EPOLLIN };
	int error = describe(g, f);

	if (error)
		return error;
	/* From the first read on the kernel hands requests to us instead of stalling them. */
	read_events(g);
	error = ep0_stage_open(&g->stage, g->ep0, f);
	if (error)
		return error;
	if (epoll_ctl(g->watch, EPOLL_CTL_ADD, g->stage.loop_end, &e) < 0)
		return fail(f, errno, "cannot watch GadgetFS: %s", strerror(errno));
	watch_ep0(g, true);
	g->say_bind = true;
	wake(g);
	return 0;
}

const char *gadgetfs_udc(const struct gadgetfs *g)
{
	return g->mount.udc;
}

/*
 * The helpers first: the kernel waits for a write() before it lets an endpoint go. Then the
 * control file, whose end is that of every transfer.
 */
void gadgetfs_unbind(struct gadgetfs *g)
{
	if (g->stage.loop_end >= 0) {
		ep0_stage_close(&g->stage);
		g->stage.loop_end = -1;
	}
	for (int i = 0; i < WRITERS; i++)
		ep_writer_close(&g->writer[i]);
	for (int i = 0; i < ENDPOINTS; i++) {
		if (g->ep[i] >= 0)
			close(g->ep[i]);
		g->ep[i] = -1;
	}
	if (g->ep0 >= 0)
		close(g->ep0);
	g->ep0 = -1;
}

void gadgetfs_close(struct gadgetfs *g)
{
	gadgetfs_unbind(g);
	ep_aio_close(&g->aio);
	aio_guard_close(&g->guard);
	if (g->watch >= 0)
		close(g->watch);
	if (g->wake >= 0)
		close(g->wake);
	gadgetfs_unmount(&g->mount);
}
