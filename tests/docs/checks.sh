#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#   checks.sh GRAPHGEN PAGES WORK FLAG...
# Of each page of PAGES, docs/checks: for the first C++ block GRAPHGEN says, with these flags, the lines of the block of text, and no others; for the
# second nothing. The page is named after the id of its message, and the index names it.
set -euo pipefail
graphgen=$1 pages=$2 work=$3
shift 3
. "$(dirname "$0")/failures.sh"
rm -rf "$work"
mkdir -p "$work"

block() { # PAGE LANGUAGE NUMBER
  awk -v fence="\`\`\`$2" -v number="$3" '
    inside && /^```$/ { inside = 0 }
    inside && seen == number { print }
    $0 == fence { inside = 1; ++seen }' "$1"
}

diagnostics() { # FILE FLAG...
  local file=$1
  shift
  (cd "$work" && "$graphgen" --check "$file" -- -std=c++17 "$@" 2>&1 || true) | grep -E ': (error|warning|note): ' || true
}

count=0
for page in "$pages"/graphed-*.md; do
  id=$(basename "$page" .md)
  expected=$(block "$page" text 1)
  file=${expected%%:*}
  grep -qF "[$id]($id.md)" "$pages/README.md" || failed "README.md does not name $id"
  grep -qF "[$id]" <<< "$expected" || failed "$id: no message has the id"
  block "$page" cpp 1 > "$work/$file"
  reported=$(diagnostics "$file" "$@")
  [ "$reported" = "$expected" ] || failed "$id: the example's diagnostics are: $reported"
  block "$page" cpp 2 > "$work/$file"
  [ -s "$work/$file" ] || failed "$id: there is no fixed example"
  reported=$(diagnostics "$file" "$@")
  [ -z "$reported" ] || failed "$id: the fixed example's diagnostics are: $reported"
  count=$((count + 1))
done
[ "$(block "$pages/README.md" text 1)" = "$(block "$pages/graphed-host-item.md" text 1)" ] || failed "README.md begins with another message than graphed-host-item.md"
[[ $(block "$pages/graphed-host-item.md" cpp 1) == *"$(block "$pages/README.md" cpp 1)"* ]] || failed "README.md begins with another example than graphed-host-item.md"
[ "$count" -ge 7 ] || failed "the pages of $pages were not read"
exit "$failures"
