#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#   rows.sh SOURCE
# Each row of the table "At a glance" of SOURCE/docs/reference/annotations.md is in rows.txt beside this file, which names the callables and the test
# that show it. These exist, and the callables' annotations have the row's word; a row that is not supported yet has one that is refused.
set -euo pipefail
source=$1
rows=$source/tests/docs/rows.txt
. "$(dirname "$0")/failures.sh"

# What is before the name of the callable, back to the first of its GRAPHEDs; GRAPHED_FOR begins with the name.
annotation_of() { # FILE NAME
  awk -v RS='GRAPHED(_FOR)?\\(' -v name="[^A-Za-z0-9_]$2\\\\(|::$2[,)]" '
    NR > 1 && !/\/\// && /[)][ \n]*$/ { held = held $0; next }
    NR > 1 && match($0, name) { print held substr($0, 1, RSTART) }
    { held = "" }' "$1"
}

# The words of a row: those in code quotes, of an option without its value; else what its annotations have.
word_of() { # ROW
  case $1 in
    *\`*) sed -E 's/^[^`]*`([^`=]*[^`= ]).*/\1/' <<< "$1" ;;
    tensor | dimensions) echo '\[' ;;
    list) echo '\*' ;;
    "list of shapes") echo '\{' ;;
    aggregate) echo '\{' ;;
    "dimension variable" | "count variable") echo ' in ?\{' ;;
    *) echo '' ;;
  esac
}

check_callable() { # ROW FOLDER PLACE
  local file=$source/tests/generator/$2/${3% *} name=${3#* }
  [ -f "$file" ] || { failed "$1: there is no $file" && return; }
  grep -qE -- "$(word_of "$1")" <<< "$(annotation_of "$file" "$name")" || failed "$1: ${3% *} has no such annotation of '$name'"
}

check_run() { # ROW PLACE TEST
  local file=$source/tests/generator/generated/${2% *} name=${2#* }
  check_callable "$1" generated "$2"
  awk -v RS='\nTEST\\(' -v head="^${3%.*}, ${3#*.}\\\\)" -v name="::$name[^A-Za-z0-9_]" \
    '$0 ~ head { found = 1 } $0 ~ name { used = 1 } END { exit !(found && used) }' "${file%.h}_test.cpp" ||
    failed "$1: ${file%.h}_test.cpp has no test $3, or does not use '$name'"
}

while IFS='|' read -r row taken refused compiled run; do
  row=${row% } run=${run# }
  for cell in taken refused compiled; do
    declare "$cell=$(sed -E 's/^ | $//g' <<< "${!cell}")"
  done
  check_callable "$row" lit "$refused"
  if [ "$taken" != - ]; then
    check_callable "$row" lit "$taken"
    check_run "$row" "$compiled" "$run"
  fi
done < <(grep -v '^#' "$rows")

# "yes<tab>flag `grad`"
glance=$(awk -F ' [|] ' '/^## / { glance = ($0 == "## At a glance") }
  glance && /^[|]/ && $2 ~ /^`/ { sub(/^[|] /, "", $1); sub(/ [|]$/, "", $4); print $4 "\t" $1 }' "$source/docs/reference/annotations.md")
[ "$(wc -l <<< "$glance")" -ge 25 ] || failed "the table \"At a glance\" was not read"
while IFS=$'\t' read -r supported row; do
  line=$(awk -F ' [|] ' -v row="$row" '$1 == row' "$rows")
  [ -n "$line" ] || { failed "rows.txt has no '$row'" && continue; }
  [ "$supported" != yes ] || grep -qvF '| - |' <<< "$line" || failed "$row is supported, but rows.txt names no test that takes it"
done <<< "$glance"
exit "$failures"
