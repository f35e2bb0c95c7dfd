# SPDX-License-Identifier: Apache-2.0
"""What ran beside the collectives of a graph, by Chrome traces of several_gpus."""
import collections
import json
import statistics


def is_collective(event):
    return event[2].startswith("nccl")


def replays_of(path):
    """What the device did in each replay that has collectives, in the order of time: (start, end, name), in microseconds."""
    with open(path) as file:
        traced = json.load(file)["traceEvents"]
    launches = collections.defaultdict(list)
    for event in traced:
        if event.get("ph") == "X" and event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"):
            launches[event["args"]["correlation"]].append((event["ts"], event["ts"] + event["dur"], event["name"]))
    return sorted(sorted(events) for events in launches.values() if any(map(is_collective, events)))


def covered(event, others):
    """Microseconds of an event beside which there was another."""
    start, end = event[:2]
    total, reached = 0.0, start
    for first, last, _ in sorted(others):
        first, last = max(first, reached), min(last, end)
        if last > first:
            total += last - first
            reached = last
    return total


def collectives_of(replay):
    """By collective: its time, and that with nothing beside it."""
    others = [event for event in replay if not is_collective(event)]
    return [(event[1] - event[0], event[1] - event[0] - covered(event, others)) for event in replay if is_collective(event)]


def collectives(paths):
    """The same by the traces of all ranks, as medians of the replays. In each replay the rank counts on which the collective was shortest: it began last,
    and did not wait for others."""
    ranks = [[collectives_of(replay) for replay in replays_of(path)] for path in paths]
    if len({tuple(map(len, replays)) for replays in ranks}) != 1 or not ranks[0]:
        return []
    shortest = [[min(times) for times in zip(*replay)] for replay in zip(*ranks)]
    return [tuple(map(statistics.median, zip(*times))) for times in zip(*shortest)]
