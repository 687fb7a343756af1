/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the Network Control Model specification puts on the wire, in its own
 * names: "USB Communications Class Subclass Specification for Network Control
 * Model Devices", revision 1.0 (NCM10) with errata 1; CDC 1.2 (CDC120); ECM 1.2
 * (ECM120); USB 2.0 chapter 9. Numbers in brackets are section numbers.
 */
#ifndef NCMD_WIRE_NCM_SPEC_H
#define NCMD_WIRE_NCM_SPEC_H

#include <stdint.h>

#include "wire/bytes.h"

/* NCM transfer headers [NCM10 3.2]. */
#define NTH16_SIGNATURE 0x484d434eu /* "NCMH" */
#define NTH32_SIGNATURE 0x686d636eu /* "ncmh" */

struct nth16 {
	le32 dwSignature;
	le16 wHeaderLength; /* 12 */
	le16 wSequence;
	le16 wBlockLength; /* 0: to the end of the transfer */
	le16 wNdpIndex;
};
_Static_assert(sizeof(struct nth16) == 12, "NCM10 table 3-1");

struct nth32 {
	le32 dwSignature;
	le16 wHeaderLength; /* 16 */
	le16 wSequence;
	le32 dwBlockLength;
	le32 dwNdpIndex;
};
_Static_assert(sizeof(struct nth32) == 16, "NCM10 table 3-2");

/* NCM datagram pointer tables [NCM10 3.3]. The last entry is 0, 0. */
#define NDP16_NOCRC_SIGNATURE 0x304d434eu /* "NCM0" */
#define NDP16_CRC_SIGNATURE   0x314d434eu /* "NCM1" */
#define NDP32_NOCRC_SIGNATURE 0x306d636eu /* "ncm0" */
#define NDP32_CRC_SIGNATURE   0x316d636eu /* "ncm1" */

struct ndp16 {
	le32 dwSignature;
	le16 wLength; /* of the whole table, terminating entry included; >= 16 */
	le16 wNextNdpIndex;
};
_Static_assert(sizeof(struct ndp16) == 8, "NCM10 table 3-3");

struct dpe16 {
	le16 wDatagramIndex;
	le16 wDatagramLength;
};
_Static_assert(sizeof(struct dpe16) == 4, "NCM10 table 3-3");

struct ndp32 {
	le32 dwSignature;
	le16 wLength; /* >= 32 */
	le16 wReserved6;
	le32 dwNextNdpIndex;
	le32 dwReserved12;
};
_Static_assert(sizeof(struct ndp32) == 16, "NCM10 table 3-4");

struct dpe32 {
	le32 dwDatagramIndex;
	le32 dwDatagramLength;
};
_Static_assert(sizeof(struct dpe32) == 8, "NCM10 table 3-4");

#define NCM_NDP_ALIGNMENT_MIN 4 /* [NCM10 3.3]: an NDP starts on a multiple of 4 */

/* The answer to GET_NTB_PARAMETERS [NCM10 6.2.1]. */
struct ntb_parameters {
	le16 wLength; /* 28 */
	le16 bmNtbFormatsSupported;
	le32 dwNtbInMaxSize;
	le16 wNdpInDivisor;
	le16 wNdpInPayloadRemainder;
	le16 wNdpInAlignment;
	le16 wReserved14;
	le32 dwNtbOutMaxSize;
	le16 wNdpOutDivisor;
	le16 wNdpOutPayloadRemainder;
	le16 wNdpOutAlignment;
	le16 wNtbOutMaxDatagrams; /* 0: no limit */
};
_Static_assert(sizeof(struct ntb_parameters) == 28, "NCM10 table 6-3");

#define NTB_FORMAT_16_SUPPORTED 0x0001u
#define NTB_FORMAT_32_SUPPORTED 0x0002u

#define NTB_INPUT_SIZE_MIN 2048u /* [NCM10 6.2.7]: smaller is refused */

/* Class requests to the communication interface [NCM10 6.2], [ECM120 6.2]. */
enum ncm_request {
	SEND_ENCAPSULATED_COMMAND = 0x00,
	GET_ENCAPSULATED_RESPONSE = 0x01,
	SET_ETHERNET_MULTICAST_FILTERS = 0x40,
	SET_ETHERNET_POWER_MANAGEMENT_PATTERN_FILTER = 0x41,
	GET_ETHERNET_POWER_MANAGEMENT_PATTERN_FILTER = 0x42,
	SET_ETHERNET_PACKET_FILTER = 0x43,
	GET_ETHERNET_STATISTIC = 0x44,
	GET_NTB_PARAMETERS = 0x80,
	GET_NET_ADDRESS = 0x81,
	SET_NET_ADDRESS = 0x82,
	GET_NTB_FORMAT = 0x83,
	SET_NTB_FORMAT = 0x84,
	GET_NTB_INPUT_SIZE = 0x85,
	SET_NTB_INPUT_SIZE = 0x86,
	GET_MAX_DATAGRAM_SIZE = 0x87,
	SET_MAX_DATAGRAM_SIZE = 0x88,
	GET_CRC_MODE = 0x89,
	SET_CRC_MODE = 0x8a,
};

/* bmNetworkCapabilities of the NCM functional descriptor [NCM10 table 5-2]. */
#define NCM_CAP_PACKET_FILTER	  0x01u /* D0: SET_ETHERNET_PACKET_FILTER */
#define NCM_CAP_NET_ADDRESS	  0x02u /* D1: GET/SET_NET_ADDRESS */
#define NCM_CAP_ENCAPSULATED	  0x04u /* D2: SEND_ENCAPSULATED_COMMAND */
#define NCM_CAP_MAX_DATAGRAM_SIZE 0x08u /* D3: GET/SET_MAX_DATAGRAM_SIZE */
#define NCM_CAP_CRC_MODE	  0x10u /* D4: GET/SET_CRC_MODE */
#define NCM_CAP_NTB_INPUT_SIZE_8  0x20u /* D5: 8-byte form of SET_NTB_INPUT_SIZE */

/* bmRequestType of class requests to an interface [USB20 9.3.1]. */
#define USB_CLASS_REQUEST_OUT 0x21u
#define USB_CLASS_REQUEST_IN  0xa1u

struct usb_setup {
	uint8_t bRequestType;
	uint8_t bRequest;
	le16 wValue;
	le16 wIndex;
	le16 wLength;
};
_Static_assert(sizeof(struct usb_setup) == 8, "USB20 table 9-2");

/* Notifications on the interrupt endpoint [CDC120 6.3], [NCM10 6.3]. */
#define CDC_NOTIFICATION_REQUEST_TYPE 0xa1u
#define CDC_NETWORK_CONNECTION	      0x00u
#define CDC_CONNECTION_SPEED_CHANGE   0x2au

struct cdc_notification {
	uint8_t bmRequestType;
	uint8_t bNotificationCode;
	le16 wValue;
	le16 wIndex; /* the communication interface, as the host numbers it */
	le16 wLength;
};
_Static_assert(sizeof(struct cdc_notification) == 8, "CDC120 6.3");

struct cdc_speed_change {
	struct cdc_notification header; /* wLength 8 */
	le32 DLBitRate; /* to the host, bit/s */
	le32 ULBitRate; /* from the host, bit/s */
};
_Static_assert(sizeof(struct cdc_speed_change) == 16, "CDC120 6.3.3");

#define ETHERNET_HEADER_LEN    14u
#define ETHERNET_VLAN_TAG_LEN  4u
#define ETHERNET_FRAME_MIN_LEN ETHERNET_HEADER_LEN /* NCM has no 60-byte minimum */
#define NCM_DATAGRAM_CRC_LEN   4u /* [NCM10 3.3.1]: CRC-32 behind the datagram */

#endif
