#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#   pipeline.sh BUILD PYTHON SCRATCH
# Measures a few workloads on the CPU, briefly, and writes the report: every cell must have been measured, in the same rounds as the others of
# its workload, and every bar have its row.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd) build=$1 python=$2 scratch=$3
rm -rf "$scratch"
mkdir -p "$scratch"

"$python" "$here/run" "$build" "$scratch/results.json" --python "$python" --devices cpu --only '^(chain-1|mlp-8|mlp-training|ppo-minibatch)$' \
  --repetitions 2 --seconds 0.001 --commit none
page=$("$python" "$here/report.py" "$scratch/results.json" "$scratch/report")

expect() { # TIMES PATTERN [FILE]
  local file=${3:-$page} found
  found=$(grep -cE -- "$2" "$file" || true)
  [ "$found" = "$1" ] || { echo "$file: $found lines match '$2', expected $1"; exit 1; }
}
[ ! -e "$scratch"/report/*-speed-up.svg ] || { echo "a chart was drawn of a run without a GPU"; exit 1; }
expect 1 '^All cells were measured\.$'
expect 1 '^\| guards of eight inputs, host \| ≤ 0\.15 us \| [0-9.]+ us \| [0-9.]+ to [0-9.]+ \| (yes|\*\*no\*\*) \|'
expect 1 '^\| C\+\+ eager on a CPU, wall, against the tape \| ≥ 1x \| [0-9.]+x \|  \| (yes|\*\*no\*\*) \| .* is the worst of 4'
expect 20 '\| not measured \|' # all bars but these two need a GPU
expect 1 '^\| ppo-minibatch \| [0-9.]+ \([0-9.]+ to [0-9.]+\) \|  \| ' # of the ratios to graphed, where graphed-here's is empty

"$python" - "$scratch/results.json" <<'EOF'
import json, sys
rounds = {}
for row in json.load(open(sys.argv[1]))["results"]:
    for figure in ("host_us", "wall_us"):
        rounds.setdefault(row["workload"], set()).add(tuple(len(samples) for samples in row[figure]["rounds"]))
assert len(rounds) == 4 and all(len(counts) == 1 and len(*counts) == 2 and min(*counts) >= 5 for counts in rounds.values()), rounds
EOF

"$python" "$here/host-to-host" "$build" "$scratch/host-to-host.json" --device cpu --repetitions 2 --rounds 1 --python "$python" --commit none >"$scratch/table"
"$python" "$here/host-to-host" --table "$scratch/host-to-host.json" >"$scratch/same-table"
expect 6 '^\| [^|]+ \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \|$' "$scratch/same-table" # a row for each way
cmp <(head -n 8 "$scratch/table") "$scratch/same-table"

# A peer that is absent, or that asks for what there is not, does not prevent the others' measurement.
printf '%s\n' 'nosuch plain 0' 'chain-1 plain' 'chain-1 nosuch,plain 0' | "$build/bin/benchmarks" serve cpu >"$scratch/answers"
expect 1 "^\{\"error\": \".* no workload 'nosuch'\"\}$" "$scratch/answers"
expect 1 '^\{"error": ".* not WORKLOAD PEER\[,PEER\.\.\.\] SECONDS: chain-1 plain"\}$' "$scratch/answers"
expect 1 "^\{\"nosuch\": \{\"absent\": \".* no peer 'nosuch' .*\"\}, \"plain\": \{\"host_us\": \[[0-9.]+(, [0-9.]+){4}\], " "$scratch/answers"
