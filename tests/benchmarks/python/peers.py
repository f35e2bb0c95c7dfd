# SPDX-License-Identifier: Apache-2.0
"""Python's ways to run a workload: eager, make_graphed_callables, torch.compile in two modes, and tensordict's CudaGraphModule."""
import itertools
import time

import torch

try:
    from tensordict.nn import CudaGraphModule
except ImportError:
    CudaGraphModule = None


class Absent(Exception):
    """There is no such peer for this workload, or on this machine."""


def unit_of(entry, call, workload):
    """What is repeated, of a batch's tensors: `call`; of a training, the backward too, gradients set to none before."""
    if entry.kind != "training":
        return call

    def train(*inputs_and_gradient):
        *inputs, gradient = inputs_and_gradient
        for parameter in workload.parameters:
            parameter.grad = None
        result = call(*inputs)
        result.backward(gradient)
        return result

    return train


def detached(unit):
    return lambda *tensors: unit(*tensors).detach()


def eager(entry, workload):
    return [unit_of(entry, call, workload) for call in workload.calls]


def graphed_callables(entry, workload):
    if entry.kind == "step":
        raise Absent("make_graphed_callables captures networks, not whole steps")
    samples = tuple(tuple(x.clone() for x in workload.batches[0].inputs) for _ in workload.calls)
    graphed = torch.cuda.make_graphed_callables(workload.calls, samples)
    return [unit_of(entry, call, workload) for call in graphed]


def compiled(mode):
    def made(entry, workload):
        # The chains are one function to the compiler. It skips a function for good in which it once found nothing to compile.
        torch._dynamo.config.recompile_limit = 64
        inputs = workload.batches[0].inputs
        if entry.kind == "inference" and any(call(*inputs) is inputs[0] for call in workload.calls):
            raise Absent("there is nothing to compile")
        return [unit_of(entry, torch.compile(call, mode=mode, dynamic=False), workload) for call in workload.calls]

    return made


def cuda_graph_modules(entry, workload):
    if CudaGraphModule is None:
        raise Absent("tensordict is not installed")
    return [CudaGraphModule(detached(unit)) for unit in eager(entry, workload)]


PEERS = {
    "eager": eager,
    "make_graphed_callables": graphed_callables,
    "compile": compiled("reduce-overhead"),
    "compile-max": compiled("max-autotune"),
    "CudaGraphModule": cuda_graph_modules,
}
KEPT = ("compile", "compile-max")  # compiling again for each repetition would take minutes
WARMUPS = 4


def program_of(name, units):
    """Calls the units one after another, and returns the last one's result."""
    before = torch.compiler.cudagraph_mark_step_begin if name in KEPT else None
    if before is None and len(units) == 1:
        return units[0]

    def program(*tensors):
        if before:
            before()
        for unit in units:
            result = unit(*tensors)
        return result

    return program


class Peer:
    """A peer that is ready to be timed: run() is one unit on the next batch."""

    def __init__(self, entry, name, device):
        self.workload = entry.make(device, capturable=name == "CudaGraphModule")
        if device.type == "cuda":
            torch.cuda.synchronize()
        start = time.perf_counter()
        program = program_of(name, PEERS[name](entry, self.workload))
        turns = itertools.cycle([batch.tensors() for batch in self.workload.batches])
        self.run = lambda: program(*next(turns))
        for _ in range(WARMUPS):
            self.run()
        if device.type == "cuda":
            torch.cuda.synchronize()
        self.ready_us = 1e6 * (time.perf_counter() - start)
