#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#   complete.sh PROGRAM MODULES
# Every module that LibTorch's headers in the folder MODULES declare has a row in PROGRAM's table, and every row is a module. The suite
# Families is not part of it.
set -euo pipefail
program=$1 modules=$2

declared=$(grep -rhoE '^TORCH_MODULE\([A-Za-z0-9]+\)|^class [A-Za-z0-9]+ : public torch::nn::ModuleHolder<' "$modules" |
  sed -E 's/^TORCH_MODULE\((.*)\)$/\1/; s/^class ([A-Za-z0-9]+) .*/\1/' | sort -u)
[ "$(wc -l <<< "$declared")" -ge 120 ] || { echo "FAILED: the headers in $modules were not read" >&2; exit 1; }
rows=$("$program" --gtest_list_tests '--gtest_filter=-Families.*' | sed -nE 's/^  ([A-Za-z0-9]+)(_[A-Za-z0-9]+)?\/cpu.*/\1/p' | sort -u)

missing=$(comm -23 <(echo "$declared") <(echo "$rows"))
unknown=$(comm -13 <(echo "$declared") <(echo "$rows"))
[ -z "$missing" ] || echo "FAILED: no row for" $missing >&2
[ -z "$unknown" ] || echo "FAILED: no module is named" $unknown >&2
[ -z "$missing$unknown" ]
