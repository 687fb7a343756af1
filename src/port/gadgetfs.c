/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GadgetFS: from the mount to the UDC and back. */
#include "port/gadgetfs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "port/gadgetfs_parts.h"

static int gfs_link(struct transport *t, struct transport_link *link)
{
	const struct gadgetfs *g = (const struct gadgetfs *)t;

	if (g->ep[ENDPOINT_BULK_IN] < 0)
		return -ENODEV;
	link->speed = g->speed;
	link->bulk_packet = usb_speed_bulk_packet(g->speed);
	link->interface = g->plan.function.first_interface;
	return 0;
}

static const struct transport_ops gadgetfs_ops = {
	.name = "gadgetfs",
	.submit = gadgetfs_submit,
	.reap = gadgetfs_reap,
	.ended = gadgetfs_ended,
	.cancel = gadgetfs_cancel,
	.next_event = gadgetfs_next_event,
	.answer = gadgetfs_answer,
	.link = gfs_link,
};

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
	for (int i = 0; i < GADGETFS_WRITERS && !error; i++)
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
	int error = describe(g, f);

	if (error)
		return error;
	/* From the first read on the kernel hands requests to us instead of stalling them. */
	gadgetfs_read_events(g);
	error = ep0_stage_open(&g->stage, g->ep0, g->watch, f);
	if (error)
		return error;
	g->say_bind = true;
	gadgetfs_wake(g);
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
	for (int i = 0; i < GADGETFS_WRITERS; i++)
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
