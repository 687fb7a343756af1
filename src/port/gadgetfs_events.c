/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GadgetFS: what comes over ep0, and its answers. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "port/gadgetfs.h"
#include "port/gadgetfs_parts.h"

_Static_assert(EP0_STAGE_DATA_MAX >= USB_DEVICE_REPLY_MAX, "a string fits into a message");

static struct gadgetfs *self(struct transport *t)
{
	return (struct gadgetfs *)t;
}

static bool stage_event(struct gadgetfs *g, struct transport_event *event)
{
	struct ep0_stage_message m;

	if (!ep0_stage_result(&g->stage, &m))
		return false;
	g->aborted = m.result == -EIDRM || m.result == -EAGAIN || m.result == -EINTR;
	if (g->ours) {
		if (m.result < 0)
			log_debug("request %02x was not finished by the host: %s",
				  g->setup.bRequest, strerror(-m.result));
		return false;
	}
	ep0_stage_event(&m, &g->setup, event);
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
	error = ep0_stage_order(&g->stage, &m);
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
		gadgetfs_open_endpoints(g);
		return disable(g, event);
	case USB_DEVICE_UNCONFIGURED:
		gadgetfs_close_endpoints(g);
		return disable(g, event);
	case USB_DEVICE_ALTERNATE:
		log_debug("alternate setting %u of the data interface", g->device.alternate);
		gadgetfs_restart_toggle(g, ENDPOINT_BULK_IN);
		gadgetfs_restart_toggle(g, ENDPOINT_BULK_OUT);
		if (!g->device.alternate)
			return disable(g, event);
		g->enabled = true;
		return say(event, TRANSPORT_ENABLE);
	case USB_DEVICE_CLEAR_HALT:
		gadgetfs_clear_halt(g, a->endpoint);
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
		gadgetfs_wake(g);
	}
	switch (from->type) {
	case GADGETFS_NOP:
		return false;
	case GADGETFS_CONNECT:
		g->speed = from->u.speed == USB_SPEED_HIGH ? USB_SPEED_IS_HIGH : USB_SPEED_IS_FULL;
		return false;
	case GADGETFS_DISCONNECT:
		usb_device_reset(&g->device);
		gadgetfs_close_endpoints(g);
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

bool gadgetfs_read_events(struct gadgetfs *g)
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

bool gadgetfs_next_event(struct transport *t, struct transport_event *event)
{
	struct gadgetfs *g = self(t);

	if (own_event(g, event) || stage_event(g, event))
		return true;
	while (g->ep0 >= 0 && !g->stage.busy) {
		while (g->event_next < g->events && !g->stage.busy)
			if (translate(g, &g->event[g->event_next++], event))
				return true;
		if (g->stage.busy || !gadgetfs_read_events(g))
			break;
	}
	return own_event(g, event);
}

int gadgetfs_answer(struct transport *t, const struct ncm_answer *answer)
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
	return ep0_stage_order(&g->stage, &m);
}
