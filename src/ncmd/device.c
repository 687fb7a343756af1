/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ncmd/device.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ncmd/config_text.h"
#include "port/mount_point.h"

/* wNdpInDivisor and its like: IP headers 4-aligned at both ends; Windows wants at least 4 [cases
 * C04]. */
#define NDP_DIVISOR   4
#define NDP_REMAINDER 0
#define NDP_ALIGNMENT 4

struct ncm_offer device_offer(const struct config *c)
{
	struct ncm_offer offer = { 0 };

	/* D0 for every host: macOS drops the link now and then without it [cases C06]. */
	offer.capabilities = NCM_CAP_PACKET_FILTER | (c->ntb.crc ? NCM_CAP_CRC_MODE : 0);
	offer.ntb32 = c->ntb.ntb32;
	offer.ntb_in_max_size = c->ntb.in_max_size;
	offer.ntb_out_max_size = c->ntb.out_max_size;
	offer.ndp_in_divisor = offer.ndp_out_divisor = NDP_DIVISOR;
	offer.ndp_in_remainder = offer.ndp_out_remainder = NDP_REMAINDER;
	offer.ndp_in_alignment = offer.ndp_out_alignment = NDP_ALIGNMENT;
	offer.ntb_out_max_datagrams = c->ntb.out_max_datagrams;
	offer.max_segment_size = c->ntb.max_segment_size;
	memcpy(offer.host_mac, c->tap.host_mac, 6);
	return offer;
}

void device_descriptors(const struct config *c, struct ncm_descriptors *d)
{
	const struct ncm_offer offer = device_offer(c);

	*d = (struct ncm_descriptors){
		.first_interface = 0, /* the kernel renumbers */
		.function_string = NCM_FFS_STRING_FUNCTION,
		.mac_string = NCM_FFS_STRING_MAC,
		.capabilities = offer.capabilities,
		.max_segment_size = offer.max_segment_size,
		.endpoint = { .notify = 0x81, .bulk_in = 0x82, .bulk_out = 0x03 },
	};
}

void device_gadget_plan(const struct config *c, struct gadget_plan *plan)
{
	*plan = (struct gadget_plan){
		.name = c->name,
		.udc = c->udc,
		.scheme = c->gadget.scheme,
		.max_speed = c->max_speed == CONFIG_MAX_SPEED_AUTO ?
				     NULL :
				     text_choice_max_speed(c->max_speed),
		.vendor_id = c->gadget.vendor_id,
		.product_id = c->gadget.product_id,
		.bcd_device = c->gadget.bcd_device,
		.manufacturer = c->gadget.manufacturer,
		.product = c->gadget.product,
		.serial = c->gadget.serial,
		.configuration = c->gadget.function,
		.max_power_ma = c->gadget.max_power_ma,
		.self_powered = c->gadget.self_powered,
	};
}

static int clean_up_after_a_crash(struct device *d, struct failure *f)
{
	char path[CONFIG_RUN_PATH_MAX];
	bool found = false;
	int error;

	config_run_path(d->config, ".gadgetfs", path);
	error = mount_point_clean(path, f);
	config_run_path(d->config, ".ffs", path);
	if (!error)
		error = mount_point_clean(path, f);
	if (!error && d->configfs)
		error = gadget_clean(&d->gadget, d->config->name, &found, f);
	if (!error && found)
		log_info("removed the gadget \"%s\" that an earlier run left in configfs",
			 d->config->name);
	return error;
}

/* --- FunctionFS -------------------------------------------------------------- */

static int open_functionfs(struct device *d, struct failure *f)
{
	static uint8_t descriptors[NCM_FFS_DESCRIPTORS_MAX], strings[NCM_FFS_STRINGS_MAX];
	struct functionfs_blobs blobs = { .descriptors = descriptors, .strings = strings };
	const struct config *c = d->config;
	struct ncm_descriptors function;
	char mount_point[CONFIG_RUN_PATH_MAX];
	int error;

	if (!functionfs_has_altsettings())
		return fail(f, EOPNOTSUPP,
			    "FunctionFS of this kernel has no alternate settings, which NCM needs: "
			    "they came with Linux 6.10 (ffs_func_get_alt in f_fs.c). Use a newer "
			    "kernel");
	device_descriptors(c, &function);
	blobs.descriptors_len = ncm_ffs_descriptors(descriptors, &function, 0);
	blobs.strings_len = ncm_ffs_strings(strings, c->gadget.function, c->tap.host_mac);
	config_run_path(c, ".ffs", mount_point);
	error = functionfs_open(&d->functionfs, c->name, mount_point, &blobs, f);
	if (error)
		return error;
	d->kind = CONFIG_TRANSPORT_FUNCTIONFS;
	d->transport = &d->functionfs.base;
	return 0;
}

/* *wrong: it is the configuration that is wrong, and no other transport would help. */
static int try_functionfs(struct device *d, bool *wrong, struct failure *f)
{
	struct gadget_plan plan;
	int error;

	*wrong = false;
	if (!d->configfs)
		return gadget_open(&d->gadget, f); /* the same again, for its words */
	device_gadget_plan(d->config, &plan);
	error = gadget_create(&d->gadget, &plan, f);
	if (error) {
		*wrong = *plan.scheme != '\0';
		return error;
	}
	gadget_describe(&d->gadget, plan.name, &d->identity, d->others);
	error = open_functionfs(d, f);
	if (error)
		gadget_remove(&d->gadget, NULL);
	return error;
}

static int only_functionfs(struct device *d, struct failure *f)
{
	struct failure why;
	bool wrong;
	int error = try_functionfs(d, &wrong, &why);

	if (!error)
		log_info("transport functionfs, as configured");
	else if (error == -EOPNOTSUPP)
		fail(f, EOPNOTSUPP,
		     "%s; or, with NCM as the only function, set transport = \"gadgetfs\", which "
		     "any kernel can",
		     why.text);
	else
		*f = why;
	return error;
}

/* --- GadgetFS ---------------------------------------------------------------- */

/* Where configfs could not be asked. */
static void identity_of_config(const struct config *c, struct gadget_identity *i)
{
	*i = (struct gadget_identity){
		.vendor_id = c->gadget.vendor_id,
		.product_id = c->gadget.product_id,
		.bcd_device = c->gadget.bcd_device,
		.max_power_ma = c->gadget.max_power_ma,
		.self_powered = c->gadget.self_powered,
	};
	snprintf(i->manufacturer, sizeof(i->manufacturer), "%s", c->gadget.manufacturer);
	snprintf(i->product, sizeof(i->product), "%s", c->gadget.product);
	snprintf(i->serial, sizeof(i->serial), "%s", c->gadget.serial);
}

static int open_gadgetfs(struct device *d, struct failure *f)
{
	const struct config *c = d->config;
	const struct gadget_identity *i = &d->identity;
	struct gadgetfs_plan plan = {
		.udc = c->udc,
		.identity = { .vendor_id = i->vendor_id,
			      .product_id = i->product_id,
			      .bcd_device = i->bcd_device,
			      .max_power_ma = i->max_power_ma,
			      .self_powered = i->self_powered },
		.string = { [USB_STRING_MANUFACTURER] = i->manufacturer,
			    [USB_STRING_PRODUCT] = i->product,
			    [USB_STRING_SERIAL] = i->serial,
			    [USB_STRING_FUNCTION] = c->gadget.function,
			    [USB_STRING_MAC] = d->mac },
		.fastest = c->max_speed == CONFIG_MAX_SPEED_FULL ? USB_SPEED_IS_FULL :
								   USB_SPEED_IS_HIGH,
	};
	char mount_point[CONFIG_RUN_PATH_MAX];
	int error;

	usb_device_mac_text(c->tap.host_mac, d->mac);
	device_descriptors(c, &plan.function);
	/* A first guess, right for the controllers of most boards: dwc2, dwc3, musb, chipidea. */
	plan.function.endpoint =
		(struct ncm_endpoints){ .notify = 0x82, .bulk_in = 0x81, .bulk_out = 0x01 };
	config_run_path(c, ".gadgetfs", mount_point);
	error = gadgetfs_open(&d->gadgetfs, mount_point, &plan, f);
	if (error)
		return error;
	d->kind = CONFIG_TRANSPORT_GADGETFS;
	d->transport = &d->gadgetfs.base;
	return 0;
}

static int only_gadgetfs(struct device *d, struct failure *f)
{
	int error = open_gadgetfs(d, f);

	if (!error)
		log_info("transport gadgetfs, as configured");
	return error;
}

/* --- which ------------------------------------------------------------------- */

/* What is lost with GadgetFS, which carries nothing but NCM. */
static int would_lose(struct device *d, const char *why, struct failure *f)
{
	return fail(
		f, EOPNOTSUPP,
		"the gadget of %s cannot be carried by FunctionFS: %s. GadgetFS could carry NCM, "
		"but nothing else, and these functions would be lost: %s. Mend FunctionFS as "
		"said, or permit the loss with fallback = \"ncm-only\"",
		d->config->gadget.scheme, why, d->others);
}

static int fall_back(struct device *d, const char *why, struct failure *f)
{
	struct failure also;
	int error = open_gadgetfs(d, &also);

	if (error)
		return fail(f, error, "no transport works. functionfs: %s. gadgetfs: %s", why,
			    also.text);
	log_info("transport gadgetfs, because functionfs does not work: %s", why);
	if (d->others[0])
		log_warning("lost, as fallback = \"ncm-only\" permits: %s", d->others);
	return 0;
}

static int functionfs_or_gadgetfs(struct device *d, struct failure *f)
{
	struct failure why;
	bool wrong;
	int error = try_functionfs(d, &wrong, &why);

	if (!error) {
		log_info("transport functionfs: this kernel's takes the descriptors of NCM and has "
			 "alternate settings");
		return 0;
	}
	if (wrong) {
		*f = why;
		return error;
	}
	if (d->others[0] && d->config->fallback == CONFIG_FALLBACK_NONE)
		return would_lose(d, why.text, f);
	return fall_back(d, why.text, f);
}

static int choose(struct device *d, struct failure *f)
{
	switch (d->config->transport) {
	case CONFIG_TRANSPORT_FUNCTIONFS:
		return only_functionfs(d, f);
	case CONFIG_TRANSPORT_GADGETFS:
		return only_gadgetfs(d, f);
	case CONFIG_TRANSPORT_AUTO:
		break;
	}
	return functionfs_or_gadgetfs(d, f);
}

int device_open(struct device *d, const struct config *c, struct failure *f)
{
	int error;

	memset(d, 0, sizeof(*d));
	d->config = c;
	identity_of_config(c, &d->identity);
	d->configfs = gadget_open(&d->gadget, NULL) == 0;
	error = clean_up_after_a_crash(d, f);
	if (!error)
		error = choose(d, f);
	if (error && d->configfs)
		gadget_close(&d->gadget);
	return error;
}

int device_bind(struct device *d, struct failure *f)
{
	struct gadget_plan plan;

	if (d->kind == CONFIG_TRANSPORT_GADGETFS)
		return gadgetfs_bind(&d->gadgetfs, f);
	device_gadget_plan(d->config, &plan);
	return gadget_bind(&d->gadget, &plan, f);
}

const char *device_udc(const struct device *d)
{
	return d->kind == CONFIG_TRANSPORT_GADGETFS ? gadgetfs_udc(&d->gadgetfs) : d->gadget.udc;
}

int device_close(struct device *d, struct failure *f)
{
	int error = 0;

	if (d->kind == CONFIG_TRANSPORT_GADGETFS) {
		gadgetfs_close(&d->gadgetfs);
	} else {
		/* Unbinding first: it ends every transfer, so that nothing waits for the host. */
		functionfs_quiet(&d->functionfs);
		gadget_unbind(&d->gadget);
		functionfs_close(&d->functionfs);
		error = gadget_remove(&d->gadget, f);
	}
	if (d->configfs)
		gadget_close(&d->gadget);
	return error;
}
