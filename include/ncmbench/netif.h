/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel knows about a network interface that is one end of a USB cable. */
#ifndef NCMBENCH_NETIF_H
#define NCMBENCH_NETIF_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "port/log.h"

/* The interface that packets to `peer` (a name or an address, %interface included) leave
 * through. False if there is no route, or no such name. */
bool netif_towards(const char *peer, char interface[static IFNAMSIZ]);

struct netif_driver {
	char name[32]; /* "cdc_ncm", "tun", "g_ether" ... */
	char bus[32]; /* "usb-CONTROLLER-PATH" of a USB host's; else what the driver says */
};

/* ETHTOOL_GDRVINFO, which needs no sysfs of this network namespace. 0 or -errno with *f filled. */
int netif_driver(const char *interface, struct netif_driver *d, struct failure *f);

/* One counter of `ethtool -S`. */
struct netif_counter {
	char name[33];
	uint64_t value;
};

/* Fills *counters, free() it, with *count of them. 0 or -errno with *f filled. */
int netif_counters(const char *interface, struct netif_counter **counters, size_t *count,
		   struct failure *f);

/* "usb-dummy_hcd.0-1.2" -> "dummy_hcd.0" and "1.2". False if it is no such text, or longer. */
bool netif_parse_bus(const char *bus, char controller[static 64], char path[static 32]);

/* The kernel's word for the speed of a USB device, in Mbit/s, as this program names it: "480" ->
 * "high". NULL for a word it does not know. Static. */
const char *netif_speed_name(const char *mbps);

/* The speed of the USB device at `bus`, as netif_driver() gives it; NULL if not found. Static. */
const char *netif_usb_speed(const char *bus);

#endif
