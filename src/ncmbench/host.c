/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ncmbench/host.h"

#include <errno.h>
#include <getopt.h>
#include <json-c/json.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ncmbench/cdc_ncm.h"
#include "ncmbench/netif.h"

#define ASSIGNMENTS_MAX 16

struct request {
	const char *interface; /* NULL: the only one of its kind */
	const char *set[ASSIGNMENTS_MAX];
	unsigned int set_count;
	bool json, help;
};

static const char help[] =
	"usage: ncmbench host [INTERFACE] [-s NAME=VALUE]... [--json]\n"
	"This machine as the USB host of an NCM device: the settings of its driver, cdc_ncm, what "
	"the\ndevice said, and the driver's counters.\n"
	"\n"
	"  -s, --set NAME=VALUE  write a setting (root) and read it back, before they are shown\n"
	"  -j, --json            print one JSON object\n"
	"  -h, --help            print this\n";

static bool usage_error(const char *what, const char *word)
{
	fprintf(stderr, "ncmbench: host: %s%s\nncmbench: see ncmbench host --help\n", what, word);
	return false;
}

static bool parse(struct request *r, int argc, char **argv)
{
	static const struct option options[] = {
		{ "set", required_argument, NULL, 's' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int c;

	memset(r, 0, sizeof(*r));
	optind = 0;
	opterr = 0;
	while ((c = getopt_long(argc, argv, ":s:jh", options, NULL)) != -1) {
		if (c == 'j')
			r->json = true;
		else if (c == 'h')
			r->help = true;
		else if (c == 's' && r->set_count < ASSIGNMENTS_MAX)
			r->set[r->set_count++] = optarg;
		else
			return usage_error(c == ':' ? "needs a value: " : "cannot take ",
					   argv[optind - 1]);
	}
	if (argc - optind > 1)
		return usage_error("one interface, not also ", argv[optind + 1]);
	r->interface = argv[optind];
	return true;
}

/* The only interface with settings of cdc_ncm. */
static int find_interface(char interface[static IFNAMSIZ], struct failure *f)
{
	struct if_nameindex *all = if_nameindex();
	unsigned int count = 0;
	char names[256] = "";

	for (struct if_nameindex *i = all; i && i->if_name; i++) {
		size_t len = strlen(names);

		if (!cdc_ncm_has(i->if_name))
			continue;
		snprintf(interface, IFNAMSIZ, "%s", i->if_name);
		snprintf(names + len, sizeof(names) - len, " %s", i->if_name);
		count++;
	}
	if_freenameindex(all);
	if (count == 1)
		return 0;
	if (count)
		return fail(f, EINVAL, "there are several interfaces of cdc_ncm, name one of:%s",
			    names);
	return fail(f, ENODEV,
		    "there is no interface of cdc_ncm here: is the device plugged in (`lsusb`), and "
		    "is this the network namespace of its interface, sysfs included (`ip netns exec "
		    "NAME ncmbench host`)?");
}

struct look {
	const char *interface;
	struct netif_driver driver;
	const char *speed; /* NULL: unknown */
	struct netif_counter *counters;
	size_t counters_count;
};

static int look_at(struct look *l, const char *interface, struct failure *f)
{
	int error = netif_driver(interface, &l->driver, f);

	if (error)
		return error;
	if (!cdc_ncm_has(interface))
		return fail(f, ENODEV,
			    "%s is an interface of the driver \"%s\", without settings of cdc_ncm "
			    "in this sysfs; in another network namespace: `ip netns exec NAME "
			    "ncmbench host`",
			    interface, l->driver.name);
	l->interface = interface;
	l->speed = netif_usb_speed(l->driver.bus);
	return netif_counters(interface, &l->counters, &l->counters_count, f);
}

static json_object *settings_json(const char *interface, bool writable)
{
	json_object *o = json_object_new_object();
	unsigned long value;

	for (size_t i = 0; i < cdc_ncm_settings_count; i++)
		if (cdc_ncm_settings[i].writable == writable &&
		    cdc_ncm_get(interface, cdc_ncm_settings[i].name, &value))
			json_object_object_add(o, cdc_ncm_settings[i].name,
					       json_object_new_int64((int64_t)value));
	return o;
}

static void print_json(const struct look *l)
{
	json_object *root = json_object_new_object(), *counters = json_object_new_object();

	json_object_object_add(root, "interface", json_object_new_string(l->interface));
	json_object_object_add(root, "driver", json_object_new_string(l->driver.name));
	json_object_object_add(root, "bus", json_object_new_string(l->driver.bus));
	if (l->speed)
		json_object_object_add(root, "speed", json_object_new_string(l->speed));
	json_object_object_add(root, "settings", settings_json(l->interface, true));
	json_object_object_add(root, "device", settings_json(l->interface, false));
	json_object_object_add(root, "counters", counters);
	for (size_t i = 0; i < l->counters_count; i++)
		json_object_object_add(counters, l->counters[i].name,
				       json_object_new_uint64(l->counters[i].value));
	puts(json_object_to_json_string_ext(root, JSON_C_TO_STRING_SPACED));
	json_object_put(root);
}

static void print_settings(const char *interface, bool writable)
{
	unsigned long value;

	for (size_t i = 0; i < cdc_ncm_settings_count; i++)
		if (cdc_ncm_settings[i].writable == writable &&
		    cdc_ncm_get(interface, cdc_ncm_settings[i].name, &value))
			printf("  %-23s %8lu  %s\n", cdc_ncm_settings[i].name, value,
			       cdc_ncm_settings[i].meaning);
}

static void print_text(const struct look *l)
{
	printf("%s: %s at %s, %s speed\n\nsettings of the host (--set NAME=VALUE):\n", l->interface,
	       l->driver.name, l->driver.bus, l->speed ? l->speed : "unknown");
	print_settings(l->interface, true);
	puts("\nwhat the device said:");
	print_settings(l->interface, false);
	puts("\ncounters:");
	for (size_t i = 0; i < l->counters_count; i++)
		printf("  %-32s %12llu\n", l->counters[i].name,
		       (unsigned long long)l->counters[i].value);
}

static int run(const struct request *r, struct failure *f)
{
	char only[IFNAMSIZ];
	const char *interface = r->interface ? r->interface : only;
	struct look l = { 0 };
	int error = r->interface ? 0 : find_interface(only, f);

	if (!error)
		error = look_at(&l, interface, f);
	for (unsigned int i = 0; !error && i < r->set_count; i++)
		error = cdc_ncm_set(interface, r->set[i], f);
	if (!error && r->json)
		print_json(&l);
	else if (!error)
		print_text(&l);
	free(l.counters);
	return error;
}

int host_main(int argc, char **argv)
{
	struct failure failure;
	struct request r;

	if (!parse(&r, argc, argv))
		return 2;
	if (r.help) {
		fputs(help, stdout);
		return 0;
	}
	if (run(&r, &failure)) {
		fprintf(stderr, "ncmbench: %s\n", failure.text);
		return 1;
	}
	return fflush(stdout) == EOF || ferror(stdout);
}
