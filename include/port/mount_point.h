/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A directory that a transport mounts its file system on. */
#ifndef NCMD_PORT_MOUNT_POINT_H
#define NCMD_PORT_MOUNT_POINT_H

#include "port/log.h"

/* Unmounts and removes what a killed daemon left at `path`. 0, also if there is nothing. */
int mount_point_clean(const char *path, struct failure *f);

#endif
