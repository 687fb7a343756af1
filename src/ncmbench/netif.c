/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ncmbench/netif.h"

#include <errno.h>
#include <glob.h>
#include <ifaddrs.h>
#include <limits.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ncmbench/text_file.h"

/* The address that packets to `peer` are sent from. */
static bool source_towards(const char *peer, struct sockaddr_storage *source)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_DGRAM };
	socklen_t len = sizeof(*source);
	struct addrinfo *found;
	bool good = false;
	int fd;

	if (getaddrinfo(peer, "9", &hints, &found))
		return false;
	fd = socket(found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd >= 0) {
		/* Nothing is sent: connecting a datagram socket only asks for the route. */
		good = connect(fd, found->ai_addr, found->ai_addrlen) == 0 &&
		       getsockname(fd, (struct sockaddr *)source, &len) == 0;
		close(fd);
	}
	freeaddrinfo(found);
	return good;
}

/* The address as text, scope included. */
static bool print_address(const struct sockaddr *a, char text[static NI_MAXHOST])
{
	socklen_t len = a && a->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) :
							sizeof(struct sockaddr_in);

	return a && (a->sa_family == AF_INET || a->sa_family == AF_INET6) &&
	       !getnameinfo(a, len, text, NI_MAXHOST, NULL, 0, NI_NUMERICHOST);
}

bool netif_towards(const char *peer, char interface[static IFNAMSIZ])
{
	char wanted[NI_MAXHOST], text[NI_MAXHOST];
	struct sockaddr_storage source;
	struct ifaddrs *all, *i;

	if (!source_towards(peer, &source) ||
	    !print_address((struct sockaddr *)&source, wanted) || getifaddrs(&all) < 0)
		return false;
	for (i = all; i; i = i->ifa_next)
		if (print_address(i->ifa_addr, text) && !strcmp(text, wanted))
			break;
	if (i)
		snprintf(interface, IFNAMSIZ, "%s", i->ifa_name);
	freeifaddrs(all);
	return i;
}

static int ask_ethtool(const char *interface, void *question)
{
	struct ifreq request = { .ifr_data = question };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), error = 0;

	if (fd < 0)
		return errno;
	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", interface);
	if (ioctl(fd, SIOCETHTOOL, &request) < 0)
		error = errno;
	close(fd);
	return error;
}

int netif_driver(const char *interface, struct netif_driver *d, struct failure *f)
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	int error = ask_ethtool(interface, &info);

	memset(d, 0, sizeof(*d));
	if (error == ENODEV)
		return fail(f, error, "there is no interface %s in this network namespace",
			    interface);
	if (error)
		return fail(f, error, "cannot ask for the driver of %s: %s", interface,
			    strerror(error));
	snprintf(d->name, sizeof(d->name), "%s", info.driver);
	snprintf(d->bus, sizeof(d->bus), "%s", info.bus_info);
	return 0;
}

static void fill_counters(struct netif_counter *c, const struct ethtool_gstrings *names,
			  const struct ethtool_stats *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		snprintf(c[i].name, sizeof(c[i].name), "%.*s", ETH_GSTRING_LEN,
			 (const char *)names->data + i * ETH_GSTRING_LEN);
		c[i].value = values->data[i];
	}
}

int netif_counters(const char *interface, struct netif_counter **counters, size_t *count,
		   struct failure *f)
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	struct ethtool_gstrings *names;
	struct ethtool_stats *values;
	int error = ask_ethtool(interface, &info);

	*count = info.n_stats;
	names = calloc(1, sizeof(*names) + *count * ETH_GSTRING_LEN);
	values = calloc(1, sizeof(*values) + *count * sizeof(values->data[0]));
	*counters = calloc(*count + 1, sizeof(**counters));
	if (!names || !values || !*counters) {
		error = ENOMEM;
	} else if (!error) {
		names->cmd = ETHTOOL_GSTRINGS;
		names->string_set = ETH_SS_STATS;
		names->len = info.n_stats;
		values->cmd = ETHTOOL_GSTATS;
		values->n_stats = info.n_stats;
		error = ask_ethtool(interface, names);
		if (!error)
			error = ask_ethtool(interface, values);
		if (!error)
			fill_counters(*counters, names, values, *count);
	}
	free(names);
	free(values);
	if (!error)
		return 0;
	free(*counters);
	*counters = NULL;
	*count = 0;
	return fail(f, error, "cannot read the counters of %s: %s", interface, strerror(error));
}

bool netif_parse_bus(const char *bus, char controller[static 64], char path[static 32])
{
	const char *dash = strrchr(bus, '-');
	int len;

	if (strncmp(bus, "usb-", 4) || dash < bus + 5 || !dash[1])
		return false;
	len = (int)(dash - bus) - 4;
	if (len >= 64 || strlen(dash + 1) >= 32)
		return false;
	snprintf(controller, 64, "%.*s", len, bus + 4);
	snprintf(path, 32, "%s", dash + 1);
	return true;
}

const char *netif_speed_name(const char *mbps)
{
	static const char *const names[][2] = {
		{ "1.5", "low" },    { "12", "full" },	       { "480", "high" },
		{ "5000", "super" }, { "10000", "super-plus" }, { "20000", "super-plus" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i][0], mbps))
			return names[i][1];
	return NULL;
}

/* Is device "3-1.2" on the bus of that controller? Its root hub, usb3, is the controller's child.
 */
static bool is_on(const char *device, const char *controller)
{
	char hub[64], target[PATH_MAX], *parent;

	snprintf(hub, sizeof(hub), "/sys/bus/usb/devices/usb%d", atoi(device));
	if (!realpath(hub, target))
		return false;
	*strrchr(target, '/') = '\0';
	parent = strrchr(target, '/');
	return parent && !strcmp(parent + 1, controller);
}

const char *netif_usb_speed(const char *bus)
{
	char controller[64], path[32], pattern[80], text[32];
	const char *speed = NULL;
	glob_t found;

	if (!netif_parse_bus(bus, controller, path))
		return NULL;
	snprintf(pattern, sizeof(pattern), "/sys/bus/usb/devices/*-%s/speed", path);
	if (glob(pattern, 0, NULL, &found))
		return NULL;
	for (size_t i = 0; i < found.gl_pathc && !speed; i++)
		if (is_on(found.gl_pathv[i] + strlen("/sys/bus/usb/devices/"), controller) &&
		    text_file_read(found.gl_pathv[i], text, sizeof(text)) >= 0)
			speed = netif_speed_name(text);
	globfree(&found);
	return speed;
}
