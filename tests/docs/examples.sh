#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#   examples.sh GRAPHGEN PAGE WORK FLAG... -- COMPILER...
# Each C++ block of PAGE, docs/reference/annotations.md, that has an annotation is a file that `GRAPHGEN --check` takes with these flags; one with a form
# that the page's table calls "not yet" is refused for that alone. Each row of the table has its example in a block. What is generated for the
# blocks that are not refused, all in one file, COMPILER takes, a command whose flags are graphgen's, too.
set -euo pipefail
graphgen=$1 page=$2 work=$3
shift 3
flags=()
while [ "$1" != -- ]; do
  flags+=("$1")
  shift
done
shift
compiler=("$@")
rm -rf "$work"
mkdir -p "$work"
. "$(dirname "$0")/failures.sh"

# Blocks are named after their line in the page, and keep it in messages.
awk -v work="$work" -v page="$page" '
  /^```cpp$/ { inside = 1; first = NR + 1; text = ""; next }
  inside && /^```$/ {
    inside = 0
    if (index(text, "GRAPHED(") != 0) {
      file = work "/line_" first ".h"
      printf "#include <graphed/annotate.h>\n#include <torch/torch.h>\n#line %d \"%s\"\n%s", first, page, text > file
      close(file)
    }
  }
  inside { text = text $0 "\n" }' "$page"

# "yes<tab>x: f32[64, 784]", a row a line; of an option without the semicolon before it.
awk -F ' [|] ' '/^## / { glance = ($0 == "## At a glance") }
  glance && /^[|]/ && $2 ~ /^`/ { gsub(/^`(; )?|`$/, "", $2); sub(/ [|]$/, "", $4); print $4 "\t" $2 }' "$page" > "$work/rows"
[ "$(wc -l < "$work/rows")" -ge 25 ] || failed "$page: the table \"At a glance\" was not read"

# An example ends where an argument, an option or the annotation does.
has_example() { # FILE EXAMPLE
  local text
  text=$(tr -s ' \n' '  ' < "$1")
  case $text in *"$2",* | *"$2"\;* | *"$2"\)*) return 0 ;; *) return 1 ;; esac
}

declare -A refused=()
while IFS=$'\t' read -r supported example; do
  found=0
  for block in "$work"/line_*.h; do
    if has_example "$block" "$example"; then
      found=1
      [ "$supported" = yes ] || refused[$block]=$((${refused[$block]:-0} + 1))
    fi
  done
  [ "$found" = 1 ] || failed "$page: no block has the example \`$example\` of the table"
done < "$work/rows"

for block in "$work"/line_*.h; do
  status=0
  "$graphgen" --check "$block" -- -std=c++17 "${flags[@]}" > "$block.log" 2>&1 || status=$?
  expected=${refused[$block]:-0}
  unsupported=$(grep -cF '[graphed-unsupported]' "$block.log" || true)
  all=$(grep -cE '(error|warning): ' "$block.log" || true)
  if [ "$status" != "$((expected > 0))" ] || [ "$unsupported" != "$expected" ] || [ "$all" != "$expected" ]; then
    failed "$page: of $block, $expected forms are not supported yet; graphgen ended with $status: $(cat "$block.log")"
  fi
done
[ "$failures" = 0 ] || exit 1

# Two blocks may declare the same names: each has a namespace of its own.
printf '#include <graphed/annotate.h>\n#include <graphed/optim.h>\n#include <graphed/scalar.h>\n#include <torch/nn.h>\n' > "$work/all.h"
for block in "$work"/line_*.h; do
  if [ -z "${refused[$block]:-}" ]; then
    printf 'namespace %s {\n' "$(basename "$block" .h)"
    sed 's/^#include.*//' "$block"
    printf '}\n'
  fi
done >> "$work/all.h"
cd "$work"
reported=$("$graphgen" all.h -- "${compiler[@]:1}" 2>&1 | grep -E '(error|warning): ' || true) # with LibTorch itself, and the bodies
[ -z "$reported" ] || { echo "FAILED: $reported" >&2 && exit 1; }
"${compiler[@]}" -Wall -Wextra -Wconversion -Wshadow -Werror -fsyntax-only -I. all.graphed.cpp
expected=$(grep -c '^namespace line_' all.h)
# A private method's glue is named after the block, not spelled with it.
compiled=$(grep -oE '^class graphed::callable<.*line_?[0-9]+' all.graphed.h | grep -oE 'line_?[0-9]+' | tr -d _ | sort -u | wc -l)
[ "$compiled" = "$expected" ] || { echo "FAILED: of $expected blocks $compiled were compiled" >&2 && exit 1; }
