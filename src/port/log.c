/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "port/log.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static enum log_level threshold = LOG_LEVEL_INFO;

void log_set_level(enum log_level level)
{
	threshold = level;
}

bool log_is_on(enum log_level level)
{
	return level <= threshold;
}

void log_line(enum log_level level, const char *format, ...)
{
	char line[1024];
	int saved = errno;
	va_list args;
	size_t len;
	int n;

	if (!log_is_on(level))
		return;
	/* One write a line, so that lines of two processes do not mix. */
	len = (size_t)snprintf(line, sizeof(line), "<%d>", (int)level);
	va_start(args, format);
	n = vsnprintf(line + len, sizeof(line) - len - 1, format, args);
	va_end(args);
	if (n < 0)
		return;
	len += (size_t)n;
	if (len > sizeof(line) - 2)
		len = sizeof(line) - 2;
	line[len++] = '\n';
	/* If stderr is gone there is nowhere left to say so. */
	(void)!write(STDERR_FILENO, line, len);
	errno = saved;
}

int fail(struct failure *f, int error, const char *format, ...)
{
	va_list args;

	if (f) {
		va_start(args, format);
		vsnprintf(f->text, sizeof(f->text), format, args);
		va_end(args);
	}
	return error > 0 ? -error : error;
}
