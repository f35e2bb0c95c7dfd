#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#   executable.sh PREFIX WORK GENERATOR CMAKE-ARGUMENT...
# A program to which add_graphed_target adds code generated from a header in a folder and from its own source.
set -euo pipefail
prefix=$1 work=$2 generator=$3
shift 3
source=$(dirname "$0")/executable
. "$(dirname "$0")/common.sh"

copy_sources
# The size that the last run left is kept, so that only what an edit of it reaches is compiled again.
sizes=$work/source/nets/sizes.h
rows=$(sed -n 's/.*rows = \([0-9]\);/\1/p' "$work/sizes.h" 2>/dev/null || echo 4)
write_sizes() {
  sed "s/rows = [0-9];/rows = $rows;/" "$source/nets/sizes.h" >"$work/sizes.h"
  cmp -s "$work/sizes.h" "$sizes" || cp "$work/sizes.h" "$sizes"
}
write_sizes

configure -G "$generator" "$@"
build
prints "$work/build/app" "policy of $rows rows, 3 calls; scaled, 3 calls"
[ -f "$work/build/graphed/app/nets/policy.graphed.json" ] || fail "no manifest at the input's relative path"
second_build_runs_nothing

# The generator runs again, writes the same, and nothing is compiled.
rm "$work/build/graphed/app/nets/policy.graphed.stamp"
mark
build
some_newer policy.graphed.stamp
none_newer '*.o' 'main.graphed.stamp' 'policy.graphed.h' 'policy.graphed.cpp' app

# It runs after an edit of a header that the input includes, and what it wrote is compiled.
before=$(cksum <"$work/build/graphed/app/nets/policy.graphed.cpp")
mark
rows=$((9 - rows))
write_sizes
build
some_newer policy.graphed.stamp
[ "$before" != "$(cksum <"$work/build/graphed/app/nets/policy.graphed.cpp")" ] || fail "the edit of sizes.h did not reach the generated code"
prints "$work/build/app" "policy of $rows rows, 3 calls; scaled, 3 calls"
second_build_runs_nothing
