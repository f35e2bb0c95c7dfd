#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#   program.sh GRAPHGEN PAGE FILE WORK COMPILER...
# Writes the C++ block of PAGE whose first line is "// FILE" to WORK/FILE, and runs GRAPHGEN on it, for COMPILER, a command with flags. Fails
# if there is no such block, or graphgen says something.
set -euo pipefail
graphgen=$1 page=$2 file=$3 work=$4
shift 4
compiler=("$@")
mkdir -p "$work"
cd "$work"
awk -v name="// $file" '/^```cpp$/ { begins = 1; next } begins { begins = 0; inside = $0 == name } /^```$/ { inside = 0 } inside' "$page" > "$file"
grep -q '^int main() {$' "$file" || { echo "FAILED: $page has no program $file" >&2 && exit 1; }
said=$("$graphgen" "$file" -- "${compiler[@]:1}" 2>&1)
[ -z "$said" ] || { echo "FAILED: of $file of $page graphgen says: $said" >&2 && exit 1; }
