#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#   patterns.sh SOURCE
# There is every test that the last column of the table of patterns in SOURCE/tests/programs/README.md names, and each test of SOURCE/tests/programs
# is named there.
set -euo pipefail
source=$1
page=$source/tests/programs/README.md
. "$(dirname "$0")/named_tests.sh"

named=$(awk -F ' *[|] *' '/^[|] pattern /, /^$/ { print $5 }' "$page" | grep -oE '`[A-Z][A-Za-z]*\.[A-Za-z0-9]+`' | tr -d '`' | sort -u)
while read -r test; do
  exists "$test" || failed "tests/programs/README.md: there is no test $test"
done <<< "$named"

programs=$(grep -hoE '^TEST_P\([A-Za-z]+, [A-Za-z0-9]+\)' "$source"/tests/programs/*.cpp | sed -E 's/.*\((.*), (.*)\)/\1.\2/')
[ -n "$programs" ] || failed "the tests of programs were not read"
while read -r test; do
  grep -qxF "$test" <<< "$named" || failed "tests/programs/README.md does not name $test"
done <<< "$programs"
exit "$failures"
