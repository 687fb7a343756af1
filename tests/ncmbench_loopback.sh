#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Usage: ncmbench_loopback.sh NCMBENCH
# Every command of ncmbench against servers on the loopback interface, and what it says
# when there are none. 77 (skipped) without iperf3, python3 or the right to ping.
set -eu

ncmbench=$1
work=$(mktemp -d)
servers=''
trap 'kill $servers 2>/dev/null; rm -rf "$work"' EXIT

for program in iperf3 python3; do
	command -v $program > /dev/null || { echo "skipped: no $program here"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "skipped: ICMP sockets need root"; exit 77; }

bad() { echo "not as expected: $*"; cat "$work/out" "$work/err"; exit 1; }

# run COMMAND...: must succeed; its JSON is in $work/out
run() {
	"$ncmbench" "$@" --json > "$work/out" 2> "$work/err" || bad "$* ends with status $?"
}

# holds EXPRESSION: about r, the JSON
holds() {
	python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
sys.exit(not eval(sys.argv[2]))' "$work/out" "$1" || bad "$1"
}

# fails STATUS PATTERN COMMAND...
fails() {
	wanted=$1 pattern=$2 status=0
	shift 2
	"$ncmbench" "$@" > "$work/out" 2> "$work/err" || status=$?
	[ $status = "$wanted" ] || bad "$* ends with status $status, not $wanted"
	grep -q "$pattern" "$work/err" || bad "$*: the message lacks \"$pattern\""
}

# A port nobody listens on: free twice over is unlikely to be taken in between.
free_port() {
	python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])'
}

head -c 263168 /dev/urandom > "$work/blob"
tcp_port=$(free_port)
iperf3 -s -B 127.0.0.1 -p "$tcp_port" > "$work/iperf3" 2>&1 &
servers="$servers $!"
http_port=$(free_port)
python3 -m http.server -b 127.0.0.1 -d "$work" "$http_port" > "$work/http" 2>&1 &
servers="$servers $!"
for _ in 1 2 3 4 5 6 7 8 9 10; do
	"$ncmbench" http "http://127.0.0.1:$http_port/blob" > "$work/out" 2>&1 && break
	sleep 0.5
done

run rtt 127.0.0.1 -c 2000 -i 0.2
holds 'r["sent"] == r["received"] == 2000 and r["lost"] == 0 and r["duplicates"] == 0'
holds '0 < r["rtt_us"]["min"] <= r["rtt_us"]["p50"] <= r["rtt_us"]["p99"] <= r["rtt_us"]["max"]'
holds 'sum(n for _, n in r["histogram_us"]) == 2000'
run rtt 127.0.0.1 -c 3 -s 60000 -I lo
holds 'r["received"] == 3'
if [ -e /proc/net/if_inet6 ] && grep -q '^0*1 ' /proc/net/if_inet6; then
	run rtt ::1 -c 20 -i 1
	holds 'r["received"] == 20'
fi

# A peer behind a TUN device that of every four requests answers one, none, one twice, and
# one only behind the next.
if [ -c /dev/net/tun ] && unshare -n true; then
	cat > "$work/lossy.py" <<-'END'
		import fcntl, os, struct, subprocess, sys

		tun = os.open("/dev/net/tun", os.O_RDWR)
		fcntl.ioctl(tun, 0x400454CA, struct.pack("16sH22x", b"lossy0", 0x1001))
		os.system("ip addr add 192.0.2.1/24 dev lossy0; ip link set lossy0 up")
		client = subprocess.Popen(sys.argv[1:])
		held = []
		peer = os.fork()
		if peer == 0:
		    while True:
		        p = bytearray(os.read(tun, 2048))
		        if p[0] >> 4 != 4 or p[9] != 1 or p[20] != 8:
		            continue
		        p[12:20] = p[16:20] + p[12:16]
		        p[20] = 0
		        checksum = (p[22] << 8 | p[23]) + 0x0800
		        p[22:24] = struct.pack("!H", (checksum & 0xFFFF) + (checksum >> 16))
		        number = p[27] % 4
		        if number == 3:
		            held.append(p)
		            continue
		        for answer in [[p], [], [p, p]][number] + held:
		            os.write(tun, answer)
		        held = []
		status = client.wait()
		os.kill(peer, 9)
		sys.exit(status)
	END
	unshare -n python3 "$work/lossy.py" "$ncmbench" rtt 192.0.2.2 -c 101 -i 2 --json -W 200 \
		> "$work/out" 2> "$work/err" || bad "the lossy peer: status $?"
	holds 'r["sent"] == 101 and r["received"] == 76 and r["lost"] == 25 and r["duplicates"] == 25'
	holds 'r["rtt_us"]["max"] > 900 and r["refused"] == 0'
fi

run tcp 127.0.0.1 -p "$tcp_port" -t 1 -O 0
holds 'r["bytes"] > 1e6 and r["mbps"] > 8 and r["stalls"] == 0 and r["direction"] == "to_peer"'
holds 'r["retransmits"] >= 0 and 0 < r["processor"]["busy_us"] <= r["processor"]["elapsed_us"] * r["processor"]["processors"]'
run tcp 127.0.0.1 -p "$tcp_port" -t 1 -O 1 -R -b 40M
holds '35 < r["mbps"] < 45 and r["all_bytes"] > r["bytes"] * 1.5 and r["direction"] == "from_peer"'

run http "http://127.0.0.1:$http_port/blob"
holds 'r["status"] == 200 and r["bytes"] == 263168'
holds '0 < r["connect_us"] <= r["first_byte_us"] <= r["total_us"]'

run mixed 127.0.0.1 -p "$tcp_port" -t 1 -O 0 -i 5
holds 'r["rtt"]["received"] > 50 and r["rtt"]["lost"] == 0 and r["tcp"]["mbps"] > 8'

fails 1 'status 404' http "http://127.0.0.1:$http_port/none"
fails 1 'cannot connect' http "http://127.0.0.1:$(free_port)/"
fails 1 'Connection refused.*iperf3 -s' tcp 127.0.0.1 -p "$(free_port)" -t 1
fails 1 'Connection refused.*iperf3 -s' mixed 127.0.0.1 -p "$(free_port)" -t 1
fails 1 'cannot bind to interface' rtt 127.0.0.1 -I none0
fails 1 'cannot find the address' rtt fe80::1%none0
fails 2 'no option -c' tcp 127.0.0.1 -c 1
fails 2 'exactly one PEER' rtt
"$ncmbench" tcp 127.0.0.1 -p "$(free_port)" -t 1 --json > "$work/out" 2> "$work/err" && bad "no failure"
holds '"refused" in r["error"]'
echo "all well"
