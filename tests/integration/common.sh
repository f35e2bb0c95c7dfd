# SPDX-License-Identifier: Apache-2.0
#
# What the consumer tests share; they source it with $prefix, $work and $source set. The work folder is kept from run to run: what has not
# changed since is not built again.

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# Copies the consumer's sources, leaving the time of those that are the same.
copy_sources() {
  local file
  mkdir -p "$work/source"
  (cd "$source" && find . -type f) | while read -r file; do
    mkdir -p "$work/source/$(dirname "$file")"
    [ "$file" = ./nets/sizes.h ] || cmp -s "$source/$file" "$work/source/$file" || cp "$source/$file" "$work/source/$file"
  done
}

# A build of an earlier version of the test with another compiler is made again: CMake would forget all other variables.
configure() {
  local compiler
  compiler=$(printf '%s\n' "$@" | grep CMAKE_CXX_COMPILER || true)
  [ "$compiler" = "$(cat "$work/compiler" 2>/dev/null || true)" ] || rm -rf "$work/build"
  echo "$compiler" >"$work/compiler"
  cmake -S "$work/source" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" "$@"
}

build() {
  cmake --build "$work/build" "$@"
}

# Time must pass for a file to be newer than the mark.
mark() {
  sleep 1.1
  touch "$work/mark"
}

# newer PATTERN: the files of the build tree that were written since the mark.
newer() {
  find "$work/build" -name "$1" -newer "$work/mark"
}

none_newer() {
  local pattern
  for pattern in "$@"; do
    [ -z "$(newer "$pattern")" ] || fail "written though nothing called for it: $(newer "$pattern")"
  done
}

some_newer() {
  [ -n "$(newer "$1")" ] || fail "not written: $1"
}

second_build_runs_nothing() {
  mark
  build "$@" >"$work/second.log"
  none_newer '*.o' '*.stamp' '*.graphed.*' 'lib*.a' 'lib*.so' 'app'
  ! grep -E 'Building|Linking|graphgen|\[[0-9]+/[0-9]+\]' "$work/second.log" || fail "a second build ran something"
}

prints() { # PROGRAM TEXT
  "$1" | tee "$work/output"
  grep -qF "$2" "$work/output" || fail "$1 did not print: $2"
}
