/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ncmd/config.h"

#include <errno.h>
#include <libconfig.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "ncmd/config_profile.h"
#include "ncmd/config_table.h"
#include "ncmd/config_text.h"

#define SETTING_PATH_MAX 128
#define VALUE_TEXT_MAX	 80

struct reader {
	struct config *c;
	const char *path; /* of the file named by the user; another one may be included */
	char *error;
	size_t error_len;
};

void config_run_path(const struct config *c, const char *suffix,
		     char path[static CONFIG_RUN_PATH_MAX])
{
	snprintf(path, CONFIG_RUN_PATH_MAX, "%s/%s%s", c->run_dir, c->name, suffix);
}

void config_defaults(struct config *c)
{
	memset(c, 0, sizeof(*c));
	strcpy(c->name, "ncm0");
	strcpy(c->udc, "auto");
	c->transport = CONFIG_TRANSPORT_AUTO;
	c->fallback = CONFIG_FALLBACK_NONE;
	config_profile_apply(c, CONFIG_PROFILE_LATENCY);
	c->offload = CONFIG_OFFLOAD_AUTO;
	c->copy = CONFIG_COPY_IN_PLACE;
	strcpy(c->run_dir, "/run/ncmd");

	c->tap.txqueuelen = 500;
	/* 0, 300, 600: TCP to the device 584, 597, 594 Mbit/s; busy at 40 Mbit/s 0.86, 0.75, 0.83.
	 */
	c->tap.join_us = 300;

	c->ntb.max_segment_size = 1514;
	c->ntb.ending = NTB_ENDING_PAD;
	c->ntb.ndp = NTB_NDP_END;

	c->queue.target_us =
		2000; /* 4000 carries no more; RFC 8289, 4.3 has 5000 for the Internet */
	c->queue.interval_us = 100000; /* RFC 8289, 4.2 */
	c->queue.limit_us = 50000;
	/*
	 * TCP to the host and ping's p99 under it, throughput profile: 300: 479 Mbit/s and 3.7 ms,
	 * 400: 511 and 3.9, 600: 513 and 4.5, 2000: 545 and more; f_ncm: 418 and 4.2.
	 */
	c->queue.in_flight_us = 400;

	c->gadget.vendor_id = 0x1d6b; /* Linux Foundation */
	c->gadget.product_id = 0x0103; /* NCM (Ethernet) gadget */
	c->gadget.bcd_device = 0x0100;
	strcpy(c->gadget.manufacturer, "ncmd");
	strcpy(c->gadget.product, "NCM network gadget");
	strcpy(c->gadget.serial, "auto");
	strcpy(c->gadget.function, "CDC NCM");
	c->gadget.max_power_ma = 250;
}

/* On one line whatever it holds, and cut when it is long. */
static void print_quoted(const char *from, char text[static VALUE_TEXT_MAX])
{
	static const char end[] = "...\"";
	size_t len = 0;

	text[len++] = '"';
	for (; *from; from++) {
		if (len + strlen("\\xff") + sizeof(end) > VALUE_TEXT_MAX) {
			strcpy(&text[len], end);
			return;
		}
		if (*from < 0x20 || *from > 0x7e)
			len += (size_t)sprintf(&text[len], "\\x%02x", (uint8_t)*from);
		else
			text[len++] = *from;
	}
	strcpy(&text[len], "\"");
}

/* The value as it stands in the file, more or less, on one line. */
static void print_value(const config_setting_t *setting, char text[static VALUE_TEXT_MAX])
{
	long long number;

	switch (config_setting_type(setting)) {
	case CONFIG_TYPE_GROUP:
		strcpy(text, "{ ... }");
		return;
	case CONFIG_TYPE_LIST:
		strcpy(text, "( ... )");
		return;
	case CONFIG_TYPE_ARRAY:
		strcpy(text, "[ ... ]");
		return;
	case CONFIG_TYPE_BOOL:
		strcpy(text, config_setting_get_bool(setting) ? "true" : "false");
		return;
	case CONFIG_TYPE_FLOAT:
		snprintf(text, VALUE_TEXT_MAX, "%g", config_setting_get_float(setting));
		return;
	case CONFIG_TYPE_INT:
	case CONFIG_TYPE_INT64:
		number = config_setting_get_int64(setting);
		if (config_setting_get_format(setting) != CONFIG_FORMAT_HEX)
			snprintf(text, VALUE_TEXT_MAX, "%lld", number);
		else if (config_setting_type(setting) == CONFIG_TYPE_INT)
			snprintf(text, VALUE_TEXT_MAX, "0x%x", (unsigned int)number);
		else
			snprintf(text, VALUE_TEXT_MAX, "0x%llx", number);
		return;
	case CONFIG_TYPE_STRING:
		print_quoted(config_setting_get_string(setting), text);
		return;
	}
	strcpy(text, "?");
}

/* The name of the setting with those of the groups and lists around it. */
static void print_path(const config_setting_t *setting, char text[static SETTING_PATH_MAX])
{
	const config_setting_t *parent = config_setting_parent(setting);
	size_t len = 0;

	text[0] = '\0';
	if (parent && !config_setting_is_root(parent)) {
		print_path(parent, text);
		len = strlen(text);
	}
	if (config_setting_name(setting))
		snprintf(&text[len], SETTING_PATH_MAX - len, "%s%s", len ? "." : "",
			 config_setting_name(setting));
	else
		snprintf(&text[len], SETTING_PATH_MAX - len, "[%d]", config_setting_index(setting));
}

/* "FILE:LINE: SETTING = VALUE: ", and what is wrong. */
__attribute__((format(printf, 3, 4))) static int
fail(struct reader *r, const config_setting_t *setting, const char *format, ...)
{
	const char *file = config_setting_source_file(setting);
	char path[SETTING_PATH_MAX], value[VALUE_TEXT_MAX];
	va_list args;
	int len;

	print_path(setting, path);
	print_value(setting, value);
	len = snprintf(r->error, r->error_len, "%s:%u: %s = %s: ", file ? file : r->path,
		       config_setting_source_line(setting), path, value);
	if (len >= 0 && (size_t)len < r->error_len) {
		va_start(args, format);
		vsnprintf(&r->error[len], r->error_len - (size_t)len, format, args);
		va_end(args);
	}
	return -1;
}

static bool is_bcd(long long value)
{
	for (; value; value >>= 4)
		if ((value & 0xf) > 9)
			return false;
	return true;
}

static bool is_in_range(const struct config_row *row, long long value)
{
	if (row->zero && value == 0)
		return true;
	if (value < row->min || value > row->max)
		return false;
	if (row->step && value % row->step)
		return false;
	return !row->bcd || is_bcd(value);
}

static int read_number(struct reader *r, const config_setting_t *setting,
		       const struct config_row *row, void *member)
{
	int type = config_setting_type(setting);
	long long value;

	if (type != CONFIG_TYPE_INT && type != CONFIG_TYPE_INT64)
		return fail(r, setting, "must be a whole number: %s", row->allowed);

	value = config_setting_get_int64(setting);
	if (!is_in_range(row, value))
		return fail(r, setting, "must be %s", row->allowed);

	if (row->size == sizeof(uint16_t))
		*(uint16_t *)member = (uint16_t)value;
	else
		*(uint32_t *)member = (uint32_t)value;
	return 0;
}

static int read_text(struct reader *r, const config_setting_t *setting,
		     const struct config_row *row, void *member)
{
	const char *why = NULL;

	if (config_setting_type(setting) != CONFIG_TYPE_STRING)
		return fail(r, setting, "must be a text in quotes: %s", row->allowed);
	if (row->parse(config_setting_get_string(setting), member, row->size, &why))
		return 0;
	if (why)
		return fail(r, setting, "%s; must be %s", why, row->allowed);
	return fail(r, setting, "must be %s", row->allowed);
}

static int read_choice(struct reader *r, const config_setting_t *setting,
		       const struct config_row *row, void *member)
{
	char allowed[CONFIG_PATH_MAX];

	text_print_choices(row->choice, allowed);
	if (config_setting_type(setting) != CONFIG_TYPE_STRING)
		return fail(r, setting, "must be a text in quotes: %s", allowed);
	if (!text_parse_choice(config_setting_get_string(setting), row->choice, member))
		return fail(r, setting, "must be %s", allowed);
	return 0;
}

static int read_addresses(struct reader *r, const config_setting_t *setting,
			  const struct config_row *row)
{
	struct config *c = r->c;
	int count;

	if (!config_setting_is_list(setting) && !config_setting_is_array(setting))
		return fail(r, setting, "must be %s", row->allowed);
	count = config_setting_length(setting);
	if (count > CONFIG_ADDRESSES_MAX)
		return fail(r, setting, "has %d addresses; must be %s", count, row->allowed);

	for (int i = 0; i < count; i++) {
		const config_setting_t *element = config_setting_get_elem(setting, (unsigned int)i);
		const char *why = NULL;

		if (config_setting_type(element) != CONFIG_TYPE_STRING)
			return fail(r, element, "must be a text in quotes like \"10.55.0.1/24\"");
		if (!text_parse_address(config_setting_get_string(element), c->tap.address[i],
					CONFIG_ADDRESS_TEXT, &why))
			return fail(r, element, "%s; must be like \"10.55.0.1/24\"", why);
	}
	c->tap.addresses = (unsigned int)count;
	return 0;
}

static int read_setting(struct reader *r, const config_setting_t *setting,
			const struct config_row *row)
{
	void *member = (uint8_t *)r->c + row->offset;

	switch (row->kind) {
	case CONFIG_KIND_NUMBER:
		return read_number(r, setting, row, member);
	case CONFIG_KIND_TEXT:
		return read_text(r, setting, row, member);
	case CONFIG_KIND_CHOICE:
		return read_choice(r, setting, row, member);
	case CONFIG_KIND_ADDRESSES:
		return read_addresses(r, setting, row);
	case CONFIG_KIND_BOOL:
		if (config_setting_type(setting) != CONFIG_TYPE_BOOL)
			return fail(r, setting, "must be %s, without quotes", row->allowed);
		*(bool *)member = config_setting_get_bool(setting);
		return 0;
	}
	return -1;
}

static int fail_unknown(struct reader *r, const config_setting_t *setting, const char *path)
{
	const char *nearest = config_nearest(path);

	if (nearest)
		return fail(r, setting, "no such setting; did you mean %s?", nearest);
	return fail(r, setting, "no such setting; ncmd.conf(5) and `ncmd -n` name those there are");
}

static int read_group(struct reader *r, const config_setting_t *group)
{
	int count = config_setting_length(group);

	for (int i = 0; i < count; i++) {
		const config_setting_t *setting = config_setting_get_elem(group, (unsigned int)i);
		const struct config_row *row;
		char path[SETTING_PATH_MAX];
		int result;

		print_path(setting, path);
		row = config_row_find(path);
		if (row)
			result = read_setting(r, setting, row);
		else if (!config_group_exists(path))
			result = fail_unknown(r, setting, path);
		else if (config_setting_is_group(setting))
			result = read_group(r, setting);
		else
			result = fail(r, setting, "must be a group: %s = { ... };", path);
		if (result)
			return result;
	}
	return 0;
}

/*
 * Before everything else, wherever it stands: what the file sets goes over the profile's
 * values. A wrong name is left to read_group(), which names mistakes in the file's order.
 */
static void apply_profile(struct config *c, const config_t *file)
{
	const char *name;
	unsigned int profile;

	if (config_lookup_string(file, "profile", &name) == CONFIG_TRUE &&
	    text_parse_choice(name, config_profile_name, &profile))
		config_profile_apply(c, profile);
}

static int fail_to_open(const char *path, int error, char *text, size_t text_len)
{
	const char *advice = "name another file with -c";

	if (error == ENOENT)
		advice = "create it, or name another file with -c";
	else if (error == EACCES)
		advice = "run ncmd as root, or make the file readable";
	snprintf(text, text_len, "%s: cannot be read: %s: %s", path, strerror(error), advice);
	return -1;
}

/* libconfig 1.5 ends the program when it is given a directory to read. */
static FILE *open_file(const char *path, char *error, size_t error_len)
{
	FILE *stream = fopen(path, "re");
	struct stat status;
	int reason = 0;

	if (!stream) {
		fail_to_open(path, errno, error, error_len);
		return NULL;
	}
	if (fstat(fileno(stream), &status) != 0)
		reason = errno;
	else if (S_ISDIR(status.st_mode))
		reason = EISDIR;
	if (reason) {
		fail_to_open(path, reason, error, error_len);
		fclose(stream);
		return NULL;
	}
	return stream;
}

int config_load(struct config *c, const char *path, char *error, size_t error_len)
{
	struct reader r = { .c = c, .path = path, .error = error, .error_len = error_len };
	config_t file;
	FILE *stream;
	int result;

	config_defaults(c);
	stream = open_file(path, error, error_len);
	if (!stream)
		return -1;

	config_init(&file);
	if (config_read(&file, stream) == CONFIG_TRUE) {
		apply_profile(c, &file);
		result = read_group(&r, config_root_setting(&file));
	} else {
		const char *in = config_error_file(&file);

		snprintf(error, error_len, "%s:%d: %s: see ncmd.conf(5) for the syntax",
			 in ? in : path, config_error_line(&file), config_error_text(&file));
		result = -1;
	}
	config_destroy(&file);
	fclose(stream);
	return result;
}
