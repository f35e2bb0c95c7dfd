#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#   library.sh PREFIX WORK GENERATOR KIND CMAKE-ARGUMENT...
# A library made by add_graphed_target, which a program links and calls through. It hides what its header does not export.
set -euo pipefail
prefix=$1 work=$2 generator=$3 kind=$4
shift 4
source=$(dirname "$0")/library
. "$(dirname "$0")/common.sh"

copy_sources
configure -G "$generator" -DKIND="$kind" "$@"
app=$work/build/app
configuration=() shift=0
if [ "$generator" = "Ninja Multi-Config" ]; then
  configuration=(--config Release)
  app=$work/build/Release/app
  shift=2
fi
build "${configuration[@]}"
prints "$app" "shifted by $shift: equal"
second_build_runs_nothing "${configuration[@]}"
