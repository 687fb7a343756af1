/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The configuration: one file in libconfig syntax, one struct, one table that
 * joins them. The table is also what `ncmd -n` prints and what the manual names.
 */
#ifndef NCMD_CONFIG_H
#define NCMD_CONFIG_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "wire/ntb.h"
#include "wire/ntb_write.h"
#include "wire/policy.h"

#define CONFIG_NAME_MAX	     32 /* instance name: a configfs directory, part of file names */
#define CONFIG_TEXT_MAX	     127 /* bytes; a USB string holds 126 UTF-16 units */
#define CONFIG_PATH_MAX	     256
#define CONFIG_ADDRESSES_MAX 8
#define CONFIG_ADDRESS_TEXT  64

enum config_transport {
	CONFIG_TRANSPORT_AUTO, /* functionfs where it carries NCM, else gadgetfs */
	CONFIG_TRANSPORT_FUNCTIONFS,
	CONFIG_TRANSPORT_GADGETFS,
};

/* What "auto" may give up when FunctionFS does not carry NCM. */
enum config_fallback {
	CONFIG_FALLBACK_NONE, /* no function of the gadget */
	CONFIG_FALLBACK_NCM_ONLY, /* all but NCM */
};

/* Each is a row of src/ncmd/config_profile.c. */
enum config_profile {
	CONFIG_PROFILE_LATENCY, /* the default */
	CONFIG_PROFILE_THROUGHPUT,
};

enum config_max_speed {
	CONFIG_MAX_SPEED_AUTO, /* what the UDC can */
	CONFIG_MAX_SPEED_FULL,
	CONFIG_MAX_SPEED_HIGH,
	CONFIG_MAX_SPEED_SUPER,
};

enum config_offload {
	CONFIG_OFFLOAD_AUTO, /* what the kernel offers, until it refuses */
	CONFIG_OFFLOAD_OFF, /* one frame a read or write */
};

enum config_copy {
	CONFIG_COPY_IN_PLACE, /* a frame is read into its NTB and written out of it */
	CONFIG_COPY_BOUNCE, /* through one more buffer, to measure what a copy costs */
};

struct config {
	char name[CONFIG_NAME_MAX]; /* "ncm0"; gadget, FunctionFS instance, default TAP name */
	char udc[64]; /* a name in /sys/class/udc, or "auto": the first one without a gadget */
	enum config_transport transport;
	enum config_fallback fallback;
	enum config_max_speed max_speed; /* of the whole gadget */
	enum config_profile profile; /* what policy and some of ntb are where the file is silent */
	struct policy policy;
	enum config_offload offload;
	enum config_copy copy;

	struct {
		char name[IFNAMSIZ]; /* empty: as `name` above */
		uint8_t mac[6]; /* the board's end; all zero: derived from machine id and name */
		uint8_t host_mac[6]; /* the host's end; as above */
		uint16_t mtu; /* bytes; 0: max_segment_size - 14 */
		uint16_t txqueuelen; /* packets the kernel may queue for us */
		uint16_t join_us; /* how long joined segments wait for more of their stream */
		char address[CONFIG_ADDRESSES_MAX]
			    [CONFIG_ADDRESS_TEXT]; /* "10.55.0.1/24", "fd00::1/64" */
		unsigned int addresses; /* how many */
		bool persist; /* leave the interface, with its addresses, when ncmd ends */
	} tap;

	struct {
		uint32_t in_max_size; /* dwNtbInMaxSize, bytes: the largest NTB to the host */
		uint16_t in_depth; /* most NTBs on their way to the host */
		uint16_t in_max_datagrams; /* most datagrams in an NTB to the host */
		uint16_t in_short_datagrams; /* full ones that it has room for on any wire */
		uint32_t out_max_size; /* dwNtbOutMaxSize, bytes; 0: what suits a Linux host */
		uint16_t out_count; /* reads in flight */
		uint16_t out_max_datagrams; /* wNtbOutMaxDatagrams; 0: no limit; 1: a Linux host
					       sends at once */
		uint16_t max_segment_size; /* wMaxSegmentSize, bytes: the largest datagram */
		bool ntb32; /* offer NTB32 beside NTB16 */
		bool crc; /* offer CRC mode */
		enum ntb_ending ending; /* "pad" or "zlp" */
		enum ntb_ndp ndp; /* "end" or "start" */
	} ntb;

	struct { /* datagrams that wait in ncmd for the cable; times at its measured rate */
		uint32_t target_us; /* CoDel's target; 0: no such queue */
		uint32_t interval_us; /* CoDel's interval */
		uint32_t limit_us; /* most that is queued */
		uint32_t in_flight_us; /* most in NTBs on their way, beside ntb.in_depth */
	} queue;

	struct {
		char scheme[CONFIG_PATH_MAX]; /* a libusbgx scheme to take the gadget from; empty:
						 built from the rest */
		uint16_t vendor_id, product_id, bcd_device;
		char manufacturer[CONFIG_TEXT_MAX], product[CONFIG_TEXT_MAX];
		char serial[CONFIG_TEXT_MAX]; /* "auto": derived from the machine id */
		char function[CONFIG_TEXT_MAX]; /* iInterface of the NCM function */
		uint16_t max_power_ma; /* 2 ... 500 */
		bool self_powered;
	} gadget;

	char run_dir[CONFIG_PATH_MAX]; /* mount point, lock and statistics: "/run/ncmd" */
};

/* The defaults, as `ncmd -n` prints them without a file. */
void config_defaults(struct config *c);

/*
 * Reads `path` over the defaults, which are those of the profile it names. (Not
 * config_read(): libconfig has a function of that name, which libusbgx calls, and the
 * linker would give it ours.) 0, or -1 after `error` (one line, no newline) was filled with
 * what is wrong: file, line, setting, the value found and the values allowed. Nothing else
 * is printed. *c is then undefined.
 */
int config_load(struct config *c, const char *path, char *error, size_t error_len);

/*
 * Fills in what is derived (TAP name, MTU, ntb.out_max_size, MAC addresses and serial number
 * from the machine id) and checks what only shows when the settings are seen together:
 * equal addresses at both ends, a datagram that fits no NTB, an NTB32 size without
 * NTB32, a queue shorter than its target, a scheme for GadgetFS. 0 or -1 as above. `machine_id` is
 * the text of /etc/machine-id; NULL if the machine has none.
 */
int config_complete(struct config *c, const char *machine_id, char *error, size_t error_len);

#define CONFIG_RUN_PATH_MAX (CONFIG_PATH_MAX + CONFIG_NAME_MAX + 16)

/* The file of the instance in run_dir that ends in `suffix`, of at most 15 bytes: ".lock". */
void config_run_path(const struct config *c, const char *suffix,
		     char path[static CONFIG_RUN_PATH_MAX]);

/* Writes every setting as a file that config_load() takes. */
void config_print(const struct config *c, FILE *to);

#endif
