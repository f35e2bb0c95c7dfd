#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#   components.sh PREFIX WORK BUILD TORCH WITH_CUDA
# What find_package(graphgen) finds: by components, from the build tree, with a generator of another path, with an unpacked libtorch.
set -euo pipefail
prefix=$1 work=$2 build_tree=$3 torch=$4 with_cuda=$5
source=$(dirname "$0")/components
. "$(dirname "$0")/common.sh"

rm -rf "$work"
copy_sources
for component in runtime generator; do
  cmake --install "$build_tree" --prefix "$work/$component" --component "$component" >/dev/null
done

configured() { # NAME CMAKE-ARGUMENT...
  rm -rf "$work/build"
  cmake -S "$work/source" -B "$work/build" -G Ninja "${@:2}" >"$work/$1.log" 2>&1
}
has() { # TARGETS NAME CMAKE-ARGUMENT...: these, and no others
  configured "${@:2}" || { cat "$work/$2.log" >&2; fail "$2 was not found"; }
  [ "$(sed -n 's/^-- has //p' "$work/$2.log" | xargs)" = "$1" ] || fail "$2 has not $1 but $(sed -n 's/^-- has //p' "$work/$2.log" | xargs)"
}
refuses() { # TEXT NAME CMAKE-ARGUMENT...
  ! configured "${@:2}" || fail "$2 was found"
  # CMake breaks the lines of a message.
  tr -s ' \n' ' ' <"$work/$2.log" | grep -qF -- "$1" || { cat "$work/$2.log" >&2; fail "$2 did not say: $1"; }
}

all="graphed::graphed graphed::torch graphgen::graphgen"
has "$all" installed -DCMAKE_PREFIX_PATH="$prefix"
has "$all" build-tree -Dgraphgen_DIR="$build_tree/cmake"
has "$all" both -DCMAKE_PREFIX_PATH="$prefix" "-DCOMPONENTS=generator;runtime"
has "graphed::graphed graphed::torch" runtime -DCMAKE_PREFIX_PATH="$work/runtime"
has "graphgen::graphgen" generator -DCMAKE_PREFIX_PATH="$work/generator" -DCOMPONENTS=generator
refuses "no generator: the generator was not installed here: name one by GRAPHGEN_EXECUTABLE" no-generator \
  -DCMAKE_PREFIX_PATH="$work/runtime" -DCOMPONENTS=generator
refuses "no runtime: the runtime was not installed here" no-runtime -DCMAKE_PREFIX_PATH="$work/generator"
refuses "It has no component tests: they are generator and runtime" unknown -DCMAKE_PREFIX_PATH="$prefix" -DCOMPONENTS=tests

# A generator from elsewhere, as to cross-compile; it must be one of the runtime's version.
cp -r "$work/generator" "$work/elsewhere"
has "$all" elsewhere -DCMAKE_PREFIX_PATH="$work/runtime" -DGRAPHGEN_EXECUTABLE="$work/elsewhere/bin/graphgen"
GRAPHGEN_EXECUTABLE=$work/elsewhere/bin/graphgen has "$all" environment -DCMAKE_PREFIX_PATH="$work/runtime"
cross=(-DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64)
refuses "the package's graphgen is for the machine that is built for: name one for this machine by GRAPHGEN_EXECUTABLE" cross \
  "${cross[@]}" -DCOMPONENTS=generator
has "$all" cross-generator "${cross[@]}" -DGRAPHGEN_EXECUTABLE="$work/elsewhere/bin/graphgen" -DSTAND_IN="$source/../../generator/lit/Inputs"
cmake --build "$work/build" --target scans
[ -f "$work/build/graphed/app/nets.graphed.json" ] || fail "the generator from elsewhere did not run"
refuses "is not a graphgen that can be run here" not-there -DCMAKE_PREFIX_PATH="$prefix" -DGRAPHGEN_EXECUTABLE="$work/nothing"
printf '#!/bin/sh\necho "graphgen 9.8.7 (Clang 22)"\n' >"$work/other-version"
chmod +x "$work/other-version"
refuses "is version 9.8.7, the runtime's is" other-version -DCMAKE_PREFIX_PATH="$prefix" -DGRAPHGEN_EXECUTABLE="$work/other-version"

# The layout of the unpacked libtorch, with what it needs of CUDA beside it.
unpacked=$work/unpacked/libtorch
mkdir -p "$unpacked/lib" "$unpacked/share/cmake/Torch"
ln -s "$torch/include" "$unpacked/include"
ln -s "$torch"/lib/* "$unpacked/lib/"
find "$torch/.." -path '*/nvidia/*/lib/*.so.*' -exec ln -s {} "$unpacked/lib/" \; 2>/dev/null
has "$all" unpacked -DCMAKE_PREFIX_PATH="$prefix;$unpacked"
cmake --build "$work/build" --target nothing
"$work/build/nothing"
[ "$(ldd "$work/build/nothing" | grep -cE "lib(torch_cpu|c10).so => $unpacked/lib")" = 2 ] || fail "it does not load the unpacked libtorch"
! ldd "$work/build/nothing" | grep -E 'lib(torch|c10)[a-z_]*\.so' | grep -vF "$unpacked/lib" || fail "it loads another LibTorch as well"
has "$all" by-torch-dir -DCMAKE_PREFIX_PATH="$prefix" -DTorch_DIR="$unpacked/share/cmake/Torch"
grep -qE "LibTorch [0-9.]+: $unpacked" "$work/by-torch-dir.log" || fail "Torch_DIR was not taken"
has "$all" torch-not-found -DCMAKE_PREFIX_PATH="$prefix" -DTorch_DIR=Torch_DIR-NOTFOUND
refuses "Torch_DIR names no LibTorch: $work/nowhere has neither" no-torch-dir -DCMAKE_PREFIX_PATH="$prefix" -DTorch_DIR="$work/nowhere"
Torch_ROOT=$work refuses "the environment variable Torch_ROOT names no LibTorch: $work has neither" no-torch-root -DCMAKE_PREFIX_PATH="$prefix"

if [ "$with_cuda" = ON ] || [ "$with_cuda" = TRUE ]; then
  # To build against a wheel takes no CUDA toolkit; a runtime with CUDA takes a LibTorch with CUDA.
  has "$all" no-toolkit -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON
  rm "$unpacked/lib/libtorch_cuda.so"
  refuses "no runtime: it was built with CUDA, $unpacked is for the CPU only" cpu-torch -DCMAKE_PREFIX_PATH="$prefix;$unpacked"
fi
rm "$unpacked/include"
mkdir -p "$unpacked/include/ATen" "$unpacked/include/torch/headeronly"
touch "$unpacked/include/ATen/ATen.h" "$unpacked/lib/libtorch_cuda.so"
printf '#define TORCH_VERSION_%s\n' 'MAJOR 99' 'MINOR 12' 'PATCH 0' >"$unpacked/include/torch/headeronly/version.h"
refuses "$unpacked is version 99.12.0" other-torch -DCMAKE_PREFIX_PATH="$prefix;$unpacked"
