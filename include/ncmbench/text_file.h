/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The one-line files of sysfs. */
#ifndef NCMBENCH_TEXT_FILE_H
#define NCMBENCH_TEXT_FILE_H

#include <stddef.h>

/* The first line without its end, NUL-terminated, cut at size. Its length, or -errno. */
int text_file_read(const char *path, char *text, size_t size);

/* Writes `text` in one write(2), as sysfs wants it. 0 or -errno. */
int text_file_write(const char *path, const char *text);

#endif
