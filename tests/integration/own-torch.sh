#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#   own-torch.sh PREFIX WORK TORCH
# find_package(Torch) and ${TORCH_LIBRARIES} of a project's own, before and after find_package(graphgen): built, without a warning of the run
# path, and run. ${TORCH_LIBRARIES} alone is warned of, another LibTorch is an error.
set -euo pipefail
prefix=$1 work=$2 torch=$3
source=$(dirname "$0")/own-torch
. "$(dirname "$0")/common.sh"
copy_sources
cp "$(dirname "$0")"/ways/{main.cpp,policy.h} "$work/source/"

configured() { # ORDER CMAKE-ARGUMENT...
  configure -G Ninja -DORDER="$1" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 "${@:2}" >"$work/$1.log" 2>&1
}
says() { # ORDER TEXT
  tr -s ' \n' ' ' <"$work/$1.log" | grep -qF -- "$2" || { cat "$work/$1.log" >&2; fail "$1 did not say: $2"; }
}

rm -rf "$work/build"
configured dropped || { cat "$work/dropped.log" >&2; fail "a library torch, which may be there, is refused"; }
says dropped "add_graphed_target: app links torch, which is not a target here"
! configured other || fail "two LibTorches in one program were accepted"
says other "find_package(Torch) found $work/source, and find_package(graphgen) $(realpath "$torch")"

# TorchConfig.cmake of a CUDA build needs a CUDA toolkit of its version.
rm -rf "$work/build"
export TORCH_CUDA_ARCH_LIST=9.0
if ! configured before "-DTorch_DIR=$torch/share/cmake/Torch"; then
  grep -qE 'TorchConfig.cmake|Caffe2' "$work/before.log" || { cat "$work/before.log" >&2; fail "it failed, and not in LibTorch's own files"; }
  echo "SKIPPED: LibTorch's own TorchConfig.cmake cannot be loaded on this machine:"
  grep -A3 'CMake Error' "$work/before.log"
  exit 77
fi
for order in before after; do
  configured $order "-DTorch_DIR=$torch/share/cmake/Torch" || { cat "$work/$order.log" >&2; fail "$order does not work"; }
  ! grep -F 'safe runtime search path' "$work/$order.log" || fail "$order: a warning of the run path"
  build
  prints "$work/build/app" "policy: equal, "
done
