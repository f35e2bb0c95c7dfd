#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#   programs.sh GRAPHGEN PAGE PROGRAMS FLAG...
# Of the files of PROGRAMS GRAPHGEN reports with these flags what the tables of PAGE, tests/generator/programs/README.md, say: severity, check and line
# of each finding, and no others. Each annotated callable has one row.
set -euo pipefail
graphgen=$1 page=$2 programs=$3
shift 3
. "$(dirname "$0")/failures.sh"

# A heading "## [actors.cpp](...)" begins a file's table; a row's third cell is "nothing", or "error [id](id.md): 12, 14; warning [id](id.md): 16".
rows() { # prints "FILE<tab>CALLABLE<tab>VERDICT"
  awk -F ' *[|] *' '
    /^## \[/ { split($0, parts, /[][]/); file = parts[2] }
    file && /^[|] `/ { gsub(/`/, "", $2); print file "\t" $2 "\t" $4 }' "$page"
}

expected() {
  rows | while IFS=$'\t' read -r file _ verdict; do
    [ "$verdict" = nothing ] && continue
    tr ';' '\n' <<< "$verdict" | while read -r severity finding; do
      id=${finding#[} lines=${finding##*: }
      for line in ${lines//,/ }; do
        echo "$file:$line: $severity: [${id%%]*}]"
      done
    done
  done | sort -V
}

told() {
  (cd "$programs" && "$graphgen" --check ./*.cpp -- "$@" 2>&1 || true) |
    sed -nE 's#^(\./)?([a-z]+\.cpp):([0-9]+):[0-9]+: (error|warning): .*(\[[a-z-]+\])$#\2:\3: \4: \5#p' | sort -V
}

total=0
for path in "$programs"/*.cpp; do
  file=$(basename "$path")
  count=$(rows | grep -c "^$file"$'\t' || true)
  [ "$count" -eq "$(grep -c '^ *GRAPHED(' "$path")" ] || failed "$file has not as many callables as its table rows"
  total=$((total + count))
done
[ "$total" -ge 40 ] || failed "$page tells of $total callables, not of 40"
while IFS=$'\t' read -r file callable _; do
  grep -qE "\b${callable##*::}\(" "$programs/$file" || failed "$file has no $callable"
done < <(rows)
diff -u --label "$page" <(expected) --label graphgen <(told "$@") || failed "graphgen and the page differ"
exit "$failures"
