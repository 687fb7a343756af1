/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ncmbench/sim.h"

#include <errno.h>
#include <getopt.h>
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/scenario.h"

/* As man/ncmbench.1.scd has it. */
enum { STATUS_OK = 0, STATUS_FAILED = 1, STATUS_USAGE = 2 };

#define FILE_MAX (1024 * 1024)

static const char help[] =
	"usage: ncmbench sim [SCENARIO...] [--json] [--list]\n"
	"Runs a model of the cable and its ends in virtual time and puts the figures of public\n"
	"reports beside the model's. A SCENARIO is a name, or the path of a file (with a '/').\n"
	"Without one all that have a report are run.\n"
	"\n"
	"  -j, --json   print JSON\n"
	"  -l, --list   name the scenarios that are built in\n"
	"  -p, --print  print the text of the scenarios instead of running them\n"
	"  -h, --help   print this\n"
	"\n"
	"See ncmbench(1).\n";

/* --- for people ------------------------------------------------------------- */

/* Lines of at most 96 columns, the first with a dash. */
static void print_note(const char *note)
{
	int column = 0;

	printf("  -");
	while (*note) {
		int len = (int)strcspn(note, " ");

		if (column + len > 92) {
			printf("\n   ");
			column = 0;
		}
		printf(" %.*s", len, note);
		column += len + 1;
		note += len;
		note += strspn(note, " ");
	}
	putchar('\n');
}

static void print_notes(const struct sim_scenario *s)
{
	int n = s->notes ? config_setting_length(s->notes) : 0;

	for (int i = 0; i < n; i++)
		print_note(config_setting_get_string_elem(s->notes, i));
}

static bool is_outside(const struct sim_scenario_row *row)
{
	return row->bound > 0 && fabs(sim_scenario_error(row)) > row->bound;
}

/* Whether an earlier row has the same column. */
static bool is_known_column(const struct sim_scenario *s, int row)
{
	for (int i = 0; i < row; i++)
		if (s->row[i].column && strcmp(s->row[i].column, s->row[row].column) == 0)
			return true;
	return false;
}

static void print_ranks(const struct sim_scenario *s)
{
	int a, b;

	for (int i = 0; i < s->rows; i++) {
		const char *column = s->row[i].column;

		if (!column || is_known_column(s, i))
			continue;
		if (sim_scenario_ranks(s, column, &a, &b))
			printf("%s: the model ranks these figures as the report does\n", column);
		else
			printf("%s: the model does not rank \"%s\" above \"%s\", the report does\n",
			       column, s->row[a].figure, s->row[b].figure);
	}
}

static void print_rows(const struct sim_scenario *s)
{
	printf("%-44s %10s %10s %8s\n", "", "reported", "model", "error");
	for (int i = 0; i < s->rows; i++) {
		const struct sim_scenario_row *row = &s->row[i];

		printf("%-44s %10.4g %10.4g %+7.1f%% %s%s\n", row->figure, row->reported,
		       row->model, 100 * sim_scenario_error(row), row->unit,
		       is_outside(row) ? "  outside its bound" : "");
	}
	print_ranks(s);
}

static void print_points(const struct sim_scenario *s)
{
	for (int i = 0; i < s->points; i++) {
		const struct sim_scenario_point *p = &s->point[i];

		if (i == 0 || p->pattern != p[-1].pattern)
			printf("%s\n  %-14s %10s %10s %9s %9s %8s %6s  %s\n",
			       s->pattern[p->pattern].name, "policy", "mean us", "p99 us", "Mbit/s",
			       "NTB/s", "per NTB", "CPU", "beaten by");
		printf("  %-14s", s->policy_text[p->policy]);
		if (p->has_latency)
			printf(" %10.1f %10.1f", p->latency_us, p->latency_p99_us);
		else
			printf(" %10s %10s", "-", "-");
		printf(" %9.3f %9.1f %8.2f %5.1f%%  %s\n", p->throughput_mbit_s, p->ntbs_per_s,
		       p->datagrams_per_ntb, 100 * p->processor,
		       p->beaten_by < 0 ? "-" : s->policy_text[p->beaten_by]);
	}
}

static void print_scenario(const struct sim_scenario *s)
{
	printf("%s: %s\n", s->name, s->title);
	if (s->rows)
		print_rows(s);
	print_points(s);
	print_notes(s);
}

/* --- JSON ------------------------------------------------------------------- */

/* Six digits are more than a model has, and 0.1 stays 0.1. */
static void add_number(json_object *to, const char *key, double value)
{
	char text[64];

	snprintf(text, sizeof(text), "%.6g", value);
	json_object_object_add(to, key, json_object_new_double_s(value, text));
}

static void add_text(json_object *to, const char *key, const char *value)
{
	json_object_object_add(to, key, value ? json_object_new_string(value) : NULL);
}

static json_object *row_json(const struct sim_scenario_row *row)
{
	json_object *o = json_object_new_object();

	add_text(o, "figure", row->figure);
	add_text(o, "unit", row->unit);
	add_number(o, "reported", row->reported);
	add_number(o, "model", row->model);
	add_number(o, "error", sim_scenario_error(row));
	if (row->bound > 0)
		add_number(o, "bound", row->bound);
	if (row->column)
		add_text(o, "column", row->column);
	return o;
}

static json_object *point_json(const struct sim_scenario *s, const struct sim_scenario_point *p)
{
	json_object *o = json_object_new_object();

	add_text(o, "pattern", s->pattern[p->pattern].name);
	add_text(o, "policy", s->policy_text[p->policy]);
	if (p->has_latency) {
		add_number(o, "latency_us", p->latency_us);
		add_number(o, "latency_p99_us", p->latency_p99_us);
	}
	add_number(o, "throughput_mbit_s", p->throughput_mbit_s);
	add_number(o, "ntbs_per_s", p->ntbs_per_s);
	add_number(o, "datagrams_per_ntb", p->datagrams_per_ntb);
	add_number(o, "processor", p->processor);
	add_number(o, "lost", (double)p->lost);
	add_text(o, "beaten_by", p->beaten_by < 0 ? NULL : s->policy_text[p->beaten_by]);
	return o;
}

static json_object *scenario_json(const struct sim_scenario *s)
{
	json_object *o = json_object_new_object(), *list = json_object_new_array();
	int n = s->notes ? config_setting_length(s->notes) : 0;

	add_text(o, "scenario", s->name);
	for (int i = 0; i < s->rows; i++)
		json_object_array_add(list, row_json(&s->row[i]));
	json_object_object_add(o, "rows", list);
	if (s->points) {
		list = json_object_new_array();
		for (int i = 0; i < s->points; i++)
			json_object_array_add(list, point_json(s, &s->point[i]));
		json_object_object_add(o, "points", list);
	}
	list = json_object_new_array();
	for (int i = 0; i < n; i++)
		json_object_array_add(
			list, json_object_new_string(config_setting_get_string_elem(s->notes, i)));
	json_object_object_add(o, "notes", list);
	return o;
}

static json_object *failure_json(const char *word, const struct sim_why *why)
{
	json_object *o = json_object_new_object();

	add_text(o, "scenario", word);
	add_text(o, "error", why->text);
	return o;
}

/* --- scenarios -------------------------------------------------------------- */

/* The text of a file, to be freed; NULL, and *why. */
static char *read_file(const char *path, struct sim_why *why)
{
	FILE *f = fopen(path, "re");
	char *text = f ? malloc(FILE_MAX + 1) : NULL;
	size_t len = text ? fread(text, 1, FILE_MAX + 1, f) : 0;
	int error = errno;

	if (f && text && !ferror(f) && len <= FILE_MAX && !memchr(text, '\0', len)) {
		text[len] = '\0';
		fclose(f);
		return text;
	}
	if (len > FILE_MAX)
		snprintf(why->text, sizeof(why->text), "it is longer than 1 MiB");
	else if (f && text && !ferror(f))
		snprintf(why->text, sizeof(why->text), "it is no text");
	else
		snprintf(why->text, sizeof(why->text), "cannot read it: %s", strerror(error));
	free(text);
	if (f)
		fclose(f);
	return NULL;
}

/* A copy of the text of a scenario, to be freed; NULL, and *why. */
static char *find_text(const char *word, struct sim_why *why)
{
	const char *name, *text;
	char *copy;

	if (strchr(word, '/'))
		return read_file(word, why);
	for (int i = 0; sim_scenario_shipped(i, &name, &text); i++) {
		if (strcmp(name, word) != 0)
			continue;
		copy = strdup(text);
		if (!copy)
			snprintf(why->text, sizeof(why->text), "there is not enough memory");
		return copy;
	}
	snprintf(why->text, sizeof(why->text),
		 "there is no such scenario; ncmbench sim --list names them, a file needs a '/'");
	return NULL;
}

struct sim_options {
	bool json, list, print, help;
};

/* Runs one and prints it, or adds it to `all`. */
static bool run_one(const char *word, const struct sim_options *o, json_object *all)
{
	struct sim_why why;
	char *text = find_text(word, &why);
	struct sim_scenario *s = text && !o->print ? sim_scenario_read(text, &why) : NULL;
	bool good = s ? sim_scenario_run(s, &why) : text && o->print;

	if (!good) {
		fprintf(stderr, "ncmbench: scenario %s: %s\n", word, why.text);
		json_object_array_add(all, failure_json(word, &why));
	} else if (o->print) {
		fputs(text, stdout);
	} else if (o->json) {
		json_object_array_add(all, scenario_json(s));
	} else {
		print_scenario(s);
	}
	sim_scenario_free(s);
	free(text);
	return good;
}

static void print_json(json_object *all)
{
	json_object *what =
		json_object_array_length(all) == 1 ? json_object_array_get_idx(all, 0) : all;

	puts(json_object_to_json_string_ext(what, JSON_C_TO_STRING_PRETTY));
}

static bool has_report(const char *text)
{
	struct sim_why why;
	struct sim_scenario *s = sim_scenario_read(text, &why);
	bool has = s && s->rows;

	sim_scenario_free(s);
	return has;
}

static bool run_all(int argc, char **argv, const struct sim_options *o)
{
	json_object *all = json_object_new_array();
	const char *name, *text;
	bool good = true;

	for (int i = 0; i < argc; i++) {
		if (i && !o->json && !o->print)
			putchar('\n');
		good = run_one(argv[i], o, all) && good;
	}
	/* Those that have a report; a sweep is asked for. */
	for (int i = 0; !argc && sim_scenario_shipped(i, &name, &text); i++) {
		if (!has_report(text))
			continue;
		if (i && !o->json && !o->print)
			putchar('\n');
		good = run_one(name, o, all) && good;
	}
	if (o->json)
		print_json(all);
	json_object_put(all);
	return good;
}

static bool parse(struct sim_options *o, int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "list", no_argument, NULL, 'l' },
		{ "print", no_argument, NULL, 'p' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int c;

	optind = 0; /* glibc: begin anew */
	opterr = 0;
	while ((c = getopt_long(argc, argv, "jlph", options, NULL)) != -1) {
		o->json |= c == 'j';
		o->list |= c == 'l';
		o->print |= c == 'p';
		o->help |= c == 'h';
		if (c != '?')
			continue;
		fprintf(stderr,
			"ncmbench: sim has no option %s\nncmbench: see ncmbench sim --help\n",
			argv[optind - 1]);
		return false;
	}
	return true;
}

static void list(void)
{
	const char *name, *text;
	struct sim_why why;

	for (int i = 0; sim_scenario_shipped(i, &name, &text); i++) {
		struct sim_scenario *s = sim_scenario_read(text, &why);

		printf("%-14s %s\n", name, s ? s->title : why.text);
		sim_scenario_free(s);
	}
}

int sim_main(int argc, char **argv)
{
	struct sim_options o = { 0 };
	bool good = true;

	if (!parse(&o, argc, argv))
		return STATUS_USAGE;
	if (o.help)
		fputs(help, stdout);
	else if (o.list)
		list();
	else
		good = run_all(argc - optind, argv + optind, &o);
	if (fflush(stdout) == EOF || ferror(stdout)) {
		fputs("ncmbench: cannot write the result to standard output\n", stderr);
		return STATUS_FAILED;
	}
	return good ? STATUS_OK : STATUS_FAILED;
}
