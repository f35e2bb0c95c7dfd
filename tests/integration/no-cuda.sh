#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#   no-cuda.sh PROGRAM...
# A build without CUDA neither links nor loads it. (A wheel's libtorch_cpu.so itself takes NVIDIA's cudart and cupti; that is not ours.)
set -euo pipefail
code=0
for program in "$@"; do
  linked=$(readelf -d "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
  loaded=$(ldd "$program" | awk '{ print $1 }')
  if grep -E '^lib(torch_cuda|c10_cuda|cuda|cudart|cupti)\b' <<<"$linked"; then
    echo "FAILED: linked by $program" >&2
    code=1
  fi
  if grep -E '^lib(torch_cuda|c10_cuda|cuda)\.so' <<<"$loaded"; then
    echo "FAILED: loaded by $program" >&2
    code=1
  fi
  grep -q '^libtorch_cpu\.so' <<<"$loaded" || { echo "FAILED: $program does not load libtorch_cpu.so" >&2; code=1; }
done
exit "$code"
