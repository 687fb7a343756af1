/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ncmd/config_text.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ncmd/mac.h"

static bool store(const char *text, void *member, size_t size, const char **why)
{
	size_t len = strlen(text);

	if (len >= size) {
		*why = "is too long";
		return false;
	}
	memset(member, 0, size);
	memcpy(member, text, len);
	return true;
}

static bool is_ascii_alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool has_control(const char *text)
{
	for (; *text; text++)
		if ((uint8_t)*text < 0x20 || *text == 0x7f)
			return true;
	return false;
}

bool text_parse_name(const char *text, void *member, size_t size, const char **why)
{
	if (!is_ascii_alnum(text[0]))
		return false;
	for (const char *c = text; *c; c++)
		if (!is_ascii_alnum(*c) && !strchr("_.-", *c))
			return false;
	return store(text, member, size, why);
}

/* Names in sysfs: a bus may well put ':' and ',' into them. */
bool text_parse_udc(const char *text, void *member, size_t size, const char **why)
{
	if (!text[0] || strchr(text, '/') || has_control(text) || strcmp(text, ".") == 0 ||
	    strcmp(text, "..") == 0)
		return false;
	return store(text, member, size, why);
}

/*
 * dev_valid_name() of Linux, to whose isspace() 0xa0 is a space too; and no '%', with
 * which the kernel would choose a number.
 */
bool text_parse_tap_name(const char *text, void *member, size_t size, const char **why)
{
	if (strcmp(text, ".") == 0 || strcmp(text, "..") == 0 || has_control(text))
		return false;
	if (strpbrk(text, "/:% \xa0"))
		return false;
	return store(text, member, size, why);
}

bool text_parse_path(const char *text, void *member, size_t size, const char **why)
{
	if (text[0] != '/' || has_control(text))
		return false;
	return store(text, member, size, why);
}

bool text_parse_path_or_empty(const char *text, void *member, size_t size, const char **why)
{
	if (text[0] == '\0')
		return store(text, member, size, why);
	return text_parse_path(text, member, size, why);
}

/* One character of RFC 3629 UTF-8: its length, 0 if it is wrong. */
static size_t utf8_len(const char *text)
{
	const uint8_t *c = (const uint8_t *)text;
	uint8_t low = 0x80, high = 0xbf; /* of the second byte */
	size_t len;

	if (c[0] < 0x80)
		return 1;
	if (c[0] < 0xc2 || c[0] > 0xf4)
		return 0;
	len = c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;
	if (c[0] == 0xe0)
		low = 0xa0; /* else two bytes would do */
	else if (c[0] == 0xed)
		high = 0x9f; /* surrogates */
	else if (c[0] == 0xf0)
		low = 0x90; /* else three bytes would do */
	else if (c[0] == 0xf4)
		high = 0x8f; /* the end of Unicode */

	if (c[1] < low || c[1] > high)
		return 0;
	for (size_t i = 2; i < len; i++)
		if (c[i] < 0x80 || c[i] > 0xbf)
			return 0;
	return len;
}

bool text_parse_usb(const char *text, void *member, size_t size, const char **why)
{
	if (text[0] == '\0' || has_control(text))
		return false;
	for (const char *c = text; *c; c += utf8_len(c)) {
		if (utf8_len(c) == 0) {
			*why = "is not UTF-8";
			return false;
		}
	}
	return store(text, member, size, why);
}

/* Windows takes a serial number with other characters as none. */
bool text_parse_serial(const char *text, void *member, size_t size, const char **why)
{
	if (text[0] == '\0')
		return false;
	for (const char *c = text; *c; c++)
		if (*c < 0x20 || *c > 0x7e || *c == ',')
			return false;
	return store(text, member, size, why);
}

static bool prefix_length_is_valid(const char *text, long most)
{
	char *end;
	long length;

	if (text[0] < '1' || text[0] > '9')
		return false;
	length = strtol(text, &end, 10);
	return *end == '\0' && length >= 1 && length <= most;
}

bool text_parse_address(const char *text, void *member, size_t size, const char **why)
{
	char address[INET6_ADDRSTRLEN];
	const char *slash = strchr(text, '/');
	struct in6_addr six;
	struct in_addr four;

	if (!slash) {
		*why = "has no prefix length, like \"/24\"";
		return false;
	}
	if ((size_t)(slash - text) >= sizeof(address)) {
		*why = "is no IP address";
		return false;
	}
	memcpy(address, text, (size_t)(slash - text));
	address[slash - text] = '\0';

	if (inet_pton(AF_INET, address, &four) == 1) {
		if (!prefix_length_is_valid(slash + 1, 32)) {
			*why = "has no prefix length of 1 ... 32";
			return false;
		}
		if (four.s_addr == INADDR_ANY || IN_MULTICAST(ntohl(four.s_addr))) {
			*why = "is no address that an interface can have";
			return false;
		}
	} else if (inet_pton(AF_INET6, address, &six) == 1) {
		if (!prefix_length_is_valid(slash + 1, 128)) {
			*why = "has no prefix length of 1 ... 128";
			return false;
		}
		if (IN6_IS_ADDR_UNSPECIFIED(&six) || IN6_IS_ADDR_MULTICAST(&six)) {
			*why = "is no address that an interface can have";
			return false;
		}
	} else {
		*why = "is no IP address";
		return false;
	}
	return store(text, member, size, why);
}

bool text_parse_mac(const char *text, void *member, size_t size, const char **why)
{
	enum mac_verdict verdict;

	if (strcmp(text, "auto") == 0) {
		memset(member, 0, size);
		return true;
	}
	verdict = mac_parse(text, member);
	if (verdict != MAC_OK)
		*why = mac_verdict_text(verdict);
	return verdict == MAC_OK;
}

void text_print_mac(const void *member, char text[static CONFIG_PATH_MAX])
{
	if (mac_is_zero(member))
		strcpy(text, "auto");
	else
		mac_print(member, text);
}

bool text_parse_policy(const char *text, void *member, size_t size, const char **why)
{
	(void)size;
	(void)why;
	return policy_parse(text, member);
}

void text_print_policy(const void *member, char text[static CONFIG_PATH_MAX])
{
	policy_print(member, text);
}

#define CHOICE(words, value) ((value) < sizeof(words) / sizeof((words)[0]) ? (words)[value] : NULL)

const char *text_choice_transport(unsigned int value)
{
	static const char *const words[] = {
		[CONFIG_TRANSPORT_AUTO] = "auto",
		[CONFIG_TRANSPORT_FUNCTIONFS] = "functionfs",
		[CONFIG_TRANSPORT_GADGETFS] = "gadgetfs",
	};

	return CHOICE(words, value);
}

const char *text_choice_fallback(unsigned int value)
{
	static const char *const words[] = {
		[CONFIG_FALLBACK_NONE] = "none",
		[CONFIG_FALLBACK_NCM_ONLY] = "ncm-only",
	};

	return CHOICE(words, value);
}

const char *text_choice_max_speed(unsigned int value)
{
	static const char *const words[] = {
		[CONFIG_MAX_SPEED_AUTO] = "auto",
		[CONFIG_MAX_SPEED_FULL] = "full",
		[CONFIG_MAX_SPEED_HIGH] = "high",
		[CONFIG_MAX_SPEED_SUPER] = "super",
	};

	return CHOICE(words, value);
}

const char *text_choice_offload(unsigned int value)
{
	static const char *const words[] = {
		[CONFIG_OFFLOAD_AUTO] = "auto",
		[CONFIG_OFFLOAD_OFF] = "off",
	};

	return CHOICE(words, value);
}

const char *text_choice_copy(unsigned int value)
{
	static const char *const words[] = {
		[CONFIG_COPY_IN_PLACE] = "in-place",
		[CONFIG_COPY_BOUNCE] = "bounce",
	};

	return CHOICE(words, value);
}

const char *text_choice_ending(unsigned int value)
{
	static const char *const words[] = {
		[NTB_ENDING_PAD] = "pad",
		[NTB_ENDING_ZLP] = "zlp",
	};

	return CHOICE(words, value);
}

const char *text_choice_ndp(unsigned int value)
{
	static const char *const words[] = {
		[NTB_NDP_END] = "end",
		[NTB_NDP_START] = "start",
	};

	return CHOICE(words, value);
}

bool text_parse_choice(const char *text, const char *(*choice)(unsigned int value),
		       unsigned int *value)
{
	for (unsigned int i = 0; choice(i); i++) {
		if (strcmp(text, choice(i)) == 0) {
			*value = i;
			return true;
		}
	}
	return false;
}

void text_print_choices(const char *(*choice)(unsigned int value),
			char text[static CONFIG_PATH_MAX])
{
	size_t len = 0;

	text[0] = '\0';
	for (unsigned int i = 0; choice(i) && len < CONFIG_PATH_MAX; i++) {
		const char *before = i == 0 ? "" : choice(i + 1) ? ", " : " or ";

		len += (size_t)snprintf(&text[len], CONFIG_PATH_MAX - len, "%s\"%s\"", before,
					choice(i));
	}
}
