#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#   executable.sh PREFIX WORK GENERATOR
# A program to which add_graphed_target adds code generated from a header in a folder and from its own source.
set -euo pipefail
prefix=$1 work=$2 generator=$3
source=$(dirname "$0")/executable
. "$(dirname "$0")/common.sh"

copy_sources
configure -G "$generator"
build
prints "$work/build/app" "policy of 4 rows, 3 calls; scaled, 3 calls"
[ -f "$work/build/graphed/app/nets/policy.graphed.json" ] || fail "no manifest at the input's relative path"
second_build_runs_nothing

# The generator runs again, writes the same, and nothing is compiled.
rm "$work/build/graphed/app/nets/policy.graphed.stamp"
mark
build
some_newer policy.graphed.stamp
none_newer '*.o' 'main.graphed.stamp' 'policy.graphed.h' 'policy.graphed.cpp' app

# So it does after an edit of a header that the input includes, with another result.
before=$(cksum <"$work/build/graphed/app/nets/policy.graphed.cpp")
mark
sed 's/rows = 4/rows = 5/' "$source/nets/sizes.h" >"$work/source/nets/sizes.h"
build
some_newer policy.graphed.stamp
[ "$before" != "$(cksum <"$work/build/graphed/app/nets/policy.graphed.cpp")" ] || fail "the edit of sizes.h did not reach the generated code"
prints "$work/build/app" "policy of 5 rows, 3 calls; scaled, 3 calls"
second_build_runs_nothing
