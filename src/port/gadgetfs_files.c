/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "port/gadgetfs_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define UDC_CLASS "/sys/class/udc"

#define MODULE_HINT                                                                                \
	"try `modprobe gadgetfs` (Debian and Raspberry Pi OS have the module; elsewhere "          \
	"CONFIG_USB_GADGETFS)"

static bool kernel_has_gadgetfs(void)
{
	FILE *list = fopen("/proc/filesystems", "re");
	char line[128];
	bool found = false;

	while (list && !found && fgets(line, sizeof(line), list))
		found = strstr(line, "gadgetfs") != NULL;
	if (list)
		fclose(list);
	return found;
}

/* The value of KEY in a UDC's uevent; false if it has none. */
static bool udc_property(const char *udc, const char *key, char value[static 64])
{
	char path[sizeof(UDC_CLASS) + 256 + sizeof("/uevent")], line[256];
	size_t len = strlen(key);
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), UDC_CLASS "/%.255s/uevent", udc);
	file = fopen(path, "re");
	while (file && !found && fgets(line, sizeof(line), file)) {
		found = !strncmp(line, key, len) && line[len] == '=';
		if (found) {
			line[strcspn(line, "\n")] = '\0';
			snprintf(value, 64, "%.63s", line + len + 1);
		}
	}
	if (file)
		fclose(file);
	return found;
}

/*
 * The UDC whose gadget is called `control` and has no driver; of several the first by name.
 * *udcs is how many UDCs there are.
 */
static bool find_udc(const char *control, char udc[static 64], unsigned int *udcs)
{
	DIR *dir = opendir(UDC_CLASS);
	const struct dirent *entry;
	char value[64];
	bool found = false;

	*udcs = 0;
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		++*udcs;
		if (udc_property(entry->d_name, "USB_UDC_DRIVER", value))
			continue;
		if (!udc_property(entry->d_name, "USB_UDC_NAME", value) || strcmp(value, control))
			continue;
		if (found && strcmp(entry->d_name, udc) > 0)
			continue;
		snprintf(udc, 64, "%.63s", entry->d_name);
		found = true;
	}
	if (dir)
		closedir(dir);
	return found;
}

static int refused_mount(const struct gadgetfs_mount *m, int error, struct failure *f)
{
	char udc[64];
	unsigned int udcs;

	if (error == ENODEV && !kernel_has_gadgetfs())
		return fail(f, EOPNOTSUPP, "this kernel has no GadgetFS: " MODULE_HINT);
	find_udc("", udc, &udcs);
	if (error == ENODEV)
		return fail(
			f, error, "GadgetFS finds no free UDC: %s",
			udcs ? "every UDC in /sys/class/udc already has a gadget; unbind one "
			       "(`echo > /sys/kernel/config/usb_gadget/NAME/UDC`)" :
			       "this machine has no UDC (/sys/class/udc is empty): no USB port "
			       "that can be a device, or its driver is not loaded (Raspberry Pi: "
			       "dtoverlay=dwc2 in config.txt)");
	return fail(f, error, "cannot mount GadgetFS on %s: %s%s", m->at, strerror(error),
		    error == ESRCH || error == EBUSY ? "; another program uses GadgetFS" :
		    error == EPERM		     ? "; this needs root" :
						       "");
}

/* Before the device is bound the control file is the only one. */
static bool find_control(struct gadgetfs_mount *m)
{
	DIR *dir = opendir(m->at);
	const struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(m->control, sizeof(m->control), "%.63s", entry->d_name);
		found = true;
	}
	if (dir)
		closedir(dir);
	return found;
}

static int check_udc(struct gadgetfs_mount *m, const char *wanted, struct failure *f)
{
	unsigned int udcs;

	if (!find_control(m))
		return fail(f, EIO, "GadgetFS on %s shows no control file", m->at);
	if (!find_udc(m->control, m->udc, &udcs))
		/* A kernel that does not say so in sysfs; the control file names the gadget. */
		snprintf(m->udc, sizeof(m->udc), "%s", m->control);
	if (strcmp(wanted, "auto") && strcmp(wanted, m->udc))
		return fail(
			f, ENODEV,
			"GadgetFS takes the first UDC without a gadget, which is %s, not %s (the "
			"setting udc): free that one, and have a gadget hold the others",
			m->udc, wanted);
	return 0;
}

int gadgetfs_mount(struct gadgetfs_mount *m, const char *at, const char *udc, struct failure *f)
{
	int error;

	memset(m, 0, sizeof(*m));
	snprintf(m->at, sizeof(m->at), "%s", at);
	if (mkdir(at, 0700) < 0 && errno != EEXIST)
		return fail(f, errno, "cannot make the directory %s: %s", at, strerror(errno));
	if (mount("gadgetfs", at, "gadgetfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0) {
		error = refused_mount(m, errno, f);
		rmdir(at);
		return error;
	}
	m->mounted = true;
	error = check_udc(m, udc, f);
	if (error)
		gadgetfs_unmount(m);
	return error;
}

/*
 * The kernel lets go of files a moment after their last transfer has ended, and mounts GadgetFS
 * anew only when the old mount is wholly gone.
 */
static void unmount(const char *at)
{
	static const struct timespec pause = { 0, 5000000 };

	for (int i = 0; i < 40 && umount2(at, 0) < 0 && errno == EBUSY; i++)
		nanosleep(&pause, NULL);
	umount2(at, MNT_DETACH);
}

void gadgetfs_unmount(struct gadgetfs_mount *m)
{
	if (!m->mounted)
		return;
	unmount(m->at);
	rmdir(m->at);
	m->mounted = false;
}

int gadgetfs_file(const struct gadgetfs_mount *m, const char *name)
{
	char path[sizeof(m->at) + 70];
	int fd;

	snprintf(path, sizeof(path), "%s/%.64s", m->at, name);
	fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

unsigned int gadgetfs_endpoints(const struct gadgetfs_mount *m,
				char name[static GADGETFS_ENDPOINTS_MAX][USB_ENDPOINT_NAME_MAX])
{
	DIR *dir = opendir(m->at);
	const struct dirent *entry;
	unsigned int n = 0;

	while (dir && n < GADGETFS_ENDPOINTS_MAX && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && strcmp(entry->d_name, m->control))
			snprintf(name[n++], USB_ENDPOINT_NAME_MAX, "%.15s", entry->d_name);
	if (dir)
		closedir(dir);
	return n;
}
