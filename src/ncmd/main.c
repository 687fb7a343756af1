/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Command line -> configuration -> instance -> exit status. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "ncmd/config.h"
#include "ncmd/dry_run.h"
#include "ncmd/instance.h"
#include "ncmd/options.h"
#include "port/log.h"

#define MACHINE_ID "/etc/machine-id"

static const char *machine_id(char text[static 64])
{
	FILE *file = fopen(MACHINE_ID, "re");
	bool found = file && fgets(text, 64, file);

	if (file)
		fclose(file);
	return found ? text : NULL;
}

/* The file that was named; else the default one; else, if there is none, what is built in. */
static int read_config(struct config *c, const char *named, char *error, size_t error_len)
{
	char id[64];

	config_defaults(c);
	if (!named && access(OPTIONS_DEFAULT_CONFIG, F_OK) < 0)
		log_info("there is no " OPTIONS_DEFAULT_CONFIG ": built-in values are used");
	else if (config_load(c, named ? named : OPTIONS_DEFAULT_CONFIG, error, error_len))
		return -1;
	return config_complete(c, machine_id(id), error, error_len);
}

/* So that a unit file can tell what another start may cure (sysexits.h). */
static int exit_status(int error)
{
	switch (error) {
	case 0:
		return EX_OK;
	case -ENODEV:
	case -EBUSY:
	case -EOPNOTSUPP:
	case -EWOULDBLOCK:
		return EX_UNAVAILABLE; /* no UDC, or the kernel lacks something */
	default:
		return EX_OSERR;
	}
}

int main(int argc, char **argv)
{
	static struct config config;
	struct options options;
	struct failure failure;
	char error[512];
	int result;

	switch (options_read(&options, argc, argv)) {
	case OPTIONS_RUN:
		break;
	case OPTIONS_DONE:
		return EX_OK;
	case OPTIONS_WRONG:
		return EX_USAGE;
	}
	log_set_level(options.debug ? LOG_LEVEL_DEBUG : LOG_LEVEL_INFO);
	if (read_config(&config, options.config, error, sizeof(error))) {
		log_error("%s", error);
		return EX_CONFIG;
	}
	if (options.dry_run) {
		dry_run_print(&config, stdout);
		return EX_OK;
	}
	result = instance_run(&config, &failure);
	if (result)
		log_error("%s", failure.text);
	return exit_status(result);
}
