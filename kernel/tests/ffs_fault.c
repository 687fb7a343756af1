// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Both ends of the reproducers of kernel/tests: a FunctionFS function that
 * writes one of a few descriptor blobs and serves ep0, processes that do one
 * AIO operation each, and a USB host (through usbfs) that reads descriptors and
 * sends single control requests. Static, so that the guest needs nothing else.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/usb/ch9.h>
#include <linux/usb/functionfs.h>
#include <linux/usbdevice_fs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MAC "02000000BB02"

_Noreturn static void die(const char *what)
{
	fprintf(stderr, "ffs_fault: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* --- the function: descriptors ---------------------------------------- */

struct blob {
	uint8_t bytes[1024];
	size_t length;
	uint32_t count;			/* descriptors of the speed being written */
};

static void put(struct blob *b, const void *bytes, size_t length)
{
	memcpy(b->bytes + b->length, bytes, length);
	b->length += length;
}

static void put_le32(struct blob *b, uint32_t value)
{
	value = htole32(value);
	put(b, &value, sizeof(value));
}

/* One descriptor given by its bytes; the first is its length. */
#define DESC(b, ...) do {						\
		const uint8_t desc_[] = { __VA_ARGS__ };		\
		put(b, desc_, desc_[0]);				\
		(b)->count++;						\
	} while (0)

enum speed { FULL, HIGH, SUPER };

static void put_endpoint(struct blob *b, enum speed speed, uint8_t address,
			 uint8_t type)
{
	static const uint16_t bulk_size[] = { 64, 512, 1024 };
	uint16_t size = type == USB_ENDPOINT_XFER_BULK ? bulk_size[speed] : 16;

	DESC(b, 7, USB_DT_ENDPOINT, address, type, size & 0xff, size >> 8,
	     type == USB_ENDPOINT_XFER_INT ? 9 : 0);
	if (speed == SUPER)
		DESC(b, 6, USB_DT_SS_ENDPOINT_COMP, 0, 0, 0, 0);
}

/* CDC NCM: local interfaces 0 and 1, string 2 is the MAC address. */
static void put_ncm(struct blob *b, enum speed speed)
{
	DESC(b, 8, USB_DT_INTERFACE_ASSOCIATION, 0, 2, 2, 0x0d, 0, 1);
	DESC(b, 9, USB_DT_INTERFACE, 0, 0, 1, 2, 0x0d, 0, 1);
	DESC(b, 5, USB_DT_CS_INTERFACE, 0x00, 0x10, 0x01);
	DESC(b, 5, USB_DT_CS_INTERFACE, 0x06, 0, 1);
	DESC(b, 13, USB_DT_CS_INTERFACE, 0x0f, 2, 0, 0, 0, 0, 0xea, 0x05, 0, 0, 0);
	DESC(b, 6, USB_DT_CS_INTERFACE, 0x1a, 0x00, 0x01, 0);
	put_endpoint(b, speed, 0x81, USB_ENDPOINT_XFER_INT);
	DESC(b, 9, USB_DT_INTERFACE, 1, 0, 0, 10, 0, 1, 0);
	DESC(b, 9, USB_DT_INTERFACE, 1, 1, 2, 10, 0, 1, 0);
	put_endpoint(b, speed, 0x82, USB_ENDPOINT_XFER_BULK);
	put_endpoint(b, speed, 0x03, USB_ENDPOINT_XFER_BULK);
}

/* Vendor class: one bulk endpoint each way, and a second interface. */
static void put_vendor(struct blob *b, enum speed speed)
{
	DESC(b, 9, USB_DT_INTERFACE, 0, 0, 2, 0xff, 0, 0, 1);
	put_endpoint(b, speed, 0x81, USB_ENDPOINT_XFER_BULK);
	put_endpoint(b, speed, 0x02, USB_ENDPOINT_XFER_BULK);
	DESC(b, 9, USB_DT_INTERFACE, 1, 0, 0, 0xff, 0, 0, 1);
}

/*
 * The same behind an association whose first interface is 2, the global number
 * that its author predicted: what a function had to write before now.
 */
static void put_vendor_iad(struct blob *b, enum speed speed)
{
	DESC(b, 8, USB_DT_INTERFACE_ASSOCIATION, 2, 2, 0xff, 0, 0, 1);
	put_vendor(b, speed);
}

static const struct kind {
	const char *name;
	uint32_t speeds;		/* FUNCTIONFS_HAS_*_DESC */
	void (*put)(struct blob *b, enum speed speed);
} kinds[] = {
	{ "ncm", FUNCTIONFS_HAS_FS_DESC | FUNCTIONFS_HAS_HS_DESC |
		 FUNCTIONFS_HAS_SS_DESC, put_ncm },
	{ "vendor", FUNCTIONFS_HAS_FS_DESC | FUNCTIONFS_HAS_HS_DESC, put_vendor },
	{ "vendor-iad", FUNCTIONFS_HAS_FS_DESC | FUNCTIONFS_HAS_HS_DESC,
	  put_vendor_iad },
	{ "no-fs", FUNCTIONFS_HAS_HS_DESC | FUNCTIONFS_HAS_SS_DESC, put_vendor },
	{ "hs-only", FUNCTIONFS_HAS_HS_DESC, put_vendor },
};

static void write_descriptors(int ep0, const struct kind *kind)
{
	struct blob all = { .length = 0 }, one[3] = { { .length = 0 } };

	put_le32(&all, FUNCTIONFS_DESCRIPTORS_MAGIC_V2);
	put_le32(&all, 0);		/* length, below */
	put_le32(&all, kind->speeds);
	for (enum speed s = FULL; s <= SUPER; s++) {
		if (!(kind->speeds & (1u << s)))
			continue;
		kind->put(&one[s], s);
		put_le32(&all, one[s].count);
	}
	for (enum speed s = FULL; s <= SUPER; s++)
		put(&all, one[s].bytes, one[s].length);
	*(uint32_t *)(void *)(all.bytes + 4) = htole32((uint32_t)all.length);

	if (write(ep0, all.bytes, all.length) < 0) {
		printf("descriptors refused: %s\n", strerrorname_np(errno));
		exit(2);
	}
}

static void write_strings(int ep0)
{
	static const char strings[] = "ffs_fault\0" MAC;
	struct blob all = { .length = 0 };

	put_le32(&all, FUNCTIONFS_STRINGS_MAGIC);
	put_le32(&all, 16 + 2 + sizeof(strings));
	put_le32(&all, 2);
	put_le32(&all, 1);
	put(&all, "\x09\x04", 2);
	put(&all, strings, sizeof(strings));
	if (write(ep0, all.bytes, all.length) < 0)
		die("strings");
}

/* --- the function: ep0 ------------------------------------------------- */

/* All that a host asks of an NCM function before it binds. */
static void answer(int ep0, const struct usb_ctrlrequest *setup)
{
	static const uint8_t ntb_parameters[28] = {
		28, 0, 0x01, 0, 0x00, 0x40, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0,
		0x00, 0x40, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0,
	};
	uint8_t data[256];
	ssize_t done;

	if (setup->bRequestType == 0xa1 && setup->bRequest == 0x80)
		done = write(ep0, ntb_parameters, sizeof(ntb_parameters));
	else if (setup->bRequestType & USB_DIR_IN)
		done = read(ep0, data, 0);	/* the wrong direction: a stall */
	else
		done = read(ep0, data, sizeof(data));
	(void)done;
}

static int serve(const char *ep0_path, const char *kind_name)
{
	struct usb_functionfs_event events[4];
	const struct kind *kind = NULL;
	int ep0 = open(ep0_path, O_RDWR);

	if (ep0 < 0)
		die(ep0_path);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].name, kind_name))
			kind = &kinds[i];
	if (!kind) {
		errno = EINVAL;
		die(kind_name);
	}
	write_descriptors(ep0, kind);
	write_strings(ep0);
	puts("descriptors accepted");
	fflush(stdout);

	for (;;) {
		ssize_t got = read(ep0, events, sizeof(events));

		if (got < 0 && errno != EINTR && errno != EIDRM)
			die("ep0");
		for (ssize_t i = 0; i * (ssize_t)sizeof(events[0]) < got; i++)
			if (events[i].type == FUNCTIONFS_SETUP)
				answer(ep0, &events[i].u.setup);
	}
}

/*
 * One AIO operation, then exit. A write is waited for. A read finds no data: it
 * is cancelled by the exit, and fails.
 */
static int aio(const char *path, bool write)
{
	static uint8_t data[512];
	struct iocb cb = {
		.aio_lio_opcode = write ? IOCB_CMD_PWRITE : IOCB_CMD_PREAD,
		.aio_buf = (uintptr_t)data,
		.aio_nbytes = sizeof(data),
	};
	struct iocb *list[] = { &cb };
	struct io_event done;
	aio_context_t context = 0;
	int fd = open(path, O_RDWR);

	if (fd < 0)
		die(path);
	cb.aio_fildes = (uint32_t)fd;
	if (syscall(SYS_io_setup, 1, &context) < 0)
		die("io_setup");
	if (syscall(SYS_io_submit, context, 1, list) != 1)
		die("io_submit");
	if (!write)
		return 0;
	if (syscall(SYS_io_getevents, context, 1, 1, &done, NULL) != 1)
		die("io_getevents");
	if (done.res != (int64_t)sizeof(data)) {
		errno = (int)-done.res;
		die("AIO write");
	}
	return 0;
}

/* COUNT synchronous writes of SIZE bytes */
static int fill(const char *path, const char *count, const char *size)
{
	static uint8_t data[16384];
	int fd = open(path, O_RDWR);

	if (fd < 0)
		die(path);
	for (long left = strtol(count, NULL, 0); left > 0; left--)
		if (write(fd, data, strtoul(size, NULL, 0)) < 0)
			die("write");
	return 0;
}

/* --- the host ----------------------------------------------------------- */

static int control(int dev, uint8_t type, uint8_t request, uint16_t value,
		   uint16_t index, void *data, uint16_t length)
{
	struct usbdevfs_ctrltransfer transfer = {
		.bRequestType = type, .bRequest = request, .wValue = value,
		.wIndex = index, .wLength = length, .timeout = 1000, .data = data,
	};

	return ioctl(dev, USBDEVFS_CONTROL, &transfer);
}

static int open_device(const char *path)
{
	int dev = open(path, O_RDWR);

	if (dev < 0)
		die(path);
	return dev;
}

/* GET_INTERFACE or SET_INTERFACE (to 0) with any wIndex */
static int alternate(const char *path, const char *what, const char *index_text)
{
	uint16_t index = (uint16_t)strtoul(index_text, NULL, 0);
	unsigned int interface = index & 0xff;
	bool get = !strcmp(what, "get");
	int dev = open_device(path), got;
	uint8_t alt = 0;

	if (ioctl(dev, USBDEVFS_CLAIMINTERFACE, &interface) < 0)
		die("claim");
	got = get ? control(dev, 0x81, USB_REQ_GET_INTERFACE, 0, index, &alt, 1) :
		    control(dev, 0x01, USB_REQ_SET_INTERFACE, 0, index, NULL, 0);
	if (got < 0)
		printf("%s\n", errno == EPIPE ? "stall" : strerrorname_np(errno));
	else
		printf("%s\n", get ? "data" : "accepted");
	return 0;
}

/*
 * Takes COUNT transfers of SIZE bytes from a bulk IN endpoint of interface 0, and
 * says how fast they came after the first.
 */
static int drain(const char *path, const char *endpoint, const char *count_text,
		 const char *size_text)
{
	static uint8_t data[16384];
	unsigned int interface = 0, size = (unsigned int)strtoul(size_text, NULL, 0);
	long count = strtol(count_text, NULL, 0);
	struct timespec start = { 0 }, end;
	int dev = open_device(path);

	if (size > sizeof(data)) {
		errno = EINVAL;
		die("size");
	}
	if (ioctl(dev, USBDEVFS_CLAIMINTERFACE, &interface) < 0)
		die("claim");
	for (long n = 0; n < count; n++) {
		struct usbdevfs_bulktransfer bulk = {
			.ep = (unsigned int)strtoul(endpoint, NULL, 0),
			.len = size, .timeout = 10000, .data = data,
		};

		if (ioctl(dev, USBDEVFS_BULK, &bulk) < 0)
			die("bulk");
		if (n == 0)
			clock_gettime(CLOCK_MONOTONIC, &start);
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("%.0f\n", (double)(count - 1) * size * 8 * 1e6 /
	       ((double)(end.tv_sec - start.tv_sec) * 1e9 +
		(double)(end.tv_nsec - start.tv_nsec)));	/* kbit/s */
	return 0;
}

static void show_string(int dev, uint8_t index)
{
	uint8_t text[255];
	int got = control(dev, 0x80, USB_REQ_GET_DESCRIPTOR,
			  (uint16_t)(USB_DT_STRING << 8 | index), 0x0409, text,
			  sizeof(text));

	printf("mac ");
	for (int i = 2; i + 1 < got; i += 2)
		putchar(text[i]);
	putchar('\n');
}

/*
 * What the host reads of the numbers in question, one descriptor a line, from
 * the second function on: "skip" interfaces belong to another.
 */
static int show(const char *path, const char *skip)
{
	uint8_t all[4096], first = (uint8_t)strtoul(skip, NULL, 0);
	bool ours = false;
	int dev = open_device(path);
	ssize_t length = read(dev, all, sizeof(all));

	for (ssize_t at = 0; at + 2 < length && all[at]; at += all[at]) {
		const uint8_t *d = all + at;

		if (d[1] == USB_DT_INTERFACE_ASSOCIATION && (ours || d[2] >= first))
			printf("iad %u\n", d[2]);
		if (d[1] == USB_DT_INTERFACE) {
			ours = d[2] >= first;
			if (ours)
				printf("interface %u alt %u\n", d[2], d[3]);
		}
		if (!ours || d[1] != USB_DT_CS_INTERFACE)
			continue;
		if (d[2] == 0x06)
			printf("union %u %u\n", d[3], d[4]);
		if (d[2] == 0x0f)
			show_string(dev, d[3]);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *command = argc > 1 ? argv[1] : "";

	if (argc == 4 && !strcmp(command, "serve"))
		return serve(argv[2], argv[3]);
	if (argc == 3 && !strcmp(command, "aio-write"))
		return aio(argv[2], true);
	if (argc == 3 && !strcmp(command, "aio-read"))
		return aio(argv[2], false);
	if (argc == 5 && !strcmp(command, "alternate"))
		return alternate(argv[2], argv[3], argv[4]);
	if (argc == 5 && !strcmp(command, "fill"))
		return fill(argv[2], argv[3], argv[4]);
	if (argc == 6 && !strcmp(command, "drain"))
		return drain(argv[2], argv[3], argv[4], argv[5]);
	if (argc == 4 && !strcmp(command, "show"))
		return show(argv[2], argv[3]);
	fprintf(stderr, "usage: ffs_fault serve EP0 KIND | aio-write EP | "
		"aio-read EP | fill EP COUNT SIZE\n"
		"       ffs_fault alternate DEV get|set WINDEX | "
		"drain DEV EP COUNT SIZE | show DEV FIRST\n");
	return 64;
}
