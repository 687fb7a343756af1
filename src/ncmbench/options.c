/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ncmbench/options.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ncmbench/clock.h"
#include "ncmbench/echo.h"

const char options_help[] =
	"usage: ncmbench rtt PEER [-c COUNT] [-i MS] [-s BYTES] [-W MS] [-I INTERFACE]\n"
	"       ncmbench tcp PEER [-t SECONDS] [-O SECONDS] [-R] [-b RATE] [-p PORT]\n"
	"       ncmbench http URL\n"
	"       ncmbench mixed PEER [options of rtt and tcp, without -c]\n"
	"       ncmbench host [INTERFACE] [-s NAME=VALUE]... [--json]\n"
	"       ncmbench sim [SCENARIO...] [--json] [--list]\n"
	"Measures the network between this machine and a peer. tcp and mixed need iperf3 -s "
	"there.\n"
	"\n"
	"  rtt    ICMP round trips, one after the other: distribution, and what was lost\n"
	"  tcp    bulk TCP: throughput, retransmits, stalls, how busy this machine was\n"
	"  http   one file over plain HTTP: time to the first byte, whole time\n"
	"  mixed  round trips while bulk TCP runs\n"
	"  host   this machine as the host of an NCM device: its driver's settings, counters\n"
	"  sim    no network: a model of it, beside the figures of public reports\n"
	"\n"
	"  -c, --count COUNT         pings (default: 500)\n"
	"  -i, --interval MS         between pings, jittered by half of it (default: 10)\n"
	"  -s, --size BYTES          payload of a ping (default: 56)\n"
	"  -W, --wait MS             for the last answers (default: 1000)\n"
	"  -I, --interface NAME      send pings through this interface\n"
	"  -t, --time SECONDS        of bulk TCP (default: 10)\n"
	"  -O, --omit SECONDS        of bulk TCP before that, not measured (default: 1)\n"
	"  -R, --reverse             bulk TCP comes from the peer\n"
	"  -b, --rate BITS           hold bulk TCP at so many bit/s: 40M\n"
	"  -p, --port PORT           of iperf3 (default: 5201)\n"
	"  -e, --environment KEY=VALUE\n"
	"                            what the other end is set to, for the JSON: udc=rp2350\n"
	"  -j, --json                print one JSON object\n"
	"  -V, --version             print the version\n"
	"  -h, --help                print this\n"
	"\n"
	"See ncmbench(1).\n";

static const struct option long_options[] = {
	{ "count", required_argument, NULL, 'c' },
	{ "interval", required_argument, NULL, 'i' },
	{ "size", required_argument, NULL, 's' },
	{ "wait", required_argument, NULL, 'W' },
	{ "interface", required_argument, NULL, 'I' },
	{ "time", required_argument, NULL, 't' },
	{ "omit", required_argument, NULL, 'O' },
	{ "reverse", no_argument, NULL, 'R' },
	{ "rate", required_argument, NULL, 'b' },
	{ "port", required_argument, NULL, 'p' },
	{ "environment", required_argument, NULL, 'e' },
	{ "json", no_argument, NULL, 'j' },
	{ "version", no_argument, NULL, 'V' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

#define RTT_LETTERS "isWI"
#define TCP_LETTERS "tORbp"

static const struct {
	const char *name, *letters, *operand;
} commands[] = {
	[COMMAND_RTT] = { "rtt", "c" RTT_LETTERS, "PEER" },
	[COMMAND_TCP] = { "tcp", TCP_LETTERS, "PEER" },
	[COMMAND_HTTP] = { "http", "", "URL" },
	[COMMAND_MIXED] = { "mixed", RTT_LETTERS TCP_LETTERS, "PEER" },
};

static enum command find_command(const char *name)
{
	for (int i = COMMAND_RTT; i <= COMMAND_MIXED; i++)
		if (strcmp(commands[i].name, name) == 0)
			return (enum command)i;
	return COMMAND_NONE;
}

static bool parse_unsigned(const char *text, unsigned int least, unsigned int most,
			   unsigned int *value)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end || errno || n < least || n > most)
		return false;
	*value = (unsigned int)n;
	return true;
}

/* A decimal number without sign, exponent or the like; *end is behind it. */
static bool parse_decimal(const char *text, double *value, const char **end)
{
	size_t len = strspn(text, "0123456789.");
	char *stop;

	*end = text + len;
	if (!len || len > 20)
		return false;
	*value = strtod(text, &stop);
	return stop == *end;
}

bool options_parse_rate(const char *text, uint64_t *bps)
{
	const char *end;
	double value;

	if (!parse_decimal(text, &value, &end))
		return false;
	switch (*end) {
	case 'k':
	case 'K':
		value *= 1e3;
		break;
	case 'm':
	case 'M':
		value *= 1e6;
		break;
	case 'g':
	case 'G':
		value *= 1e9;
		break;
	case '\0':
		end--;
		break;
	default:
		return false;
	}
	if (end[1] || value < 1 || value > 1e15)
		return false;
	*bps = (uint64_t)llround(value);
	return true;
}

bool options_parse_ms(const char *text, int64_t *ns)
{
	const char *end;
	double value;

	if (!parse_decimal(text, &value, &end) || *end || value > 3600e3)
		return false;
	*ns = (int64_t)llround(value * NS_PER_MS);
	return *ns > 0;
}

/* One option; returns NULL, or what its value has to be. */
static const char *set_option(struct options *o, int letter, const char *value)
{
	switch (letter) {
	case 'c':
		return parse_unsigned(value, 1, RTT_COUNT_MAX, &o->rtt.count) ?
			       NULL :
			       "a number from 1 to 1000000";
	case 'i':
		return options_parse_ms(value, &o->rtt.interval_ns) ? NULL : "milliseconds above 0";
	case 's':
		return parse_unsigned(value, 0, ECHO_SIZE_MAX, &o->rtt.size) ?
			       NULL :
			       "a number of bytes up to 65000";
	case 'W':
		return options_parse_ms(value, &o->rtt.wait_ns) ? NULL : "milliseconds above 0";
	case 'I':
		o->rtt.interface = value;
		return NULL;
	case 't':
		return parse_unsigned(value, 1, 86400, &o->tcp.seconds) ?
			       NULL :
			       "whole seconds from 1 to 86400";
	case 'O':
		return parse_unsigned(value, 0, 60, &o->tcp.omit_s) ? NULL :
								      "whole seconds from 0 to 60";
	case 'R':
		o->tcp.reverse = true;
		return NULL;
	case 'b':
		return options_parse_rate(value, &o->tcp.rate_bps) ? NULL : "bit/s, such as 40M";
	case 'p':
		return parse_unsigned(value, 1, 65535, &o->tcp.port) ? NULL :
								       "a number from 1 to 65535";
	case 'e':
		return environment_tell(&o->told, value) ? NULL :
							   "KEY=VALUE, at most 32 times, the key "
							   "of small letters, digits and '_'";
	case 'j':
		o->json = true;
		return NULL;
	}
	return NULL;
}

static void set_defaults(struct options *o)
{
	memset(o, 0, sizeof(*o));
	o->rtt.count = 500;
	o->rtt.size = 56;
	o->rtt.interval_ns = 10 * NS_PER_MS;
	o->rtt.wait_ns = 1000 * NS_PER_MS;
	o->rtt.stop_fd = -1;
	o->tcp.port = 5201;
	o->tcp.seconds = 10;
	o->tcp.omit_s = 1;
}

static bool set_operand(struct options *o, const char *operand, char *why, size_t why_size)
{
	const char *reason;

	o->rtt.peer = o->tcp.peer = operand;
	if (o->command != COMMAND_HTTP || http_url_parse(&o->url, operand, &reason))
		return true;
	snprintf(why, why_size, "\"%s\" is no URL for this: %s", operand, reason);
	return false;
}

/* What getopt says, in one line; `letter` is '?' or ':'. */
static void explain(int letter, char **argv, char *why, size_t why_size)
{
	const char *word = argv[optind - 1];

	if (letter == ':')
		snprintf(why, why_size, "option %s needs a value", word);
	else if (optopt)
		snprintf(why, why_size, "there is no option -%c", optopt);
	else
		snprintf(why, why_size, "there is no option %s", word);
}

/* Options of the command line behind the command. */
static bool read_options(struct options *o, int argc, char **argv, char *why, size_t why_size)
{
	const char *wanted, *name = commands[o->command].name;
	int c;

	optind = 0; /* glibc: begin anew */
	opterr = 0;
	while ((c = getopt_long(argc, argv, ":c:i:s:W:I:t:O:Rb:p:e:jVh", long_options, NULL)) != -1) {
		if (c == '?' || c == ':') {
			explain(c, argv, why, why_size);
			return false;
		}
		if (c == 'h' || c == 'V') {
			o->command = c == 'h' ? COMMAND_HELP : COMMAND_VERSION;
			return true;
		}
		if (c != 'j' && c != 'e' && !strchr(commands[o->command].letters, c)) {
			snprintf(why, why_size, "%s has no option -%c", name, c);
			return false;
		}
		wanted = set_option(o, c, optarg);
		if (wanted) {
			snprintf(why, why_size, "-%c \"%s\": it has to be %s", c, optarg, wanted);
			return false;
		}
	}
	return true;
}

static bool is_word(const char *word, const char *letter, const char *name)
{
	return strcmp(word, letter) == 0 || strcmp(word, name) == 0;
}

bool options_parse(struct options *o, int argc, char **argv, char *why, size_t why_size)
{
	set_defaults(o);
	if (argc < 2) {
		snprintf(why, why_size, "a command is missing: rtt, tcp, http, mixed, host or sim");
		return false;
	}
	if (is_word(argv[1], "-h", "--help") || is_word(argv[1], "-V", "--version")) {
		o->command = is_word(argv[1], "-h", "--help") ? COMMAND_HELP : COMMAND_VERSION;
		return true;
	}
	o->command = find_command(argv[1]);
	if (o->command == COMMAND_NONE) {
		snprintf(why, why_size, "there is no command \"%s\": rtt, tcp, http, mixed, host or sim",
			 argv[1]);
		return false;
	}
	argc--;
	argv++;
	if (!read_options(o, argc, argv, why, why_size))
		return false;
	if (o->command == COMMAND_HELP || o->command == COMMAND_VERSION)
		return true;
	if (argc - optind != 1) {
		snprintf(why, why_size, "%s needs exactly one %s", commands[o->command].name,
			 commands[o->command].operand);
		return false;
	}
	return set_operand(o, argv[optind], why, why_size);
}
