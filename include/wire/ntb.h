/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the NTB reader and the NTB writer agree on. */
#ifndef NCMD_WIRE_NTB_H
#define NCMD_WIRE_NTB_H

enum ntb_format {
	NTB_FORMAT_16, /* value 0 of SET_NTB_FORMAT [NCM10 6.2.5] */
	NTB_FORMAT_32, /* value 1 */
};

#endif
