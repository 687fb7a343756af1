/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NETWORK_CONNECTION and CONNECTION_SPEED_CHANGE as bytes [CDC120 6.3], [NCM10 6.3].
 * The order (speed first) and the moment are the business of whoever sends them.
 */
#include "wire/ncm_notify.h"

static struct cdc_notification notification(uint8_t code, uint16_t value, uint8_t interface,
					    uint16_t data_len)
{
	return (struct cdc_notification){
		.bmRequestType = CDC_NOTIFICATION_REQUEST_TYPE,
		.bNotificationCode = code,
		.wValue = le16_of(value),
		.wIndex = le16_of(interface),
		.wLength = le16_of(data_len),
	};
}

size_t ncm_notify_connection(uint8_t out[static 8], uint8_t interface, bool connected)
{
	struct cdc_notification n = notification(CDC_NETWORK_CONNECTION, connected, interface, 0);

	memcpy(out, &n, sizeof(n));
	return sizeof(n);
}

size_t ncm_notify_speed(uint8_t out[static 16], uint8_t interface, uint32_t bit_rate)
{
	struct cdc_speed_change n = {
		.header = notification(CDC_CONNECTION_SPEED_CHANGE, 0, interface, 8),
		.DLBitRate = le32_of(bit_rate),
		.ULBitRate = le32_of(bit_rate),
	};

	memcpy(out, &n, sizeof(n));
	return sizeof(n);
}

uint32_t ncm_notify_bit_rate(enum usb_speed speed)
{
	switch (speed) {
	case USB_SPEED_IS_FULL: /* 19 packets of 64 bytes in each of 1000 frames [USB20 5.8.4] */
		return 19u * 64 * 8 * 1000;
	case USB_SPEED_IS_HIGH: /* 13 packets of 512 bytes in each of 8000 microframes */
		return 13u * 512 * 8 * 8000;
	case USB_SPEED_IS_SUPER: /* as f_ncm announces it; above 2^31, so never print it signed */
		return 3750000000u;
	}
	return 0;
}
