/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "port/functionfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#define CDC_CS_INTERFACE 0x24

static const char endpoint_file[ENDPOINTS][4] = {
	[ENDPOINT_NOTIFY] = "ep1",
	[ENDPOINT_BULK_IN] = "ep2",
	[ENDPOINT_BULK_OUT] = "ep3",
};

static struct functionfs *self(struct transport *t)
{
	return (struct functionfs *)t;
}

static int ffs_submit(struct transport *t, struct transfer **list, unsigned int n)
{
	t->submit_calls++;
	return ep_aio_submit(&self(t)->aio, list, n);
}

static unsigned int ffs_reap(struct transport *t, struct transfer **done, unsigned int max)
{
	return ep_aio_reap(&self(t)->aio, done, max, &t->reap_calls);
}

static bool ffs_ended(const struct transport *t)
{
	return ep_aio_ended(&((const struct functionfs *)t)->aio);
}

static void ffs_cancel(struct transport *t, struct transfer *transfer)
{
	ep_aio_cancel(&self(t)->aio, transfer);
}

static bool stage_event(struct functionfs *ffs, struct transport_event *event)
{
	struct ep0_stage_message m;

	if (!ep0_stage_result(&ffs->stage, &m))
		return false;
	ep0_stage_event(&m, &ffs->setup, event);
	return true;
}

static bool translate(struct functionfs *ffs, const struct usb_functionfs_event *from,
		      struct transport_event *to)
{
	memset(to, 0, sizeof(*to));
	switch ((enum usb_functionfs_event_type)from->type) {
	case FUNCTIONFS_BIND:
		to->kind = TRANSPORT_BIND;
		return true;
	case FUNCTIONFS_UNBIND:
		to->kind = TRANSPORT_UNBIND;
		return true;
	case FUNCTIONFS_ENABLE:
		to->kind = TRANSPORT_ENABLE;
		return true;
	case FUNCTIONFS_DISABLE:
		to->kind = TRANSPORT_DISABLE;
		return true;
	case FUNCTIONFS_SUSPEND:
		to->kind = TRANSPORT_SUSPEND;
		return true;
	case FUNCTIONFS_RESUME:
		to->kind = TRANSPORT_RESUME;
		return true;
	case FUNCTIONFS_SETUP:
		to->kind = TRANSPORT_SETUP;
		_Static_assert(sizeof(to->setup) == sizeof(from->u.setup), "both are 8 wire bytes");
		memcpy(&to->setup, &from->u.setup, sizeof(to->setup));
		ffs->setup = to->setup;
		return true;
	}
	return false;
}

static bool ffs_next_event(struct transport *t, struct transport_event *event)
{
	struct functionfs *ffs = self(t);

	if (stage_event(ffs, event))
		return true;
	while (!ffs->stage.busy) {
		ssize_t n;

		while (ffs->event_next < ffs->events)
			if (translate(ffs, &ffs->event[ffs->event_next++], event))
				return true;
		n = read(ffs->ep0, ffs->event, sizeof(ffs->event));
		/*
		 * -EIDRM says once that a request was cancelled by a newer event; -EINTR
		 * changes nothing. Both: read on.
		 */
		if (n < 0 && (errno == EIDRM || errno == EINTR))
			continue;
		ffs->event_next = 0;
		ffs->events = n < 0 ? 0 : (unsigned int)((size_t)n / sizeof(ffs->event[0]));
		if (!ffs->events)
			return false;
	}
	return false;
}

static int ffs_answer(struct transport *t, const struct ncm_answer *answer)
{
	struct functionfs *ffs = self(t);
	struct ep0_stage_message m;

	if (answer->kind == NCM_REFUSE_DATA)
		return 0;
	ep0_stage_of_answer(&m, answer, ffs->setup.bRequestType);
	return ep0_stage_order(&ffs->stage, &m);
}

/*
 * The host's number of local interface 0. FUNCTIONFS_INTERFACE_REVMAP maps the other
 * way round, so ask for each number there can be (facts 1.4).
 */
static int communication_interface(int ep0)
{
	for (unsigned int number = 0; number < 16; number++) {
		int local = ioctl(ep0, FUNCTIONFS_INTERFACE_REVMAP, number);

		if (local == 0)
			return (int)number;
		if (local < 0 && errno == ENODEV)
			return -ENODEV;
	}
	return -EDOM;
}

static int ffs_link(struct transport *t, struct transport_link *link)
{
	struct functionfs *ffs = self(t);
	struct usb_endpoint_descriptor d;
	le16 packet;
	int number;

	if (ioctl(ffs->ep[ENDPOINT_BULK_IN], FUNCTIONFS_ENDPOINT_DESC, &d) < 0)
		return -errno;
	memcpy(&packet, &d.wMaxPacketSize, sizeof(packet));
	link->bulk_packet = le16_get(packet);
	link->speed = link->bulk_packet >= 1024 ? USB_SPEED_IS_SUPER :
		      link->bulk_packet >= 512	? USB_SPEED_IS_HIGH :
						  USB_SPEED_IS_FULL;
	number = communication_interface(ffs->ep0);
	if (number < 0)
		return number;
	link->interface = (uint8_t)number;
	return 0;
}

static const struct transport_ops ffs_ops = {
	.name = "functionfs",
	.submit = ffs_submit,
	.reap = ffs_reap,
	.ended = ffs_ended,
	.cancel = ffs_cancel,
	.next_event = ffs_next_event,
	.answer = ffs_answer,
	.link = ffs_link,
};

bool functionfs_has_altsettings(void)
{
	struct utsname u;
	unsigned int major, minor;
	char line[256];
	bool found = false;
	FILE *symbols;

	if (!uname(&u) && sscanf(u.release, "%u.%u", &major, &minor) == 2 &&
	    (major > 6 || (major == 6 && minor >= 10)))
		return true;
	/* A vendor kernel may have it without the number (facts 1.9). */
	symbols = fopen("/proc/kallsyms", "re");
	if (!symbols)
		return false;
	while (!found && fgets(line, sizeof(line), symbols))
		found = strstr(line, "ffs_func_get_alt") != NULL;
	fclose(symbols);
	return found;
}

/*
 * Whether the kernel takes the same blob without its class-specific descriptors:
 * then it is they that it refuses, and the kernel is a stock one.
 */
static bool takes_without_class_descriptors(const char *mount_point, const uint8_t *blob,
					    size_t blob_len)
{
	uint8_t plain[1024];
	uint32_t count[USB_SPEEDS] = { 0 };
	const size_t counts_at = 12, first = counts_at + sizeof(count);
	size_t len = first;
	unsigned int speed = 0;
	uint32_t left;
	char path[300];
	bool taken;
	int ep0;

	if (blob_len > sizeof(plain) || blob_len < first)
		return false;
	memcpy(plain, blob, first);
	left = le32_at(blob + counts_at);
	for (size_t at = first; at < blob_len && blob[at]; at += blob[at]) {
		while (!left && ++speed < USB_SPEEDS)
			left = le32_at(blob + counts_at + 4 * speed);
		left--;
		if (blob[at + 1] == CDC_CS_INTERFACE)
			continue;
		memcpy(plain + len, blob + at, blob[at]);
		len += blob[at];
		count[speed < USB_SPEEDS ? speed : USB_SPEEDS - 1]++;
	}
	for (unsigned int i = 0; i < USB_SPEEDS; i++) {
		le32 v = le32_of(count[i]);

		memcpy(plain + counts_at + 4 * i, &v, sizeof(v));
	}
	le32 total = le32_of((uint32_t)len);

	memcpy(plain + 4, &total, sizeof(total));
	/* A refused blob leaves counters set; closing ep0 resets the instance (facts 1.1). */
	snprintf(path, sizeof(path), "%s/ep0", mount_point);
	ep0 = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (ep0 < 0)
		return false;
	taken = write(ep0, plain, len) == (ssize_t)len;
	close(ep0);
	return taken;
}

static int refused_descriptors(struct functionfs *ffs, const struct functionfs_blobs *blobs,
			       int error, struct failure *f)
{
	struct utsname u = { .release = "unknown" };

	uname(&u);
	close(ffs->ep0);
	ffs->ep0 = -1;
	if (error == EINVAL && takes_without_class_descriptors(ffs->mount_point, blobs->descriptors,
							       blobs->descriptors_len))
		return fail(
			f, EOPNOTSUPP,
			"FunctionFS of kernel %s refused the NCM descriptors: it takes no "
			"class-specific (CDC) interface descriptors. Build the patched usb_f_fs "
			"for "
			"this kernel (kernel/build in the ncmd sources, or its DKMS package) and "
			"load it instead",
			u.release);
	return fail(f, error, "FunctionFS refused the descriptors written to %s/ep0: %s",
		    ffs->mount_point, strerror(error));
}

static int mount_instance(struct functionfs *ffs, const char *name, struct failure *f)
{
	if (mkdir(ffs->mount_point, 0700) < 0 && errno != EEXIST)
		return fail(f, errno, "cannot make the directory %s: %s", ffs->mount_point,
			    strerror(errno));
	if (mount(name, ffs->mount_point, "functionfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
		return fail(f, errno, "cannot mount FunctionFS instance \"%s\" on %s: %s%s", name,
			    ffs->mount_point, strerror(errno),
			    errno == ENODEV ? "; try `modprobe usb_f_fs`" :
			    errno == EBUSY  ? "; another program has it mounted" :
			    errno == EPERM  ? "; this needs root" :
					      "");
	ffs->mounted = true;
	return 0;
}

static int open_file(const struct functionfs *ffs, const char *file, struct failure *f)
{
	char path[300];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", ffs->mount_point, file);
	fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return fail(f, errno, "cannot open %s: %s", path, strerror(errno));
	return fd;
}

static int describe(struct functionfs *ffs, const struct functionfs_blobs *blobs, struct failure *f)
{
	ffs->ep0 = open_file(ffs, "ep0", f);
	if (ffs->ep0 < 0)
		return ffs->ep0;
	if (write(ffs->ep0, blobs->descriptors, blobs->descriptors_len) < 0)
		return refused_descriptors(ffs, blobs, errno, f);
	if (write(ffs->ep0, blobs->strings, blobs->strings_len) < 0)
		return fail(f, errno, "FunctionFS refused the strings written to %s/ep0: %s",
			    ffs->mount_point, strerror(errno));
	for (int i = 0; i < ENDPOINTS; i++) {
		ffs->ep[i] = open_file(ffs, endpoint_file[i], f);
		if (ffs->ep[i] < 0)
			return ffs->ep[i];
		ffs->aio.file[i] = ffs->ep[i];
	}
	return 0;
}

int functionfs_open(struct functionfs *ffs, const char *name, const char *mount_point,
		    const struct functionfs_blobs *blobs, struct failure *f)
{
	int error;

	memset(ffs, 0, sizeof(*ffs));
	ffs->ep0 = ffs->watch = ffs->stage.loop_end = -1;
	for (int i = 0; i < ENDPOINTS; i++)
		ffs->ep[i] = -1;
	snprintf(ffs->mount_point, sizeof(ffs->mount_point), "%s", mount_point);
	error = ep_aio_open(&ffs->aio, f);
	if (error)
		return error;
	error = mount_instance(ffs, name, f);
	if (!error)
		error = describe(ffs, blobs, f);
	if (!error) {
		ffs->watch = epoll_create1(EPOLL_CLOEXEC);
		error = ffs->watch < 0 ? fail(f, errno, "cannot watch ep0: %s", strerror(errno)) :
					 ep0_stage_open(&ffs->stage, ffs->ep0, ffs->watch, f);
	}
	if (error) {
		functionfs_close(ffs);
		return error;
	}
	ffs->base.ops = &ffs_ops;
	ffs->base.completion_fd = ffs->aio.event_fd;
	ffs->base.event_fd = ffs->watch;
	return 0;
}

void functionfs_quiet(struct functionfs *ffs)
{
	if (ffs->stage.loop_end < 0)
		return;
	ep0_stage_close(&ffs->stage);
	ffs->stage.loop_end = -1;
}

void functionfs_close(struct functionfs *ffs)
{
	functionfs_quiet(ffs);
	if (ffs->watch >= 0)
		close(ffs->watch);
	ep_aio_close(&ffs->aio);
	for (int i = 0; i < ENDPOINTS; i++)
		if (ffs->ep[i] >= 0)
			close(ffs->ep[i]);
	if (ffs->ep0 >= 0)
		close(ffs->ep0);
	if (ffs->mounted) {
		umount2(ffs->mount_point, MNT_DETACH);
		rmdir(ffs->mount_point);
	}
}
