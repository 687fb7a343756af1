/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any transfer under any rules: the first byte of the input chooses the rules, the
 * rest is the transfer. Datagrams lie inside it and fit the rules, results are
 * bounded, and reading the same bytes again says the same.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "ntb_vectors.h"
#include "unit.h"
#include "wire/ntb_read.h"

static void must(bool promise)
{
	if (!promise)
		abort();
}

static struct ntb_read_rules rules_from(uint8_t choice)
{
	return (struct ntb_read_rules){
		.format = choice & 1 ? NTB_FORMAT_32 : NTB_FORMAT_16,
		.crc = choice & 2,
		.ntb_out_max_size = choice & 4 ? 2048 : choice & 8 ? 16384 : 0,
		.max_datagram_len = choice & 16 ? 8018 : 1518,
		.ntb_out_max_datagrams = choice & 32 ? 1 : choice & 64 ? 40 : 0,
	};
}

static uint32_t mix(uint32_t sum, uint32_t value)
{
	return (sum ^ value) * 16777619u;
}

/* Reads all of it and returns a number that stands for everything that was said. */
static uint32_t read_all(const struct ntb_read_rules *rules, const uint8_t *transfer, size_t len)
{
	struct ntb_read r;
	struct ntb_datagram d;
	enum ntb_verdict v;
	size_t results = 0, bytes = 0;
	uint32_t sum = 2166136261u;

	ntb_read_begin(&r, rules, transfer, len);
	while ((v = ntb_read_next(&r, &d)) != NTB_END) {
		must((unsigned int)v < NTB_VERDICT_COUNT);
		must(++results <= len / 4 + 1);
		sum = mix(sum, v);
		if (v != NTB_DATAGRAM)
			continue;
		must(d.bytes >= transfer && d.bytes < transfer + len);
		must(d.len <= len - (size_t)(d.bytes - transfer));
		must(d.len >= 14 && d.len <= rules->max_datagram_len);
		bytes += d.len;
		sum = mix(sum, (uint32_t)(d.bytes - transfer));
		for (size_t i = 0; i < d.len; i++)
			sum = mix(sum, d.bytes[i]); /* every byte may be read */
	}
	must(bytes <= len); /* what came out is never more than what came in */
	must(ntb_read_next(&r, &d) == NTB_END);
	return mix(sum, r.ntbs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ntb_read_rules rules;
	uint8_t *transfer;

	if (size == 0)
		return 0;
	rules = rules_from(data[0]);
	transfer = exact_copy(data + 1, size - 1);
	must(read_all(&rules, transfer, size - 1) == read_all(&rules, transfer, size - 1));
	free(transfer);
	return 0;
}

/* The vectors under the rules they are written for; NTB32 under its own. */
size_t fuzz_seed(size_t i, uint8_t *buf, size_t cap)
{
	size_t n = i < ntb_vectors_count ? ntb_vector_build(&ntb_vectors[i], buf + 1, cap - 1) : 0;

	if (n == 0)
		return 0;
	buf[0] = memcmp(buf + 1, "ncmh", 4) == 0 ? 9 : 8;
	return n + 1;
}
