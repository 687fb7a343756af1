/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Command line -> one measurement -> report -> exit status. */
#include <stdio.h>
#include <string.h>

#include "ncmbench/host.h"
#include "ncmbench/mixed.h"
#include "ncmbench/options.h"
#include "ncmbench/report.h"
#include "ncmbench/sim.h"

/* Exit status, as man/ncmbench.1.scd has it. */
enum {
	STATUS_OK = 0,
	STATUS_FAILED = 1,
	STATUS_USAGE = 2,
};

static int run_rtt(const struct options *o, struct failure *f)
{
	struct rtt_result r;
	int error = rtt_run(&o->rtt, &r, f);

	if (error)
		return error;
	report_rtt(o, &r);
	rtt_free(&r);
	return 0;
}

static int run_tcp(const struct options *o, struct failure *f)
{
	struct tcp_result r;
	struct tcp_run run;
	int error = tcp_start(&run, &o->tcp, f);

	if (!error)
		error = tcp_finish(&run, &o->tcp, &r, f);
	if (!error)
		report_tcp(o, &r);
	return error;
}

static int run_http(const struct options *o, struct failure *f)
{
	struct http_result r;
	int error = http_fetch(&o->url, &r, f);

	if (!error)
		report_http(o, &r);
	return error;
}

static int run_mixed(const struct options *o, struct failure *f)
{
	struct rtt_result rtt;
	struct tcp_result tcp;
	int error = mixed_run(&o->rtt, &o->tcp, &rtt, &tcp, f);

	if (error)
		return error;
	report_mixed(o, &rtt, &tcp);
	rtt_free(&rtt);
	return 0;
}

static int run(const struct options *o, struct failure *f)
{
	switch (o->command) {
	case COMMAND_RTT:
		return run_rtt(o, f);
	case COMMAND_TCP:
		return run_tcp(o, f);
	case COMMAND_HTTP:
		return run_http(o, f);
	case COMMAND_MIXED:
		return run_mixed(o, f);
	case COMMAND_HELP:
		fputs(options_help, stdout);
		return 0;
	case COMMAND_VERSION:
		puts("ncmbench " NCMD_VERSION);
		return 0;
	case COMMAND_NONE:
		break;
	}
	return 0;
}

/* Commands with options of their own; each gets the words from its name on. */
static const struct {
	const char *name;
	int (*main)(int argc, char **argv);
} programs[] = {
	{ "host", host_main },
	{ "sim", sim_main },
};

int main(int argc, char **argv)
{
	struct options options;
	struct failure failure;
	char why[512];

	for (size_t i = 0; argc > 1 && i < sizeof(programs) / sizeof(programs[0]); i++)
		if (strcmp(argv[1], programs[i].name) == 0)
			return programs[i].main(argc - 1, argv + 1);
	if (!options_parse(&options, argc, argv, why, sizeof(why))) {
		fprintf(stderr, "ncmbench: %s\nncmbench: see ncmbench --help\n", why);
		return STATUS_USAGE;
	}
	if (run(&options, &failure)) {
		report_failure(&options, &failure);
		return STATUS_FAILED;
	}
	if (fflush(stdout) == EOF || ferror(stdout)) {
		fputs("ncmbench: cannot write the result to standard output\n", stderr);
		return STATUS_FAILED;
	}
	return STATUS_OK;
}
