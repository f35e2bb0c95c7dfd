#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#   ten.sh PREFIX WORK [CMAKE-ARGUMENT...]
# The glue of ten headers, by two jobs: they make one precompiled header, share it, and are the same as without it; then a header that is
# touched regenerates what includes it, and nothing else.
set -euo pipefail
prefix=$1 work=$2
shift 2
source=$(dirname "$0")/ten
. "$(dirname "$0")/common.sh"
export GRAPHGEN_CACHE=$work/cache

copy_sources
rm -rf "$work/build" "$work/cache" "$work/without"
mkdir "$work/cache"
configure -G Ninja "$@"
stamps=()
for number in {0..9}; do
  stamps+=("graphed/nets/net$number.graphed.stamp")
done

glue() { # STAMP...
  ninja -C "$work/build" -j2 "$@" | tee "$work/log"
}

regenerated() {
  { grep -o 'graphgen net[0-9].h' "$work/log" || true; } | sort -u | wc -l
}

# One of each kind: the others differ in numbers alone.
GRAPHGEN_CACHE_SIZE=0 glue "${stamps[0]}" "${stamps[1]}"
[ -z "$(find "$work/cache" -name '*.pch')" ] || fail "a precompiled header was made where none is kept"
cp -r "$work/build/graphed" "$work/without"
rm -rf "$work/build/graphed"
glue "${stamps[@]}"
[ "$(regenerated)" = 10 ] || fail "not all were made anew"
[ "$(find "$work/cache" -name '*.pch' | wc -l)" = 1 ] || fail "the ten share no precompiled header: $(find "$work/cache" -name '*.pch')"
for file in net0.graphed.h net0.graphed.cpp net1.graphed.h net1.graphed.cpp; do
  cmp "$(find "$work/without" -name $file)" "$(find "$work/build/graphed" -name $file)" || fail "precompiled headers make a difference"
done

glue "${stamps[@]}"
grep -q 'no work to do' "$work/log" || fail "a second build ran something"
sleep 1.1
touch "$work/source/sizes.h"
glue "${stamps[@]}"
[ "$(regenerated)" = 5 ] || fail "sizes.h regenerated $(regenerated) of the 5 headers that include it"
touch "$work/source/net3.h"
glue "${stamps[@]}"
[ "$(regenerated)" = 1 ] || fail "net3.h regenerated more than itself"
rm -rf "$work/cache"
glue "${stamps[@]}"
grep -q 'no work to do' "$work/log" || fail "a build without the cache ran something"
