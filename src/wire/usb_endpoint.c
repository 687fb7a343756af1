/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wire/usb_endpoint.h"

#include <string.h>

#define NUMBER_MAX 15 /* [USB20 9.6.6] */
#define NAMES_MAX  64 /* more than any controller has */

/* Whether *at begins with `word`; if so *at is moved behind it. */
static bool take(const char **at, const char *word)
{
	const char *c = *at;

	for (; *word; c++, word++)
		if (*c != *word)
			return false;
	*at = c;
	return true;
}

static unsigned int take_number(const char **at)
{
	unsigned int number = 0;

	for (; **at >= '0' && **at <= '9' && number <= NUMBER_MAX; ++*at)
		number = number * 10 + (unsigned int)(**at - '0');
	return number;
}

bool usb_endpoint_parse(const char *name, struct usb_endpoint_name *e)
{
	const char *at = name;
	unsigned int number;

	memset(e, 0, sizeof(*e));
	if (!take(&at, "ep"))
		return false;
	number = take_number(&at);
	if (number > NUMBER_MAX)
		return false;
	if (!number) {
		if (at[0] != '-' || at[1] < 'a' || at[1] > 'z')
			return false;
		e->letter = at[1];
		at += 2;
	}
	e->number = (uint8_t)number;
	e->in = e->out = e->bulk = e->interrupt = true;
	if (take(&at, "in"))
		e->out = false;
	else if (take(&at, "out"))
		e->in = false;
	if (take(&at, "-bulk"))
		e->interrupt = false;
	else if (take(&at, "-int"))
		e->bulk = false;
	else if (*at)
		return false; /* isochronous, or something new */
	return *at == '\0';
}

/* One of the three that are wanted. */
struct want {
	bool in, bulk;
	unsigned int taken[2], n_taken; /* names that are gone */
	uint32_t used; /* numbers that this direction has already, a bit each */
};

static bool can_be(const struct usb_endpoint_name *e, const struct want *w)
{
	return (w->in ? e->in : e->out) && (w->bulk ? e->bulk : e->interrupt) &&
	       !(e->number && w->used & 1u << e->number);
}

/* What is good for little else comes first; then numbers before letters, in their order. */
static unsigned int rank(const struct usb_endpoint_name *e)
{
	unsigned int general = 2u * (e->bulk && e->interrupt) + (e->in && e->out);

	return general * 256 + (e->number ? e->number : 128u + (unsigned int)(e->letter - 'a'));
}

static bool is_taken(const struct want *w, unsigned int i)
{
	for (unsigned int n = 0; n < w->n_taken; n++)
		if (w->taken[n] == i)
			return true;
	return false;
}

static bool choose(const char (*name)[USB_ENDPOINT_NAME_MAX], unsigned int n, const struct want *w,
		   unsigned int *chosen, uint8_t *number)
{
	struct usb_endpoint_name e;
	unsigned int best = ~0u;

	for (unsigned int i = 0; i < n && i < NAMES_MAX; i++) {
		if (is_taken(w, i) || !usb_endpoint_parse(name[i], &e) || !can_be(&e, w))
			continue;
		if (rank(&e) >= best)
			continue;
		best = rank(&e);
		*chosen = i;
		*number = e.number;
	}
	if (best == ~0u)
		return false;
	if (!*number)
		for (*number = 1; w->used & 1u << *number;)
			++*number;
	return true;
}

bool usb_endpoint_choose(const char (*name)[USB_ENDPOINT_NAME_MAX], unsigned int n,
			 struct usb_endpoint_choice *c)
{
	struct want notify = { .in = true }, out = { .bulk = true };
	struct want in = { .in = true, .bulk = true };
	uint8_t number;

	memset(c, 0, sizeof(*c));
	/* What is bulk first: the notification is content with what is left. */
	if (!choose(name, n, &in, &c->bulk_in, &number))
		return false;
	c->address.bulk_in = 0x80 | number;
	notify.used = 1u << number;
	out.taken[out.n_taken++] = notify.taken[notify.n_taken++] = c->bulk_in;
	if (!choose(name, n, &out, &c->bulk_out, &number))
		return false;
	c->address.bulk_out = number;
	notify.taken[notify.n_taken++] = c->bulk_out;
	if (!choose(name, n, &notify, &c->notify, &number))
		return false;
	c->address.notify = 0x80 | number;
	return true;
}
