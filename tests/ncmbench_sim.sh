#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Usage: ncmbench_sim.sh NCMBENCH
# The command line of "ncmbench sim": the same bytes twice, JSON, and clear errors.
set -eu

ncmbench=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
	echo "ncmbench_sim: $*"
	exit 1
}

# expect STATUS TEXT ARGUMENT...: the status, and the text on standard error
expect() {
	wanted=$1 text=$2
	shift 2
	status=0
	"$ncmbench" sim "$@" >"$work/out" 2>"$work/err" || status=$?
	[ "$status" -eq "$wanted" ] || fail "sim $*: status $status instead of $wanted"
	grep -q -- "$text" "$work/err" || fail "sim $*: no \"$text\" in: $(cat "$work/err")"
}

"$ncmbench" sim --json >"$work/a.json"
"$ncmbench" sim --json >"$work/b.json"
cmp "$work/a.json" "$work/b.json" || fail "two runs differ"
[ "$("$ncmbench" sim --list | wc -l)" -eq 5 ] || fail "--list does not name five scenarios"
"$ncmbench" sim ohci-unlink | grep -q '1\.984 .* ms' || fail "no table"
if "$ncmbench" sim | grep -q 'outside its bound'; then
	fail "a figure is outside its bound"
fi

# A file is what --print printed, and runs like the one that is built in.
"$ncmbench" sim --print ohci-unlink >"$work/own.conf"
"$ncmbench" sim "$work/own.conf" >"$work/own"
"$ncmbench" sim ohci-unlink | cmp - "$work/own" || fail "--print and back differs"

printf 'name = "x"; title = "y"; base = { speed = "warp"; };\n' >"$work/bad.conf"
expect 1 'bad.conf: line 1: speed has to be one of' "$work/bad.conf"
expect 1 'cannot read it: No such file' "$work/none.conf"
expect 1 'cannot read it: Is a directory' "$work/"
printf 'a\0b' >"$work/zero.conf"
expect 1 'it is no text' "$work/zero.conf"
head -c 1100000 /dev/zero | tr '\0' '#' >"$work/long.conf"
expect 1 'longer than 1 MiB' "$work/long.conf"
expect 1 'no such scenario' nosuch
expect 2 'no option --fast' --fast
expect 1 'no such scenario' nosuch --json
grep -q '"error":"there is no such scenario' "$work/out" || fail "no error in the JSON"

command -v python3 >/dev/null || exit 0
python3 - "$work/a.json" <<'EOF'
import json, sys
scenarios = json.load(open(sys.argv[1]))
assert [s["scenario"] for s in scenarios] == [
    "nuttx-19469", "esp-ntb", "pic32-rings", "ohci-unlink"]
for s in scenarios:
    assert s["rows"] and s["notes"]
    for r in s["rows"]:
        assert {"figure", "unit", "reported", "model", "error"} <= r.keys()
        # six digits are printed
        assert abs(r["model"] / r["reported"] - 1 - r["error"]) < 1e-5, r
        assert abs(r["error"]) <= r["bound"], r
EOF
