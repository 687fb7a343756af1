/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table that joins the configuration file and struct config: one row per
 * setting. Reading, printing and the error messages all walk it; a setting that is
 * not in it does not exist. Private to the config family.
 */
#ifndef NCMD_CONFIG_TABLE_H
#define NCMD_CONFIG_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ncmd/config.h"

enum config_kind {
	CONFIG_KIND_NUMBER, /* uint16_t or uint32_t: min, max, step, zero, hex count */
	CONFIG_KIND_BOOL,
	CONFIG_KIND_TEXT, /* one string: parse and print count */
	CONFIG_KIND_CHOICE, /* an enum: choice counts, and says what is allowed */
	CONFIG_KIND_ADDRESSES, /* the list tap.addresses */
};

struct config_row {
	const char *path; /* "ntb.in_depth" */
	enum config_kind kind;
	size_t offset, size; /* of the member in struct config, bytes */
	uint32_t min, max;
	uint32_t step; /* a multiple of this; 0: any number */
	bool zero; /* 0 is allowed beside min ... max */
	bool hex; /* printed as 0x1d6b */
	bool bcd; /* each hex digit is a decimal one */
	/* Fills the member; false with, perhaps, *why (a clause without an end) if the text is wrong. */
	bool (*parse)(const char *text, void *member, size_t size, const char **why);
	/* Writes the member as parse() reads it. NULL: the member is the text. */
	void (*print)(const void *member, char text[static CONFIG_PATH_MAX]);
	/* The word for a value of the enum; NULL behind the last one. */
	const char *(*choice)(unsigned int value);
	const char *allowed; /* what a message says after "must be" */
};

extern const struct config_row config_rows[];
extern const size_t config_rows_count;

/* The row of "ntb.in_depth", NULL if there is none. */
const struct config_row *config_row_find(const char *path);

/* Whether rows named "`path`.something" exist. */
bool config_group_exists(const char *path);

/* The known setting that the user may have meant by `path`; NULL if none is near. */
const char *config_nearest(const char *path);

#endif
