/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How soon the scheduler lets this program run when a frame or a transfer wakes it. */
#ifndef NCMD_PORT_SLICE_H
#define NCMD_PORT_SLICE_H

/*
 * Asks for the shortest time slice there is, so that waking up preempts whoever runs
 * (Linux 6.12 and later; older kernels take no notice). Priority and share of the
 * processor stay as they are. 0 or -errno.
 */
int slice_shorten(void);

#endif
