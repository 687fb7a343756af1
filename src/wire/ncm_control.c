/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The class requests of NCM [NCM10 6.2] and the one of ECM that hosts send
 * [ECM120 6.2.4]. A request is served only as the specification words it:
 * direction, wLength and wValue have to be right, everything else is stalled.
 * A GET with wLength 0 asks for nothing and is stalled too.
 */
#include "wire/ncm_control.h"

/* SET_NTB_INPUT_SIZE, GET_NTB_INPUT_SIZE with capability D5 [NCM10 6.2.6]. */
struct ntb_input_size {
	le32 dwNtbInMaxSize;
	le16 wNtbInMaxDatagrams; /* 0: no limit */
	le16 wReserved;
};
_Static_assert(sizeof(struct ntb_input_size) == 8, "NCM10 table 6-4");
_Static_assert(sizeof(struct ntb_parameters) <= NCM_CONTROL_DATA_MAX, "the longest data stage");

/* wMaxDatagramSize below this carries no IPv4: a header and the least MTU of RFC 791. */
#define MAX_DATAGRAM_SIZE_MIN (ETHERNET_HEADER_LEN + 68u)

static struct ncm_answer answer(enum ncm_answer_kind kind)
{
	return (struct ncm_answer){ .kind = kind };
}

static struct ncm_answer want_data(uint16_t len)
{
	return (struct ncm_answer){ .kind = NCM_WANT_DATA, .len = len };
}

static struct ncm_answer reply(const struct usb_setup *setup, const void *bytes, size_t len)
{
	struct ncm_answer a = { .kind = NCM_REPLY };
	uint16_t asked = le16_get(setup->wLength);

	if (asked == 0)
		return answer(NCM_STALL);
	a.len = asked < len ? asked : (uint16_t)len;
	memcpy(a.reply, bytes, a.len);
	return a;
}

static struct ncm_answer reply_le16(const struct usb_setup *setup, uint16_t value)
{
	le16 v = le16_of(value);

	return reply(setup, &v, sizeof(v));
}

void ncm_choice_reset(struct ncm_choice *choice, const struct ncm_offer *offer)
{
	memset(choice, 0, sizeof(*choice)); /* NTB16, no CRC, no limit of datagrams, no filter */
	choice->ntb_in_size = offer->ntb_in_max_size;
	choice->max_datagram_size = offer->max_segment_size;
	memcpy(choice->host_mac, offer->host_mac, sizeof(choice->host_mac));
}

static struct ncm_answer get_ntb_parameters(const struct ncm_offer *offer,
					    const struct usb_setup *setup)
{
	uint32_t formats = NTB_FORMAT_16_SUPPORTED | (offer->ntb32 ? NTB_FORMAT_32_SUPPORTED : 0);
	struct ntb_parameters p = {
		.wLength = le16_of(sizeof(p)),
		.bmNtbFormatsSupported = le16_of((uint16_t)formats),
		.dwNtbInMaxSize = le32_of(offer->ntb_in_max_size),
		.wNdpInDivisor = le16_of(offer->ndp_in_divisor),
		.wNdpInPayloadRemainder = le16_of(offer->ndp_in_remainder),
		.wNdpInAlignment = le16_of(offer->ndp_in_alignment),
		.dwNtbOutMaxSize = le32_of(offer->ntb_out_max_size),
		.wNdpOutDivisor = le16_of(offer->ndp_out_divisor),
		.wNdpOutPayloadRemainder = le16_of(offer->ndp_out_remainder),
		.wNdpOutAlignment = le16_of(offer->ndp_out_alignment),
		.wNtbOutMaxDatagrams = le16_of(offer->ntb_out_max_datagrams),
	};

	return reply(setup, &p, sizeof(p));
}

static struct ncm_answer get_ntb_input_size(const struct ncm_offer *offer,
					    const struct ncm_choice *choice,
					    const struct usb_setup *setup)
{
	struct ntb_input_size s = {
		.dwNtbInMaxSize = le32_of(choice->ntb_in_size),
		.wNtbInMaxDatagrams = le16_of(choice->ntb_in_max_datagrams),
	};
	bool long_form = offer->capabilities & NCM_CAP_NTB_INPUT_SIZE_8;

	return reply(setup, &s, long_form ? sizeof(s) : sizeof(s.dwNtbInMaxSize));
}

/*
 * The 8-byte form is served only where D5 promises it [NCM10 6.2.7], [cases C09].
 * The 4-byte form says nothing of datagrams, so no limit is in force after it.
 */
static struct ncm_answer set_ntb_input_size(const struct ncm_offer *offer,
					    struct ncm_choice *choice,
					    const struct usb_setup *setup, const uint8_t *data,
					    size_t data_len)
{
	struct ntb_input_size s = { 0 };
	uint16_t len = le16_get(setup->wLength);
	bool long_form = offer->capabilities & NCM_CAP_NTB_INPUT_SIZE_8;
	uint32_t size;

	if (len != sizeof(s.dwNtbInMaxSize) && !(long_form && len == sizeof(s)))
		return answer(NCM_STALL);
	if (!data)
		return want_data(len);
	if (data_len != len)
		return answer(NCM_REFUSE_DATA);
	memcpy(&s, data, len);
	size = le32_get(s.dwNtbInMaxSize);
	if (size < NTB_INPUT_SIZE_MIN || size > offer->ntb_in_max_size)
		return answer(NCM_REFUSE_DATA);
	choice->ntb_in_size = size;
	choice->ntb_in_max_datagrams = le16_get(s.wNtbInMaxDatagrams);
	return answer(NCM_ACCEPT);
}

static struct ncm_answer set_max_datagram_size(const struct ncm_offer *offer,
					       struct ncm_choice *choice,
					       const struct usb_setup *setup,
					       const uint8_t *data, size_t data_len)
{
	uint16_t size;

	if (le16_get(setup->wLength) != sizeof(le16))
		return answer(NCM_STALL);
	if (!data)
		return want_data(sizeof(le16));
	if (data_len != sizeof(le16))
		return answer(NCM_REFUSE_DATA);
	size = le16_at(data);
	if (size < MAX_DATAGRAM_SIZE_MIN || size > offer->max_segment_size)
		return answer(NCM_REFUSE_DATA);
	choice->max_datagram_size = size;
	return answer(NCM_ACCEPT);
}

static bool is_station_address(const uint8_t mac[static 6])
{
	static const uint8_t zero[6];

	return !(mac[0] & 0x01) && memcmp(mac, zero, sizeof(zero)) != 0;
}

static struct ncm_answer set_net_address(struct ncm_choice *choice, const struct usb_setup *setup,
					 const uint8_t *data, size_t data_len)
{
	if (le16_get(setup->wLength) != sizeof(choice->host_mac))
		return answer(NCM_STALL);
	if (!data)
		return want_data(sizeof(choice->host_mac));
	if (data_len != sizeof(choice->host_mac) || !is_station_address(data))
		return answer(NCM_REFUSE_DATA);
	memcpy(choice->host_mac, data, sizeof(choice->host_mac));
	return answer(NCM_ACCEPT);
}

/* SET_NTB_FORMAT and SET_CRC_MODE: wValue is 0 or 1, there is no data stage. */
static bool is_switch(const struct usb_setup *setup)
{
	return le16_get(setup->wLength) == 0 && le16_get(setup->wValue) <= 1;
}

static struct ncm_answer set_ntb_format(struct ncm_choice *choice, const struct usb_setup *setup)
{
	if (!is_switch(setup))
		return answer(NCM_STALL);
	choice->format = le16_get(setup->wValue) ? NTB_FORMAT_32 : NTB_FORMAT_16;
	return answer(NCM_ACCEPT);
}

static struct ncm_answer set_crc_mode(struct ncm_choice *choice, const struct usb_setup *setup)
{
	if (!is_switch(setup))
		return answer(NCM_STALL);
	choice->crc = le16_get(setup->wValue) != 0;
	return answer(NCM_ACCEPT);
}

/* Any wValue: bits without a meaning are the host's business [cases C07]. */
static struct ncm_answer set_packet_filter(struct ncm_choice *choice,
					   const struct usb_setup *setup)
{
	if (le16_get(setup->wLength) != 0)
		return answer(NCM_STALL);
	choice->packet_filter = le16_get(setup->wValue);
	choice->packet_filter_seen = true;
	return answer(NCM_ACCEPT);
}

/* Whether the function promises the request; what is mandatory is always promised. */
static bool is_promised(const struct ncm_offer *offer, enum ncm_request request)
{
	switch (request) {
	case GET_NTB_PARAMETERS:
	case GET_NTB_INPUT_SIZE:
	case SET_NTB_INPUT_SIZE:
	case SET_ETHERNET_PACKET_FILTER:
		return true;
	case GET_NET_ADDRESS:
	case SET_NET_ADDRESS:
		return offer->capabilities & NCM_CAP_NET_ADDRESS;
	case GET_NTB_FORMAT:
	case SET_NTB_FORMAT:
		return offer->ntb32;
	case GET_MAX_DATAGRAM_SIZE:
	case SET_MAX_DATAGRAM_SIZE:
		return offer->capabilities & NCM_CAP_MAX_DATAGRAM_SIZE;
	case GET_CRC_MODE:
	case SET_CRC_MODE:
		return offer->capabilities & NCM_CAP_CRC_MODE;
	case SEND_ENCAPSULATED_COMMAND: /* D2 is never offered: there is nothing to command */
	case GET_ENCAPSULATED_RESPONSE:
	case SET_ETHERNET_MULTICAST_FILTERS: /* wNumberMCFilters is 0 */
	case SET_ETHERNET_POWER_MANAGEMENT_PATTERN_FILTER: /* bNumberPowerFilters is 0 */
	case GET_ETHERNET_POWER_MANAGEMENT_PATTERN_FILTER:
	case GET_ETHERNET_STATISTIC: /* bmEthernetStatistics is 0 */
		break;
	}
	return false;
}

static struct ncm_answer control_in(const struct ncm_offer *offer, const struct ncm_choice *choice,
				    const struct usb_setup *setup)
{
	if (setup->bRequest == GET_NTB_PARAMETERS)
		return get_ntb_parameters(offer, setup);
	if (setup->bRequest == GET_NTB_INPUT_SIZE)
		return get_ntb_input_size(offer, choice, setup);
	if (setup->bRequest == GET_NTB_FORMAT)
		return reply_le16(setup, choice->format == NTB_FORMAT_32);
	if (setup->bRequest == GET_CRC_MODE)
		return reply_le16(setup, choice->crc);
	if (setup->bRequest == GET_MAX_DATAGRAM_SIZE)
		return reply_le16(setup, choice->max_datagram_size);
	if (setup->bRequest == GET_NET_ADDRESS)
		return reply(setup, choice->host_mac, sizeof(choice->host_mac));
	return answer(NCM_STALL);
}

static struct ncm_answer control_out(const struct ncm_offer *offer, struct ncm_choice *choice,
				     const struct usb_setup *setup, const uint8_t *data,
				     size_t data_len)
{
	if (setup->bRequest == SET_NTB_INPUT_SIZE)
		return set_ntb_input_size(offer, choice, setup, data, data_len);
	if (setup->bRequest == SET_ETHERNET_PACKET_FILTER)
		return set_packet_filter(choice, setup);
	if (setup->bRequest == SET_NTB_FORMAT)
		return set_ntb_format(choice, setup);
	if (setup->bRequest == SET_CRC_MODE)
		return set_crc_mode(choice, setup);
	if (setup->bRequest == SET_MAX_DATAGRAM_SIZE)
		return set_max_datagram_size(offer, choice, setup, data, data_len);
	if (setup->bRequest == SET_NET_ADDRESS)
		return set_net_address(choice, setup, data, data_len);
	return answer(NCM_STALL);
}

struct ncm_answer ncm_control(const struct ncm_offer *offer, struct ncm_choice *choice,
			      const struct usb_setup *setup, const uint8_t *data, size_t data_len)
{
	if (!is_promised(offer, (enum ncm_request)setup->bRequest))
		return answer(NCM_STALL);
	if (setup->bRequestType == USB_CLASS_REQUEST_IN)
		return control_in(offer, choice, setup);
	if (setup->bRequestType == USB_CLASS_REQUEST_OUT)
		return control_out(offer, choice, setup, data, data_len);
	return answer(NCM_STALL);
}

#define NAME(request) \
	case request: \
		return #request

const char *ncm_request_name(uint8_t bRequest)
{
	switch ((enum ncm_request)bRequest) {
	NAME(SEND_ENCAPSULATED_COMMAND);
	NAME(GET_ENCAPSULATED_RESPONSE);
	NAME(SET_ETHERNET_MULTICAST_FILTERS);
	NAME(SET_ETHERNET_POWER_MANAGEMENT_PATTERN_FILTER);
	NAME(GET_ETHERNET_POWER_MANAGEMENT_PATTERN_FILTER);
	NAME(SET_ETHERNET_PACKET_FILTER);
	NAME(GET_ETHERNET_STATISTIC);
	NAME(GET_NTB_PARAMETERS);
	NAME(GET_NET_ADDRESS);
	NAME(SET_NET_ADDRESS);
	NAME(GET_NTB_FORMAT);
	NAME(SET_NTB_FORMAT);
	NAME(GET_NTB_INPUT_SIZE);
	NAME(SET_NTB_INPUT_SIZE);
	NAME(GET_MAX_DATAGRAM_SIZE);
	NAME(SET_MAX_DATAGRAM_SIZE);
	NAME(GET_CRC_MODE);
	NAME(SET_CRC_MODE);
	}
	return "unknown request";
}
