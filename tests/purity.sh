#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Usage: purity.sh LIBRARY
# Fails if the wire library needs anything but itself, four functions on memory and
# what compilers and sanitizers call on their own: no system call, clock, allocation,
# printing or errno can hide in it.
set -eu

library=$1
nm=${NM:-nm}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$nm" -g --defined-only "$library" >"$work/out"
awk 'NF == 3 { print $3 }' "$work/out" | sort -u >"$work/defined"
[ -s "$work/defined" ] || { echo "purity: $library defines nothing"; exit 1; }
"$nm" -u "$library" >"$work/out"
awk '$1 == "U" || $1 == "w" { print $2 }' "$work/out" | sort -u >"$work/needed"

comm -23 "$work/needed" "$work/defined" | grep -Evx \
	-e '(__)?mem(cpy|move|set|cmp)(_chk)?' \
	-e '__stack_chk_(fail|fail_local|guard)' \
	-e '_GLOBAL_OFFSET_TABLE_' \
	-e '__aeabi_.*' \
	-e '__u?(div|mod|divmod)[sdt]i[34]' \
	-e '__(asan|ubsan|msan|tsan|hwasan|sanitizer|sancov|gcov|llvm)_.*' \
	>"$work/foreign" || true

if [ -s "$work/foreign" ]; then
	echo "purity: the wire library calls out:"
	sed 's/^/	/' "$work/foreign"
	exit 1
fi
# The reader and the writer call crc32_ethernet() in another file, so an empty list
# would mean that nm's output was not understood, not that the library is pure.
[ -s "$work/needed" ] || { echo "purity: $nm -u showed nothing"; exit 1; }
echo "purity: $(wc -l <"$work/defined") functions defined, nothing called outside"
