#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""timeline.py TRACE...: what NCCL's kernels of a graph had beside them, by Chrome traces of several_gpus, one for each rank. --nodes prints those of one
replay, too."""
import collections
import json
import statistics
import sys

FEWEST = 20  # nodes of a graph that is a step


def events_of(path):
    """By launch, what the device did: (start, end, name, blocks), in microseconds."""
    with open(path) as file:
        found = json.load(file)
    launches = collections.defaultdict(list)
    for event in found["traceEvents"]:
        if event.get("ph") == "X" and event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"):
            told = event.get("args", {})
            grid = told.get("grid") or [0, 0, 0]
            launches[told.get("correlation")].append((event["ts"], event["ts"] + event["dur"], event["name"], grid[0] * grid[1] * grid[2]))
    return [sorted(events) for events in launches.values() if len(events) >= FEWEST]


def is_collective(event):
    return event[2].startswith("nccl")


def union(events):
    joined = []
    for start, end, *_ in sorted(events):
        if joined and start <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([start, end])
    return joined


def length(intervals):
    return sum(end - start for start, end in intervals)


def common(one, other):
    return sum(max(0, min(end, last) - max(start, first)) for start, end in one for first, last in other)


def summary_of(events):
    """Of a step, microseconds."""
    collectives = union(filter(is_collective, events))
    others = union(event for event in events if not is_collective(event))
    own = length(collectives)
    return {"nodes": len(events), "step": max(event[1] for event in events) - events[0][0], "collectives": own, "others": length(others),
            "covered": common(collectives, others), "alone": own - common(collectives, others)}


def summary(path):
    """The medians of the replays of a trace; None where there are none."""
    steps = [summary_of(events) for events in events_of(path)]
    return {name: statistics.median(step[name] for step in steps) for name in steps[0]} if steps else None


def short(name):
    return name.replace("void ", "").split("(")[0].split("<")[0][-60:]


def print_nodes(path):
    """Of the last replay, each collective, and what began last before it and ended first after it."""
    steps = events_of(path)
    if not steps:
        return
    events = steps[-1]
    begin = events[0][0]
    others = [event for event in events if not is_collective(event)]
    for event in filter(is_collective, events):
        beside = [other for other in others if other[0] < event[1] and event[0] < other[1]]
        before = [other for other in others if other[1] <= event[0]]
        print(f"    {event[0] - begin:8.1f} to {event[1] - begin:8.1f}  {event[3]:3} blocks  {short(event[2])}: {len(beside)} nodes beside it for "
              f"{common(union([event]), union(beside)):.1f} us; before it {len(before)} nodes, the last {short(before[-1][2]) if before else '-'}")
    print("   longest of the others: " + ", ".join(f"{name} {count}x {time:.0f} us" for name, (count, time) in longest(others)))


def longest(events):
    sums = collections.defaultdict(lambda: [0, 0.0])
    for start, end, name, _ in events:
        sums[short(name)][0] += 1
        sums[short(name)][1] += end - start
    return sorted(sums.items(), key=lambda item: -item[1][1])[:8]


def main():
    arguments = [word for word in sys.argv[1:] if word != "--nodes"]
    for path in arguments:
        found = summary(path)
        print(path.rsplit("/", 1)[-1] + ": " + (", ".join(f"{name} {value:.1f}" for name, value in found.items()) if found else "no graph"))
        if "--nodes" in sys.argv:
            print_nodes(path)


if __name__ == "__main__":
    main()
