#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#   parity.sh SOURCE
# There is every test that SOURCE/tests/parity/README.md names, as `Suite.Test`, `Suite.*` or, of one suite, `Suite.Test, Another, Third`. Each row of a
# table of upstream tests has one of the page's words for what holds here, and names a test where something does.
set -euo pipefail
source=$1
page=$source/tests/parity/README.md
. "$(dirname "$0")/named_tests.sh"

# "Successive.TwoAtTheSameTime", a test a line, of text without upstream's own names.
named() {
  tr '\n' ' ' | grep -oE '\b([A-Z]|cuda_)[A-Za-z0-9_]*\.([A-Za-z0-9_]+|\*)(, [A-Z][A-Za-z0-9]+\b(\.[A-Za-z*])?)*' |
    awk -F ', ' '{
      suite = $1
      sub(/[.].*/, "", suite)
      print $1
      for (i = 2; i <= NF && $i !~ /[.]/; ++i) print suite "." $i
    }'
}

rows=$(grep -E '^\| .+ \| .+ \| .+ \|$' "$page" | grep -vE '^\| Upstream test ')
[ "$(wc -l <<< "$rows")" -ge 120 ] || failed "the tables of $page were not read"
while IFS= read -r row; do
  IFS='|' read -r _ upstream status ours _ <<< "$row"
  case $status in
    ' same'* | ' better'* | ' open'*) [ -n "$(named <<< "$ours" || true)" ] || failed "no test is named for$upstream" ;;
    ' n/a ') ;;
    *) failed "$status is no word for what holds:$upstream" ;;
  esac
done <<< "$rows"

# Without the first column of tables.
tests_of_page=$(sed -E 's/^\|[^|]*\|/|/' "$page" | named)
[ "$(wc -l <<< "$tests_of_page")" -ge 200 ] || failed "the tests of $page were not read"
while read -r test; do
  exists "$test" || failed "${page##*/}: there is no test $test"
done <<< "$tests_of_page"
exit "$failures"
