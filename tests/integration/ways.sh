#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#   ways.sh PREFIX WORK CHECKOUT GRAPHGEN TORCH TOOLS
# The ways to graphgen without an installed one: a wheel, whose runtime is built or is built in the user's project, FetchContent and
# add_subdirectory. GRAPHGEN, which is built, is what the wheel has and what generates for the others; TOOLS holds a pip and scikit-build-core. The
# wheel's built runtime is PREFIX's. The runtime is compiled once: the folder that the wheel installed becomes a checkout for the other ways, which find
# nothing of it to compile again.
set -euo pipefail
prefix=$1 work=$2 checkout=$3 graphgen=$4 torch=$5 tools=$6
source=$(dirname "$0")/ways
. "$(dirname "$0")/common.sh"
unset CMAKE_GENERATOR # scikit-build-core takes one without a name for Make

copy_sources
rm -rf "$work/venv" "$work/wheel" "$work/refused" "$work/default"
library=$(find "$prefix/lib" -name 'libgraphed.so.*.*.*')
kind=cpu
! readelf --dynamic "$library" | grep -q 'NEEDED.*libtorch_cuda' || kind=cuda13
version=$(sed -nE 's/.*define TORCH_VERSION_(MAJOR|MINOR|PATCH) ([0-9]+)$/\2/p' "$torch/include/torch/headeronly/version.h" | paste -sd.)
rm -rf "$work/runtimes"
mkdir -p "$work/runtimes/torch-$version-$kind"
cp "$library" "$work/runtimes/torch-$version-$kind/$(basename "${library%.*}")"
(cd "$checkout" && "$tools/pip" wheel . --quiet --no-deps --no-build-isolation --wheel-dir "$work/wheel" --config-settings="build-dir=$work/wheel-build" \
  --config-settings=cmake.define.GRAPHGEN_BUILT_RUNTIMES="$work/runtimes" --config-settings=cmake.define.GRAPHED_BUILD_GENERATOR=OFF --config-settings="cmake.define.GRAPHGEN_EXECUTABLE=$graphgen")
python3 -m venv --without-pip "$work/venv"
"$tools/pip" --python "$work/venv/bin/python" install --quiet --no-deps --no-index "$work"/wheel/graphgen-*-py3-none-*.whl
[ "$("$work/venv/bin/graphgen" --version)" = "$("$graphgen" --version)" ] || fail "the environment's graphgen is another one"
package=$("$work/venv/bin/python" -m graphgen --cmake-dir)
site=$(realpath "$package/../../../..")
installed=$site/graphgen/share/graphgen
# pip gives files a new time; what is the same must not be compiled again.
diff -r "$checkout/runtime" "$installed/runtime" || fail "the wheel has another runtime"
cp -rp "$checkout/runtime" "$installed/"
"$tools/python3" -B "$checkout/tests/docs/links.py" "$site/graphgen/share/doc/graphgen"

# A cache folder that is empty: no other LibTorch can be found than the one that the test names.
configure_as() { # WAY CMAKE-ARGUMENT...
  GRAPHGEN_CACHE=$work/empty cmake -S "$work/source" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 \
    -DCMAKE_CUDA_ARCHITECTURES=90 "-DWAY=$1" "${@:2}" >"$work/$1.log" 2>&1 || { cat "$work/$1.log" >&2; return 1; }
  grep '^-- has ' "$work/$1.log" | diff - "$source/unchanged.txt" || fail "$1: graphgen changed variables of the project"
}
runs() {
  rm -rf "$work/build/app" "$work/build/graphed/app"
  build --target app
  prints "$work/build/app" "policy: equal, "
}

! GRAPHGEN_CACHE=$work/empty cmake -S "$work/source" -B "$work/refused" -G Ninja -DWAY=package "-Dgraphgen_DIR=$package" >"$work/refused.log" 2>&1 ||
  fail "it found a LibTorch where there is none"
tr -s ' \n' ' ' <"$work/refused.log" | grep -qF "graphgen: no LibTorch found" || { cat "$work/refused.log" >&2; fail "not that there is no LibTorch"; }
ln -s "$torch" "$site/torch"
# With the wheel's own runtime nothing of it is compiled.
with_built() { # CMAKE-ARGUMENT...
  GRAPHGEN_CACHE=$work/empty cmake -S "$work/source" -B "$work/built" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DWAY=package \
    "-Dgraphgen_DIR=$package" "$@" >"$work/built.log" 2>&1 || { cat "$work/built.log" >&2; fail "it cannot be configured with the wheel's runtime"; }
}
rm -rf "$work/built"
without_cuda=() # LibTorch may link CUDA where no toolkit has built the runtime with it
[ "$kind" != cpu ] || without_cuda=(-DGRAPHED_CUDA=OFF)
with_built "${without_cuda[@]}"
grep -qF "graphgen: the package's runtime for LibTorch $version ($kind)" "$work/built.log" || fail "the wheel's runtime was not taken"
cmake --build "$work/built" --target app
prints "$work/built/app" "policy: equal, "
[ -z "$(find "$work/built" -name 'unity_*.o')" ] || fail "the runtime is compiled though the wheel has it"
if [ "$kind" != cpu ]; then
  with_built -DGRAPHED_CUDA=OFF
  grep -qF "has none for LibTorch $version (cpu)" "$work/built.log" || fail "a runtime with CUDA was taken for a project without"
fi

configure_as package "-Dgraphgen_DIR=$package" -DGRAPHGEN_RUNTIME_FROM_SOURCE=ON
runs
says_pages_are_in() { # FOLDER
  [ -f "$1/explanation/guards.md" ] || fail "no documentation in $1"
  find "$work/build" -name 'libgraphed.so.*.*.*' -exec grep -qaF "$1" {} + || fail "the runtime's messages do not lead to $1"
}
says_pages_are_in "$site/graphgen/share/doc/graphgen/docs"

# The runtime's files are those of the wheel: an edit there would be compiled.
rm "$installed/CMakeLists.txt"
cp "$checkout/CMakeLists.txt" "$installed/"
ln -s "$checkout"/{generator,templates,docs} "$installed/"
from_source=("-DGRAPHGEN_SOURCE=$installed" -DGRAPHED_BUILD_GENERATOR=OFF "-DGRAPHGEN_EXECUTABLE=$graphgen" "-DTorch_DIR=$torch")
for way in fetch folder; do
  mark
  configure_as $way "${from_source[@]}"
  runs
  none_newer 'unity_*.o'
  says_pages_are_in "$installed/docs"
done
cmake --install "$work/build" --prefix "$work/default"
[ "$(find "$work/default" -type f)" = "$work/default/bin/app" ] || fail "graphgen installs itself with the project: $(find "$work/default")"

# As a user has it, without a build type and with the generator: it is a target of the project, which graphed code waits for.
GRAPHGEN_CACHE=$work/empty cmake -S "$work/source" -B "$work/default" -G Ninja -DWAY=folder "-DGRAPHGEN_SOURCE=$checkout" \
  "-DTorch_DIR=$torch" >"$work/default.log" 2>&1 || { cat "$work/default.log" >&2; fail "it cannot be configured with the generator"; }
ninja -C "$work/default" -n app >"$work/steps.log"
for step in 'Linking CXX executable .*/graphgen$' 'Linking CXX shared library .*/libgraphed.so' 'graphgen policy.h$' 'Linking CXX executable app$'; do
  grep -qE "$step" "$work/steps.log" || fail "not a step of the build: $step"
done
ninja -C "$work/default" -t commands app | grep -E 'graphed.dir/.*\.o ' | grep -vE -- '-O3 ' && fail "the runtime is compiled without optimization"
exit 0
