#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#   ten.sh PREFIX WORK [CMAKE-ARGUMENT...]
# The glue of ten headers, by two jobs: with the cache of precompiled headers cold it takes no longer than without precompiled headers, and
# gives the same files; then a header that is touched regenerates what includes it, and nothing else.
set -euo pipefail
prefix=$1 work=$2
shift 2
source=$(dirname "$0")/ten
. "$(dirname "$0")/common.sh"
export GRAPHGEN_CACHE=$work/cache

copy_sources
rm -rf "$work/build" "$work/cache" "$work/plain"
configure -G Ninja "$@"
stamps=()
for number in {0..9}; do
  stamps+=("graphed/nets/net$number.graphed.stamp")
done

glue() {
  ninja -C "$work/build" -j2 "${stamps[@]}" | tee "$work/log"
}

regenerated() {
  { grep -o 'graphgen net[0-9].h' "$work/log" || true; } | sort -u | wc -l
}

seconds() {
  local begin=$EPOCHREALTIME
  "$@" >&2
  echo "$EPOCHREALTIME $begin" | awk '{print $1 - $2}'
}

export GRAPHGEN_CACHE_SIZE=0
without=$(seconds glue)
cp -r "$work/build/graphed" "$work/plain"
rm -rf "$work/build/graphed"
unset GRAPHGEN_CACHE_SIZE
cold=$(seconds glue)
[ "$(regenerated)" = 10 ] || fail "not all were made anew"
diff -r "$work/plain" "$work/build/graphed" || fail "precompiled headers make a difference"
echo "ten headers by two jobs: $cold s with the cache cold, $without s without precompiled headers"
awk "BEGIN { exit !($cold <= $without) }" || fail "the cold cache is slower"

glue
grep -q 'no work to do' "$work/log" || fail "a second build ran something"
sleep 1.1
touch "$work/source/sizes.h"
glue
[ "$(regenerated)" = 5 ] || fail "sizes.h regenerated $(regenerated) of the 5 headers that include it"
touch "$work/source/net3.h"
glue
[ "$(regenerated)" = 1 ] || fail "net3.h regenerated more than itself"
rm -rf "$work/cache"
glue
grep -q 'no work to do' "$work/log" || fail "a build without the cache ran something"
