/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The settings that are text: how each is read into its member of struct config and
 * written again. All readers answer whether the text is right; if not, the member is
 * as it was and *why may say more than "not allowed". Private to the config family.
 */
#ifndef NCMD_CONFIG_TEXT_H
#define NCMD_CONFIG_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "ncmd/config.h"

/* Members that are char[size]; what follows the text in them is zero. */
bool text_parse_name(const char *text, void *member, size_t size, const char **why);
bool text_parse_udc(const char *text, void *member, size_t size, const char **why);
bool text_parse_tap_name(const char *text, void *member, size_t size, const char **why);
bool text_parse_path(const char *text, void *member, size_t size, const char **why);
bool text_parse_path_or_empty(const char *text, void *member, size_t size, const char **why);
bool text_parse_usb(const char *text, void *member, size_t size, const char **why);
bool text_parse_serial(const char *text, void *member, size_t size, const char **why);
bool text_parse_address(const char *text, void *member, size_t size, const char **why);

/* uint8_t[6]; "auto" is all zero. */
bool text_parse_mac(const char *text, void *member, size_t size, const char **why);
void text_print_mac(const void *member, char text[static CONFIG_PATH_MAX]);

/* struct policy. */
bool text_parse_policy(const char *text, void *member, size_t size, const char **why);
void text_print_policy(const void *member, char text[static CONFIG_PATH_MAX]);

/* The words for the values of an enum; NULL behind the last one. */
const char *text_choice_transport(unsigned int value);
const char *text_choice_fallback(unsigned int value);
const char *text_choice_max_speed(unsigned int value);
const char *text_choice_offload(unsigned int value);
const char *text_choice_copy(unsigned int value);
const char *text_choice_ending(unsigned int value);
const char *text_choice_ndp(unsigned int value);

/* False, and *value untouched, if `text` is none of the words. */
bool text_parse_choice(const char *text, const char *(*choice)(unsigned int value),
		       unsigned int *value);

/* Lists all the words: "\"a\", \"b\" or \"c\"". */
void text_print_choices(const char *(*choice)(unsigned int value),
			char text[static CONFIG_PATH_MAX]);

#endif
