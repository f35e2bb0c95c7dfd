#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#   torchrun.sh PYTHON PROGRAM ARGUMENT...
# Starts PROGRAM by torchrun as on two machines: an agent each, on this one, with a rank each. Fails where one of them does, or where rank 0 has
# compared nothing.
set -euo pipefail
python=$1
shift
find='import importlib.util, pathlib; torch = importlib.util.find_spec("torch"); print(torch and pathlib.Path(torch.origin).parent)'
if [ ! -e "$("$python" -c "$find")/distributed/run.py" ]; then
  echo "there is no torchrun: $python has no torch.distributed.run"
  exit 0
fi
port=$("$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
agents=()
for machine in 0 1; do
  timeout 120 "$python" -m torch.distributed.run --no-python --nnodes 2 --node-rank "$machine" --nproc-per-node 1 \
    --master-addr 127.0.0.1 --master-port "$port" "$@" >"$logs/$machine" 2>&1 &
  agents+=($!)
done
code=0
for agent in "${agents[@]}"; do
  wait "$agent" || code=1
done
cat "$logs/0" "$logs/1"
grep -q '  yes  ' "$logs/0" || code=1
exit "$code"
