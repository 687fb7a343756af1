/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ncmbench/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int text_file_read(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), error;
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, text, size - 1);
	error = errno;
	close(fd);
	if (n < 0)
		return -error;
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return (int)strlen(text);
}

int text_file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), error = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		error = errno;
	if (close(fd) < 0 && !error)
		error = errno;
	return -error;
}
