/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The descriptors of an NCM function, as bytes [NCM10 5], the two blobs that FunctionFS takes
 * on ep0 (linux/usb/functionfs.h), and what GadgetFS takes (linux/usb/gadgetfs.h).
 *
 * Interfaces: 0 communication (02/0d/00, one interrupt IN endpoint), 1 data (0a/00/01,
 * alternate setting 0 without endpoints, 1 with bulk IN and bulk OUT). Endpoint
 * numbers are labels for FunctionFS, which gives the real ones, in this order, so its
 * files are ep1 = notification, ep2 = bulk IN, ep3 = bulk OUT. To GadgetFS they are the real
 * ones.
 */
#ifndef NCMD_WIRE_NCM_DESCRIPTORS_H
#define NCMD_WIRE_NCM_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/usb_speed.h"

/* Endpoint addresses as written into the descriptors. */
struct ncm_endpoints {
	uint8_t notify; /* interrupt IN */
	uint8_t bulk_in;
	uint8_t bulk_out;
};

struct ncm_descriptors {
	uint8_t first_interface; /* of the two; 0 where the kernel renumbers */
	uint8_t function_string; /* iFunction, and iInterface of interface 0; 0: none */
	uint8_t mac_string; /* iMACAddress; never 0 */
	uint8_t capabilities; /* bmNetworkCapabilities */
	uint16_t max_segment_size; /* wMaxSegmentSize, bytes */
	struct ncm_endpoints endpoint;
};

/* Room that is enough for the descriptors of one speed, and for each blob, bytes. */
#define NCM_DESCRIPTORS_MAX	 128
#define NCM_FFS_DESCRIPTORS_MAX	 (32 + USB_SPEEDS * NCM_DESCRIPTORS_MAX)
#define NCM_FFS_STRINGS_MAX	 512

/*
 * The descriptors of one speed, IAD first, into `out`; returns their length and in
 * *count how many they are. bInterval of the notification endpoint is 8 ms at
 * every speed.
 */
size_t ncm_descriptors_write(uint8_t out[static NCM_DESCRIPTORS_MAX],
			     const struct ncm_descriptors *d, enum usb_speed speed,
			     unsigned int *count);

/* FUNCTIONFS_HAS_MS_OS_DESC: adds the compatible id "WINNCM", which Windows 10 binds by. */
#define NCM_FFS_WINNCM 8u

/*
 * The FunctionFS descriptor blob, version 2, for full, high and super speed;
 * `flags` are NCM_FFS_WINNCM and further FUNCTIONFS_... bits (0 for none), but not
 * FUNCTIONFS_EVENTFD, which would want a field more. Returns its length.
 */
size_t ncm_ffs_descriptors(uint8_t out[static NCM_FFS_DESCRIPTORS_MAX],
			   const struct ncm_descriptors *d, uint32_t flags);

/*
 * The FunctionFS strings blob, one language (0x0409): string 1 is `function`, string
 * 2 the MAC address as 12 upper-case hex digits. `function` is cut after 126 bytes,
 * at a whole UTF-8 character. Returns its length.
 */
size_t ncm_ffs_strings(uint8_t out[static NCM_FFS_STRINGS_MAX], const char *function,
		       const uint8_t mac[static 6]);

/* What the device descriptor and the configuration say beside the function. */
struct ncm_identity {
	uint16_t vendor_id, product_id, bcd_device;
	uint16_t max_power_ma; /* 2 ... 510 */
	bool self_powered;
};

/* Tag, two configurations of 9 bytes and their descriptors, the device's 18 bytes. */
#define NCM_GADGETFS_DEVICE_MAX	  (4 + 2 * (9 + NCM_DESCRIPTORS_MAX) + 18)
#define NCM_GADGETFS_ENDPOINT_LEN (4 + 2 * 7)

/*
 * What GadgetFS takes on its control file: one configuration for full speed, one for high
 * speed unless `fastest` is full, and the device descriptor; strings are named by enum
 * usb_device_string. Returns the length.
 */
size_t ncm_gadgetfs_device(uint8_t out[static NCM_GADGETFS_DEVICE_MAX],
			   const struct ncm_descriptors *d, const struct ncm_identity *identity,
			   enum usb_speed fastest);

/*
 * What GadgetFS takes first on the file of the endpoint with that address, one of those in
 * `e`: its descriptors at full and at high speed. Returns the length.
 */
size_t ncm_gadgetfs_endpoint(uint8_t out[static NCM_GADGETFS_ENDPOINT_LEN],
			     const struct ncm_endpoints *e, uint8_t address);

#define NCM_FFS_STRING_FUNCTION 1
#define NCM_FFS_STRING_MAC	2

#endif
