/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The data and status stages of control requests. They block in the kernel even on
 * an O_NONBLOCK ep0, for as long as the host likes (facts 4), so they run in a
 * thread of their own, which exchanges fixed messages with the loop and can be
 * interrupted.
 */
#ifndef NCMD_PORT_EP0_STAGE_H
#define NCMD_PORT_EP0_STAGE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "port/log.h"
#include "port/transport.h"
#include "wire/ncm_control.h"

enum ep0_stage_kind {
	EP0_STAGE_SEND, /* IN data stage: `data`, `len` bytes */
	EP0_STAGE_RECEIVE, /* OUT data stage: up to `len` bytes into `data` */
	EP0_STAGE_ACKNOWLEDGE, /* status stage of a request without data */
	EP0_STAGE_STALL_IN, /* protocol stall of a device-to-host request */
	EP0_STAGE_STALL_OUT, /* of a host-to-device request */
	EP0_STAGE_QUIT,
};

/* Bytes: GadgetFS has strings answered here, and a buffer of 256 bytes behind its ep0. */
#define EP0_STAGE_DATA_MAX 256

/* Both ways: the order, and the same with `result` when it has been carried out. */
struct ep0_stage_message {
	enum ep0_stage_kind kind;
	uint16_t len;
	uint8_t data[EP0_STAGE_DATA_MAX];
	int32_t result; /* bytes moved, or -errno; a stall that worked is 0 */
};

struct ep0_stage {
	int ep0; /* not owned */
	int loop_end, thread_end; /* SOCK_SEQPACKET pair */
	pthread_t thread;
	atomic_bool done; /* the thread has left its loop */
	bool busy; /* an order is out: ep0 must not be read */
	int watch; /* an epoll, not owned */
	bool ep0_watched;
};

/*
 * Starts the thread. Adds to the epoll `watch` the result of an order and, while none is out,
 * ep0: while a stage is under way reading ep0 would be taken for the data stage. 0 or -errno
 * with *f filled.
 */
int ep0_stage_open(struct ep0_stage *s, int ep0, int watch, struct failure *f);

/*
 * The order that carries out `answer` to a request of that type. Not for NCM_REFUSE_DATA: the
 * status stage went with the data, and nothing can be said any more.
 */
void ep0_stage_of_answer(struct ep0_stage_message *m, const struct ncm_answer *answer,
			 uint8_t bRequestType);

/* Gives the thread an order; not while busy. 0 or -errno. */
int ep0_stage_order(struct ep0_stage *s, const struct ep0_stage_message *order);

/* The result of the order, if it is there; loop_end is readable then. */
bool ep0_stage_result(struct ep0_stage *s, struct ep0_stage_message *result);

/* What the link is told of a result; `setup` is the request that was answered. */
void ep0_stage_event(const struct ep0_stage_message *result, const struct usb_setup *setup,
		     struct transport_event *event);

/* Interrupts whatever stage is under way and joins the thread; returns within milliseconds. */
void ep0_stage_close(struct ep0_stage *s);

#endif
