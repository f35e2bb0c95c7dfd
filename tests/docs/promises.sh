#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#   promises.sh SOURCE
# Each row of the tables of SOURCE/tests/promises.md names, in code quotes in its second cell, tests and files that there are: `Suite.Test`,
# `Suite.*` or `tests/a/path`.
set -euo pipefail
source=$1
page=$source/tests/promises.md
. "$(dirname "$0")/named_tests.sh"

rows=$(awk -F ' [|] ?' '/^[|] / && !/^[|] (promise|---)/ { print $2 }' "$page")
[ "$(wc -l <<< "$rows")" -ge 50 ] || failed "the tables of $page were not read"
while read -r row; do
  named=$(grep -oE '`[^`]+`' <<< "$row" | tr -d '`' || true)
  [ -n "$named" ] || failed "promises.md: a row names no test: $row"
  while read -r test; do
    exists "$test" || failed "promises.md: there is no test $test"
  done <<< "$named"
done <<< "$rows"
exit "$failures"
