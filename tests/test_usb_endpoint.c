/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Endpoint names as the kernel's drivers give them, and which of a controller's are chosen. */
#include "unit.h"

#include "wire/usb_endpoint.h"

static void names(void **state)
{
	static const struct {
		const char *name;
		struct usb_endpoint_name e;
	} rows[] = {
		{ "ep1in", { .number = 1, .in = true, .bulk = true, .interrupt = true } },
		{ "ep15out", { .number = 15, .out = true, .bulk = true, .interrupt = true } },
		{ "ep2",
		  { .number = 2, .in = true, .out = true, .bulk = true, .interrupt = true } },
		{ "ep1in-bulk", { .number = 1, .in = true, .bulk = true } },
		{ "ep5in-int", { .number = 5, .in = true, .interrupt = true } },
		{ "ep3-int", { .number = 3, .in = true, .out = true, .interrupt = true } },
		{ "ep-a",
		  { .letter = 'a', .in = true, .out = true, .bulk = true, .interrupt = true } },
		{ "ep-bin", { .letter = 'b', .in = true, .bulk = true, .interrupt = true } },
		{ "ep-aout", { .letter = 'a', .out = true, .bulk = true, .interrupt = true } },
	};
	static const char *const wrong[] = {
		"",	     "ep",	  "ep0",	 "ep16in", "ep99999999999in",
		"ep3in-iso", "ep1inx",	  "ep1in-bulky", "ep-",	   "ep-A",
		"epfoo",     "dummy_udc", "xep1in"
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct usb_endpoint_name e;

		assert_true(usb_endpoint_parse(rows[i].name, &e));
		assert_int_equal(e.number, rows[i].e.number);
		assert_int_equal(e.letter, rows[i].e.letter);
		assert_int_equal(e.in, rows[i].e.in);
		assert_int_equal(e.out, rows[i].e.out);
		assert_int_equal(e.bulk, rows[i].e.bulk);
		assert_int_equal(e.interrupt, rows[i].e.interrupt);
	}
	for (size_t i = 0; i < ROWS(wrong); i++) {
		struct usb_endpoint_name e;

		if (usb_endpoint_parse(wrong[i], &e))
			fail_msg("\"%s\" was taken for an endpoint", wrong[i]);
	}
}

#define NAMES_MAX 40

/* What each driver offers; a directory lists it in any order. */
static const struct controller {
	const char *driver;
	const char *name[NAMES_MAX];
	const char *notify, *bulk_in, *bulk_out; /* NULL: not enough */
	struct ncm_endpoints address;
} controllers[] = {
	{ "dwc2 (Raspberry Pi)",
	  { "ep1in", "ep2in", "ep3in", "ep4in", "ep1out", "ep2out", "ep3out", "ep4out" },
	  "ep2in",
	  "ep1in",
	  "ep1out",
	  { 0x82, 0x81, 0x01 } },
	{ "dwc2 as some chips have it: endpoint 1 IN only",
	  { "ep1in", "ep2out", "ep3in", "ep4out" },
	  "ep3in",
	  "ep1in",
	  "ep2out",
	  { 0x83, 0x81, 0x02 } },
	{ "dummy_hcd",
	  { "ep1in-bulk", "ep2out-bulk", "ep5in-int", "ep6in-bulk", "ep7out-bulk", "ep10in-int",
	    "ep11in-bulk", "ep12out-bulk", "ep15in-int", "ep1out-bulk", "ep2in-bulk", "ep-aout",
	    "ep-bin", "ep-cout" },
	  "ep5in-int",
	  "ep1in-bulk",
	  "ep1out-bulk",
	  { 0x85, 0x81, 0x01 } },
	{ "musb, separate FIFOs",
	  { "ep1in", "ep1out", "ep2in", "ep2out", "ep3in", "ep3out" },
	  "ep2in",
	  "ep1in",
	  "ep1out",
	  { 0x82, 0x81, 0x01 } },
	{ "musb, the last ones share a FIFO",
	  { "ep1in", "ep1out", "ep5" },
	  "ep5",
	  "ep1in",
	  "ep1out",
	  { 0x85, 0x81, 0x01 } },
	{ "chipidea",
	  { "ep1out", "ep2out", "ep3out", "ep1in", "ep2in", "ep3in" },
	  "ep2in",
	  "ep1in",
	  "ep1out",
	  { 0x82, 0x81, 0x01 } },
	{ "net2280: any number, any direction",
	  { "ep-d", "ep-c", "ep-b", "ep-a" },
	  "ep-c",
	  "ep-a",
	  "ep-b",
	  { 0x82, 0x81, 0x01 } },
	{ "at91: either direction",
	  { "ep1", "ep2", "ep3-int", "ep4", "ep5" },
	  "ep3-int",
	  "ep1",
	  "ep2",
	  { 0x83, 0x81, 0x02 } },
	{ "a letter does not take a number that is there",
	  { "ep1in-bulk", "ep-a", "ep-b" },
	  "ep-b",
	  "ep1in-bulk",
	  "ep-a",
	  { 0x82, 0x81, 0x01 } },
	{ "pxa25x: fixed function",
	  { "ep1in-bulk", "ep2out-bulk", "ep3in-iso", "ep4out-iso", "ep5in-int" },
	  "ep5in-int",
	  "ep1in-bulk",
	  "ep2out-bulk",
	  { 0x85, 0x81, 0x02 } },
	{ "what can be only one thing is taken for it",
	  { "ep1in", "ep1out", "ep2in", "ep3in-bulk", "ep4-bulk", "ep5in-int" },
	  "ep5in-int",
	  "ep3in-bulk",
	  "ep4-bulk",
	  { 0x85, 0x83, 0x04 } },
	{ "two are not enough", { "ep1in", "ep1out" }, NULL, NULL, NULL, { 0, 0, 0 } },
	{ "no OUT", { "ep1in", "ep2in", "ep3in" }, NULL, NULL, NULL, { 0, 0, 0 } },
	{ "nothing for a notification",
	  { "ep1in-bulk", "ep2in-bulk", "ep1out-bulk" },
	  NULL,
	  NULL,
	  NULL,
	  { 0, 0, 0 } },
	{ "none", { NULL }, NULL, NULL, NULL, { 0, 0, 0 } },
};

static unsigned int fill(const struct controller *c, char list[NAMES_MAX][USB_ENDPOINT_NAME_MAX],
			 unsigned int turn)
{
	unsigned int n = 0;

	while (n < NAMES_MAX && c->name[n])
		n++;
	for (unsigned int i = 0; i < n; i++)
		strcpy(list[(i * (turn & 1 ? n - 1 : 1) + turn) % n], c->name[i]);
	return n;
}

static void choices(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(controllers); i++) {
		const struct controller *c = &controllers[i];

		for (unsigned int turn = 0; turn < 8; turn++) {
			char list[NAMES_MAX][USB_ENDPOINT_NAME_MAX];
			unsigned int n = fill(c, list, turn);
			struct usb_endpoint_choice got;
			bool enough = usb_endpoint_choose(
				(const char(*)[USB_ENDPOINT_NAME_MAX])list, n, &got);

			if (enough != (c->notify != NULL))
				fail_msg("%s: %s", c->driver, enough ? "enough" : "not enough");
			if (!enough)
				continue;
			assert_string_equal(list[got.notify], c->notify);
			assert_string_equal(list[got.bulk_in], c->bulk_in);
			assert_string_equal(list[got.bulk_out], c->bulk_out);
			assert_int_equal(got.address.notify, c->address.notify);
			assert_int_equal(got.address.bulk_in, c->address.bulk_in);
			assert_int_equal(got.address.bulk_out, c->address.bulk_out);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(choices),
	};

	return cmocka_run_group_tests_name("usb_endpoint", tests, NULL, NULL);
}
