#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#   program.sh GRAPHGEN PAGE WORK COMPILER...
# The first C++ block of PAGE is a program, and its first line names its file, "// train.cpp". GRAPHGEN takes it without a word, and COMPILER,
# a command with flags, what it has written.
set -euo pipefail
graphgen=$1 page=$2 work=$3
shift 3
compiler=("$@")
rm -rf "$work"
mkdir -p "$work"
cd "$work"
awk '/^```cpp$/ { inside = 1; next } inside && /^```$/ { exit } inside' "$page" > block
file=$(sed -n '1s|^// \([a-z_]*\.cpp\)$|\1|p' block)
[ -n "$file" ] || { echo "FAILED: the first block of $page names no file" >&2 && exit 1; }
mv block "$file"
grep -q '^int main() {$' "$file" || { echo "FAILED: $page: $file has no main()" >&2 && exit 1; }
said=$("$graphgen" "$file" -- "${compiler[@]:1}" 2>&1)
[ -z "$said" ] || { echo "FAILED: of $file of $page graphgen says: $said" >&2 && exit 1; }
"${compiler[@]}" -Wall -Wextra -Werror -fsyntax-only -I. "$file"
