/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "port/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define TUN_DEVICE "/dev/net/tun"

static const char *hint(int error)
{
	switch (error) {
	case EBUSY:
		return "; another program holds it, or it is no TAP interface";
	case EINVAL:
		return "; an interface of this name exists with other flags (multi_queue, vnet_hdr "
		       "or "
		       "TUN): remove it with `ip link del`";
	case EPERM:
		return "; this needs CAP_NET_ADMIN";
	default:
		return "";
	}
}

static int set_up(struct tap *t, const char *name, bool persist, struct failure *f)
{
	struct ifreq request = { .ifr_flags = IFF_TAP | IFF_NO_PI };

	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
	/* Before the descriptor is watched: epoll on an unattached one reports EPOLLERR (cases
	 * K03). */
	if (ioctl(t->fd, TUNSETIFF, &request) < 0)
		return fail(f, errno, "cannot make the TAP interface \"%s\": %s%s", name,
			    strerror(errno), hint(errno));
	snprintf(t->name, sizeof(t->name), "%s", request.ifr_name);
	if (ioctl(t->fd, TUNSETPERSIST, persist ? 1 : 0) < 0)
		return fail(f, errno, "cannot make the TAP interface \"%s\" persistent: %s", name,
			    strerror(errno));
	t->carrier = true; /* as the kernel makes it */
	tap_set_carrier(t, false);
	return 0;
}

int tap_open(struct tap *t, const char *name, bool persist, struct failure *f)
{
	int error;

	t->fd = open(TUN_DEVICE, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (t->fd < 0)
		return fail(f, errno, "cannot open %s: %s%s", TUN_DEVICE, strerror(errno),
			    errno == ENOENT || errno == ENODEV ? "; try `modprobe tun`" : "");
	error = set_up(t, name, persist, f);
	if (error)
		close(t->fd);
	return error;
}

void tap_close(struct tap *t)
{
	tap_set_carrier(t, false);
	close(t->fd);
}

ssize_t tap_read(struct tap *t, const struct iovec *iov, int n)
{
	ssize_t len = n == 1 ? read(t->fd, iov->iov_base, iov->iov_len) : readv(t->fd, iov, n);

	return len < 0 ? -errno : len;
}

int tap_write(struct tap *t, const uint8_t *frame, size_t len)
{
	return write(t->fd, frame, len) < 0 ? -errno : 0;
}

void tap_set_carrier(struct tap *t, bool on)
{
	int value = on;

	if (t->carrier == on)
		return;
	t->carrier = on;
	ioctl(t->fd, TUNSETCARRIER, &value);
}
