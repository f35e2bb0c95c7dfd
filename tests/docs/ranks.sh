#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#   ranks.sh START PROGRAM LINE
# Runs PROGRAM with two and with four ranks on the CPU, by START, samples/data_parallel/run. Fails if a rank does, or none prints LINE, an
# extended regular expression.
set -euo pipefail
start=$1 program=$2 line=$3
port=29540
for ranks in 2 4; do
  said=$(CUDA_VISIBLE_DEVICES='' PROGRAM=$program PORT=$((port++)) timeout 120 bash "$start" "$ranks" one-start 2>&1) ||
    { echo "FAILED: $program with $ranks ranks: $said" >&2 && exit 1; }
  grep -qE "^$line$" <<< "$said" || { echo "FAILED: $program with $ranks ranks prints no '$line': $said" >&2 && exit 1; }
done
