/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of ncmd. */
#ifndef NCMD_OPTIONS_H
#define NCMD_OPTIONS_H

#include <stdbool.h>

#define OPTIONS_DEFAULT_CONFIG NCMD_SYSCONFDIR "/ncmd/ncm.conf"

struct options {
	const char *config; /* NULL: none was named */
	bool dry_run;
	bool debug;
};

/* What main() is to do next: go on, or end with the status. */
enum options_outcome {
	OPTIONS_RUN,
	OPTIONS_DONE, /* help or version was printed */
	OPTIONS_WRONG, /* a message was printed */
};

enum options_outcome options_read(struct options *o, int argc, char **argv);

#endif
