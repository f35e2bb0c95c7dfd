#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#   checks.sh GRAPHGEN PAGES WORK FLAG...
# Of each section "## graphed-..." of PAGES, docs/reference/checks: for the first C++ block GRAPHGEN says, with these flags, the lines of the block of
# text, and no others; for the second nothing. The index names the section.
set -euo pipefail
graphgen=$1 pages=$2 work=$3
shift 3
. "$(dirname "$0")/failures.sh"
rm -rf "$work"
mkdir -p "$work"

section() { # PAGE HEADING
  awk -v head="## $2" '/^## / { there = $0 == head } there' "$1"
}

block() { # LANGUAGE NUMBER, of the standard input
  awk -v fence="\`\`\`$1" -v number="$2" '
    inside && /^```$/ { inside = 0 }
    inside && seen == number { print }
    $0 == fence { inside = 1; ++seen }'
}

diagnostics() { # FILE FLAG...
  local file=$1
  shift
  (cd "$work" && "$graphgen" --check "$file" -- -std=c++17 "$@" 2>&1 || true) | grep -E ': (error|warning|note): ' || true
}

count=0
while IFS=: read -r page heading; do
  id=${heading#\#\# } name=$(basename "$page")
  text=$(section "$page" "$id")
  expected=$(block text 1 <<< "$text")
  file=${expected%%:*}
  grep -qF "[$id]($name#$id)" "$pages/README.md" || failed "README.md does not name $id"
  grep -qF "[$id]" <<< "$expected" || failed "$id: no message has the id"
  block cpp 1 <<< "$text" > "$work/$file"
  reported=$(diagnostics "$file" "$@")
  [ "$reported" = "$expected" ] || failed "$id: the example's diagnostics are: $reported"
  block cpp 2 <<< "$text" > "$work/$file"
  [ -s "$work/$file" ] || failed "$id: there is no fixed example"
  reported=$(diagnostics "$file" "$@")
  [ -z "$reported" ] || failed "$id: the fixed example's diagnostics are: $reported"
  count=$((count + 1))
done < <(grep -HE '^## graphed-' "$pages"/*.md)
item=$(section "$pages/host-values.md" graphed-host-item)
[ "$(block text 1 < "$pages/README.md")" = "$(block text 1 <<< "$item")" ] || failed "README.md begins with another message than graphed-host-item"
[[ $(block cpp 1 <<< "$item") == *"$(block cpp 1 < "$pages/README.md")"* ]] || failed "README.md begins with another example than graphed-host-item"
[ "$count" -ge 30 ] || failed "the pages of $pages were not read"
exit "$failures"
