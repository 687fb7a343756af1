/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An Ethernet frame of the model: real bytes, because they go through the real NTB code, that
 * say what the ends need to know.
 */
#ifndef NCMD_SIM_PACKET_H
#define NCMD_SIM_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#define SIM_FRAME_MIN 60u /* bytes, as Ethernet pads */
#define SIM_FRAME_MAX 1514u

/* Ethernet, IPv4 and TCP headers with timestamps, and without. */
#define SIM_TCP_HEADERS 66u
#define SIM_ACK_FRAME	66u

enum sim_end {
	SIM_HOST,
	SIM_DEVICE,
};

enum sim_packet_kind {
	SIM_PACKET_REQUEST, /* ping, or what starts an answer */
	SIM_PACKET_ANSWER,
	SIM_PACKET_DATA,
	SIM_PACKET_ACK,
};

struct sim_packet {
	uint32_t len; /* bytes, SIM_FRAME_MIN ... SIM_FRAME_MAX */
	uint8_t flow; /* index of the traffic it belongs to */
	uint8_t connection; /* of those of the traffic */
	uint8_t kind;
	uint8_t last; /* of a burst */
	uint64_t seq; /* number, or offset in bytes */
	uint64_t ack; /* offset up to which all has come, or bytes of payload */
	int64_t sent_ns;
};

/* Writes packet->len bytes. */
void sim_packet_write(const struct sim_packet *packet, uint8_t *bytes);

/* False if these are not the `len` bytes that sim_packet_write() made. */
bool sim_packet_read(struct sim_packet *packet, const uint8_t *bytes, uint32_t len);

/* Whoever takes packets: an end, or what lies between. */
typedef void sim_take(void *who, const struct sim_packet *packet);

/* A ring of packets of fixed size. */
#define SIM_QUEUE_MAX 2048u

struct sim_queue {
	uint32_t head, count;
	struct sim_packet packet[SIM_QUEUE_MAX];
};

/* False, and nothing kept, if `limit` packets are in it already. */
bool sim_queue_push(struct sim_queue *q, const struct sim_packet *packet, uint32_t limit);

/* The first, which has to be there. */
const struct sim_packet *sim_queue_first(const struct sim_queue *q);
void sim_queue_drop_first(struct sim_queue *q);

#endif
