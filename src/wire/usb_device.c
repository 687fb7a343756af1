/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wire/usb_device.h"

#include <string.h>

/* bRequest [USB20 table 9-4]. */
#define GET_STATUS	  0
#define CLEAR_FEATURE	  1
#define GET_DESCRIPTOR	  6
#define SET_CONFIGURATION 9
#define GET_INTERFACE	  10
#define SET_INTERFACE	  11

#define TYPE_MASK	  0x60 /* of bmRequestType: 0 is a standard request */
#define DT_STRING	  3
#define LANGUAGE	  0x0409 /* English, United States: Windows asks for no other */
#define UNITS_MAX	  126 /* of UTF-16: bLength is a byte */
#define INTERFACES	  2
#define REPLACEMENT	  0xfffd /* for what is no UTF-8 */

#define ENDPOINT_HALT	  0 /* [USB20 table 9-6] */

static struct usb_device_answer answer(enum usb_device_action action, enum usb_device_effect effect)
{
	struct usb_device_answer a = { .action = action, .effect = effect };

	return a;
}

static struct usb_device_answer stall(void)
{
	return answer(USB_DEVICE_STALL, USB_DEVICE_NO_EFFECT);
}

/* `len` bytes of a.reply, or as many as the host has room for. */
static struct usb_device_answer reply(struct usb_device_answer a, size_t len,
				      const struct usb_setup *setup)
{
	uint16_t most = le16_get(setup->wLength);

	a.action = USB_DEVICE_REPLY;
	a.len = len < most ? (uint16_t)len : most;
	return a;
}

/* One character of UTF-8, *text moved behind it. */
static uint32_t next_character(const char **text)
{
	const uint8_t *c = (const uint8_t *)*text;
	unsigned int more = c[0] < 0xc2 ? 0 :
			    c[0] < 0xe0 ? 1 :
			    c[0] < 0xf0 ? 2 :
			    c[0] < 0xf5 ? 3 :
					  0;
	uint32_t value = more ? c[0] & (0x3fu >> more) : c[0];

	++*text;
	if (!more)
		return c[0] < 0x80 ? c[0] : REPLACEMENT;
	for (unsigned int i = 1; i <= more; i++) {
		if ((c[i] & 0xc0) != 0x80)
			return REPLACEMENT;
		value = value << 6 | (c[i] & 0x3f);
	}
	*text += more;
	return value;
}

/* A string descriptor; characters that do not fit whole are left out. Returns its length. */
static size_t put_string(uint8_t out[static USB_DEVICE_REPLY_MAX], const char *text)
{
	size_t len = 2;

	while (*text) {
		uint32_t c = next_character(&text);
		bool pair = c > 0xffff;
		le16 unit = le16_of((uint16_t)(pair ? 0xd800 + ((c - 0x10000) >> 10) : c));

		if (len + (pair ? 4 : 2) > 2 + 2 * UNITS_MAX)
			break;
		memcpy(out + len, &unit, sizeof(unit));
		len += 2;
		if (!pair)
			continue;
		unit = le16_of((uint16_t)(0xdc00 + ((c - 0x10000) & 0x3ff)));
		memcpy(out + len, &unit, sizeof(unit));
		len += 2;
	}
	out[0] = (uint8_t)len;
	out[1] = DT_STRING;
	return len;
}

static struct usb_device_answer get_string(const struct usb_device *d,
					   const struct usb_setup *setup)
{
	static const uint8_t languages[] = { 4, DT_STRING, LANGUAGE & 0xff, LANGUAGE >> 8 };
	struct usb_device_answer a = answer(USB_DEVICE_REPLY, USB_DEVICE_NO_EFFECT);
	unsigned int index = le16_get(setup->wValue) & 0xff;

	if (index == USB_STRING_LANGUAGES) {
		memcpy(a.reply, languages, sizeof(languages));
		return reply(a, sizeof(languages), setup);
	}
	if (index >= USB_STRINGS || !d->string[index] || le16_get(setup->wIndex) != LANGUAGE)
		return stall();
	return reply(a, put_string(a.reply, d->string[index]), setup);
}

static struct usb_device_answer get_status(const struct usb_device *d,
					   const struct usb_setup *setup)
{
	struct usb_device_answer a = answer(USB_DEVICE_REPLY, USB_DEVICE_NO_EFFECT);

	a.reply[0] = setup->bRequestType == 0x80 && d->self_powered;
	return reply(a, 2, setup);
}

static struct usb_device_answer get_interface(const struct usb_device *d,
					      const struct usb_setup *setup)
{
	struct usb_device_answer a = answer(USB_DEVICE_REPLY, USB_DEVICE_NO_EFFECT);
	uint16_t interface = le16_get(setup->wIndex);

	if (!d->configuration || interface >= INTERFACES)
		return stall();
	a.reply[0] = interface == USB_DEVICE_DATA_INTERFACE ? d->alternate : 0;
	return reply(a, 1, setup);
}

static struct usb_device_answer set_interface(struct usb_device *d, const struct usb_setup *setup)
{
	uint16_t interface = le16_get(setup->wIndex), alternate = le16_get(setup->wValue);
	bool is_data = interface == USB_DEVICE_DATA_INTERFACE;

	if (!d->configuration || interface >= INTERFACES || alternate > (is_data ? 1 : 0))
		return stall();
	if (!is_data)
		return answer(USB_DEVICE_ACCEPT, USB_DEVICE_NO_EFFECT);
	d->alternate = (uint8_t)alternate;
	return answer(USB_DEVICE_ACCEPT, USB_DEVICE_ALTERNATE);
}

static struct usb_device_answer set_configuration(struct usb_device *d,
						  const struct usb_setup *setup)
{
	uint16_t value = le16_get(setup->wValue) & 0xff;

	if (value > USB_DEVICE_CONFIGURATION)
		return stall();
	d->configuration = (uint8_t)value;
	d->alternate = 0;
	return answer(USB_DEVICE_ACCEPT, value ? USB_DEVICE_CONFIGURED : USB_DEVICE_UNCONFIGURED);
}

/* Most controllers do this themselves; what reaches us has to be done by us. */
static struct usb_device_answer clear_feature(const struct usb_device *d,
					      const struct usb_setup *setup)
{
	struct usb_device_answer a = answer(USB_DEVICE_ACCEPT, USB_DEVICE_CLEAR_HALT);

	if (!d->configuration || setup->bRequestType != 0x02 ||
	    le16_get(setup->wValue) != ENDPOINT_HALT)
		return stall();
	a.endpoint = (uint8_t)le16_get(setup->wIndex);
	return a;
}

void usb_device_reset(struct usb_device *d)
{
	d->configuration = d->alternate = 0;
}

struct usb_device_answer usb_device_setup(struct usb_device *d, const struct usb_setup *setup)
{
	bool in = setup->bRequestType & 0x80;

	if (setup->bRequestType & TYPE_MASK)
		return answer(USB_DEVICE_FORWARD, USB_DEVICE_NO_EFFECT);
	switch (setup->bRequest) {
	case GET_STATUS:
		return in ? get_status(d, setup) : stall();
	case CLEAR_FEATURE:
		return clear_feature(d, setup);
	case GET_DESCRIPTOR:
		if (setup->bRequestType != 0x80 || le16_get(setup->wValue) >> 8 != DT_STRING)
			return stall();
		return get_string(d, setup);
	case SET_CONFIGURATION:
		return setup->bRequestType == 0x00 ? set_configuration(d, setup) : stall();
	case GET_INTERFACE:
		return setup->bRequestType == 0x81 ? get_interface(d, setup) : stall();
	case SET_INTERFACE:
		return setup->bRequestType == 0x01 ? set_interface(d, setup) : stall();
	default:
		return stall();
	}
}

void usb_device_mac_text(const uint8_t mac[static 6], char text[static USB_DEVICE_MAC_TEXT])
{
	static const char digits[] = "0123456789ABCDEF";

	for (unsigned int i = 0; i < 6; i++) {
		text[2 * i] = digits[mac[i] >> 4];
		text[2 * i + 1] = digits[mac[i] & 0xf];
	}
	text[12] = '\0';
}
