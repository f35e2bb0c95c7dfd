# SPDX-License-Identifier: Apache-2.0
#
# For the scripts beside it: which tests there are below $source/tests, and what failures.sh does.
. "$(dirname "$0")/failures.sh"

tests=$(grep -rhoE '^TEST(_F|_P)?\([A-Za-z0-9_]+, [A-Za-z0-9_]+\)' "$source/tests" --include='*.cpp' |
  sed -E 's/.*\(([A-Za-z0-9_]+), ([A-Za-z0-9_]+)\)/\1.\2/' | sort -u)
[ "$(wc -l <<< "$tests")" -ge 500 ] || failed "the tests' sources were not read"

exists() { # `Suite.Test`, `Suite.*` or `tests/a/path`
  case $1 in
    */*) [ -e "$source/$1" ] ;;
    *.\*) grep -q "^${1%.\*}[.]" <<< "$tests" ;;
    *) grep -qxF "$1" <<< "$tests" ;;
  esac
}
