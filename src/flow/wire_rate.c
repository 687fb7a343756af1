/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flow/wire_rate.h"

#include "wire/usb_speed.h"

/* Shorter stretches say more about how completions are reported than about the wire. */
#define STRETCH_NS 4000000

/* A new measurement counts one part in so many. */
#define WEIGHT 4

void wire_rate_begin(struct wire_rate *r, uint16_t max_packet)
{
	r->bytes_per_ms = usb_bulk_bytes_per_ms(max_packet);
	r->since_ns = 0;
	r->bytes = 0;
}

static void begin_stretch(struct wire_rate *r, int64_t now_ns)
{
	r->since_ns = now_ns;
	r->bytes = 0;
}

void wire_rate_waiting(struct wire_rate *r, bool waiting, int64_t now_ns)
{
	if (!waiting)
		r->since_ns = 0;
	else if (!r->since_ns)
		begin_stretch(r, now_ns);
}

void wire_rate_fetched(struct wire_rate *r, uint32_t bytes, int64_t now_ns)
{
	int64_t took_ns = now_ns - r->since_ns;
	uint64_t measured;

	if (!r->since_ns)
		return;
	r->bytes += bytes;
	if (took_ns < STRETCH_NS)
		return;
	measured = r->bytes * 1000000 / (uint64_t)took_ns;
	r->bytes_per_ms += (uint32_t)(measured / WEIGHT) - r->bytes_per_ms / WEIGHT;
	if (!r->bytes_per_ms)
		r->bytes_per_ms = 1;
	begin_stretch(r, now_ns);
}

uint32_t wire_rate_bytes_in(const struct wire_rate *r, uint32_t us)
{
	uint64_t bytes = (uint64_t)r->bytes_per_ms * us / 1000;

	return bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
}

int64_t wire_rate_ns_of(const struct wire_rate *r, uint32_t bytes)
{
	return (int64_t)bytes * 1000000 / r->bytes_per_ms;
}
