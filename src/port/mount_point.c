/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "port/mount_point.h"

#include <errno.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

int mount_point_clean(const char *path, struct failure *f)
{
	while (umount2(path, MNT_DETACH) == 0)
		;
	if (errno != EINVAL && errno != ENOENT)
		return fail(f, errno, "cannot unmount %s, left by an earlier run: %s", path,
			    strerror(errno));
	rmdir(path);
	return 0;
}
