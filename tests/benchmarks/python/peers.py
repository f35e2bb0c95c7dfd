# SPDX-License-Identifier: Apache-2.0
"""Python's ways to run a workload: eager, make_graphed_callables, torch.compile(mode="reduce-overhead") and tensordict's CudaGraphModule."""
import time

import torch

try:
    from tensordict.nn import CudaGraphModule
except ImportError:
    CudaGraphModule = None

from networks import Policies


class Absent(Exception):
    """There is no such peer for this workload, or on this machine."""


def unit_of(kind, call, workload):
    """What is repeated: `call` on the inputs; of a training, the backward too, gradients set to none before."""
    if kind != "training":
        return lambda *inputs: call(*inputs)

    def train(*inputs):
        for parameter in workload.parameters:
            parameter.grad = None
        result = call(*inputs)
        result.backward(workload.gradient)
        return result.detach()

    return train


def eager(entry, workload):
    return unit_of(entry.kind, workload.call, workload)


def graphed_callables(entry, workload):
    if entry.kind == "step":
        raise Absent("make_graphed_callables captures networks, not whole steps")
    call = workload.call
    if isinstance(call, Policies):
        policies = tuple(call.policies)
        torch.cuda.make_graphed_callables(policies, (workload.inputs,) * len(policies))
    else:
        call = torch.cuda.make_graphed_callables(call, tuple(x.clone() for x in workload.inputs))
    return unit_of(entry.kind, call, workload)


def compiled(entry, workload):
    unit = unit_of(entry.kind, torch.compile(workload.call, mode="reduce-overhead", dynamic=False), workload)

    def run(*inputs):
        torch.compiler.cudagraph_mark_step_begin()
        return unit(*inputs)

    return run


def cuda_graph_module(entry, workload):
    if CudaGraphModule is None:
        raise Absent("tensordict is not installed")
    return CudaGraphModule(unit_of(entry.kind, workload.call, workload))


PEERS = {"eager": eager, "make_graphed_callables": graphed_callables, "compile": compiled, "CudaGraphModule": cuda_graph_module}
KEPT = ("compile",)  # compiling anew for each repetition would take minutes
WARMUPS = 4


class Peer:
    """A peer that is ready to be timed: run() is one unit, result() runs one and returns what it computed."""

    def __init__(self, entry, name, device):
        self.workload = entry.make(device, capturable=name == "CudaGraphModule")
        if device.type == "cuda":
            torch.cuda.synchronize()
        start = time.perf_counter()
        unit, inputs = PEERS[name](entry, self.workload), self.workload.inputs
        self.run = lambda: unit(*inputs)
        for _ in range(WARMUPS):
            self.run()
        if device.type == "cuda":
            torch.cuda.synchronize()
        self.ready_us = 1e6 * (time.perf_counter() - start)
