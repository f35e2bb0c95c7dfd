#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#   exported.sh PYTHON DEVICE PROGRAM WORK
# Lets Python export a model for the device, which AOTInductor compiles, and runs the tests that load it. Without a Python that has torch, or on
# CUDA without a GPU, it says so and ends with 77.
set -euo pipefail
python=$1 device=$2 program=$3 work=$4
here=$(cd "$(dirname "$0")" && pwd)
skip() {
  echo "exported.sh: SKIPPED: $*"
  exit 77
}
# A package is compiled for a processor or a GPU, by a version of LibTorch.
stamp=$("$python" -c "
import sys
try:
    import torch
except ImportError:
    sys.exit('no torch')
on_gpu = sys.argv[1] == 'cuda'
print(torch.__version__, not on_gpu or torch.cuda.is_available() and torch.cuda.get_device_name())" "$device" 2>"$work.log") || {
  grep -qx "no torch" "$work.log" || { cat "$work.log"; exit 1; }
  skip "$python has no torch to export with: .ci/install-dependencies python installs one"
}
[ "${stamp##* }" != False ] || skip "there is no GPU"
stamp="$stamp $(grep -m1 'model name' /proc/cpuinfo || true) $(sha256sum <"$here/export.py")"
if [ ! -f "$work/net.pt2" ] || [ "$(cat "$work/stamp" 2>/dev/null || true)" != "$stamp" ]; then
  rm -rf "$work"
  mkdir -p "$work"
  TORCHINDUCTOR_CACHE_DIR=$work/cache "$python" "$here/export.py" "$device" "$work" >"$work/export.log" 2>&1 ||
    { tail -n 20 "$work/export.log"; exit 1; }
  rm -rf "$work/cache"
  echo "$stamp" >"$work/stamp"
fi
# A package asks for libtorch.so, which programs need not be linked with.
libraries=$("$python" -B -c "import importlib.util as u; print(u.find_spec('torch').submodule_search_locations[0] + '/lib')")
LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} GRAPHED_TEST_MODELS=$work "$program" --gtest_filter="Exported.*/$device"
