/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "port/cable.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct cable *self(struct transport *t)
{
	return (struct cable *)t;
}

static int send_one(struct cable *c, struct transfer *transfer)
{
	/* Notifications have no place on this cable: they count as taken. */
	if (transfer->endpoint == ENDPOINT_NOTIFY) {
		transfer->result = (int32_t)transfer->len;
		return 0;
	}
	c->base.submit_calls++;
	transfer->result = (int32_t)send(c->socket, transfer->bytes, transfer->len,
					 MSG_DONTWAIT | MSG_NOSIGNAL);
	return transfer->result < 0 ? -errno : 0;
}

static int cable_submit(struct transport *t, struct transfer **list, unsigned int n)
{
	struct cable *c = self(t);
	unsigned int taken = 0;
	int error = 0;

	for (; taken < n; taken++) {
		struct transfer *transfer = list[taken];

		if (transfer->endpoint == ENDPOINT_BULK_OUT) {
			c->out[(c->out_first + c->n_out++) % TRANSPORT_QUEUE_MAX] = transfer;
			continue;
		}
		error = send_one(c, transfer);
		if (error)
			break;
		c->sent[c->n_sent++] = transfer;
	}
	/* What was sent has ended already; and packets may have come while no read was armed. */
	t->reap_again |= taken > 0;
	return taken ? (int)taken : error;
}

static unsigned int cable_reap(struct transport *t, struct transfer **done, unsigned int max)
{
	struct cable *c = self(t);
	unsigned int n = 0;

	t->reap_again = false;
	while (n < max && c->n_sent)
		done[n++] = c->sent[--c->n_sent];
	while (n < max && c->n_out && !c->closed) {
		struct transfer *transfer = c->out[c->out_first];
		ssize_t len = recv(c->socket, transfer->bytes, transfer->len, MSG_DONTWAIT);

		c->base.reap_calls++;
		if (len < 0 && (errno == EAGAIN || errno == EINTR))
			break;
		if (len <= 0) {
			c->closed = c->close_pending = true;
			break;
		}
		transfer->result = (int32_t)len;
		c->out_first = (c->out_first + 1) % TRANSPORT_QUEUE_MAX;
		c->n_out--;
		done[n++] = transfer;
	}
	return n;
}

static void cable_cancel(struct transport *t, struct transfer *transfer)
{
	/* What is on the socket has been sent; an armed read ends with the cable. */
	(void)t;
	(void)transfer;
}

static bool cable_next_event(struct transport *t, struct transport_event *event)
{
	struct cable *c = self(t);

	memset(event, 0, sizeof(*event));
	if (c->enable_pending) {
		c->enable_pending = false;
		event->kind = TRANSPORT_ENABLE;
		return true;
	}
	if (c->close_pending) {
		c->close_pending = false;
		event->kind = TRANSPORT_CLOSED;
		return true;
	}
	return false;
}

static int cable_answer(struct transport *t, const struct ncm_answer *answer)
{
	(void)t;
	(void)answer;
	return -EOPNOTSUPP; /* it never brings a SETUP */
}

static int cable_link(struct transport *t, struct transport_link *link)
{
	*link = self(t)->link;
	return 0;
}

static const struct transport_ops cable_ops = {
	.name = "cable",
	.submit = cable_submit,
	.reap = cable_reap,
	.cancel = cable_cancel,
	.next_event = cable_next_event,
	.answer = cable_answer,
	.link = cable_link,
};

int cable_open(struct cable *c, int socket, enum usb_speed speed, struct failure *f)
{
	memset(c, 0, sizeof(*c));
	if (fcntl(socket, F_SETFL, O_NONBLOCK) < 0)
		return fail(f, errno, "cannot use descriptor %d as a cable: %s", socket,
			    strerror(errno));
	c->base.ops = &cable_ops;
	c->base.completion_fd = socket;
	c->base.event_fd = -1;
	c->socket = socket;
	c->link.speed = speed;
	c->link.bulk_packet = usb_speed_bulk_packet(speed);
	c->enable_pending = true;
	return 0;
}

void cable_close(struct cable *c)
{
	close(c->socket);
}
