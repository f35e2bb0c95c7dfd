#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#   promises.sh SOURCE
# Each page of SOURCE/docs/promises names, below "## Tests", tests and files that there are: `Suite.Test`, `Suite.*` or `tests/a/path`. Its links
# lead somewhere, and the index names it.
set -euo pipefail
source=$1
pages=$source/docs/promises
failures=0
failed() {
  echo "FAILED: $1" >&2
  failures=1
}

tests=$(grep -rhoE '^TEST(_F|_P)?\([A-Za-z0-9_]+, [A-Za-z0-9_]+\)' "$source/tests" --include='*.cpp' |
  sed -E 's/.*\(([A-Za-z0-9_]+), ([A-Za-z0-9_]+)\)/\1.\2/' | sort -u)
[ "$(wc -l <<< "$tests")" -ge 500 ] || failed "the tests' sources were not read"

exists() { # NAME
  case $1 in
    */*) [ -e "$source/$1" ] ;;
    *.\*) grep -q "^${1%.\*}[.]" <<< "$tests" ;;
    *) grep -qxF "$1" <<< "$tests" ;;
  esac
}

for page in "$pages"/*.md; do
  name=${page##*/}
  while read -r link; do
    [ -e "$pages/$link" ] || failed "$name: there is no $link"
  done < <(grep -oE '\]\([^)#:]+' "$page" | cut -c3-)
  [ "$name" = README.md ] && continue

  grep -qF "]($name)" "$pages/README.md" || failed "README.md does not name $name"
  named=$(sed -n '/^## Tests$/,$p' "$page" | grep -oE '`[^`]+`' | tr -d '`' || true)
  [ -n "$named" ] || failed "$name names no test"
  while read -r test; do
    exists "$test" || failed "$name: there is no test $test"
  done <<< "$named"
done
exit "$failures"
