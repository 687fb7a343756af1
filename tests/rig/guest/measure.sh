# SPDX-License-Identifier: GPL-2.0-or-later
#
# For scenarios that hand out figures. A row is what ncmbench and ncmd said, as it is, under
# the names of the measurements; tests/rig/bench and tests/rig/reports make tables of it.

[ -x /usr/bin/ncmbench ] || fail "no ncmbench in this guest: libiperf-dev was not there when it was built"
row=/tmp/row			# members of the row being made
label=''			# what it is about, for the log

# member NAME VALUE
member() { echo "\"$1\":$2," >> $row; }

# measured NAME COMMAND...: ncmbench's JSON becomes a member. That f_ncm loses or stalls is
# a result ({"error": ...}); ncmd must not.
measured() {
	local part=$1

	shift
	case $part in
	http_*) ;;	# many, and short
	*) say "$label: $part" ;;
	esac
	"$@" > /tmp/part 2> /tmp/part.err || [ $kind = f_ncm ] || fail "$part: $(cat /tmp/part.err)"
	[ -s /tmp/part ] || fail "$part: ncmbench said nothing but: $(cat /tmp/part.err)"
	[ ! -s /tmp/part.err ] || say "$label: $part: $(cat /tmp/part.err)"
	member "$part" "$(cat /tmp/part)"
}

# with_server SIDE ADDRESS COMMAND...: while an iperf3 server is at ADDRESS
with_server() {
	local run='' pid

	[ "$1" = device ] || run="nsenter --net=/run/netns/host"
	$run /usr/bin/iperf3 -s -1 -B "$2" > /tmp/iperf-server 2>&1 &
	pid=$!
	wait_for 2000 $run grep -qi ' 0A ' /proc/net/tcp ||
		fail "iperf3 server does not listen: $(cat /tmp/iperf-server)"
	shift 2
	"$@"
	wait_for 1000 gone $pid || kill $pid
}

# bulk NAME DIRECTION ARG...: TCP, the client on the host
bulk() {
	local part=$1 arg=''

	[ "$2" = to_device ] || arg=-R
	shift 2
	with_server device $dev_ip measured "$part" in_host ncmbench tcp $dev_ip --json $arg "$@"
}

# counters NAME: ncmd's
counters() {
	[ $kind = ncmd ] || return 0
	stats
	member "$1" "$(cat $stats_file)"
}

# measure_http COUNT: 257 KiB that do not shrink, as in the report on NuttX, so many times:
# members http_1, http_2 ...
measure_http() {
	local pid i

	mkdir -p /tmp/www
	[ -e /tmp/www/blob ] || dd if=/dev/urandom of=/tmp/www/blob bs=1024 count=257 2> /dev/null
	httpd -f -p $dev_ip:80 -h /tmp/www &
	pid=$!
	wait_for 2000 listening /proc/net/tcp || fail "httpd does not listen"
	for i in $(seq "$1"); do
		measured http_$i in_host ncmbench http http://$dev_ip/blob --json
	done
	kill $pid
}

# environment: both ends' settings, without which a figure says nothing
environment() {
	member environment "{\"kernel\":\"$(uname -r)\",\"host_kernel\":\"$(uname -r)\",
\"udc\":\"$udc\",\"speed\":\"$(sed 's/-speed//' /sys/class/udc/$udc/current_speed)\",
\"host_driver\":\"$(in_host ethtool -i $host_if | sed -n 's/^driver: //p')\",
\"host_tx_timer_us\":$host_timer_seen}"
}

# row_begin LABEL, row_end NAME: one JSON object, NAME.json
row_begin() {
	label=$1
	: > $row
}

row_end() {
	{
		echo "{\"gadget\":\"$kind\",\"transport\":\"$RIG_TRANSPORT\",\"speed\":\"$RIG_SPEED\","
		echo "\"dummy_hcd\":\"$RIG_DUMMY\",\"clock\":\"$clock\",\"shift\":${RIG_SHIFT:-0},"
		cat $row
		echo "\"end\":true}"
	} | emit_json "$1"
}

clock=icount-1
[ -z "${RIG_REALTIME-}" ] || clock=real

# Round trips one after the other, idle: measure_rtt COUNT [ARG...]
measure_rtt() {
	local count=$1

	shift
	measured rtt_from_device ncmbench rtt $host_ip --json -c "$count" "$@"
	measured rtt_from_host in_host ncmbench rtt $dev_ip --json -c "$count" "$@"
}

# measure_tcp SECONDS: each way, with ncmd's counters before, between and after
measure_tcp() {
	counters stats_before
	bulk tcp_to_device to_device -t "$1" -O 1
	counters stats_between
	bulk tcp_to_host to_host -t "$1" -O 1
	counters stats_after
}

# measure_loaded SECONDS: round trips from the device while it sends as fast as it can
measure_loaded() {
	with_server host $host_ip measured loaded ncmbench mixed $host_ip --json \
		-t "$1" -O 1 -i 20
}
