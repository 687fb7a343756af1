/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ncmbench/processor.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ncmbench/clock.h"

bool processor_parse(const char *stat, long ticks_per_second, struct processor_sample *s)
{
	unsigned long long user, nice, system, idle, waiting;

	if (ticks_per_second <= 0 || sscanf(stat, "cpu %llu %llu %llu %llu %llu", &user, &nice,
					    &system, &idle, &waiting) != 5)
		return false;
	s->idle_us = (int64_t)((idle + waiting) * 1000000 / (unsigned long long)ticks_per_second);
	s->processors = 0;
	for (const char *line = strchr(stat, '\n'); line; line = strchr(line + 1, '\n'))
		if (strncmp(line + 1, "cpu", 3) == 0 && isdigit((unsigned char)line[4]))
			s->processors++;
	return s->processors > 0;
}

void processor_read(struct processor_sample *s)
{
	char text[65536];
	int fd = open("/proc/stat", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	memset(s, 0, sizeof(*s));
	if (n <= 0)
		return;
	text[n] = '\0';
	s->time_ns = clock_now_ns();
	if (!processor_parse(text, sysconf(_SC_CLK_TCK), s))
		memset(s, 0, sizeof(*s));
}

int64_t processor_busy_us(const struct processor_sample *a, const struct processor_sample *b)
{
	int64_t elapsed_us = (b->time_ns - a->time_ns) / NS_PER_US;
	int64_t busy_us = elapsed_us * b->processors - (b->idle_us - a->idle_us);

	return busy_us > 0 ? busy_us : 0;
}
