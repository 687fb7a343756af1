/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The USB side as the flows see it: three endpoints that take transfers, and a
 * stream of events. FunctionFS, the cable of the tests and what comes later are
 * behind the same ops.
 *
 * A turn of the loop: transport_reap() until it returns 0, any number of
 * transport_queue(), one transport_submit().
 */
#ifndef NCMD_PORT_TRANSPORT_H
#define NCMD_PORT_TRANSPORT_H

#include <libaio.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/ncm_control.h"
#include "wire/ncm_spec.h"
#include "wire/usb_speed.h"

enum endpoint {
	ENDPOINT_NOTIFY, /* interrupt IN */
	ENDPOINT_BULK_IN,
	ENDPOINT_BULK_OUT,
};
#define ENDPOINTS 3

enum transfer_state {
	TRANSFER_IDLE, /* the caller's */
	TRANSFER_QUEUED, /* waits for transport_submit(); memory must stay */
	TRANSFER_IN_FLIGHT, /* the kernel's; an IN transfer's memory is free again */
};

/* One USB transfer. Owned by the flow that made it; the transport only links it. */
struct transfer {
	struct iocb iocb;
	enum endpoint endpoint;
	enum transfer_state state;
	uint8_t *bytes; /* the caller's memory */
	uint32_t len; /* bytes to send, or room to receive */
	int32_t result; /* after transport_reap(): bytes moved, or -errno */
	uint32_t generation; /* the ENABLE it was queued under; kept by the caller */
	bool silent; /* its end need not wake anybody; it is reaped with whatever comes next */
};

enum transport_event_kind {
	TRANSPORT_BIND, /* bound to a UDC */
	TRANSPORT_UNBIND,
	TRANSPORT_ENABLE, /* everything in flight is gone: arm again. Several may merge into one */
	TRANSPORT_DISABLE,
	TRANSPORT_SUSPEND,
	TRANSPORT_RESUME,
	TRANSPORT_SETUP, /* answer with transport_answer() before the next one comes */
	TRANSPORT_DATA, /* the data stage asked for with NCM_WANT_DATA */
	TRANSPORT_ANSWERED, /* the answer ended; `error` says how */
	TRANSPORT_CLOSED, /* the other end is gone for good */
};

struct transport_event {
	enum transport_event_kind kind;
	struct usb_setup setup; /* TRANSPORT_SETUP, TRANSPORT_DATA */
	uint8_t data[NCM_CONTROL_DATA_MAX]; /* TRANSPORT_DATA */
	size_t data_len;
	int error; /* TRANSPORT_ANSWERED: 0 or -errno */
};

/* What is known after an ENABLE. */
struct transport_link {
	enum usb_speed speed;
	uint16_t bulk_packet; /* bytes, wMaxPacketSize of bulk IN */
	uint8_t interface; /* the host's number of the communication interface */
};

#define TRANSPORT_QUEUE_MAX 200 /* transfers that exist at the same time, all endpoints */

struct transport;

struct transport_ops {
	const char *name;
	/* Takes the first transfers of the list; returns how many (>= 0), or -errno if not even
	 * one. */
	int (*submit)(struct transport *t, struct transfer **list, unsigned int n);
	/* Ended transfers, `result` filled; returns how many. */
	unsigned int (*reap)(struct transport *t, struct transfer **done, unsigned int max);
	/* Whether reap() would find something, without a system call; NULL: unknown. */
	bool (*ended)(const struct transport *t);
	/* Asks for the end of one in flight; it is reaped like any other. */
	void (*cancel)(struct transport *t, struct transfer *transfer);
	/* The next event; false if there is none now. */
	bool (*next_event)(struct transport *t, struct transport_event *event);
	/* Carries out the answer to the last TRANSPORT_SETUP; never waits for the host. */
	int (*answer)(struct transport *t, const struct ncm_answer *answer);
	/* Speed and interface number; -errno when the endpoints are not enabled. */
	int (*link)(struct transport *t, struct transport_link *link);
};

/* The base of each transport's own struct. */
struct transport {
	const struct transport_ops *ops;
	int completion_fd; /* readable (edge) when a transfer ended */
	int event_fd; /* readable when next_event() has something; -1: never */
	/* For the next transport_submit(): all to the host, then all reads. */
	struct transfer *queue[TRANSPORT_QUEUE_MAX];
	unsigned int queued, queued_to_host;
	struct transfer *failed[TRANSPORT_QUEUE_MAX]; /* refused at submit; reaped next */
	unsigned int n_failed;
	bool resume_is_silent; /* TRANSPORT_RESUME comes only after a transfer: send, to find out */
	bool reap_again; /* set by a transport: reap without waiting for completion_fd */
	uint64_t submit_calls; /* system calls made */
	uint64_t reap_calls;
};

/*
 * Adds one IDLE transfer to this turn's submit: behind those queued before it, but
 * what goes to the host before any read, whose fresh kernel buffer (zeroed where
 * init_on_alloc is set) would delay it. Never fails: TRANSPORT_QUEUE_MAX bounds their number.
 */
void transport_queue(struct transport *t, struct transfer *transfer);

/*
 * Hands everything queued to the kernel, in order, normally in one system call. What it does not
 * take for want of room stays queued (returns true: call again soon); what it
 * refuses is reaped with its -errno.
 */
bool transport_submit(struct transport *t);

/* Whether transport_reap() has something that completion_fd does not tell of. */
static inline bool transport_ready(const struct transport *t)
{
	return t->n_failed || t->reap_again || (t->ops->ended && t->ops->ended(t));
}

/* Up to `max` ended transfers, now IDLE; returns how many. */
unsigned int transport_reap(struct transport *t, struct transfer **done, unsigned int max);

/* Ends one: a queued transfer is reaped with -ECANCELED, one in flight when the kernel gives it
 * back. */
void transport_cancel(struct transport *t, struct transfer *transfer);

#endif
