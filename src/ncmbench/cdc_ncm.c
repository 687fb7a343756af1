/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ncmbench/cdc_ncm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ncmbench/text_file.h"

#define FROM_DEVICE(NAME, MEANING) { NAME, NULL, false, MEANING }

/* linux/drivers/net/usb/cdc_ncm.c, cdc_ncm_sysfs_attrs. */
const struct cdc_ncm_setting cdc_ncm_settings[] = {
	{ "tx_timer_usecs", "host_tx_timer_us", true,
	  "us between looks at a block that waits for company; it leaves at the third; 0: at once" },
	{ "tx_max", "host_tx_max", true, "bytes of a block to the device" },
	{ "rx_max", "host_rx_max", true, "bytes of a block from the device" },
	{ "min_tx_pkt", "host_min_tx_pkt", true, "blocks from here on are filled up to tx_max" },
	{ "ndp_to_end", "host_ndp_to_end", true, "Y or 1: the table of datagrams stands last" },
	FROM_DEVICE("bmNtbFormatsSupported", "1: 16-bit blocks, 3: 32-bit ones too"),
	FROM_DEVICE("dwNtbInMaxSize", "bytes of a block to the host, at most"),
	FROM_DEVICE("wNdpInDivisor", "payloads to the host are aligned to it"),
	FROM_DEVICE("wNdpInPayloadRemainder", "and this much behind"),
	FROM_DEVICE("wNdpInAlignment", "tables to the host are aligned to it"),
	FROM_DEVICE("dwNtbOutMaxSize", "bytes of a block from the host, at most"),
	FROM_DEVICE("wNdpOutDivisor", "payloads from the host are aligned to it"),
	FROM_DEVICE("wNdpOutPayloadRemainder", "and this much behind"),
	FROM_DEVICE("wNdpOutAlignment", "tables from the host are aligned to it"),
	FROM_DEVICE("wNtbOutMaxDatagrams", "datagrams in a block from the host; 0: no limit"),
};

const size_t cdc_ncm_settings_count = sizeof(cdc_ncm_settings) / sizeof(cdc_ncm_settings[0]);

static void path_of(char path[static 128], const char *interface, const char *name)
{
	snprintf(path, 128, "/sys/class/net/%.15s/cdc_ncm/%s", interface, name);
}

bool cdc_ncm_has(const char *interface)
{
	char path[128];

	path_of(path, interface, "");
	return access(path, F_OK) == 0;
}

static bool parse(const char *text, unsigned long *value)
{
	char *end;

	if (!strcmp(text, "Y") || !strcmp(text, "N")) {
		*value = text[0] == 'Y';
		return true;
	}
	errno = 0;
	*value = strtoul(text, &end, 0); /* the formats are in hexadecimal */
	return text[0] >= '0' && text[0] <= '9' && !*end && !errno;
}

bool cdc_ncm_get(const char *interface, const char *name, unsigned long *value)
{
	char path[128], text[32];

	path_of(path, interface, name);
	return text_file_read(path, text, sizeof(text)) > 0 && parse(text, value);
}

static int unknown(const char *name, struct failure *f)
{
	char names[128] = "";

	for (size_t i = 0; i < cdc_ncm_settings_count; i++) {
		if (!cdc_ncm_settings[i].writable)
			continue;
		if (names[0])
			strcat(names, ", ");
		strcat(names, cdc_ncm_settings[i].name);
	}
	return fail(f, EINVAL, "there is no setting \"%s\" that can be written: there are %s", name,
		    names);
}

static const struct cdc_ncm_setting *find(const char *name)
{
	for (size_t i = 0; i < cdc_ncm_settings_count; i++)
		if (cdc_ncm_settings[i].writable && !strcmp(cdc_ncm_settings[i].name, name))
			return &cdc_ncm_settings[i];
	return NULL;
}

static int refused(int error, const char *path, const char *value, struct failure *f)
{
	const char *hint = error == ENOENT ?
				   "is it an interface of cdc_ncm, in the network namespace of this "
				   "sysfs (`ip netns exec NAME ncmbench host`)?" :
			   error == EACCES || error == EROFS ? "this needs root" :
			   error == EINVAL ? "the kernel takes no such value for this device" :
					     "see dmesg";

	return fail(f, error, "cannot write %s to %s: %s; %s", value, path, strerror(error), hint);
}

/* To tx_max the kernel adds the byte that ends a transfer which would fill its last packet. */
static bool is_taken(const char *name, unsigned long wanted, unsigned long got)
{
	return got == wanted || (!strcmp(name, "tx_max") && got == wanted + 1);
}

int cdc_ncm_set(const char *interface, const char *assignment, struct failure *f)
{
	const char *equals = strchr(assignment, '=');
	unsigned long wanted, got = 0;
	char name[32], path[128];
	int error;

	if (!equals || equals - assignment >= (int)sizeof(name) || !parse(equals + 1, &wanted))
		return fail(f, EINVAL, "\"%s\" has to be NAME=VALUE with a number", assignment);
	snprintf(name, sizeof(name), "%.*s", (int)(equals - assignment), assignment);
	if (!find(name))
		return unknown(name, f);
	path_of(path, interface, name);
	error = text_file_write(path, equals + 1);
	if (error)
		return refused(-error, path, equals + 1, f);
	if (!cdc_ncm_get(interface, name, &got) || !is_taken(name, wanted, got))
		return fail(f, ERANGE, "%s=%lu on %s: the kernel made it %lu", name, wanted,
			    interface, got);
	return 0;
}
