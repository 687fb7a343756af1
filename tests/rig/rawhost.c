/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A USB host without manners: takes the NCM function away from the kernel's
 * driver and does single transfers on it, right or wrong ones. One command from
 * argv, or one a line from stdin; each ends with a line "ok ..." or "error ...".
 */
#include <errno.h>
#include <libusb.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ntb_vectors.h"

#define TIMEOUT_MS   2000
#define MAX_WORDS    8
#define MAX_LEN	     65536
#define CLASS_CDC    0x02
#define SUBCLASS_NCM 0x0d
#define CLASS_DATA   0x0a

struct host {
	libusb_context *usb;
	libusb_device_handle *device;
	uint8_t control_interface, data_interface;
	uint8_t notify, in, out; /* endpoint addresses */
	uint16_t out_packet; /* bytes */
	bool claimed;
};

static uint8_t buffer[MAX_LEN];

static int say(const char *format, ...)
{
	bool bad = strncmp(format, "error", 5) == 0;
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
	return bad ? -1 : 0;
}

static void print_hex(const char *word, const uint8_t *bytes, int len)
{
	printf("%s %d ", word, len);
	for (int i = 0; i < len; i++)
		printf("%02x", bytes[i]);
	putchar('\n');
	fflush(stdout);
}

/* --- finding the function ------------------------------------------------ */

static void take_endpoints(struct host *h, const struct libusb_interface_descriptor *alt)
{
	for (int i = 0; i < alt->bNumEndpoints; i++) {
		const struct libusb_endpoint_descriptor *e = &alt->endpoint[i];

		if (alt->bInterfaceClass == CLASS_CDC) {
			h->notify = e->bEndpointAddress;
		} else if (e->bEndpointAddress & LIBUSB_ENDPOINT_IN) {
			h->in = e->bEndpointAddress;
		} else {
			h->out = e->bEndpointAddress;
			h->out_packet = e->wMaxPacketSize & 0x7ff;
		}
	}
}

/* The data interface follows the control interface. */
static bool find_function(struct host *h, const struct libusb_config_descriptor *config)
{
	bool found = false;

	for (int i = 0; i < config->bNumInterfaces; i++) {
		const struct libusb_interface *interface = &config->interface[i];
		const struct libusb_interface_descriptor *alt = interface->altsetting;

		if (!found && alt->bInterfaceClass == CLASS_CDC &&
		    alt->bInterfaceSubClass == SUBCLASS_NCM) {
			h->control_interface = alt->bInterfaceNumber;
			h->data_interface = alt->bInterfaceNumber + 1;
			found = true;
		}
		if (!found || alt->bInterfaceNumber > h->data_interface)
			continue;
		for (int a = 0; a < interface->num_altsetting; a++)
			take_endpoints(h, &interface->altsetting[a]);
	}
	return found && h->in && h->out && h->notify;
}

static int open_device(struct host *h)
{
	libusb_device **list;
	ssize_t n = libusb_get_device_list(h->usb, &list);
	int r = LIBUSB_ERROR_NO_DEVICE;

	for (ssize_t i = 0; i < n; i++) {
		struct libusb_config_descriptor *config;

		if (libusb_get_active_config_descriptor(list[i], &config) != 0)
			continue;
		if (find_function(h, config))
			r = libusb_open(list[i], &h->device);
		libusb_free_config_descriptor(config);
		if (h->device)
			break;
	}
	if (n >= 0)
		libusb_free_device_list(list, 1);
	return r;
}

static int claim(struct host *h)
{
	uint8_t interfaces[] = { h->control_interface, h->data_interface };

	for (int i = 0; i < 2; i++) {
		int r = libusb_detach_kernel_driver(h->device, interfaces[i]);

		if (r != 0 && r != LIBUSB_ERROR_NOT_FOUND)
			return r;
	}
	for (int i = 0; i < 2; i++) {
		int r = libusb_claim_interface(h->device, interfaces[i]);

		if (r != 0)
			return r;
	}
	h->claimed = true;
	return 0;
}

static void release(struct host *h)
{
	if (!h->claimed)
		return;
	libusb_release_interface(h->device, h->data_interface);
	libusb_release_interface(h->device, h->control_interface);
	h->claimed = false;
}

/* --- words of a command ---------------------------------------------------- */

static int hex_digit(char c)
{
	const char *digits = "0123456789abcdef";
	const char *at = c ? strchr(digits, c | 0x20) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* Bytes as hex digits. Returns the length, or -1. */
static int parse_hex(const char *text, uint8_t *to, int size)
{
	int len = 0;

	for (; text[0]; text += 2, len++) {
		if (hex_digit(text[0]) < 0 || hex_digit(text[1]) < 0 || len == size)
			return -1;
		to[len] = (uint8_t)(hex_digit(text[0]) << 4 | hex_digit(text[1]));
	}
	return len;
}

/* A whole transfer: @VECTOR, @/file, "zlp", or hex digits. Returns the length, or -1. */
static int parse_transfer(const char *text, uint8_t *to)
{
	const struct ntb_vector *v;
	size_t len;
	FILE *f;

	if (strcmp(text, "zlp") == 0)
		return 0;
	if (text[0] != '@')
		return parse_hex(text, to, MAX_LEN);
	if (text[1] != '/') {
		v = ntb_vector_find(text + 1);
		len = v ? ntb_vector_build(v, to, MAX_LEN) : 0;
		return len ? (int)len : -1;
	}
	f = fopen(text + 1, "rb");
	if (!f)
		return -1;
	len = fread(to, 1, MAX_LEN, f);
	fclose(f);
	return (int)len;
}

struct setup {
	uint8_t type, request;
	uint16_t value, index, length;
	uint8_t data[256];
};

static uint16_t parse_index(const struct host *h, const char *word)
{
	if (strcmp(word, "ctrl") == 0)
		return h->control_interface;
	if (strcmp(word, "data") == 0)
		return h->data_interface;
	return (uint16_t)strtoul(word, NULL, 16);
}

/* TYPE REQUEST VALUE INDEX LENGTH|DATA: hex, but LENGTH decimal; INDEX also "ctrl" or "data" */
static int parse_setup(const struct host *h, char **words, int n, struct setup *s)
{
	int len;

	if (n < 5)
		return say("error usage: TYPE REQUEST VALUE INDEX LENGTH|HEX");
	memset(s, 0, sizeof(*s));
	s->type = (uint8_t)strtoul(words[0], NULL, 16);
	s->request = (uint8_t)strtoul(words[1], NULL, 16);
	s->value = (uint16_t)strtoul(words[2], NULL, 16);
	s->index = parse_index(h, words[3]);
	if (s->type & LIBUSB_ENDPOINT_IN || strcmp(words[4], "0") == 0) {
		len = (int)strtoul(words[4], NULL, 10);
	} else {
		len = parse_hex(words[4], s->data, sizeof(s->data));
	}
	if (len < 0 || len > (int)sizeof(s->data))
		return say("error '%s' is neither a length up to %zu nor hex digits", words[4],
			   sizeof(s->data));
	s->length = (uint16_t)len;
	return 0;
}

/* --- commands -------------------------------------------------------------- */

static int do_alt(struct host *h, char **words, int n)
{
	int r = libusb_set_interface_alt_setting(h->device, h->data_interface,
						 n > 0 ? atoi(words[0]) : 1);

	return r == 0 ? say("ok") : say("error set interface: %s", libusb_error_name(r));
}

static int do_control(struct host *h, char **words, int n)
{
	struct setup s;
	int r;

	if (parse_setup(h, words, n, &s) != 0)
		return -1;
	r = libusb_control_transfer(h->device, s.type, s.request, s.value, s.index, s.data,
				    s.length, TIMEOUT_MS);
	if (r == LIBUSB_ERROR_PIPE)
		return say("ok stall");
	if (r < 0)
		return say("error control %02x %02x: %s", s.type, s.request, libusb_error_name(r));
	print_hex("ok", s.data, s.type & LIBUSB_ENDPOINT_IN ? r : 0);
	return 0;
}

static void LIBUSB_CALL on_done(struct libusb_transfer *t)
{
	*(int *)t->user_data = 1;
}

static int wait_done(struct host *h, int *done, int ms)
{
	struct timeval limit = { ms / 1000, ms % 1000 * 1000 };

	return libusb_handle_events_timeout_completed(h->usb, &limit, done);
}

/* abandon TYPE ... MS: as control, but the transfer is taken back after MS. */
static int do_abandon(struct host *h, char **words, int n)
{
	struct libusb_transfer *t;
	uint8_t bytes[LIBUSB_CONTROL_SETUP_SIZE + 256];
	enum libusb_transfer_status status;
	struct setup s;
	int done = 0, ms, r;

	if (parse_setup(h, words, n, &s) != 0)
		return -1;
	ms = n > 5 ? atoi(words[5]) : 5;
	libusb_fill_control_setup(bytes, s.type, s.request, s.value, s.index, s.length);
	memcpy(bytes + LIBUSB_CONTROL_SETUP_SIZE, s.data, s.length);
	t = libusb_alloc_transfer(0);
	if (!t)
		return say("error no memory for a transfer");
	libusb_fill_control_transfer(t, h->device, bytes, on_done, &done, 0);
	r = libusb_submit_transfer(t);
	if (r == 0) {
		wait_done(h, &done, ms);
		libusb_cancel_transfer(t);
		while (!done)
			wait_done(h, &done, 100);
	}
	status = t->status;
	libusb_free_transfer(t);
	if (r != 0)
		return say("error abandon: %s", libusb_error_name(r));
	switch (status) {
	case LIBUSB_TRANSFER_CANCELLED:
		return say("ok abandoned");
	case LIBUSB_TRANSFER_COMPLETED:
		return say("ok completed");
	case LIBUSB_TRANSFER_STALL:
		return say("ok stall");
	default:
		return say("error abandon: transfer status %d", status);
	}
}

/* Ends with a zero-length packet where the last packet is a full one. */
static int send(struct host *h, uint8_t *bytes, int len)
{
	int done, r;

	r = libusb_bulk_transfer(h->device, h->out, bytes, len, &done, TIMEOUT_MS);
	if (r == 0 && len > 0 && len % h->out_packet == 0 && len != NTB_VECTOR_MAX)
		r = libusb_bulk_transfer(h->device, h->out, bytes, 0, &done, TIMEOUT_MS);
	return r;
}

static int do_out(struct host *h, char **words, int n)
{
	int len = n > 0 ? parse_transfer(words[0], buffer) : -1;
	int repeat = n > 1 ? atoi(words[1]) : 1;

	if (len < 0)
		return say("error usage: out HEX|@VECTOR|@/FILE|zlp [TIMES]");
	for (int i = 0; i < repeat; i++) {
		int r = send(h, buffer, len);

		if (r != 0)
			return say("error out, number %d: %s", i + 1, libusb_error_name(r));
	}
	return say("ok");
}

static int do_in(struct host *h, char **words, int n)
{
	int size = n > 0 ? atoi(words[0]) : NTB_VECTOR_MAX;
	int len = 0, r;

	if (size < 0 || size > MAX_LEN)
		return say("error in: 0 to %d bytes", MAX_LEN);
	r = libusb_bulk_transfer(h->device, h->in, buffer, size, &len,
				 n > 1 ? (unsigned int)atoi(words[1]) : TIMEOUT_MS);
	if (r == LIBUSB_ERROR_TIMEOUT && len == 0)
		return say("ok nothing");
	if (r != 0 && r != LIBUSB_ERROR_TIMEOUT)
		return say("error in: %s", libusb_error_name(r));
	print_hex("ok", buffer, len);
	return 0;
}

static int do_intr(struct host *h, char **words, int n)
{
	int len = 0, r;

	r = libusb_interrupt_transfer(h->device, h->notify, buffer, 64, &len,
				      n > 0 ? (unsigned int)atoi(words[0]) : TIMEOUT_MS);
	if (r == LIBUSB_ERROR_TIMEOUT)
		return say("ok nothing");
	if (r != 0)
		return say("error intr: %s", libusb_error_name(r));
	print_hex("ok", buffer, len);
	return 0;
}

/* clear: CLEAR_FEATURE(ENDPOINT_HALT) on both bulk endpoints */
static int do_clear(struct host *h, char **words, int n)
{
	int r = libusb_clear_halt(h->device, h->out);

	(void)words, (void)n;
	if (r == 0)
		r = libusb_clear_halt(h->device, h->in);
	return r == 0 ? say("ok") : say("error clear halt: %s", libusb_error_name(r));
}

static int do_descriptors(struct host *h, char **words, int n)
{
	int len;

	(void)words, (void)n;
	len = libusb_get_descriptor(h->device, LIBUSB_DT_DEVICE, 0, buffer, 255);
	if (len > 0)
		print_hex("device", buffer, len);
	len = libusb_get_descriptor(h->device, LIBUSB_DT_CONFIG, 0, buffer, 4096);
	if (len <= 0)
		return say("error configuration descriptor: %s", libusb_error_name(len));
	print_hex("config", buffer, len);
	for (int i = 1; i < 32; i++) {
		char text[128];

		if (libusb_get_string_descriptor_ascii(h->device, (uint8_t)i, (unsigned char *)text,
						       sizeof(text)) >= 0)
			printf("string %d %s\n", i, text);
	}
	return say("ok control interface %d, data interface %d, notify %02x, in %02x, out %02x",
		   h->control_interface, h->data_interface, h->notify, h->in, h->out);
}

static int send_vector(struct host *h, const struct ntb_vector *v)
{
	size_t len = ntb_vector_build(v, buffer, MAX_LEN);
	int r;

	if (len == 0)
		return say("error vector %s does not have its CRC", v->name);
	r = send(h, buffer, (int)len);
	return r == 0 ? 0 : say("error out of %s: %s", v->name, libusb_error_name(r));
}

/* The verdict of a vector that is a fault; false if it is a good one. */
static bool find_fault(const struct ntb_vector *v, char name[static 64])
{
	for (unsigned int i = 0; ntb_vector_verdict(v, i, name); i++) {
		if (strcmp(name, "ntb_datagram") != 0)
			return true;
	}
	return false;
}

/* malformed [N]: N bad NTBs, then BASE-A. Says what a device must have counted and delivered. */
static int do_malformed(struct host *h, char **words, int n)
{
	int count = n > 0 ? atoi(words[0]) : 1000, sent[64] = { 0 };
	unsigned int frames = 1;
	char fault[64];

	for (size_t i = 0; count > 0; i = (i + 1) % ntb_vectors_count) {
		if (!find_fault(&ntb_vectors[i], fault))
			continue;
		if (send_vector(h, &ntb_vectors[i]) != 0)
			return -1;
		sent[i]++;
		frames += ntb_vector_datagrams(&ntb_vectors[i]);
		count--;
	}
	if (send_vector(h, ntb_vector_find("BASE-A")) != 0)
		return -1;
	for (size_t i = 0; i < ntb_vectors_count; i++) {
		if (sent[i] && find_fault(&ntb_vectors[i], fault))
			printf("count %s %d\n", fault, sent[i]);
	}
	return say("ok frames %u", frames);
}

/* drop: gives the interfaces up; the kernel's driver comes back */
static int do_drop(struct host *h, char **words, int n)
{
	int r;

	(void)words, (void)n;
	release(h);
	r = libusb_attach_kernel_driver(h->device, h->control_interface);
	return r == 0 ? say("ok") : say("error attach: %s", libusb_error_name(r));
}

static const struct {
	const char *name;
	int (*run)(struct host *h, char **words, int n);
	const char *help;
} commands[] = {
	{ "alt", do_alt, "[N]: SET_INTERFACE of the data interface" },
	{ "control", do_control, "TYPE REQUEST VALUE INDEX LENGTH|HEX" },
	{ "abandon", do_abandon, "TYPE REQUEST VALUE INDEX LENGTH|HEX [MS]: taken back after MS" },
	{ "out", do_out, "HEX|@VECTOR|@/FILE|zlp [TIMES]: bulk OUT transfers" },
	{ "in", do_in, "[BYTES [MS]]: one bulk IN transfer" },
	{ "intr", do_intr, "[MS]: one notification" },
	{ "clear", do_clear, ": CLEAR_FEATURE(HALT) on both bulk endpoints" },
	{ "descriptors", do_descriptors, ": all of them, as hex" },
	{ "malformed", do_malformed, "[N]: N malformed NTBs, then a good one" },
	{ "drop", do_drop, ": back to the kernel's driver" },
};

static int run_words(struct host *h, char **words, int n)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(commands[i].name, words[0]) != 0)
			continue;
		if (!h->claimed) {
			int r = claim(h);

			if (r != 0)
				return say("error claim: %s", libusb_error_name(r));
		}
		return commands[i].run(h, words + 1, n - 1);
	}
	return say("error unknown command '%s'", words[0]);
}

static int run_stdin(struct host *h)
{
	char line[2 * MAX_LEN], *words[MAX_WORDS], *rest;
	int n, status = 0;

	while (fgets(line, sizeof(line), stdin)) {
		n = 0;
		for (char *w = strtok_r(line, " \t\n", &rest); w && n < MAX_WORDS;
		     w = strtok_r(NULL, " \t\n", &rest))
			words[n++] = w;
		if (n > 0 && words[0][0] != '#' && run_words(h, words, n) != 0)
			status = 1;
	}
	return status;
}

int main(int argc, char **argv)
{
	struct host h = { 0 };
	int r;

	if (argc > 1 && strcmp(argv[1], "--help") == 0) {
		puts("usage: rawhost COMMAND [WORD]..., or commands on stdin");
		for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
			printf("  %s %s\n", commands[i].name, commands[i].help);
		return 0;
	}
	r = libusb_init(&h.usb);
	if (r == 0)
		r = open_device(&h);
	if (r != 0) {
		say("error no NCM device can be opened: %s", libusb_error_name(r));
		return 1;
	}
	r = argc > 1 ? run_words(&h, argv + 1, argc - 1) : run_stdin(&h);
	release(&h);
	libusb_close(h.device);
	libusb_exit(h.usb);
	return r == 0 ? 0 : 1;
}
