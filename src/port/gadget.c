/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "port/gadget.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <usbg/function/ffs.h>
#include <usbg/usbg.h>

#define LANGUAGE	 0x0409 /* Windows asks for no other (facts 1.7) */
#define CONFIGFS	 "/sys/kernel/config"
#define CONFIGURATION_ID 1

/* libusbgx's error as errno for the caller, and its name and text for people. */
static int usbg_fail(struct failure *f, int error, const char *hint, const char *what,
		     const char *name)
{
	int number = error == USBG_ERROR_NO_MEM	       ? ENOMEM :
		     error == USBG_ERROR_NO_ACCESS     ? EACCES :
		     error == USBG_ERROR_NO_DEV	       ? ENODEV :
		     error == USBG_ERROR_BUSY	       ? EBUSY :
		     error == USBG_ERROR_EXIST	       ? EEXIST :
		     error == USBG_ERROR_NOT_FOUND     ? ENOENT :
		     error == USBG_ERROR_NOT_SUPPORTED ? EOPNOTSUPP :
		     error == USBG_ERROR_INVALID_PARAM ? EINVAL :
							 EIO;

	return fail(f, number, "cannot %s \"%s\": %s (%s)%s%s", what, name, usbg_strerror(error),
		    usbg_error_name(error), *hint ? "; " : "", hint);
}

int gadget_open(struct gadget *g, struct failure *f)
{
	int error;

	memset(g, 0, sizeof(*g));
	error = usbg_init(CONFIGFS, &g->state);
	if (error)
		return usbg_fail(f, error,
				 "is libcomposite loaded (`modprobe libcomposite`) and configfs "
				 "mounted (`mount -t configfs none " CONFIGFS "`)?",
				 "read the gadgets in configfs", CONFIGFS);
	return 0;
}

static int remove_gadget(usbg_gadget *gadget, const char *name, struct failure *f)
{
	int error;

	if (usbg_get_gadget_udc(gadget))
		usbg_disable_gadget(gadget);
	error = usbg_rm_gadget(gadget, USBG_RM_RECURSE);
	if (error)
		return usbg_fail(f, error,
				 "something in its directory is in use or was made by hand; remove "
				 "it with rmdir, then start again",
				 "remove the gadget", name);
	return 0;
}

int gadget_clean(struct gadget *g, const char *name, bool *found, struct failure *f)
{
	usbg_gadget *left = usbg_get_gadget(g->state, name);

	*found = left != NULL;
	return left ? remove_gadget(left, name, f) : 0;
}

static int create_from_plan(struct gadget *g, const struct gadget_plan *plan, struct failure *f)
{
	const struct usbg_gadget_attrs attrs = {
		.bcdUSB = 0x0200, /* the kernel raises it at super speed */
		.bDeviceClass = 0xef, /* miscellaneous, common, interface association: */
		.bDeviceSubClass = 0x02, /* what a device with an IAD says */
		.bDeviceProtocol = 0x01,
		.bMaxPacketSize0 = 64,
		.idVendor = plan->vendor_id,
		.idProduct = plan->product_id,
		.bcdDevice = plan->bcd_device,
	};
	const struct usbg_gadget_strs strings = {
		.manufacturer = (char *)plan->manufacturer,
		.product = (char *)plan->product,
		.serial = (char *)plan->serial,
	};
	const struct usbg_config_strs config_strings = {
		.configuration = (char *)plan->configuration,
	};
	/* No remote wake-up: a Linux host then never suspends the link by itself (facts 6.4). */
	const struct usbg_config_attrs config_attrs = {
		.bmAttributes = plan->self_powered ? 0xc0 : 0x80,
		.bMaxPower = (uint8_t)(plan->max_power_ma / 2),
	};
	usbg_function *function;
	usbg_config *config;
	int error;

	error = usbg_create_gadget(g->state, plan->name, &attrs, &strings, &g->gadget);
	if (error)
		return usbg_fail(f, error, "", "create the gadget", plan->name);
	error = usbg_create_function(g->gadget, USBG_F_FFS, plan->name, NULL, &function);
	if (error)
		return usbg_fail(f, error, "is usb_f_fs loaded (`modprobe usb_f_fs`)?",
				 "create the FunctionFS function", plan->name);
	error = usbg_create_config(g->gadget, CONFIGURATION_ID, "c", &config_attrs, &config_strings,
				   &config);
	if (!error)
		error = usbg_add_config_function(config, "ncm", function);
	if (error)
		return usbg_fail(f, error, "", "create the configuration of gadget", plan->name);
	return 0;
}

static bool has_our_function(usbg_gadget *gadget, const char *name)
{
	usbg_function *function = usbg_get_function(gadget, USBG_F_FFS, name);
	usbg_config *config;
	usbg_binding *binding;

	usbg_for_each_config(config, gadget)
		usbg_for_each_binding(binding, config)
			if (function && usbg_get_binding_target(binding) == function)
				return true;
	return false;
}

static int create_from_scheme(struct gadget *g, const struct gadget_plan *plan, struct failure *f)
{
	FILE *scheme = fopen(plan->scheme, "re");
	int error;

	if (!scheme)
		return fail(f, errno, "cannot read the gadget scheme %s: %s", plan->scheme,
			    strerror(errno));
	error = usbg_import_gadget(g->state, scheme, plan->name, &g->gadget);
	fclose(scheme);
	if (error) {
		const char *text = usbg_get_gadget_import_error_text(g->state);

		return fail(f, EINVAL, "cannot make a gadget of the scheme %s: line %d: %s (%s)",
			    plan->scheme, usbg_get_gadget_import_error_line(g->state),
			    text ? text : usbg_strerror(error), usbg_error_name(error));
	}
	if (!has_our_function(g->gadget, plan->name))
		return fail(f, EINVAL,
			    "the scheme %s has no function of type ffs with the instance \"%s\" in "
			    "any configuration; ncmd needs one to carry NCM",
			    plan->scheme, plan->name);
	return 0;
}

/* libusbgx does not know this attribute (Linux 5.10 and newer). */
static int limit_speed(const struct gadget_plan *plan, struct failure *f)
{
	char path[sizeof(CONFIGFS "/usb_gadget//max_speed") + NAME_MAX];
	FILE *file;
	int error = 0;

	if (!plan->max_speed)
		return 0;
	snprintf(path, sizeof(path), CONFIGFS "/usb_gadget/%s/max_speed", plan->name);
	file = fopen(path, "we");
	if (!file)
		return fail(f, errno, "cannot write %s: %s; leave out the setting max_speed", path,
			    strerror(errno));
	if (fprintf(file, "%s-speed\n", plan->max_speed) < 0)
		error = errno;
	if (fclose(file) != 0 && !error)
		error = errno;
	return error ? fail(f, error, "cannot write \"%s-speed\" to %s: %s", plan->max_speed, path,
			    strerror(error)) :
		       0;
}

int gadget_create(struct gadget *g, const struct gadget_plan *plan, struct failure *f)
{
	int error = plan->scheme && *plan->scheme ? create_from_scheme(g, plan, f) :
						    create_from_plan(g, plan, f);

	if (!error)
		error = limit_speed(plan, f);
	if (!error)
		return 0;
	/* An import that fails midway leaves what it had made. */
	if (!g->gadget)
		g->gadget = usbg_get_gadget(g->state, plan->name);
	gadget_remove(g, NULL);
	return error;
}

static void describe_power(usbg_gadget *gadget, struct gadget_identity *i)
{
	usbg_config *config = usbg_get_first_config(gadget);
	struct usbg_config_attrs attrs;

	if (!config || usbg_get_config_attrs(config, &attrs))
		return;
	i->max_power_ma = (uint16_t)(attrs.bMaxPower * 2);
	i->self_powered = attrs.bmAttributes & 0x40;
}

void gadget_describe(struct gadget *g, const char *name, struct gadget_identity *i,
		     char others[static GADGET_OTHERS_MAX])
{
	struct usbg_gadget_attrs attrs;
	struct usbg_gadget_strs strings;
	usbg_function *function;
	size_t len = 0;

	if (!usbg_get_gadget_attrs(g->gadget, &attrs)) {
		i->vendor_id = attrs.idVendor;
		i->product_id = attrs.idProduct;
		i->bcd_device = attrs.bcdDevice;
	}
	if (!usbg_get_gadget_strs(g->gadget, LANGUAGE, &strings)) {
		snprintf(i->manufacturer, sizeof(i->manufacturer), "%s", strings.manufacturer);
		snprintf(i->product, sizeof(i->product), "%s", strings.product);
		snprintf(i->serial, sizeof(i->serial), "%s", strings.serial);
		usbg_free_gadget_strs(&strings);
	}
	describe_power(g->gadget, i);
	others[0] = '\0';
	usbg_for_each_function(function, g->gadget) {
		const char *instance = usbg_get_function_instance(function);
		usbg_function_type type = usbg_get_function_type(function);

		if ((type == USBG_F_FFS && !strcmp(instance, name)) || len >= GADGET_OTHERS_MAX)
			continue;
		len += (size_t)snprintf(others + len, GADGET_OTHERS_MAX - len, "%s%s.%s",
					len ? ", " : "", usbg_get_function_type_str(type),
					instance);
	}
}

static usbg_udc *choose_udc(struct gadget *g, const char *wanted, struct failure *f)
{
	usbg_udc *udc = NULL;
	usbg_gadget *holder;

	if (strcmp(wanted, "auto")) {
		udc = usbg_get_udc(g->state, wanted);
		holder = udc ? usbg_get_udc_gadget(udc) : NULL;
		if (!udc)
			fail(f, ENODEV, "there is no UDC \"%s\" in /sys/class/udc", wanted);
		else if (holder)
			fail(f, EBUSY, "the UDC \"%s\" is held by gadget \"%s\"; unbind that first",
			     wanted, usbg_get_gadget_name(holder));
		return holder ? NULL : udc;
	}
	usbg_for_each_udc(udc, g->state)
		if (!usbg_get_udc_gadget(udc))
			return udc;
	fail(f, ENODEV,
	     usbg_get_first_udc(g->state) ?
		     "every UDC in /sys/class/udc already has a gadget; unbind one, or name it "
		     "with "
		     "the setting udc" :
		     "this machine has no UDC (/sys/class/udc is empty): no USB port that can be a "
		     "device, or its driver is not loaded (Raspberry Pi: dtoverlay=dwc2 in "
		     "config.txt)");
	return NULL;
}

int gadget_bind(struct gadget *g, const struct gadget_plan *plan, struct failure *f)
{
	usbg_udc *udc = choose_udc(g, plan->udc, f);
	int error;

	if (!udc)
		return -ENODEV;
	snprintf(g->udc, sizeof(g->udc), "%s", usbg_get_udc_name(udc));
	error = usbg_enable_gadget(g->gadget, udc);
	if (error)
		return usbg_fail(
			f, error,
			"the UDC may be in use, have too few endpoints for these functions, "
			"or a function is not ready; `dmesg` has the kernel's reason",
			"bind the gadget to the UDC", g->udc);
	g->bound = true;
	return 0;
}

void gadget_unbind(struct gadget *g)
{
	if (!g->bound)
		return;
	usbg_disable_gadget(g->gadget);
	g->bound = false;
}

int gadget_remove(struct gadget *g, struct failure *f)
{
	usbg_gadget *gadget = g->gadget;

	g->gadget = NULL;
	g->bound = false;
	return gadget ? remove_gadget(gadget, usbg_get_gadget_name(gadget), f) : 0;
}

void gadget_close(struct gadget *g)
{
	usbg_cleanup(g->state);
}
