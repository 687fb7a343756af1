/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chapter 9 of USB 2.0 for a device with one configuration that holds the NCM function and
 * nothing else: the standard requests that GadgetFS leaves to user space (the kernel
 * answers them for FunctionFS). A pure function: state and SETUP packet give an answer, an
 * effect and the new state.
 */
#ifndef NCMD_WIRE_USB_DEVICE_H
#define NCMD_WIRE_USB_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/ncm_spec.h"

/* Indices of the strings; descriptors name them. */
enum usb_device_string {
	USB_STRING_LANGUAGES, /* made here; the others are the caller's */
	USB_STRING_MANUFACTURER,
	USB_STRING_PRODUCT,
	USB_STRING_SERIAL,
	USB_STRING_FUNCTION, /* of the configuration too */
	USB_STRING_MAC, /* iMACAddress: usb_device_mac_text() */
	USB_STRINGS
};

#define USB_DEVICE_CONFIGURATION  1 /* bConfigurationValue of the one there is */
#define USB_DEVICE_DATA_INTERFACE 1 /* bInterfaceNumber of NCM's data interface */
#define USB_DEVICE_REPLY_MAX	  254 /* bytes: a string descriptor of 126 UTF-16 units */
#define USB_DEVICE_MAC_TEXT	  13

struct usb_device {
	/* UTF-8, the caller's; NULL: that index is stalled. [USB_STRING_LANGUAGES] is unused. */
	const char *string[USB_STRINGS];
	bool self_powered;
	uint8_t configuration; /* 0: not configured */
	uint8_t alternate; /* of the data interface */
};

enum usb_device_action {
	USB_DEVICE_FORWARD, /* not a standard request: the function's */
	USB_DEVICE_REPLY, /* IN: send `reply` (already cut to wLength) */
	USB_DEVICE_ACCEPT, /* finish the status stage */
	USB_DEVICE_STALL,
};

/* What has to be done to the endpoints before the answer. */
enum usb_device_effect {
	USB_DEVICE_NO_EFFECT,
	USB_DEVICE_CONFIGURED, /* enable the endpoints; the data interface is at setting 0 */
	USB_DEVICE_UNCONFIGURED,
	USB_DEVICE_ALTERNATE, /* the data interface was set to `alternate`: toggles begin anew */
	USB_DEVICE_CLEAR_HALT, /* of `endpoint` */
};

struct usb_device_answer {
	enum usb_device_action action;
	enum usb_device_effect effect;
	uint8_t endpoint; /* USB_DEVICE_CLEAR_HALT: its address */
	uint16_t len; /* USB_DEVICE_REPLY: bytes in `reply` */
	uint8_t reply[USB_DEVICE_REPLY_MAX];
};

/* The host reset the bus or left it: nothing is configured. */
void usb_device_reset(struct usb_device *d);

/* Answers `setup` and changes *d as the host wants it. */
struct usb_device_answer usb_device_setup(struct usb_device *d, const struct usb_setup *setup);

/* Twelve upper-case hexadecimal digits, as iMACAddress wants them [ECM120 5.4]. */
void usb_device_mac_text(const uint8_t mac[static 6], char text[static USB_DEVICE_MAC_TEXT]);

#endif
