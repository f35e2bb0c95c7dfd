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
"$python" -B -c "import torch" 2>"/dev/null" || skip "$python has no torch to export with: .ci/install-dependencies python installs one"
[ "$device" != cuda ] || "$python" -B -c "import sys, torch; sys.exit(not torch.cuda.is_available())" || skip "there is no GPU"
# A package is compiled for a processor or a GPU, by a version of LibTorch.
stamp=$("$python" -B -c "import torch, sys; print(torch.__version__, torch.cuda.get_device_name() if sys.argv[1] == 'cuda' else '')" "$device")
stamp="$stamp $(grep -m1 'model name' /proc/cpuinfo || true) $(sha256sum <"$here/export.py")"
if [ ! -f "$work/net.pt2" ] || [ "$(cat "$work/stamp" 2>/dev/null || true)" != "$stamp" ]; then
  rm -rf "$work"
  mkdir -p "$work"
  TORCHINDUCTOR_CACHE_DIR=$work/cache "$python" -B "$here/export.py" "$device" "$work" >"$work/export.log" 2>&1 ||
    { tail -n 20 "$work/export.log"; exit 1; }
  rm -rf "$work/cache"
  echo "$stamp" >"$work/stamp"
fi
# A package asks for libtorch.so, which programs need not be linked with.
libraries=$("$python" -B -c "import importlib.util as u; print(u.find_spec('torch').submodule_search_locations[0] + '/lib')")
LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} GRAPHED_TEST_MODELS=$work "$program" --gtest_filter="Exported.*/$device"
