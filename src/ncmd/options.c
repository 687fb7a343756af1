/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ncmd/options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

static const struct option long_options[] = {
	{ "config", required_argument, NULL, 'c' }, { "dry-run", no_argument, NULL, 'n' },
	{ "debug", no_argument, NULL, 'd' },	    { "version", no_argument, NULL, 'V' },
	{ "help", no_argument, NULL, 'h' },	    { 0 },
};

static void help(FILE *to)
{
	fputs("usage: ncmd [-c FILE] [-n] [-d]\n"
	      "Makes this board a USB network device (CDC-NCM) and runs until SIGTERM.\n"
	      "\n"
	      "  -c, --config FILE  the configuration (default: " OPTIONS_DEFAULT_CONFIG ",\n"
	      "                     or built-in values if that does not exist)\n"
	      "  -n, --dry-run      check the configuration, print what would be done, do nothing\n"
	      "  -d, --debug        log more\n"
	      "  -V, --version      print the version\n"
	      "  -h, --help         print this\n"
	      "\n"
	      "SIGUSR1 writes the counters to /run/ncmd/NAME.stats.json.\n"
	      "See ncmd(8) and ncmd.conf(5).\n",
	      to);
}

enum options_outcome options_read(struct options *o, int argc, char **argv)
{
	int c;

	memset(o, 0, sizeof(*o));
	while ((c = getopt_long(argc, argv, "c:ndVh", long_options, NULL)) != -1) {
		switch (c) {
		case 'c':
			o->config = optarg;
			break;
		case 'n':
			o->dry_run = true;
			break;
		case 'd':
			o->debug = true;
			break;
		case 'V':
			puts("ncmd " NCMD_VERSION);
			return OPTIONS_DONE;
		case 'h':
			help(stdout);
			return OPTIONS_DONE;
		default:
			fputs("ncmd: see ncmd --help\n", stderr); /* getopt named the mistake */
			return OPTIONS_WRONG;
		}
	}
	if (optind < argc) {
		fprintf(stderr,
			"ncmd: \"%s\" is no option: a configuration file is given with -c FILE\n",
			argv[optind]);
		return OPTIONS_WRONG;
	}
	return OPTIONS_RUN;
}
