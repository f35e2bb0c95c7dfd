#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#   bodies.sh GRAPHGEN DOCS WORK FLAG...
# Each C++ block of DOCS that is a whole file with annotated callables is scanned with their bodies: GRAPHGEN --check, with these flags, reports
# nothing. Those of checks/ and diagnostics.md show what is reported, and those of start/, tutorials/ and distributed.md
# are programs: other tests have them.
set -euo pipefail
graphgen=$1 docs=$2 work=$3
shift 3
. "$(dirname "$0")/failures.sh"
rm -rf "$work"
mkdir -p "$work"

# Blocks are named after their page and line or, in a folder of that name, as their first line says; messages have their place in the page.
find "$docs" -name '*.md' ! -path '*/checks/*' ! -name diagnostics.md ! -path '*/start/*' ! -path '*/tutorials/*' ! -name annotations.md \
  ! -name distributed.md | while read -r page; do
  awk -v work="$work" -v page="$page" -v name="$(basename "$page" .md)" '
    /^```cpp$/ { inside = 1; first = NR + 1; text = ""; next }
    inside && /^```$/ {
      inside = 0
      if (text ~ /#include <graphed\/annotate.h>/ && text ~ /#include <torch\// && text ~ /GRAPHED\(/) {
        folder = work "/" name "_" first
        file = text ~ /^\/\/ [a-z]+[.]cpp\n/ ? substr(text, 4, index(text, "\n") - 4) : "example.cpp"
        system("mkdir -p " folder)
        file = folder "/" file
        printf "#line %d \"%s\"\n%s", first, page, text > file
        close(file)
      }
    }
    inside { text = text $0 "\n" }' "$page"
done

cd "$work"
[ "$(find . -name '*.cpp' | wc -l)" -ge 6 ] || failed "the pages of $docs have too few examples"
for block in */*.cpp; do
  reported=$("$graphgen" --check "$block" -- "$@" 2>&1) || failed "$block is refused: $reported"
  [ -z "$reported" ] || failed "$block: $reported"
done
exit "$failures"
