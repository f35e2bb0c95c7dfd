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
    failed: tuple = ()  # what should have been measured

    def keeps(self, value):
        return value <= self.bound if self.at_most else value >= self.bound

    def holds(self):
        if self.failed:
            return False
        return None if self.value is None else self.keeps(self.value)


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

    def failed(self, workload, peer, figure, device="cuda"):
        row = self.rows.get((device, workload, peer))
        return row is not None and row[figure] is None and "error" in row

    def ratio(self, workload, numerator, denominator, figure, device="cuda"):
        return ratio(self.figure(workload, numerator, figure, device), self.figure(workload, denominator, figure, device))


@dataclass
class Comparison:
    """Of two peers over workloads: the ratios that were measured, and the cells that failed."""

    ratios: list  # (name, summary)
    failed: tuple

    def __add__(self, other):
        return Comparison(self.ratios + other.ratios, tuple(dict.fromkeys(self.failed + other.failed)))


def compare(run, workloads, numerator, denominator, figure, device="cuda"):
    pairs = [(name, run.ratio(name, numerator, denominator, figure, device)) for name in workloads]
    failed = [f"{name} ({peer})" for name in workloads for peer in (numerator, denominator) if run.failed(name, peer, figure, device)]
    return Comparison([(f"{name} ({numerator})", found) for name, found in pairs if found], tuple(failed))


def one_ratio(run, what, at_most, bound, workload, numerator, denominator, figure):
    compared = compare(run, [workload], numerator, denominator, figure)
    if not compared.ratios:
        return Bar(what, at_most, bound, "x", None, None, note_of(compared.failed), compared.failed)
    found = compared.ratios[0][1]
    above, below = (run.figure(workload, peer, figure)["median"] for peer in (numerator, denominator))
    return Bar(what, at_most, bound, "x", found["median"], (found["low"], found["high"]), f"{above:.2f} us to {below:.2f} us")


def note_of(failed):
    return "failed: " + ", ".join(failed) if failed else ""


def extreme(what, at_most, bound, compared, key):
    """The worst of several workloads."""
    bar = Bar(what, at_most, bound, "x", None, None, note_of(compared.failed), compared.failed)
    values = [(name, found[key]) for name, found in compared.ratios]
    if values:
        name, bar.value = (max if at_most else min)(values, key=lambda pair: pair[1])
        beyond = ", ".join(f"{each} {value:.2f}" for each, value in values if not bar.keeps(value))
        bar.note = "; ".join(filter(None, [f"{name} is the worst of {len(values)}" + (f": {beyond}" if beyond else ""), bar.note]))
    return bar


def time_of(what, bound, found, scale=1):
    """Of a figure's summary in microseconds, or in `scale` of one."""
    if not found:
        return Bar(what, True, bound, "us", None)
    return Bar(what, True, bound, "us", found["median"] / scale, (found["low"] / scale, found["high"] / scale))


def bars(run):
    """All of them, in the order of the table that sets them."""
    layer, layers, mgc = "transformer-1", "transformer-6", "make_graphed_callables"
    on_gpu, on_cpu = run.workloads("cuda"), run.workloads("cpu")
    work, work_on_cpu = ([name for name in names if name != "chain-0"] for names in (on_gpu, on_cpu))  # none where it is not a graph
    others = [compare(run, work, peer, "graphed", "wall_us") for peer in ("plain", "libtorch", "handwritten")]
    memory = compare(run, on_gpu, "graphed", mgc, "peak_bytes")
    tape = compare(run, work_on_cpu, "plain", "graphed", "wall_us", "cpu")
    mnist_host = time_of("MNIST step, host", 10, run.figure("mnist-step", "graphed", "host_us"))
    guards = time_of("guards of eight inputs, host", 0.15, (run.data.get("host_path_ns") or {}).get("guards"), scale=1000)
    return [
        one_ratio(run, "inference with one input, host, against the bare launch", True, 2.0, "mlp-1", "graphed", "launch", "host_us"),
        one_ratio(run, "with eight inputs", True, 2.5, "mlp-8", "graphed", "launch", "host_us"),
        one_ratio(run, "with dropout in the graph", True, 2.5, "mlp-1-dropout", "graphed", "launch", "host_us"),
        one_ratio(run, "launch with memset nodes, host, against the same graph without", True, 1.5, "memsets-24", "launch", "without-memsets", "host_us"),
        one_ratio(run, "MLP forward and backward on the calling thread, wall, against two bare launches", True, 1.1, "mlp-training", "graphed-here", "launch", "wall_us"),
        one_ratio(run, "transformer layer on the calling thread, host, against make_graphed_callables", True, 0.1, layer, "graphed-here", mgc, "host_us"),
        one_ratio(run, "six layers, 72 parameters, the same", True, 0.05, layers, "graphed-here", mgc, "host_us"),
        one_ratio(run, "transformer layer, on the engine's thread", True, 0.15, layer, "graphed", mgc, "host_us"),
        one_ratio(run, "six layers, on the engine's thread", True, 0.08, layers, "graphed", mgc, "host_us"),
        mnist_host,
        one_ratio(run, "C++ eager's MNIST step, wall, against graphed", False, 4.8, "mnist-step", "libtorch", "graphed", "wall_us"),
        one_ratio(run, "C++ eager's TD3 update with the fused optimizer, wall, against graphed", False, 4.5, "td3-update", "plain", "graphed", "wall_us"),
        one_ratio(run, "tensordict's TD3 update, wall, against graphed", False, 1.5, "td3-update", "CudaGraphModule", "graphed", "wall_us"),
        one_ratio(run, "tensordict's SAC update, wall, against graphed", False, 1.5, "sac-update", "CudaGraphModule", "graphed", "wall_us"),
        one_ratio(run, "C++ eager's token of a decoder, drawn on the host, wall, against graphed", False, 3.0, "decode-host", "plain", "graphed", "wall_us"),
        one_ratio(run, "C++ eager's adaptive ODE step, wall, against graphed", False, 3.0, "ode-host", "plain", "graphed", "wall_us"),
        one_ratio(run, "C++ eager's conjugate gradients, wall, against a loop in the graph", False, 1.3, "solver-512", "plain", "graphed", "wall_us"),
        one_ratio(run, "graphed iterations in a loop on the host, wall, against a loop in the graph", False, 1.3, "solver-512", "loop-on-host", "graphed", "wall_us"),
        extreme("C++ eager and hand-written graphs, wall, against graphed: lower bound", False, 0.95, others[0] + others[1] + others[2], "low"),
        guards,
        extreme("peak bytes, against make_graphed_callables", True, 1.0, memory, "median"),
        extreme("C++ eager on a CPU, wall, against the tape", False, 1.0, tape, "median"),
    ]
