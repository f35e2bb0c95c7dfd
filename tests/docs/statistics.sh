#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#   statistics.sh ROOT
# A reason of a miss has one name: that of its enumerator in snake_case, in what is printed and in docs/reference/statistics.md, which has a row for
# each. What the report says to do about it is in that row. The pages that messages of the runtime lead to exist.
set -euo pipefail
root=$1
. "$(dirname "$0")/failures.sh"

enumerators=$(sed -nE '/^enum class Miss \{/,/^\};/s/^  ([A-Za-z]+),.*/\1/p' "$root/runtime/include/graphed/stats.h")
names=$(sed -n '/^constexpr std::array reasons{/,/};/p' "$root/runtime/src/report/stats.cpp" | grep -oE '"[^"]*"' | tr -d '"')
[ -n "$enumerators" ] || failed "no enumerators were found"
[ "$(wc -l <<<"$names")" = "$(wc -l <<<"$enumerators")" ] || failed "the names of the enumerators were not found"
rows=$(sed -n '/^## Misses$/,/^## JSON$/s/^| \(`[^|]*\)|.*/\1/p' "$root/docs/reference/statistics.md")
while read -r enumerator name; do
  [ "$(sed -E 's/([a-z])([A-Z])/\1_\2/g; s/.*/\L&/' <<<"$enumerator")" = "$name" ] || failed "the miss $enumerator is printed as '$name'"
  grep -qF "\`$name\`" <<<"$rows" || failed "docs/reference/statistics.md has no row for the miss '$name'"
done <<<"$(paste -d' ' <(echo "$enumerators") <(echo "$names"))"

words=$(sed -E 's/\[([^]]*)\]\([^)]*\)/\1/g' "$root/docs/reference/statistics.md")
remedies=$(sed -nE 's/^ *return \{"(.+)", pages::.*\};$/\1/p' "$root/runtime/src/report/remedies.cpp")
[ "$(wc -l <<<"$remedies")" -ge 9 ] || failed "the remedies were not found"
while read -r remedy; do
  grep -qF "$remedy" <<<"$words" || failed "docs/reference/statistics.md does not say '$remedy'"
done <<<"$remedies"

pages=$(sed -nE 's/^inline constexpr std::string_view [a-z_]+ = "(.*)";$/\1/p' "$root/runtime/src/report/pages.h")
[ -n "$pages" ] || failed "no pages were found"
while read -r page; do
  headings=$(sed -nE 's/^#+ (.*)/\L\1/p' "$root/docs/${page%#*}" 2>/dev/null | tr ' ' '-') || headings=
  if [ ! -f "$root/docs/${page%#*}" ] || { [[ $page == *#* ]] && ! grep -qxF "${page#*#}" <<<"$headings"; }; then
    failed "there is no docs/$page, which messages of the runtime lead to"
  fi
done <<<"$pages"
exit "$failures"
