/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "port/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
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

/* From Linux 6.2 on [linux/if_tun.h]; only both or none are taken. */
#ifndef TUN_F_USO4
#define TUN_F_USO4 0x20
#define TUN_F_USO6 0x40
#endif

/* What the kernel may leave to us: as much as it knows. */
static bool set_offload(struct tap *t, bool segments)
{
	static const unsigned int tcp = TUN_F_TSO4 | TUN_F_TSO6, udp = TUN_F_USO4 | TUN_F_USO6;

	if (!segments)
		return ioctl(t->fd, TUNSETOFFLOAD, TUN_F_CSUM) == 0;
	return ioctl(t->fd, TUNSETOFFLOAD, TUN_F_CSUM | tcp | udp) == 0 ||
	       ioctl(t->fd, TUNSETOFFLOAD, TUN_F_CSUM | tcp) == 0;
}

/* A persistent interface may have been used by another program, so all is said anew. */
static void set_up_offload(struct tap *t)
{
	int header_len = VNET_HDR_LEN;

	ioctl(t->fd, TUNSETVNETHDRSZ, &header_len);
	t->vnet = true;
	t->segments = set_offload(t, true);
	if (!t->segments && !set_offload(t, false) && ioctl(t->fd, TUNSETOFFLOAD, 0) < 0)
		log_warning("%s: the kernel knows no offloads: %s", t->name, strerror(errno));
}

static int set_up(struct tap *t, const char *name, bool persist, bool offload, struct failure *f)
{
	struct ifreq request = { .ifr_flags = IFF_TAP | IFF_NO_PI };

	if (offload)
		request.ifr_flags |= IFF_VNET_HDR;

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
	if (offload)
		set_up_offload(t);
	t->carrier = true; /* as the kernel makes it */
	tap_set_carrier(t, false);
	return 0;
}

int tap_open(struct tap *t, const char *name, bool persist, bool offload, struct failure *f)
{
	int error;

	t->vnet = t->segments = false;

	t->fd = open(TUN_DEVICE, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (t->fd < 0)
		return fail(f, errno, "cannot open %s: %s%s", TUN_DEVICE, strerror(errno),
			    errno == ENOENT || errno == ENODEV ? "; try `modprobe tun`" : "");
	error = set_up(t, name, persist, offload, f);
	if (error)
		close(t->fd);
	return error;
}

void tap_close(struct tap *t)
{
	tap_set_carrier(t, false);
	close(t->fd);
}

void tap_want_segments(struct tap *t, bool wanted)
{
	if (t->vnet && t->segments != wanted && set_offload(t, wanted))
		t->segments = wanted;
}

size_t tap_packet_max(const struct tap *t, size_t max_datagram)
{
	/* What was queued before the kernel was told otherwise still comes. */
	return t->vnet ? VNET_PACKET_MAX : max_datagram;
}

ssize_t tap_read(struct tap *t, struct vnet_hdr *hdr, const struct iovec *iov, int n)
{
	struct iovec with_hdr[3] = { { hdr, sizeof(*hdr) }, iov[0] };
	ssize_t len;

	if (!t->vnet) {
		memset(hdr, 0, sizeof(*hdr));
		len = readv(t->fd, iov, n);
		return len < 0 ? -errno : len;
	}
	if (n > 1)
		with_hdr[2] = iov[1];
	len = readv(t->fd, with_hdr, n + 1);
	if (len < 0)
		return -errno;
	return len < (ssize_t)sizeof(*hdr) ? -EIO : len - (ssize_t)sizeof(*hdr);
}

_Static_assert(sizeof(struct gro_piece) == sizeof(struct iovec) &&
		       offsetof(struct gro_piece, bytes) == offsetof(struct iovec, iov_base) &&
		       offsetof(struct gro_piece, len) == offsetof(struct iovec, iov_len),
	       "pieces are handed to the kernel as they are");

int tap_write(struct tap *t, const struct gro_piece *piece, unsigned int n)
{
	if (!t->vnet) {
		piece++;
		n--;
	}
	return writev(t->fd, (const struct iovec *)(const void *)piece, (int)n) < 0 ? -errno : 0;
}

const char *tap_kernel_release(void)
{
	static struct utsname kernel;

	return uname(&kernel) < 0 ? "of unknown release" : kernel.release;
}

void tap_set_carrier(struct tap *t, bool on)
{
	int value = on;

	if (t->carrier == on)
		return;
	t->carrier = on;
	ioctl(t->fd, TUNSETCARRIER, &value);
}
