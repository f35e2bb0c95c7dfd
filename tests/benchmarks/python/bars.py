# SPDX-License-Identifier: Apache-2.0
"""The bars that the project sets itself, and what a run measured of them."""
from dataclasses import dataclass

from figures import ratio


@dataclass
class Bar:
    what: str
    at_most: bool  # else at least
    bound: float
    unit: str  # "x" of ratios, else of time
    value: float | None  # None: not measured
    interval: tuple | None = None
    note: str = ""

    def holds(self):
        return None if self.value is None else self.value <= self.bound if self.at_most else self.value >= self.bound


class Run:
    """A run's figures by device, workload and peer."""

    def __init__(self, data):
        self.data = data
        self.rows = {(row["device"], row["workload"], row["peer"]): row for row in data["results"]}

    def workloads(self, device):
        return list(dict.fromkeys(workload for of, workload, _ in self.rows if of == device))

    def figure(self, workload, peer, figure, device="cuda"):
        row = self.rows.get((device, workload, peer))
        return row and row[figure]

    def ratio(self, workload, numerator, denominator, figure, device="cuda"):
        return ratio(self.figure(workload, numerator, figure, device), self.figure(workload, denominator, figure, device))


def one_ratio(run, what, at_most, bound, workload, numerator, denominator, figure, note=""):
    found = run.ratio(workload, numerator, denominator, figure)
    return Bar(what, at_most, bound, "x", found and found["median"], found and (found["low"], found["high"]), note)


def extreme(what, at_most, bound, found):
    """The worst of several workloads: `found` holds (name, value)s."""
    if not found:
        return Bar(what, at_most, bound, "x", None)
    name, value = (max if at_most else min)(found, key=lambda pair: pair[1])
    beyond = [f"{each} {other:.2f}" for each, other in found if (other > bound if at_most else other < bound)]
    return Bar(what, at_most, bound, "x", value, None, f"{name} is the worst of {len(found)}" + (": " + ", ".join(beyond) if beyond else ""))


def host_time(run, what, bound, workload):
    found = run.figure(workload, "graphed", "host_us")
    return Bar(what, True, bound, "us", found and found["median"], found and (found["low"], found["high"]))


def of_all(run, numerator, denominator, figure, key, device="cuda"):
    """Of all workloads but the empty one, which is no work at all where it is no graph."""
    names = [name for name in run.workloads(device) if name != "chain-0"]
    pairs = ((name, run.ratio(name, numerator, denominator, figure, device)) for name in names)
    return [(name, found[key]) for name, found in pairs if found]


def bars(run):
    """All of them, in the order of the table that sets them."""
    guards = (run.data.get("host_path_ns") or {}).get("guards")
    lower_bounds = [
        (f"{name} ({peer})", low) for peer in ("plain", "libtorch", "handwritten") for name, low in of_all(run, peer, "graphed", "wall_us", "low")
    ]
    layer, layers, mgc = "transformer-1", "transformer-6", "make_graphed_callables"
    return [
        one_ratio(run, "inference with one input, host, against the bare launch", True, 2.0, "mlp-1", "graphed", "launch", "host_us"),
        one_ratio(run, "with eight inputs", True, 2.5, "mlp-8", "graphed", "launch", "host_us"),
        one_ratio(run, "with dropout in the graph", True, 2.5, "mlp-1-dropout", "graphed", "launch", "host_us"),
        extreme("launch with memset nodes, host, against the same graph without", True, 1.5, of_all(run, "launch", "without-memsets", "host_us", "median")),
        one_ratio(run, "MLP forward and backward on the calling thread, wall, against two bare launches", True, 1.1, "mlp-training", "graphed-here", "launch", "wall_us"),
        one_ratio(run, "transformer layer on the calling thread, host, against make_graphed_callables", True, 0.1, layer, "graphed-here", mgc, "host_us"),
        one_ratio(run, "six layers, likewise", True, 0.05, layers, "graphed-here", mgc, "host_us"),
        one_ratio(run, "transformer layer, on the engine's thread", True, 0.15, layer, "graphed", mgc, "host_us"),
        one_ratio(run, "six layers, on the engine's thread", True, 0.08, layers, "graphed", mgc, "host_us"),
        host_time(run, "MNIST step, host", 10, "mnist-step"),
        one_ratio(run, "C++ eager's MNIST step, wall, against graphed", False, 4.8, "mnist-step", "libtorch", "graphed", "wall_us"),
        one_ratio(run, "C++ eager's TD3 update with the fused optimizer, wall, against graphed", False, 4.5, "td3-update", "plain", "graphed", "wall_us"),
        one_ratio(run, "tensordict's TD3 update, wall, against graphed", False, 1.5, "td3-update", "CudaGraphModule", "graphed", "wall_us"),
        one_ratio(run, "tensordict's SAC update, wall, against graphed", False, 1.5, "sac-update", "CudaGraphModule", "graphed", "wall_us"),
        extreme("C++ eager and hand-written graphs, wall, against graphed: lower bound", False, 0.95, lower_bounds),
        Bar("guards of eight inputs, host", True, 0.15, "us", guards and guards["median"] / 1e3, guards and (guards["low"] / 1e3, guards["high"] / 1e3)),
        extreme("peak bytes, against make_graphed_callables", True, 1.0, of_all(run, "graphed", mgc, "peak_bytes", "median")),
        extreme("C++ eager on a CPU, wall, against the tape", False, 1.0, of_all(run, "plain", "graphed", "wall_us", "median", device="cpu")),
    ]
