#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#   many.sh PREFIX WORK GENERATOR CMAKE-ARGUMENT...
# Ten annotated headers, each defined in a source of its own, and an annotated source: what runs again after which edit, and what is
# checked, also in other sources and a library. A stand-in for LibTorch is scanned, and nothing compiled.
set -euo pipefail
prefix=$1 work=$2 generator=$3
shift 3
source=$(dirname "$0")/many
. "$(dirname "$0")/common.sh"

rm -rf "$work"
copy_sources
nets=$work/source/nets
mkdir "$nets"
echo '#pragma once
constexpr int width = 4;' >"$nets/width.h"
for number in 1 2 3 4 5 6 7 8 9 10; do
  size=$number
  include=
  if [ "$number" -le 2 ]; then
    size=width include='#include "width.h"'
  fi
  echo "#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>
$include
struct state$number { torch::Tensor x; };
GRAPHED(x: f32[$size]) void net$number(const torch::Tensor& x);" >"$nets/net$number.h"
  echo "#include \"nets/net$number.h\"
void helper(const torch::Tensor& x);
void net$number(const torch::Tensor& x) { helper(x); }" >"$nets/net$number.cpp"
done
# Defined in a source of the target, which is not scanned for callables, and in a library that the target links.
helper() { # BODY
  echo "#include \"nets/net1.h\"
void far(const torch::Tensor& x);
void helper(const torch::Tensor& x) { $1 }" >"$nets/helper.cpp"
}
far() { # BODY
  echo "#include <torch/torch.h>
void far(const torch::Tensor& x);
void far(const torch::Tensor& x) { $1 }" >"$work/source/far.cpp"
}
helper 'far(x);'
far '(void)x;'
mkdir -p "$work/source/include/shop"
echo '#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>
struct item { torch::Tensor x; };
GRAPHED(x: f32[2]) void model(const torch::Tensor& x);' >"$work/source/include/shop/model.h"
# What own.cpp annotates are types that only generated headers declare, by a shorter name, and by that of the header in its include folder.
echo '#include "net1.graphed.h"
#include "shop/model.graphed.h"
GRAPHED(s: {x: f32[2]}) torch::Tensor own(const state1& s);
GRAPHED(i: {x: f32[2]}) torch::Tensor owned(const item& i);
#include "own.graphed.h"' >"$work/source/own.cpp"

configuration=()
[ "$generator" != "Ninja Multi-Config" ] || configuration=(--config Debug)
scan() {
  build --target scans --parallel 2 "${configuration[@]}"
}
ran() { # STEM...: that graphgen ran for these since the mark, and for no other
  local expected
  expected=$(printf '%s\n' "$@" | sort)
  [ "$(newer '*.stamp' | sed 's,.*/,,' | grep -vx 'callables.stamp\|joined.stamp' | sort)" = "$expected" ] ||
    fail "ran for $(newer '*.stamp' | sed 's,.*/,,' | xargs), not for $(xargs <<<"$expected")"
}
fails_with() { # TEXT: the scan fails and says so
  ! scan >"$work/failed.log" 2>&1 || fail "no error: $1"
  grep -qF "$1" "$work/failed.log" || { cat "$work/failed.log" >&2; fail "it did not say: $1"; }
}

CHECKS='*' WARNINGS='-*' JOIN=
arguments=("$@")
reconfigure() { configure -G "$generator" "-DCHECKS=$CHECKS" "-DWARNINGS_AS_ERRORS=$WARNINGS" "-DJOIN=$JOIN" "${arguments[@]}"; }
reconfigure
scan
[ "$(find "$work/build/graphed" -name 'net*.graphed.cpp' | wc -l)" = 10 ] || fail "not ten sources were written"
mark
scan
ran
none_newer joined.stamp

mark
echo 'constexpr int width = 5;' >"$nets/width.h"
scan
ran net1.graphed.stamp net1.cpp.stamp net2.graphed.stamp net2.cpp.stamp own.graphed.stamp
grep -rqF '[5]' "$work/build/graphed" --include=net1.graphed.json || fail "the edit of width.h did not reach the manifest"

mark
echo 'static const int unused = 0;' >>"$nets/net3.cpp"
scan
ran net3.cpp.stamp

# A body that cannot be captured fails the build, at its place, and only until it is fixed.
cp "$nets/net4.cpp" "$work/right.cpp"
echo '#include "nets/net4.h"
void net4(const torch::Tensor& x) {
  x.item<float>();
}' >"$nets/net4.cpp"
fails_with "nets/net4.cpp:3:5: error: 'item' reads"
fails_with "nets/net4.cpp:3:5: error: 'item' reads"
CHECKS=-graphed-host-item
reconfigure
scan
CHECKS='*'
reconfigure
fails_with "nets/net4.cpp:3:5: error: 'item' reads"
cp "$work/right.cpp" "$nets/net4.cpp"
scan

# So does what a function of another source does, or of a library.
helper 'x.item<float>();'
fails_with "nets/helper.cpp:3:41: error: 'item' reads"
grep -qF "nets/net1.cpp:3:37: note: called from 'net1' here" "$work/failed.log" || fail "no way back to the callable"
helper 'far(x);'
scan
far 'x.cpu();'
fails_with "far.cpp:3:38: error: 'cpu' copies"
grep -qF "nets/helper.cpp:3:39: note: called from 'helper' here" "$work/failed.log" || fail "no way through the other source"
JOIN=NO_JOIN
reconfigure
scan
JOIN=
reconfigure
far '(void)x;'
scan
mark
scan
none_newer joined.stamp '*.kept'

# A warning is none of the build's business, but where it is an error.
echo '#include "nets/net5.h"
extern bool often;
void net5(const torch::Tensor& x) {
  if (often) x.cpu();
}' >"$nets/net5.cpp"
scan 2>&1 | grep -F "nets/net5.cpp:4:16: warning: 'cpu' copies" || fail "no warning"
WARNINGS='graphed-host-*'
reconfigure
fails_with "nets/net5.cpp:4:16: error: 'cpu' copies"
