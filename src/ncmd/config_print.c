/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ncmd/config.h"
#include "ncmd/config_table.h"

static void print_text(const char *text, FILE *to)
{
	fputc('"', to);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', to);
		fputc(*text, to);
	}
	fputc('"', to);
}

static void print_row(const struct config *c, const struct config_row *row, FILE *to)
{
	const void *member = (const uint8_t *)c + row->offset;
	char text[CONFIG_PATH_MAX];
	uint32_t number;

	switch (row->kind) {
	case CONFIG_KIND_NUMBER:
		if (row->size == sizeof(uint16_t))
			number = *(const uint16_t *)member;
		else
			number = *(const uint32_t *)member;
		fprintf(to, row->hex ? "0x%04" PRIx32 : "%" PRIu32, number);
		break;
	case CONFIG_KIND_BOOL:
		fputs(*(const bool *)member ? "true" : "false", to);
		break;
	case CONFIG_KIND_TEXT:
		if (row->print)
			row->print(member, text);
		print_text(row->print ? text : member, to);
		break;
	case CONFIG_KIND_CHOICE:
		print_text(row->choice(*(const unsigned int *)member), to);
		break;
	case CONFIG_KIND_ADDRESSES:
		fputs("(", to);
		for (unsigned int i = 0; i < c->tap.addresses; i++) {
			fputs(i ? ", " : " ", to);
			print_text(c->tap.address[i], to);
		}
		fputs(" )", to);
		break;
	}
}

void config_print(const struct config *c, FILE *to)
{
	const char *group = "";
	size_t group_len = 0;

	for (size_t i = 0; i < config_rows_count; i++) {
		const struct config_row *row = &config_rows[i];
		const char *dot = strchr(row->path, '.');
		size_t len = dot ? (size_t)(dot - row->path) : 0;

		if (len != group_len || strncmp(row->path, group, len) != 0) {
			if (group_len)
				fputs("};\n", to);
			if (len)
				fprintf(to, "\n%.*s = {\n", (int)len, row->path);
			group = row->path;
			group_len = len;
		}
		fprintf(to, "%s%s = ", len ? "\t" : "", dot ? dot + 1 : row->path);
		print_row(c, row, to);
		fputs(";\n", to);
	}
	if (group_len)
		fputs("};\n", to);
}
