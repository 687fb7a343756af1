/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines for people, on stderr, with the <n> prefix that journald reads as a
 * priority. Whoever decides what a failure means logs it, once; everybody below
 * fills a struct failure and returns -errno.
 */
#ifndef NCMD_PORT_LOG_H
#define NCMD_PORT_LOG_H

#include <stdarg.h>
#include <stdbool.h>

enum log_level {
	LOG_LEVEL_ERROR = 3,
	LOG_LEVEL_WARNING = 4,
	LOG_LEVEL_INFO = 6,
	LOG_LEVEL_DEBUG = 7,
};

/* Lines above this level are not printed; the one global of the program. */
void log_set_level(enum log_level level);
bool log_is_on(enum log_level level);

void log_line(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define log_error(...)	 log_line(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warning(...) log_line(LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_info(...)	 log_line(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...)                                                                             \
	do {                                                                                       \
		if (log_is_on(LOG_LEVEL_DEBUG))                                                    \
			log_line(LOG_LEVEL_DEBUG, __VA_ARGS__);                                    \
	} while (0)

/* What was tried, on what, why it failed, what to do: one line, for the caller to log. */
struct failure {
	char text[1536];
};

/*
 * Fills *f and returns -error, so that a port can say
 * `return fail(f, errno, "cannot ...: %s", strerror(errno))`. f may be NULL.
 */
int fail(struct failure *f, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
