/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The descriptors of an NCM function [NCM10 5], [CDC120 5.2.3] and what FunctionFS and
 * GadgetFS want around them (linux/usb/functionfs.h, gadgetfs.h). One shape for every host: Windows
 * wants the lengths, the alternate settings and the endpoint counts exactly like
 * this [cases C16].
 */
#include "wire/ncm_descriptors.h"

#include <stdbool.h>
#include <string.h>

#include "wire/bytes.h"
#include "wire/usb_device.h"

/* Descriptor types [USB20 table 9-5], [USB31 table 9-6], [CDC120 5.2.3]. */
#define DT_DEVICE		 0x01
#define DT_CONFIGURATION	 0x02
#define DT_INTERFACE		 0x04
#define DT_ENDPOINT		 0x05
#define DT_INTERFACE_ASSOCIATION 0x0b
#define DT_CS_INTERFACE		 0x24
#define DT_SS_ENDPOINT_COMPANION 0x30

/* Subtypes of DT_CS_INTERFACE [CDC120 table 13]. */
#define CS_HEADER	       0x00
#define CS_UNION	       0x06
#define CS_ETHERNET_NETWORKING 0x0f
#define CS_NCM		       0x1a

#define CLASS_COMMUNICATIONS   0x02
#define CLASS_CDC_DATA	       0x0a
#define SUBCLASS_NCM	       0x0d
#define PROTOCOL_NONE	       0x00
#define PROTOCOL_NCM_DATA_NTBS 0x01 /* [NCM10 table 4-3] */

#define ENDPOINT_BULK	   0x02
#define ENDPOINT_INTERRUPT 0x03

#define NOTIFY_PACKET 16 /* the longer notification, CONNECTION_SPEED_CHANGE, in one packet */

/* The two bytes of a 16-bit field, inside an initializer. */
#define LE16(v) (uint8_t)((v) & 0xff), (uint8_t)((v) >> 8 & 0xff)

/* Where descriptors are written. */
struct pen {
	uint8_t *out;
	size_t len;
	unsigned int descriptors;
};

/* One descriptor; its first byte is its length. */
static void put(struct pen *pen, const uint8_t *descriptor)
{
	memcpy(pen->out + pen->len, descriptor, descriptor[0]);
	pen->len += descriptor[0];
	pen->descriptors++;
}

static void put_interface_association(struct pen *pen, const struct ncm_descriptors *d)
{
	const uint8_t iad[] = {
		8, DT_INTERFACE_ASSOCIATION,
		d->first_interface,
		2, /* bInterfaceCount */
		CLASS_COMMUNICATIONS, SUBCLASS_NCM, PROTOCOL_NONE,
		d->function_string,
	};

	put(pen, iad);
}

static void put_interface(struct pen *pen, uint8_t number, uint8_t alternate, uint8_t endpoints,
			  const uint8_t class_triple[static 3], uint8_t string)
{
	const uint8_t interface[] = {
		9, DT_INTERFACE,
		number, alternate, endpoints,
		class_triple[0], class_triple[1], class_triple[2],
		string,
	};

	put(pen, interface);
}

/* Header, Union, Ethernet, NCM: 5, 5, 13 and 6 bytes. */
static void put_functional(struct pen *pen, const struct ncm_descriptors *d)
{
	const uint8_t header[] = {
		5, DT_CS_INTERFACE, CS_HEADER,
		LE16(0x0110), /* bcdCDC as f_ncm has it, which every host has met */
	};
	const uint8_t cdc_union[] = {
		5, DT_CS_INTERFACE, CS_UNION,
		d->first_interface, /* bControlInterface */
		(uint8_t)(d->first_interface + 1), /* bSubordinateInterface0 */
	};
	const uint8_t ethernet[] = {
		13, DT_CS_INTERFACE, CS_ETHERNET_NETWORKING,
		d->mac_string, /* iMACAddress */
		0, 0, 0, 0, /* bmEthernetStatistics: none */
		LE16(d->max_segment_size),
		LE16(0), /* wNumberMCFilters: all multicast is passed */
		0, /* bNumberPowerFilters */
	};
	const uint8_t ncm[] = {
		6, DT_CS_INTERFACE, CS_NCM,
		LE16(0x0100), /* bcdNcmVersion */
		d->capabilities,
	};

	put(pen, header);
	put(pen, cdc_union);
	put(pen, ethernet);
	put(pen, ncm);
}

static void put_endpoint(struct pen *pen, uint8_t address, uint8_t attributes, uint16_t packet,
			 uint8_t interval)
{
	const uint8_t endpoint[] = {
		7, DT_ENDPOINT, address, attributes, LE16(packet), interval,
	};

	put(pen, endpoint);
}

static void put_companion(struct pen *pen, uint8_t max_burst, uint16_t bytes_per_interval)
{
	const uint8_t companion[] = {
		6, DT_SS_ENDPOINT_COMPANION, max_burst, 0, LE16(bytes_per_interval),
	};

	put(pen, companion);
}

static void put_notify_endpoint(struct pen *pen, uint8_t address, enum usb_speed speed)
{
	/* 8 ms: frames at full speed, 2^(7-1) microframes of 125 us above [USB20 9.6.6]. */
	uint8_t interval = speed == USB_SPEED_IS_FULL ? 8 : 7;

	put_endpoint(pen, address, ENDPOINT_INTERRUPT, NOTIFY_PACKET, interval);
	if (speed == USB_SPEED_IS_SUPER)
		put_companion(pen, 0, NOTIFY_PACKET);
}

static void put_bulk_endpoint(struct pen *pen, uint8_t address, enum usb_speed speed)
{
	put_endpoint(pen, address, ENDPOINT_BULK, usb_speed_bulk_packet(speed), 0);
	if (speed == USB_SPEED_IS_SUPER)
		put_companion(pen, 15, 0); /* 16 packets a burst, the most, as f_ncm */
}

size_t ncm_descriptors_write(uint8_t out[static NCM_DESCRIPTORS_MAX],
			     const struct ncm_descriptors *d, enum usb_speed speed,
			     unsigned int *count)
{
	static const uint8_t control_class[] = { CLASS_COMMUNICATIONS, SUBCLASS_NCM,
						 PROTOCOL_NONE };
	static const uint8_t data_class[] = { CLASS_CDC_DATA, 0, PROTOCOL_NCM_DATA_NTBS };
	uint8_t data_interface = (uint8_t)(d->first_interface + 1);
	struct pen pen = { .out = out };

	put_interface_association(&pen, d);
	put_interface(&pen, d->first_interface, 0, 1, control_class, d->function_string);
	put_functional(&pen, d);
	put_notify_endpoint(&pen, d->endpoint.notify, speed);
	put_interface(&pen, data_interface, 0, 0, data_class, 0);
	put_interface(&pen, data_interface, 1, 2, data_class, 0);
	put_bulk_endpoint(&pen, d->endpoint.bulk_in, speed);
	put_bulk_endpoint(&pen, d->endpoint.bulk_out, speed);
	*count = pen.descriptors;
	return pen.len;
}

/* [USB20 9.6.1]; the kernel writes bcdUSB and bMaxPacketSize0 itself. */
static void put_device(struct pen *pen, const struct ncm_identity *i)
{
	const uint8_t device[] = {
		18, DT_DEVICE,
		LE16(0x0200), /* bcdUSB */
		0xef, 0x02, 0x01, /* miscellaneous, common, interface association */
		64, /* bMaxPacketSize0 */
		LE16(i->vendor_id), LE16(i->product_id), LE16(i->bcd_device),
		USB_STRING_MANUFACTURER, USB_STRING_PRODUCT, USB_STRING_SERIAL,
		1, /* bNumConfigurations */
	};

	put(pen, device);
}

/* [USB20 9.6.3] and all that belongs to it. */
static void put_configuration(struct pen *pen, const struct ncm_descriptors *d,
			      const struct ncm_identity *i, enum usb_speed speed)
{
	uint8_t of_speed[NCM_DESCRIPTORS_MAX];
	unsigned int count;
	size_t len = ncm_descriptors_write(of_speed, d, speed, &count);
	const uint8_t configuration[] = {
		9, DT_CONFIGURATION,
		LE16(9 + len), /* wTotalLength */
		2, /* bNumInterfaces */
		USB_DEVICE_CONFIGURATION,
		USB_STRING_FUNCTION, /* iConfiguration */
		i->self_powered ? 0xc0 : 0x80, /* GadgetFS takes no remote wake-up */
		(uint8_t)(i->max_power_ma / 2),
	};

	put(pen, configuration);
	memcpy(pen->out + pen->len, of_speed, len);
	pen->len += len;
}

/* What is written starts with a tag in the byte order of the machine. */
static void put_tag(struct pen *pen, uint32_t tag)
{
	memcpy(pen->out, &tag, sizeof(tag));
	pen->len = sizeof(tag);
}

size_t ncm_gadgetfs_device(uint8_t out[static NCM_GADGETFS_DEVICE_MAX],
			   const struct ncm_descriptors *d, const struct ncm_identity *identity,
			   enum usb_speed fastest)
{
	struct pen pen = { .out = out };

	put_tag(&pen, 0);
	put_configuration(&pen, d, identity, USB_SPEED_IS_FULL);
	if (fastest != USB_SPEED_IS_FULL)
		put_configuration(&pen, d, identity, USB_SPEED_IS_HIGH);
	put_device(&pen, identity);
	return pen.len;
}

size_t ncm_gadgetfs_endpoint(uint8_t out[static NCM_GADGETFS_ENDPOINT_LEN],
			     const struct ncm_endpoints *e, uint8_t address)
{
	struct pen pen = { .out = out };

	put_tag(&pen, 1);
	for (enum usb_speed speed = USB_SPEED_IS_FULL; speed <= USB_SPEED_IS_HIGH; speed++) {
		if (address == e->notify)
			put_notify_endpoint(&pen, address, speed);
		else
			put_bulk_endpoint(&pen, address, speed);
	}
	return pen.len;
}

/* linux/usb/functionfs.h, whose numbers are part of the kernel's interface. */
#define FFS_DESCRIPTORS_MAGIC_V2 3
#define FFS_STRINGS_MAGIC	 2
#define FFS_HAS_FS_HS_SS	 (1u | 2u | 4u)

/* struct usb_functionfs_descs_head_v2 and the counts that its flags announce. */
struct ffs_descriptors_head {
	le32 magic;
	le32 length;
	le32 flags;
	le32 count[USB_SPEEDS];
	le32 os_count; /* only with NCM_FFS_WINNCM */
};
_Static_assert(sizeof(struct ffs_descriptors_head) == 28, "without eventfd");

/* struct usb_os_desc_header with one struct usb_ext_compat_desc for each interface. */
struct ffs_compatible_ids {
	uint8_t interface;
	le32 dwLength;
	le16 bcdVersion;
	le16 wIndex;
	uint8_t bCount;
	uint8_t Reserved;
	struct {
		uint8_t bFirstInterfaceNumber;
		uint8_t Reserved1;
		uint8_t CompatibleID[8];
		uint8_t SubCompatibleID[8];
		uint8_t Reserved2[6];
	} function[2];
};
_Static_assert(sizeof(struct ffs_compatible_ids) == 11 + 2 * 24, "packed by its members");

_Static_assert(NCM_FFS_DESCRIPTORS_MAX >= sizeof(struct ffs_descriptors_head) +
		       USB_SPEEDS * (NCM_DESCRIPTORS_MAX - 24) + sizeof(struct ffs_compatible_ids),
	       "the longest set has 103 bytes");

/*
 * Without an entry for the data interface the kernel makes an empty one that names
 * interface 0 a second time. bcdVersion 1.00 is refused by Linux 6.1, which cannot
 * carry NCM over FunctionFS anyway: it has no alternate settings there.
 */
static size_t put_winncm(uint8_t *out)
{
	const struct ffs_compatible_ids ids = {
		.dwLength = le32_of(sizeof(ids)),
		.bcdVersion = le16_of(0x0100),
		.wIndex = le16_of(4), /* extended compatible id */
		.bCount = 2,
		.function = {
			{ 0, 1, { 'W', 'I', 'N', 'N', 'C', 'M' }, { 0 }, { 0 } },
			{ 1, 1, { 0 }, { 0 }, { 0 } },
		},
	};

	memcpy(out, &ids, sizeof(ids));
	return sizeof(ids);
}

size_t ncm_ffs_descriptors(uint8_t out[static NCM_FFS_DESCRIPTORS_MAX],
			   const struct ncm_descriptors *d, uint32_t flags)
{
	bool winncm = flags & NCM_FFS_WINNCM;
	struct ffs_descriptors_head head = {
		.magic = le32_of(FFS_DESCRIPTORS_MAGIC_V2),
		.flags = le32_of(FFS_HAS_FS_HS_SS | flags),
		.os_count = le32_of(1),
	};
	size_t head_len = winncm ? sizeof(head) : offsetof(struct ffs_descriptors_head, os_count);
	size_t len = head_len;

	/* Full speed always: FunctionFS dereferences NULL when only higher speeds are there. */
	for (unsigned int speed = 0; speed < USB_SPEEDS; speed++) {
		uint8_t of_speed[NCM_DESCRIPTORS_MAX];
		unsigned int count;
		size_t n = ncm_descriptors_write(of_speed, d, (enum usb_speed)speed, &count);

		memcpy(out + len, of_speed, n);
		len += n;
		head.count[speed] = le32_of(count);
	}
	if (winncm)
		len += put_winncm(out + len);
	head.length = le32_of((uint32_t)len);
	memcpy(out, &head, head_len);
	return len;
}

/* struct usb_functionfs_strings_head, and the one language there is. */
struct ffs_strings_head {
	le32 magic;
	le32 length;
	le32 str_count;
	le32 lang_count;
	le16 language;
};
_Static_assert(sizeof(struct ffs_strings_head) == 18, "packed by its members");

#define LANGUAGE_EN_US	    0x0409
#define FUNCTION_NAME_BYTES 126 /* a string descriptor has 255 bytes, 126 UTF-16 units */

/* How many bytes of `text` fit; a UTF-8 character that would be cut stays out. */
static size_t name_len(const char *text)
{
	size_t n = 0;

	while (n < FUNCTION_NAME_BYTES && text[n])
		n++;
	if (text[n]) {
		while (n > 0 && ((uint8_t)text[n] & 0xc0) == 0x80) /* inside a character */
			n--;
	}
	return n;
}

size_t ncm_ffs_strings(uint8_t out[static NCM_FFS_STRINGS_MAX], const char *function,
		       const uint8_t mac[static 6])
{
	struct ffs_strings_head head = {
		.magic = le32_of(FFS_STRINGS_MAGIC),
		.str_count = le32_of(NCM_FFS_STRING_MAC),
		.lang_count = le32_of(1),
		.language = le16_of(LANGUAGE_EN_US),
	};
	size_t len = sizeof(head);
	size_t n = name_len(function);

	memcpy(out + len, function, n);
	len += n;
	out[len++] = 0;
	usb_device_mac_text(mac, (char *)out + len);
	len += USB_DEVICE_MAC_TEXT;
	head.length = le32_of((uint32_t)len);
	memcpy(out, &head, sizeof(head));
	return len;
}
