/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flow/link.h"

#include <errno.h>
#include <string.h>

/* A notification or an endpoint that failed is tried again after so long. */
#define RETRY_NS 10000000LL

static const char *speed_name(enum usb_speed speed)
{
	switch (speed) {
	case USB_SPEED_IS_FULL:
		return "full";
	case USB_SPEED_IS_HIGH:
		return "high";
	case USB_SPEED_IS_SUPER:
		return "super";
	}
	return "unknown";
}

const char *link_state_name(enum link_state state)
{
	switch (state) {
	case LINK_UNBOUND:
		return "unbound";
	case LINK_BOUND:
		return "bound";
	case LINK_CONFIGURED:
		return "configured";
	case LINK_UP:
		return "up";
	case LINK_SUSPENDED:
		return "suspended";
	}
	return "unknown";
}

void link_open(struct link *l, const struct ncm_offer *offer, struct transport *transport,
	       struct tap *tap, struct to_host *to_host, struct from_host *from_host,
	       struct stats_link *stats)
{
	memset(l, 0, sizeof(*l));
	l->offer = *offer;
	ncm_choice_reset(&l->choice, offer);
	l->transport = transport;
	l->tap = tap;
	l->to_host = to_host;
	l->from_host = from_host;
	l->stats = stats;
	l->notification.endpoint = ENDPOINT_NOTIFY;
	l->notification.bytes = l->notification_bytes;
	l->tap_up = true;
	l->retry_ns = POLICY_NO_TIMER;
}

static void set_carrier(struct link *l, bool on)
{
	if (l->tap->carrier != on)
		l->stats->carrier_changes++;
	tap_set_carrier(l->tap, on);
}

/* What the host chose reaches the two flows. */
static void apply_choice(struct link *l)
{
	if (l->usb.bulk_packet)
		to_host_shape(l->to_host, &l->choice, l->usb.bulk_packet);
	from_host_reshape(l->from_host, l->choice.format, l->choice.crc);
}

static void go_down(struct link *l, enum link_state state)
{
	if (l->state == LINK_UP || l->state == LINK_SUSPENDED)
		log_info("link down: the host %s", state == LINK_UNBOUND ?
							   "port was taken from the gadget" :
							   "went away or deconfigured the gadget");
	l->state = state;
	l->notify_speed = l->notify_connection = false;
	l->retry_ns = POLICY_NO_TIMER;
	set_carrier(l, false);
	to_host_stop(l->to_host);
	from_host_disable(l->from_host);
	ncm_choice_reset(&l->choice, &l->offer);
}

static void go_up(struct link *l, const char *sign)
{
	if (l->state != LINK_CONFIGURED)
		return;
	l->state = LINK_UP;
	apply_choice(l);
	/* At full speed 64 KiB take 54 ms, and the frames of others should not wait for that. */
	tap_want_segments(l->tap, l->usb.speed != USB_SPEED_IS_FULL);
	to_host_start(l->to_host);
	set_carrier(l, true);
	log_info("link up at %s speed (%s): NTBs of %u bytes to the host, interface %u",
		 speed_name(l->usb.speed), sign, l->choice.ntb_in_size, l->usb.interface);
}

/* SET_CONFIGURATION or SET_INTERFACE, one or several. */
static void enabled(struct link *l)
{
	int error = l->transport->ops->link(l->transport, &l->usb);

	l->stats->enables++;
	if (error) {
		/* Disabled again meanwhile: the event that says so is on its way. */
		log_debug("endpoints are not there after ENABLE: %s", strerror(-error));
		return;
	}
	to_host_stop(l->to_host);
	set_carrier(l, false);
	l->state = LINK_CONFIGURED;
	l->fresh = true;
	l->notify_speed = l->notify_connection = true;
	l->retry_ns = POLICY_NO_TIMER;
	apply_choice(l);
	from_host_enable(l->from_host, l->usb.bulk_packet);
}

static bool is_for_us(const struct usb_setup *setup)
{
	/* Recipient interface, and the local number of the communication interface. */
	return (setup->bRequestType & 0x1f) == 1 && (le16_get(setup->wIndex) & 0xff) == 0;
}

/* What a request that was taken changes beyond the choice itself. */
static void taken(struct link *l, const struct usb_setup *setup)
{
	apply_choice(l);
	if (setup->bRequest != SET_ETHERNET_PACKET_FILTER)
		return;
	/*
	 * On real hardware the first notification after an endpoint was cycled can be
	 * lost to the data toggle (facts 2.6), so it is said again here.
	 */
	l->notify_connection = true;
	go_up(l, "packet filter");
}

static void setup(struct link *l, const struct usb_setup *request)
{
	struct ncm_answer answer = { .kind = NCM_STALL };
	int error;

	l->stats->requests++;
	if (is_for_us(request)) {
		if (request->bRequest == GET_NTB_PARAMETERS && l->fresh) {
			/* A host's driver begins: it expects what alternate setting 0 leaves
			 * [NCM10 7.2]. */
			l->fresh = false;
			ncm_choice_reset(&l->choice, &l->offer);
			apply_choice(l);
		}
		answer = ncm_control(&l->offer, &l->choice, request, NULL, 0);
	}
	log_debug("request %s (%02x %02x, value %04x, length %u): %s",
		  ncm_request_name(request->bRequest), request->bRequestType, request->bRequest,
		  le16_get(request->wValue), le16_get(request->wLength),
		  answer.kind == NCM_STALL ? "stall" : "taken");
	if (answer.kind == NCM_STALL)
		l->stats->stalls++;
	error = l->transport->ops->answer(l->transport, &answer);
	if (error) {
		l->stats->failed_stages++;
		log_warning("cannot answer request %02x: %s", request->bRequest, strerror(-error));
	}
	if (answer.kind == NCM_ACCEPT)
		taken(l, request);
}

static void data(struct link *l, const struct transport_event *e)
{
	struct ncm_answer answer =
		ncm_control(&l->offer, &l->choice, &e->setup, e->data, e->data_len);

	if (answer.kind == NCM_ACCEPT)
		taken(l, &e->setup);
	else
		l->stats->refused_data++;
}

static void suspend(struct link *l)
{
	l->stats->suspends++;
	if (l->state == LINK_SUSPENDED)
		return;
	l->before_suspend = l->state;
	l->state = LINK_SUSPENDED;
	l->retry_ns = POLICY_NO_TIMER; /* resume() says everything again */
	to_host_suspend(l->to_host, !l->transport->resume_is_silent);
	log_debug("the bus is suspended");
}

/*
 * No ENABLE comes with it, so what failed or changed while the bus slept is said
 * now; a notification more does no harm.
 */
static void resume(struct link *l)
{
	if (l->state != LINK_SUSPENDED)
		return;
	l->state = l->before_suspend;
	if (l->state == LINK_CONFIGURED || l->state == LINK_UP)
		l->notify_speed = l->notify_connection = true;
	to_host_suspend(l->to_host, false);
	log_debug("the bus is awake");
}

static void event(struct link *l, const struct transport_event *e)
{
	/* Whatever else comes, the bus is awake: a RESUME may be merged away. */
	if (l->state == LINK_SUSPENDED && e->kind != TRANSPORT_SUSPEND)
		resume(l);
	switch (e->kind) {
	case TRANSPORT_BIND:
		l->stats->binds++;
		go_down(l, LINK_BOUND);
		break;
	case TRANSPORT_UNBIND:
		l->stats->unbinds++;
		go_down(l, LINK_UNBOUND);
		break;
	case TRANSPORT_ENABLE:
		enabled(l);
		break;
	case TRANSPORT_DISABLE:
		l->stats->disables++;
		go_down(l, LINK_BOUND);
		break;
	case TRANSPORT_SUSPEND:
		suspend(l);
		break;
	case TRANSPORT_RESUME:
		l->stats->resumes++; /* the bus was woken above */
		break;
	case TRANSPORT_SETUP:
		setup(l, &e->setup);
		break;
	case TRANSPORT_DATA:
		data(l, e);
		break;
	case TRANSPORT_ANSWERED:
		if (e->error) {
			l->stats->failed_stages++;
			log_debug("request %02x was not finished by the host: %s",
				  e->setup.bRequest, strerror(-e->error));
		}
		break;
	case TRANSPORT_CLOSED:
		go_down(l, LINK_UNBOUND);
		l->closed = true;
		break;
	}
}

void link_events(struct link *l)
{
	struct transport_event e;

	while (l->transport->ops->next_event(l->transport, &e))
		event(l, &e);
}

void link_done(struct link *l, struct transfer *transfer, int64_t now_ns)
{
	if (transfer->result >= 0) {
		l->stats->notifications++;
		/* One from before an ENABLE says nothing about the time after it. */
		if (l->connection_sent && l->tap_up &&
		    transfer->generation == l->from_host->generation)
			go_up(l, "notification taken");
		return;
	}
	/* It failed. If it was cycled away the flags have been set again already. */
	if (l->state != LINK_CONFIGURED && l->state != LINK_UP)
		return;
	l->stats->notification_retries++;
	if (l->connection_sent)
		l->notify_connection = true;
	else
		l->notify_speed = true;
	l->retry_ns = now_ns + RETRY_NS;
}

void link_heard(struct link *l, const struct transfer *transfer)
{
	if (transfer->generation != l->from_host->generation)
		return;
	/* A UDC that does not tell of the end of a suspend. */
	if (l->state == LINK_SUSPENDED)
		resume(l);
	go_up(l, "data from the host");
}

void link_tap_up(struct link *l, bool up)
{
	if (l->tap_up == up)
		return;
	l->tap_up = up;
	if (l->state == LINK_CONFIGURED || l->state == LINK_UP)
		l->notify_connection = true;
}

void link_turn(struct link *l, int64_t now_ns)
{
	struct transfer *n = &l->notification;

	if (l->state == LINK_SUSPENDED)
		return;
	if (n->state != TRANSFER_IDLE || (!l->notify_speed && !l->notify_connection))
		return;
	if (l->retry_ns != POLICY_NO_TIMER && now_ns < l->retry_ns)
		return;
	l->retry_ns = POLICY_NO_TIMER;
	/* The speed first, as f_ncm does: Windows wants both, Linux shows it in ethtool. */
	l->connection_sent = !l->notify_speed;
	if (l->notify_speed) {
		l->notify_speed = false;
		n->len = (uint32_t)ncm_notify_speed(l->notification_bytes, l->usb.interface,
						    ncm_notify_bit_rate(l->usb.speed));
	} else {
		l->notify_connection = false;
		n->len = (uint32_t)ncm_notify_connection(l->notification_bytes, l->usb.interface,
							 l->tap_up);
	}
	n->generation = l->from_host->generation;
	transport_queue(l->transport, n);
}
