/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ncmbench/environment.h"

#include <errno.h>
#include <glob.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "ncmbench/cdc_ncm.h"
#include "ncmbench/netif.h"
#include "ncmbench/text_file.h"

const char *const environment_needed[] = { "kernel", "speed", "udc", "host_driver",
					   "host_tx_timer_us", NULL };

bool environment_tell(struct environment_told *told, const char *pair)
{
	size_t len = strspn(pair, "abcdefghijklmnopqrstuvwxyz0123456789_");

	if (!len || pair[len] != '=' || !pair[len + 1] || told->count == ENVIRONMENT_TOLD_MAX)
		return false;
	told->pair[told->count++] = pair;
	return true;
}

static void add_text(json_object *to, const char *key, const char *value)
{
	json_object_object_add(to, key, json_object_new_string(value));
}

static void add_told(json_object *to, const char *pair)
{
	const char *equals = strchr(pair, '=');
	long long number;
	char key[64], *end;

	snprintf(key, sizeof(key), "%.*s", (int)(equals - pair), pair);
	errno = 0;
	number = strtoll(equals + 1, &end, 10);
	if (*end || errno)
		add_text(to, key, equals + 1);
	else
		json_object_object_add(to, key, json_object_new_int64(number));
}

/* This end is the host's. */
static void add_host(json_object *to, const char *interface, const struct netif_driver *d)
{
	const char *speed = netif_usb_speed(d->bus);
	unsigned long value;

	add_text(to, "role", "host");
	add_text(to, "host_driver", d->name);
	if (speed)
		add_text(to, "speed", speed);
	for (size_t i = 0; i < cdc_ncm_settings_count; i++)
		if (cdc_ncm_settings[i].key &&
		    cdc_ncm_get(interface, cdc_ncm_settings[i].name, &value))
			json_object_object_add(to, cdc_ncm_settings[i].key,
					       json_object_new_int64((int64_t)value));
}

static bool is_configured(const char *udc)
{
	char path[320], state[32];

	snprintf(path, sizeof(path), "%s/state", udc);
	return text_file_read(path, state, sizeof(state)) > 0 && !strcmp(state, "configured");
}

/* The directory of the one UDC that a pattern finds and that a host has configured. */
static bool find_udc(const char *pattern, char udc[static 256])
{
	unsigned int count = 0;
	glob_t found;

	if (glob(pattern, 0, NULL, &found))
		return false;
	for (size_t i = 0; i < found.gl_pathc; i++)
		if (is_configured(found.gl_pathv[i]) && count++ == 0)
			snprintf(udc, 256, "%s", found.gl_pathv[i]);
	globfree(&found);
	return count == 1;
}

/* This end is the device's: the kernel's functions name their UDC, ncmd's TAP does not. */
static void add_device(json_object *to, const char *interface)
{
	char pattern[128], udc[256], path[320], speed[32];

	snprintf(pattern, sizeof(pattern), "/sys/class/net/%.15s/device/../udc/*", interface);
	if (!find_udc(pattern, udc) && !find_udc("/sys/class/udc/*", udc))
		return;
	add_text(to, "role", "device");
	add_text(to, "udc", strrchr(udc, '/') + 1);
	snprintf(path, sizeof(path), "%s/current_speed", udc);
	if (text_file_read(path, speed, sizeof(speed)) <= 0 || !strcmp(speed, "UNKNOWN"))
		return;
	if (strstr(speed, "-speed"))
		*strstr(speed, "-speed") = '\0';
	add_text(to, "speed", speed);
}

json_object *environment_find(const char *peer, const char *interface,
			      const struct environment_told *told)
{
	json_object *to = json_object_new_object();
	struct netif_driver driver;
	char towards[IFNAMSIZ];
	struct utsname kernel;

	if (uname(&kernel) == 0)
		add_text(to, "kernel", kernel.release);
	if (!interface && netif_towards(peer, towards))
		interface = towards;
	if (interface && !netif_driver(interface, &driver, NULL)) {
		add_text(to, "interface", interface);
		if (!strncmp(driver.bus, "usb-", 4))
			add_host(to, interface, &driver);
		else if (strcmp(interface, "lo"))
			add_device(to, interface);
	}
	for (size_t i = 0; i < told->count; i++)
		add_told(to, told->pair[i]);
	return to;
}

bool environment_lacks(json_object *environment, char *names, size_t size)
{
	size_t len = 0;

	names[0] = '\0';
	for (const char *const *key = environment_needed; *key; key++)
		if (!json_object_object_get_ex(environment, *key, NULL) && len < size)
			len += (size_t)snprintf(names + len, size - len, "%s%s", len ? ", " : "",
						*key);
	return len;
}
