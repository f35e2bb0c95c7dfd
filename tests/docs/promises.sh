#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#   promises.sh SOURCE
# Each page of SOURCE/docs/promises names, below "## Tests" and in the tables of "## The contract", tests and files that there are:
# `Suite.Test`, `Suite.*` or `tests/a/path`. Its links lead somewhere, and the index names it.
set -euo pipefail
source=$1
pages=$source/docs/promises
. "$(dirname "$0")/named_tests.sh"

for page in "$pages"/*.md; do
  name=${page##*/}
  while read -r link; do
    [ -e "$pages/$link" ] || failed "$name: there is no $link"
  done < <(grep -oE '\]\([^)#:]+' "$page" | cut -c3-)
  [ "$name" = README.md ] && continue

  grep -qF "]($name)" "$pages/README.md" || failed "README.md does not name $name"
  named=$({ sed -n '/^## Tests$/,$p' "$page"; sed -n '/^## The contract$/,/^## /p' "$page" | awk -F'|' 'NF == 4 { print $3 }'; } |
    grep -oE '`[^`]+`' | tr -d '`' || true)
  [ -n "$named" ] || failed "$name names no test"
  while read -r test; do
    exists "$test" || failed "$name: there is no test $test"
  done <<< "$named"
done
exit "$failures"
