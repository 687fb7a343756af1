/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/scenario.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool read_text(const config_setting_t *group, const char *name, bool needed,
		      const char **text, struct sim_why *why)
{
	const config_setting_t *at = config_setting_get_member(group, name);

	*text = at ? config_setting_get_string(at) : NULL;
	if (*text || (!at && !needed))
		return true;
	return sim_wrong(why, at ? at : group,
			 at ? "%s has to be a text in quotes" : "%s is missing", name);
}

static bool read_float(const config_setting_t *group, const char *name, bool needed, double least,
		       double *value, struct sim_why *why)
{
	const config_setting_t *at = config_setting_get_member(group, name);
	int type = at ? config_setting_type(at) : CONFIG_TYPE_NONE;

	*value = 0;
	if (!at && !needed)
		return true;
	if (type == CONFIG_TYPE_FLOAT)
		*value = config_setting_get_float(at);
	else if (type == CONFIG_TYPE_INT || type == CONFIG_TYPE_INT64)
		*value = (double)config_setting_get_int64(at);
	else
		return sim_wrong(why, at ? at : group, "%s has to be a number", name);
	if (isfinite(*value) && *value >= least)
		return true;
	return sim_wrong(why, at, "%s has to be at least %g", name, least);
}

/* The list `name`, of at most `most` groups; *n is 0 if it is not there. */
static bool find_list(const config_setting_t *root, const char *name, int most,
		      const config_setting_t **list, int *n, struct sim_why *why)
{
	*list = config_setting_get_member(root, name);
	*n = *list ? config_setting_length(*list) : 0;
	if (!*list || (config_setting_is_list(*list) && *n >= 1 && *n <= most))
		return true;
	return sim_wrong(why, *list, "%s has to be a list of 1 to %d groups, ( { ... } )", name,
			 most);
}

static const char *const own_of_runs[] = { "name", NULL };

static bool read_runs(const config_setting_t *root, const char *name, int most,
		      const struct sim_run_settings *base, struct sim_scenario_run *run, int *n,
		      struct sim_why *why)
{
	const config_setting_t *list;

	if (!find_list(root, name, most, &list, n, why))
		return false;
	for (int i = 0; i < *n; i++) {
		const config_setting_t *group = config_setting_get_elem(list, (unsigned int)i);

		run[i].settings = *base;
		if (!sim_settings_read(&run[i].settings, group, own_of_runs, why) ||
		    !sim_settings_check(&run[i].settings, group, why) ||
		    !read_text(group, "name", true, &run[i].name, why))
			return false;
	}
	return true;
}

static bool find_run(const struct sim_scenario *s, struct sim_scenario_row *row, const char *name,
		     const config_setting_t *at, struct sim_why *why)
{
	for (row->run = 0; row->run < s->runs; row->run++)
		if (strcmp(s->run[row->run].name, name) == 0)
			return true;
	return sim_wrong(why, at, "there is no run \"%.40s\"", name);
}

static bool find_value(struct sim_scenario_row *row, const char *name, const config_setting_t *at,
		       struct sim_why *why)
{
	const char *value;

	for (row->value = 0; (value = sim_scenario_value_name(row->value)) != NULL; row->value++)
		if (strcmp(value, name) == 0)
			return true;
	return sim_wrong(why, at,
			 "there is no value \"%.40s\"; latency_ms and rate_mbit_s are some", name);
}

static const char *const row_members[] = { "figure",   "unit",	"run",	   "value", "column",
					   "reported", "bound", "traffic", NULL };

static bool check_members(const config_setting_t *group, const char *const *members,
			  struct sim_why *why)
{
	for (int i = 0; i < config_setting_length(group); i++) {
		const config_setting_t *at = config_setting_get_elem(group, (unsigned int)i);
		const char *const *m = members;

		while (*m && strcmp(*m, config_setting_name(at)) != 0)
			m++;
		if (!*m)
			return sim_wrong(why, at, "there is no setting \"%.40s\" here",
					 config_setting_name(at));
	}
	return true;
}

static bool read_row(const struct sim_scenario *s, const config_setting_t *group,
		     struct sim_scenario_row *row, struct sim_why *why)
{
	const char *run, *value;
	double traffic;

	if (!config_setting_is_group(group))
		return sim_wrong(why, group, "a row has to be a group, { ... }");
	if (!check_members(group, row_members, why) ||
	    !read_text(group, "figure", true, &row->figure, why) ||
	    !read_text(group, "unit", true, &row->unit, why) ||
	    !read_text(group, "column", false, &row->column, why) ||
	    !read_text(group, "run", true, &run, why) ||
	    !read_text(group, "value", true, &value, why) ||
	    !read_float(group, "reported", true, 1e-9, &row->reported, why) ||
	    !read_float(group, "bound", false, 0, &row->bound, why) ||
	    !read_float(group, "traffic", false, 0, &traffic, why) ||
	    !find_run(s, row, run, group, why) || !find_value(row, value, group, why))
		return false;
	if (traffic >= s->run[row->run].settings.traffics)
		return sim_wrong(why, group, "that run has no traffic %g", traffic);
	row->traffic = (int)traffic;
	return true;
}

static bool read_rows(struct sim_scenario *s, const config_setting_t *root, struct sim_why *why)
{
	const config_setting_t *list;

	if (!find_list(root, "rows", SIM_SCENARIO_ROWS, &list, &s->rows, why))
		return false;
	for (int i = 0; i < s->rows; i++)
		if (!read_row(s, config_setting_get_elem(list, (unsigned int)i), &s->row[i], why))
			return false;
	return true;
}

static bool read_policies(struct sim_scenario *s, const config_setting_t *root, struct sim_why *why)
{
	const config_setting_t *list = config_setting_get_member(root, "policies");

	s->policies = list ? config_setting_length(list) : 0;
	if (s->policies > SIM_SCENARIO_POLICIES)
		return sim_wrong(why, list, "more than %d policies", SIM_SCENARIO_POLICIES);
	for (int i = 0; i < s->policies; i++) {
		s->policy_text[i] = config_setting_get_string_elem(list, i);
		if (!s->policy_text[i] || !policy_parse(s->policy_text[i], &s->policy[i]))
			return sim_wrong(why, list,
					 "policies has to be a list of policies in "
					 "quotes, as ncmd.conf(5) has them");
	}
	return true;
}

static const char *const members[] = { "name", "title",	   "notes",    "base", "runs",
				       "rows", "policies", "patterns", NULL };
static const char *const own_of_base[] = { NULL };

static bool read_scenario(struct sim_scenario *s, struct sim_why *why)
{
	const config_setting_t *root = config_root_setting(&s->config);
	const config_setting_t *base_group = config_setting_get_member(root, "base");
	struct sim_run_settings base;

	sim_settings_default(&base);
	s->notes = config_setting_get_member(root, "notes");
	if (!check_members(root, members, why) || !read_text(root, "name", true, &s->name, why) ||
	    !read_text(root, "title", true, &s->title, why) ||
	    (base_group && !sim_settings_read(&base, base_group, own_of_base, why)) ||
	    !read_runs(root, "runs", SIM_SCENARIO_RUNS, &base, s->run, &s->runs, why) ||
	    !read_rows(s, root, why) || !read_policies(s, root, why) ||
	    !read_runs(root, "patterns", SIM_SCENARIO_PATTERNS, &base, s->pattern, &s->patterns,
		       why))
		return false;
	if ((!s->runs || !s->rows) && (!s->policies || !s->patterns))
		return sim_wrong(why, NULL, "runs and rows are missing, or policies and patterns");
	return true;
}

struct sim_scenario *sim_scenario_read(const char *text, struct sim_why *why)
{
	struct sim_scenario *s = calloc(1, sizeof(*s));

	if (!s) {
		sim_wrong(why, NULL, "there is not enough memory");
		return NULL;
	}
	config_init(&s->config);
	if (!config_read_string(&s->config, text)) {
		sim_wrong(why, NULL, "line %d: %s", config_error_line(&s->config),
			  config_error_text(&s->config));
	} else if (read_scenario(s, why)) {
		return s;
	}
	sim_scenario_free(s);
	return NULL;
}

void sim_scenario_free(struct sim_scenario *s)
{
	if (!s)
		return;
	config_destroy(&s->config);
	free(s);
}
