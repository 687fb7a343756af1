/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flow/stats.h"

const char *to_host_drop_name(enum to_host_drop drop)
{
	switch (drop) {
	case TO_HOST_DROP_NO_LINK:
		return "no_link";
	case TO_HOST_DROP_TOO_SHORT:
		return "too_short";
	case TO_HOST_DROP_TOO_LONG:
		return "too_long";
	case TO_HOST_DROP_STALE:
		return "stale";
	case TO_HOST_DROP_RESET:
		return "reset";
	case TO_HOST_DROP_ERROR:
		return "error";
	case TO_HOST_DROP_OFFLOAD:
		return "offload";
	case TO_HOST_DROP_QUEUE_LATE:
		return "queue_late";
	case TO_HOST_DROP_QUEUE_FULL:
		return "queue_full";
	case TO_HOST_DROPS:
		break;
	}
	return "unknown";
}

const char *from_host_drop_name(enum from_host_drop drop)
{
	switch (drop) {
	case FROM_HOST_DROP_EAGAIN:
		return "eagain";
	case FROM_HOST_DROP_ENOBUFS:
		return "enobufs";
	case FROM_HOST_DROP_EIO:
		return "eio";
	case FROM_HOST_DROP_EINVAL:
		return "einval";
	case FROM_HOST_DROP_OTHER:
		return "other";
	case FROM_HOST_DROPS:
		break;
	}
	return "unknown";
}
