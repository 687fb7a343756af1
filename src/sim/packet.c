/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/packet.h"

#include <string.h>

#include "wire/frame.h"

/* 14 bytes of Ethernet header, then the packet as this machine holds it. */
#define AT 14u

_Static_assert(AT + sizeof(struct sim_packet) <= SIM_FRAME_MIN, "fits the shortest frame");

void sim_packet_write(const struct sim_packet *packet, uint8_t *bytes)
{
	memset(bytes, 0, AT);
	bytes[0] = bytes[6] = 2; /* locally administered */
	memcpy(bytes + AT, packet, sizeof(*packet));
	memset(bytes + AT + sizeof(*packet), 0, packet->len - AT - sizeof(*packet));
}

bool sim_packet_read(struct sim_packet *packet, const uint8_t *bytes, uint32_t len)
{
	if (len < SIM_FRAME_MIN)
		return false;
	memcpy(packet, bytes + AT, sizeof(*packet));
	return packet->len == len;
}

bool sim_queue_push(struct sim_queue *q, const struct sim_packet *packet, uint32_t limit)
{
	if (q->count >= limit || q->count == SIM_QUEUE_MAX)
		return false;
	q->packet[(q->head + q->count++) % SIM_QUEUE_MAX] = *packet;
	return true;
}

const struct sim_packet *sim_queue_first(const struct sim_queue *q)
{
	return &q->packet[q->head];
}

void sim_queue_drop_first(struct sim_queue *q)
{
	q->head = (q->head + 1) % SIM_QUEUE_MAX;
	q->count--;
}
