/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Joins consecutive TCP segments into one large packet, which the kernel takes through
 * its stack once instead of k times. A run begins with any datagram; each next one
 * either continues it or ends it:
 *
 *	for each datagram of the turn
 *		while (!gro_join_add(&j, d.bytes, d.len))
 *			deliver(&j);
 *	deliver(&j);
 *
 *	deliver:
 *		n = gro_join_seal(&j);	nothing pending: 0
 *		writev j.piece[0 ... n-1]
 *		if that failed with EINVAL and j.frames > 1: switch joining off, and
 *			for i in 0 ... j.frames-1: write zero header, gro_join_frame(&j, i)
 *		gro_join_reset(&j);
 *
 * Only neighbours are joined, so the order is kept whatever comes. A datagram that is
 * no candidate is a run of one that nothing continues, and leaves unchanged
 * behind an all-zero virtio header. Datagrams are never written to: the headers of a
 * joined packet are a copy, which stands behind the virtio header and so costs no
 * piece more; the frames are there for a second try.
 *
 * A joined packet is written with VNET_FLAG_NEEDS_CSUM and the kernel then trusts it, so
 * the checksums of every frame in it were verified here: joining would otherwise mend
 * what was damaged. Frames that stay alone are not summed, the kernel does that.
 */
#ifndef NCMD_WIRE_GRO_JOIN_H
#define NCMD_WIRE_GRO_JOIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/frame.h"
#include "wire/vnet_hdr.h"

/* Most frames in one packet: the kernel's old UDP_MAX_SEGMENTS, and 45 of 1448 fill 64 KiB. */
#define GRO_JOIN_FRAMES_MAX 64

/* Ethernet, IPv6 without extension headers, TCP with all options. */
#define GRO_JOIN_HEADER_MAX (14u + 40u + TCP_HEADER_MAX)

/* Bytes to write; the members of struct iovec. */
struct gro_piece {
	const uint8_t *bytes;
	size_t len;
};

struct gro_join {
	/*
	 * [0] virtio header, and of a joined packet the patched headers; [1] the first
	 * frame, or its payload; then the payloads of the others.
	 */
	struct gro_piece piece[1 + GRO_JOIN_FRAMES_MAX];
	unsigned int frames; /* in the run; 0: nothing is pending */
	unsigned int frames_max;
	const uint8_t *first; /* the first frame */
	size_t first_len;
	struct frame_tcp tcp; /* of the first frame; its payload length is the segment size */
	uint32_t payload_len; /* of all frames */
	uint32_t next_sequence;
	uint16_t id; /* IPv4, of the first frame */
	bool any_id; /* with DF set, or IPv6: IDs mean nothing */
	bool verified; /* the first frame's checksums are right */
	bool closed; /* nothing continues this run */
	bool push; /* PSH of the last frame */
	/*
	 * The run begins where the one before it ended, in the same TCP connection and not
	 * behind a PSH: the stream goes on, and its next segment is likely to come.
	 */
	bool goes_on;
	uint32_t ports; /* of the run, both, as they lie in the frame */
	uint8_t header[VNET_HDR_LEN + GRO_JOIN_HEADER_MAX];
};

/* Makes *j empty. frames_max 1 or 0 joins nothing; GRO_JOIN_FRAMES_MAX is the most. */
void gro_join_begin(struct gro_join *j, unsigned int frames_max);

/*
 * Takes the `len` bytes of the next frame, which must stay as they are until
 * gro_join_reset(). False: it does not continue what is pending; that has to be
 * sealed, written and reset, then the same call succeeds.
 */
bool gro_join_add(struct gro_join *j, const uint8_t *frame, size_t len);

/*
 * Ends the run and makes it ready to write: returns how many of j->piece[] are to be
 * written, in one writev(); 0 if nothing is pending.
 */
unsigned int gro_join_seal(struct gro_join *j);

/* Frame number i < j->frames of the run, unchanged, as it was added. */
struct gro_piece gro_join_frame(const struct gro_join *j, unsigned int i);

#define GRO_JOIN_PROBE_LEN 132u

/*
 * Makes *j a run of two segments for nobody, with a TTL of 0, in `memory`: written to a
 * TAP, it shows whether the kernel takes joined packets. The second is shorter, which is what
 * some kernels refuse [facts tap-offload 7.1].
 */
void gro_join_probe(struct gro_join *j, uint8_t memory[static GRO_JOIN_PROBE_LEN]);

/* Forgets the run, but not where its stream had come to. */
static inline void gro_join_reset(struct gro_join *j)
{
	j->frames = 0;
}

#endif
