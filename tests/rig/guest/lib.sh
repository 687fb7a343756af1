# SPDX-License-Identifier: GPL-2.0-or-later
#
# What scenarios are made of. Sourced by busybox sh. The gadget (device) lives
# in the root network namespace, the USB host's interface in `host`; both ends
# of the cable are dummy_hcd's. f_ncm and ncmd go through the same functions.
# Every check ends the scenario by `fail` with one line that says why.

dev_mac=02:00:00:00:00:01 dev_ip=10.55.0.1
host_mac=02:00:00:00:00:02 host_ip=10.55.0.2
host_if=ncmhost			# the host's interface, renamed
name=ncm0			# the ncmd instance, and its TAP
udc=dummy_udc.0
configfs=/sys/kernel/config/usb_gadget
ncmd_conf=/run/ncmd.conf ncmd_log=/run/ncmd.log ncmd_all=/run/ncmd-all.log
gadgets=$(echo "${RIG_GADGETS:-f_ncm}" | tr , ' ')
kind='' dev_if='' ncmd_pid=''

# busybox sh would prefer its own small ones
ip() { /usr/bin/ip "$@"; }
ping() { /usr/bin/ping "$@"; }
tc() { /usr/bin/tc "$@"; }
# in_host PROGRAM [ARG...]: on the host's side of the cable
in_host() {
	local program=/usr/bin/$1

	shift
	nsenter --net=/run/netns/host "$program" "$@"
}

say() { echo "# $*"; }
fail() { echo "@@FAIL $*"; exit 1; }

# emit_json NAME < FILE: becomes NAME.json in run's --out folder
emit_json() { echo "@@JSON $1"; cat; echo; echo "@@END"; }

now_ms() { local up; read -r up _ < /proc/uptime; echo "${up%.*}${up#*.}0"; }

# wait_for MS COMMAND...: until it succeeds; fails after MS
wait_for() {
	local end=$(($(now_ms) + $1))

	shift
	until "$@"; do
		[ "$(now_ms)" -lt "$end" ] || return 1
		usleep 20000	# every look costs the guest's one processor time
	done
}

# --- the gadget -----------------------------------------------------------

# gadget_up KIND: f_ncm or ncmd, bound to the UDC, device side up and addressed
gadget_up() {
	kind=$1
	case $kind in
	f_ncm) f_ncm_up ;;
	ncmd) ncmd_start ;;
	*) fail "unknown gadget kind $kind: f_ncm or ncmd" ;;
	esac
}

# gadget_down: off the bus, everything removed, and checked to be so
gadget_down() {
	case $kind in
	f_ncm) f_ncm_down ;;
	ncmd) ncmd_stop ;;
	esac
	check_clean
}

acm_first=''			# 1: an ACM function before the NCM one

f_ncm_up() {
	local g=$configfs/g1

	mkdir -p $g/strings/0x409 $g/configs/c.1 $g/functions/ncm.0
	echo 0x1d6b > $g/idVendor
	echo 0x0104 > $g/idProduct
	echo "$dev_mac" > $g/functions/ncm.0/dev_addr
	echo "$host_mac" > $g/functions/ncm.0/host_addr
	if [ -n "$acm_first" ]; then
		mkdir $g/functions/acm.0
		ln -s $g/functions/acm.0 $g/configs/c.1/
	fi
	ln -s $g/functions/ncm.0 $g/configs/c.1/
	echo $udc > $g/UDC || fail "f_ncm does not bind to $udc"
	dev_if=$(cat $g/functions/ncm.0/ifname)
}

# Only once the host has bound: a packet that meets its alt 1, alt 0, alt 1
# leaves f_ncm with a half filled NTB, no timer, and mute until it is full.
f_ncm_address() {
	ip addr replace $dev_ip/24 dev "$dev_if"
	ip link set "$dev_if" up
}

f_ncm_down() {
	local g=$configfs/g1

	echo > $g/UDC
	rm $g/configs/c.1/*.0
	rmdir $g/configs/c.1 $g/functions/* $g/strings/0x409 $g
}

# What ncmd_start writes; a scenario sets these before gadget_up.
conf_profile=latency
conf_tap=''			# more members of tap = { ... }
conf_ntb=''			# members of ntb = { ... }
conf_more=''			# anything else, at top level
scheme=/run/ncmd.scheme

# The gadget with an ACM function in front, as libusbgx writes it.
scheme_with_acm() {
	cat > $scheme <<-END
	attrs = { idVendor = 0x1d6b; idProduct = 0x0104; };
	strings = ( { lang = 0x409; manufacturer = "ncmd"; product = "rig";
	              serialnumber = "1"; } );
	functions = {
	    acm_usb0 = { instance = "usb0"; type = "acm"; };
	    ffs_ncm = { instance = "$name"; type = "ffs"; };
	};
	configs = ( { id = 1; name = "c"; functions = (
	    { name = "acm.usb0"; function = "acm_usb0"; },
	    { name = "ffs.$name"; function = "ffs_ncm"; } ); } );
	END
}

ncmd_write_conf() {
	if [ -n "$conf_base" ]; then
		ncmd_write_conf_on /rig/configs/"$conf_base"
		return
	fi
	cat > $ncmd_conf <<-END
	name = "$name";
	udc = "$udc";
	transport = "${RIG_TRANSPORT:-functionfs}";
	profile = "$conf_profile";
	tap = { name = "$name"; mac = "$dev_mac"; host_mac = "$host_mac";
	        addresses = ( "$dev_ip/24" ); $conf_tap };
	ntb = { $conf_ntb };
	$conf_more
	END
}

# As shipped; only names and addresses are the rig's.
ncmd_write_conf_on() {
	cat > $ncmd_conf <<-END
	@include "$1"
	name = "$name";
	udc = "$udc";
	transport = "${RIG_TRANSPORT:-functionfs}";
	tap = { name = "$name"; mac = "$dev_mac"; host_mac = "$host_mac";
	        addresses = ( "$dev_ip/24" ); $conf_tap };
	$conf_more
	END
}

conf_base=''			# a file of configs/ that comes before what these say

# ncmd_start: returns when the gadget is bound
ncmd_start() {
	if [ -n "$acm_first" ]; then
		scheme_with_acm
		conf_more="gadget = { scheme = \"$scheme\"; };"
	fi
	[ -x /usr/bin/ncmd ] ||
		fail "no ncmd in this guest: build it, or point NCMD_BUILD at the build folder"
	[ ! -e $ncmd_log ] || cat $ncmd_log >> $ncmd_all
	ncmd_write_conf
	ncmd -c $ncmd_conf > $ncmd_log 2>&1 &
	ncmd_pid=$!
	wait_for 5000 ncmd_bound_or_gone
	grep -q 'bound to UDC' $ncmd_log ||
		fail "ncmd did not say 'bound to UDC' within 5 s; it says: $(tail -n1 $ncmd_log)"
	dev_if=$name
}

ncmd_bound_or_gone() {
	grep -q 'bound to UDC' $ncmd_log || ! kill -0 $ncmd_pid 2>/dev/null
}

# ncmd_stop: SIGTERM must end it with status 0
ncmd_stop() {
	local status=0

	kill -TERM $ncmd_pid
	wait_for 5000 gone $ncmd_pid || fail "ncmd still runs 5 s after SIGTERM"
	wait $ncmd_pid || status=$?
	[ $status = 0 ] ||
		fail "ncmd ended with status $status: $(tail -n1 $ncmd_log)"
	ncmd_pid=''
}

# gone PID: no such process, or a zombie that `wait` will collect
gone() {
	local stat

	read -r stat 2> /dev/null < "/proc/$1/stat" || return 0
	case $stat in
	*') Z '*) ;;
	*) return 1 ;;
	esac
}

# --- the host -------------------------------------------------------------

host_find() {
	local dir mac

	for dir in /sys/class/net/*; do
		read -r mac < "$dir/address" || continue
		if [ "$mac" = $host_mac ]; then
			host_found=${dir##*/}
			return 0
		fi
	done 2> /dev/null
	return 1
}

host_carrier() {
	case $(in_host ip -o link show $host_if) in
	*LOWER_UP*) ;;
	*) return 1 ;;
	esac
}

host_tx_timer_us=''		# how long cdc_ncm holds datagrams; '': its own 400 us

# Before the interface is moved: sysfs shows only those of its mounter's namespace.
host_set_timer() {
	local file=/sys/class/net/$host_found/cdc_ncm/tx_timer_usecs

	echo "$host_tx_timer_us" > "$file" && [ "$(cat "$file")" = "$host_tx_timer_us" ] ||
		fail "cdc_ncm does not take $host_tx_timer_us us in $file"
}

# What cdc_ncm holds datagrams for, read from it; empty for another driver
host_timer_seen=''

# host_wait: cdc_ncm has bound; its interface is moved, addressed, up and has
# carrier
host_wait() {
	wait_for 5000 host_find ||
		fail "no host interface with MAC $host_mac after 5 s; there are: $(
			cat /sys/class/net/*/address | tr '\n' ' ')"
	[ $kind != f_ncm ] || f_ncm_address
	[ -z "$host_tx_timer_us" ] || host_set_timer
	host_timer_seen=$(cat /sys/class/net/$host_found/cdc_ncm/tx_timer_usecs)
	ip link set "$host_found" netns host name $host_if
	in_host ip addr add $host_ip/24 dev $host_if
	in_host ip link set $host_if up
	wait_for 3000 host_carrier ||
		fail "the host's interface has no carrier 3 s after 'ip link up'"
}

# host_usb_interface: bus name of the control interface cdc_ncm is bound to
host_usb_interface() {
	ls /sys/bus/usb/drivers/cdc_ncm | grep : | sort | head -n1
}

host_gone() { ! in_host ip -o link show $host_if > /dev/null 2>&1; }

# --- the raw host ---------------------------------------------------------

# raw_start: the raw host takes the function away from cdc_ncm
raw_start() {
	wait_for 5000 host_find || fail "cdc_ncm has not bound after 5 s"
	[ $kind != f_ncm ] || f_ncm_address
	rm -f /tmp/raw.to /tmp/raw.from
	mkfifo /tmp/raw.to /tmp/raw.from
	rawhost < /tmp/raw.to > /tmp/raw.from &
	raw_pid=$!
	exec 3> /tmp/raw.to 4< /tmp/raw.from
}

# raw COMMAND...: one command of rawhost; its answer in $raw_answer, what it
# printed before in /tmp/raw.lines
raw() {
	local line

	: > /tmp/raw.lines
	echo "$*" >&3
	while read -r line <&4; do
		case $line in
		ok*) raw_answer=${line#ok}; raw_answer=${raw_answer# }; return ;;
		error*) fail "raw host: $*: ${line#error }" ;;
		*) echo "$line" >> /tmp/raw.lines ;;
		esac
	done
	fail "raw host: $*: it ended without an answer"
}

raw_stop() {
	exec 3>&- 4<&-
	wait $raw_pid || fail "the raw host ended with an error"
}

# watch_start COUNT: what arrives on the device's interface; watch_end FRAME N:
# it was N frames like that (F60), and nothing else
watch_start() {
	frames watch "$dev_if" 20 "$1" > /tmp/watch &
	watch_pid=$!
	wait_for 1000 grep -q watching /tmp/watch ||
		fail "frames watch $dev_if does not start"
}

watch_end() {
	local got

	wait_for 2000 gone $watch_pid || kill $watch_pid
	wait $watch_pid || fail "the TAP got frames nobody sent: $(
		grep -m1 wrong /tmp/watch)"
	got=$(sed -n "s/^$1 //p" /tmp/watch)
	[ "${got:-0}" = "$2" ] ||
		fail "the TAP got ${got:-0} frames $1, sent were $2"
	[ "$(sed -n 's/^all //p' /tmp/watch)" = "$2" ] ||
		fail "the TAP got other frames than $1: $(
			tr '\n' ' ' < /tmp/watch)"
}

# --- checks ---------------------------------------------------------------

# traffic_within MS: a ping from the device is answered in that time
traffic_within() {
	local start end

	start=$(now_ms)
	wait_for "$1" ping_once || fail "no ping answered within $1 ms"
	end=$(now_ms)
	say "first answer after $((end - start)) ms"
}

ping_once() { ping -q -n -c 1 -W 0.2 $host_ip > /dev/null 2>&1; }

# ping_all SIDE ARG...: every ping must be answered
ping_all() {
	local side=$1 out run=''

	shift
	[ "$side" = device ] || run=in_host
	out=$($run ping -q -n "$@" 2>&1) || true
	case $out in
	*' 0% packet loss'*) say "$side: ping $*: $(echo "$out" | tail -n1)" ;;
	*) fail "$side: ping $*: $(echo "$out" | grep -E 'loss|ping:' |
		tail -n1)" ;;
	esac
}

check_macs() {
	local mac

	mac=$(cat "/sys/class/net/$dev_if/address")
	[ "$mac" = $dev_mac ] ||
		fail "the device side has MAC $mac, configured is $dev_mac"
	mac=$(in_host ip -o link show $host_if |
		sed -n 's/.*ether \([0-9a-f:]*\).*/\1/p')
	[ "$mac" = $host_mac ] ||
		fail "the host side has MAC $mac, configured is $host_mac"
}

check_ping() {
	ping_all device -c 20 -i 0.01 $host_ip
	ping_all host -c 20 -i 0.01 $dev_ip
}

check_fragments() {
	ping_all device -c 5 -i 0.1 -s 9000 $host_ip
	ping_all host -c 5 -i 0.1 -s 9000 $dev_ip
}

# check_ipv6: link-local addresses, both ways
check_ipv6() {
	local dev6 host6

	dev6=$(link_local '' "$dev_if")
	host6=$(link_local in_host $host_if)
	ping_all device -6 -c 5 -i 0.1 "$host6%$dev_if"
	ping_all host -6 -c 5 -i 0.1 "$dev6%$host_if"
}

link_local() {
	$1 ip -6 -o addr show dev "$2" scope link |
		sed -n 's,.*inet6 \([^/]*\)/.*,\1,p'
}

listening() { grep -qi " 0A " "$1"; }

# check_tcp [MIB]: 16 MiB each way arrive unchanged
check_tcp() {
	local want

	[ -e /tmp/blob ] || dd if=/dev/urandom of=/tmp/blob bs=1M \
		count="${1:-16}" 2> /dev/null
	want=$(sha256sum < /tmp/blob)
	tcp_copy "$want" 'to device' $dev_ip '' in_host
	tcp_copy "$want" 'to host' $host_ip in_host ''
}

# tcp_copy SUM WORDS ADDRESS RECEIVER SENDER
tcp_copy() {
	local pid start end got

	rm -f /tmp/got
	$4 socat -u -b 65536 TCP-LISTEN:5001,bind=$3,reuseaddr CREATE:/tmp/got &
	pid=$!
	usleep 100000
	start=$(now_ms)
	$5 socat -u -b 65536 OPEN:/tmp/blob TCP:$3:5001 ||
		fail "TCP $2: the sender ended with an error"
	wait_for 30000 gone $pid || fail "TCP $2: not finished after 30 s more"
	end=$(now_ms)
	got=$(sha256sum < /tmp/got)
	[ "$got" = "$1" ] || fail "TCP $2: SHA-256 differs, $(
		wc -c < /tmp/got) of $(wc -c < /tmp/blob) bytes arrived"
	say "TCP $2: $(wc -c < /tmp/got) bytes in $((end - start)) ms"
}

# iperf ARG...: a client on the host against a server on the device; leaves
# iperf's JSON in /tmp/iperf.json
iperf() {
	local pid

	iperf3 -s -1 -B $dev_ip > /tmp/iperf-server 2>&1 &
	pid=$!
	wait_for 2000 listening /proc/net/tcp ||
		fail "iperf3 server does not listen: $(cat /tmp/iperf-server)"
	in_host timeout 40 iperf3 -J -c $dev_ip "$@" > /tmp/iperf.json ||
		fail "iperf3 $*: $(json_text error /tmp/iperf.json | grep . ||
			echo "not finished after 40 s: traffic stalled")"
	wait_for 3000 gone $pid || kill $pid
}

# json_text KEY FILE, json_number KEY FILE [AFTER]: the first value of KEY,
# or the first behind the key AFTER
json_text() {
	sed -n "s/.*\"$1\":[[:space:]]*\"\(.*\)\".*/\1/p" "$2" | head -n1
}

json_number() {
	tr ',{}' '\n\n\n' < "$2" | awk -v key="\"$1\"" -v after="\"${3-}\"" '
		index($0, after) || after == "\"\"" { on = 1 }
		on && index($0, key) { sub(/.*:[ \t]*/, ""); print $0 + 0; exit }'
}

# check_udp MBITS: both ways, at most 1 in 100 lost (1 in 20 in real time: the
# emulated processor is too slow for the bursts)
check_udp() {
	local arg lost most=1

	[ -z "${RIG_REALTIME-}" ] || most=5

	for arg in '' -R; do	# -R: to host
		iperf -u -b "${1:-20}M" -l 1400 -t 1 $arg
		lost=$(json_number lost_percent /tmp/iperf.json sum_received)
		[ -n "$lost" ] ||
			lost=$(json_number lost_percent /tmp/iperf.json sum)
		awk -v l="$lost" -v m=$most 'BEGIN { exit !(l != "" && l < m) }' ||
			fail "UDP ${arg:-to device}: $lost % of the datagrams lost"
		say "UDP ${arg:-to device}: $lost % lost"
	done
}

# damaged_packets BEFORE AFTER: the counters of packets with a wrong header or checksum that
# grew between two copies of /proc/net/snmp and snmp6. (Tcp:InErrs counts repeated SYNs too.)
damaged_packets() {
	awk 'FNR == 1 { sign = -sign }
		$1 !~ /:$/ { value[$1] += sign * $2; next }	# snmp6: a name and its value a line
		$1 == last { for (i = 2; i <= NF; i++) value[$1 name[i]] += sign * $i }
		{ last = $1; split($0, name) }			# snmp: a line of names, one of values
		END { for (n in value) if (value[n] && n ~ damage) printf "%s %d ", n, value[n] }' \
		damage='^(Ip|Tcp|Udp|Icmp)6?:?(InCsumErrors|InErrs|InErrors|InHdrErrors)$' \
		sign=1 "$1" last='' "$2"
}

# snmp SIDE FILE: the counters of one end
snmp() {
	local run=''

	[ "$1" = device ] || run=in_host
	$run cat /proc/net/snmp /proc/net/snmp6 > "$2"
}

# damage_forget: check_no_damage counts from here; it begins at 0
damage_forget() { snmp device /tmp/snmp-device; snmp host /tmp/snmp-host; }

# check_no_damage: no such packet came to either end. Offloads that lie show here first.
check_no_damage() {
	local side bad

	for side in device host; do
		[ -e /tmp/snmp-$side ] || echo Ip6InHdrErrors 0 > /tmp/snmp-$side
		snmp $side /tmp/snmp
		bad=$(damaged_packets /tmp/snmp-$side /tmp/snmp)
		[ -z "$bad" ] || fail "damaged packets came to the $side: $bad"
	done
}

# load_start, load_stop: flood ping both ways, 5 in flight, survives a lost link
# Not through our functions: what is stopped would be the shell that runs them.
load_start() {
	/usr/bin/ping -f -q -l 5 -s 1400 $host_ip > /dev/null 2>&1 &
	load_pids=$!
	nsenter --net=/run/netns/host /usr/bin/ping -f -q -l 5 -s 1400 $dev_ip > /dev/null 2>&1 &
	load_pids="$load_pids $!"
}

load_stop() {
	kill $load_pids 2>/dev/null || true
	wait $load_pids || true
}

kernel_trouble='WARNING:|BUG:|BUG |Oops|KASAN|KFENCE|UBSAN|hung task|blocked for more than|scheduling while atomic|sleeping function called|general protection|unable to handle|Call Trace|soft lockup|stall on CPU|detected stalls|refcount_t|list_add corruption|list_del corruption|waiting for .* to become free|Kernel panic|usercopy|circular locking|Division by zero'

check_kernel_log() {
	local line

	line=$(dmesg | grep -m1 -E "$kernel_trouble") || return 0
	fail "the kernel log has: $line"
}

# check_clean: nothing left behind by a gadget that is down
check_clean() {
	local left

	left=$(ls $configfs 2>/dev/null)
	[ -z "$left" ] || fail "left in configfs: $left"
	left=$(grep -E ' (functionfs|gadgetfs) ' /proc/mounts | cut -d' ' -f2)
	[ -z "$left" ] || fail "left mounted: $left"
	left=$(pidof ncmd || true)
	[ -z "$left" ] || fail "ncmd still runs, process $left"
	[ ! -e /sys/class/net/$name ] || fail "TAP $name still there"
	check_kernel_log
}

# diagnose: what one wants to see after a failure
diagnose() {
	echo "--- kernel log"
	dmesg | tail -n 120
	echo "--- ncmd"
	cat $ncmd_all $ncmd_log 2>/dev/null | tail -n 80
	echo "--- links"
	ip -s addr
	in_host ip -s addr
	echo "--- configfs: $(ls $configfs)"
}

# --- figures --------------------------------------------------------------

# round_trips SIDE COUNT: "mean p50 p99 max" in microseconds, as ping says it. Its
# single times are rounded to 10 us, and where 200 of them fall into the 125 us of the
# bus moves p50 by 1 %; the mean repeats to 0.2 %, so ratios are taken of that.
round_trips() {
	local run='' to=$host_ip

	[ "$1" = device ] || run=in_host to=$dev_ip
	$run ping -c "$2" -i 0.01 $to > /tmp/ping ||
		fail "round trips from the $1: $(tail -n 2 /tmp/ping | head -n 1)"
	sed -n 's/.* time=\([0-9.]*\) ms$/\1/p' /tmp/ping | sort -n |
		awk -v mean="$(sed -n 's|^rtt .* = [^/]*/\([0-9.]*\)/.*|\1|p' /tmp/ping)" '
		{ t[NR] = $1 * 1000 }
		END { printf "%.0f %.0f %.0f %.0f\n", mean * 1000,
			t[int((NR + 1) / 2)], t[int((NR * 99 + 99) / 100)], t[NR] }'
}

# tcp_rate DIRECTION SECONDS: Mbit/s without the first second
tcp_rate() {
	local arg=''

	[ "$1" = to_device ] || arg=-R
	iperf -t "$2" -O 1 $arg
	awk -v b="$(json_number bits_per_second /tmp/iperf.json sum_received)" \
		'BEGIN { printf "%.3f\n", b / 1e6 }'
}

# busy_us: how long the processor has not been idle since boot
busy_us() {
	awk 'NR == 1 { total = $1 * 1e6 } NR > 1 && $1 == "cpu" {
		printf "%.0f\n", total - ($5 + $6) * 1e4 }' /proc/uptime /proc/stat
}

# What runs for a gadget, in us of processor time: ncmd's threads; the kernel's workers
daemon_us() { cat /proc/"$ncmd_pid"/task/*/schedstat | awk '{ s += $1 } END { printf "%.0f", s / 1e3 }'; }
kworker_us() {
	cat $(grep -l '^kworker' /proc/[0-9]*/comm | sed 's/comm$/schedstat/') 2> /dev/null |
		awk '{ s += $1 } END { printf "%.0f", s / 1e3 }'
}

rss_kib() { sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' /proc/$ncmd_pid/status; }

# ncmd's own counters, as JSON in the file named
stats_file=/run/ncmd/$name.stats.json
stats() {
	rm -f $stats_file
	kill -USR1 $ncmd_pid
	wait_for 1000 test -s $stats_file ||
		fail "no $stats_file within 1 s of SIGUSR1"
}
