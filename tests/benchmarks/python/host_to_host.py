# SPDX-License-Identifier: Apache-2.0
"""Runs of host_to_host: their figures together, and the table of docs/how-to/host-to-host.md."""
import json

import figures

QUANTILES = ("p50", "p99", "p999")
GRAPHED, FLOOR = "graphed", "launch-and-synchronize"
WAYS = {  # as the table orders and calls them
    "eager": "C++ eager: `to(device)`, the policy, `cpu()`",
    "handwritten": "a graph by hand: `copy_`, `replay()`, `cpu()`",
    "handwritten-pinned": "the same through pinned memory by hand",
    "graphed-with-copies": "graphed with copies: `to(device)`, `cpu()`",
    GRAPHED: "graphed, `host` and `outputs = host`",
    FLOOR: "the floor: a launch of the graph and a wait, without data",
}
BARS = {  # what issue and page ask for: the figure, and the most that it may be
    "graphed over launch-and-synchronize": 1.25,
    "graphed over handwritten": 0.6,
    "graphed, p99 over p50": 1.3,
}


def figures_in(text):
    """Of one run: by way, its quantiles in microseconds."""
    lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    if len(lines) != 1 or set(lines[0].get("microseconds", {})) != set(WAYS):
        raise ValueError(f"no times of each way in: {text}")
    return lines[0]


def summarize(runs):
    """Of what figures_in() made of each run. A ratio is that within a run: the machine's clocks change between two."""
    ways = {}
    for way in WAYS:
        of_runs = [run["microseconds"][way] for run in runs]
        ways[way] = {name: figures.summary([each[name] for each in of_runs]) for name in QUANTILES}
        ways[way]["p99_over_p50"] = figures.summary([each["p99"] / each["p50"] for each in of_runs])
        ways[way]["calls"] = sum(each["calls"] for each in of_runs)
    medians = {way: [run["microseconds"][way]["p50"] for run in runs] for way in WAYS}
    ratios = {
        f"{GRAPHED} over {way}": figures.summary([a / b for a, b in zip(medians[GRAPHED], medians[way], strict=True)]) for way in WAYS if way != GRAPHED
    }
    return {"workload": runs[0]["workload"], "microseconds": ways, "p50_ratios": ratios}


def bars(made):
    """By name what was measured, and the most that it may be."""
    measured = {**made["p50_ratios"], f"{GRAPHED}, p99 over p50": made["microseconds"][GRAPHED]["p99_over_p50"]}
    return {name: (measured[name]["median"], most) for name, most in BARS.items()}


def number(found):
    return f"{found['median']:.1f}"


def table(made):
    rows = [["", *("median", "99th percentile", "99.9th percentile")], ["---"] * 4]
    rows += [[text, *(number(made["microseconds"][way][name]) for name in QUANTILES)] for way, text in WAYS.items()]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows).replace("|  |", "| |") + "\n"
