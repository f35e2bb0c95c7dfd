# SPDX-License-Identifier: Apache-2.0
"""serve.py [cpu|cuda]: reads lines WORKLOAD PEER[,PEER...] SECONDS and answers each by a line of JSON, as `benchmarks serve` does. Peers are
measured one after another, so that a figure is one number, not the samples of rounds."""
import gc
import json
import statistics
import sys
import time

import torch

from peers import KEPT, Absent, Peer
from workloads import WORKLOADS

IN_FLIGHT = 10  # as timing.cpp
SAMPLES_OF_THE_DEVICE = 7
CYCLES_A_MICROSECOND = 2000

torch._dynamo.config.recompile_limit = 64
device = torch.device(sys.argv[1] if len(sys.argv) > 1 else "cuda")
on_gpu = device.type == "cuda"
kept, loaded = {}, set()


def synchronize():
    if on_gpu:
        torch.cuda.synchronize()


def host_time(run, seconds):
    samples, begin = [], time.perf_counter()
    while not samples or time.perf_counter() - begin < seconds:
        synchronize()
        start = time.perf_counter()
        for _ in range(IN_FLIGHT):
            run()
        samples.append(1e6 * (time.perf_counter() - start) / IN_FLIGHT)
    return statistics.median(samples)


def wall_time(run, seconds):
    def time_of(calls):
        synchronize()
        start = time.perf_counter()
        for _ in range(calls):
            run()
        synchronize()
        return 1e6 * (time.perf_counter() - start) / calls

    return time_of(max(IN_FLIGHT, int(1e6 * seconds / time_of(IN_FLIGHT))))


def device_time(run, host_us):
    """All calls are enqueued while a kernel holds the device back."""
    calls = min(max(int(1500 / host_us), 1), IN_FLIGHT)
    samples = []
    for _ in range(SAMPLES_OF_THE_DEVICE):
        torch.cuda.synchronize()
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda._sleep(int((2 * host_us * calls + 200) * CYCLES_A_MICROSECOND))
        begin.record()
        for _ in range(calls):
            run()
        end.record()
        end.synchronize()
        samples.append(1e3 * begin.elapsed_time(end) / calls)
    return statistics.median(samples)


def begin_watching_memory():
    gc.collect()
    torch.cuda.synchronize()
    if not kept:  # whose graphs use their workspaces
        torch._C._cuda_clearCublasWorkspaces()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    return torch.cuda.memory_allocated(), torch.cuda.memory_reserved()


def load_libraries(entry):
    if entry.name not in loaded:
        loaded.add(entry.name)
        Peer(entry, "eager", device)


def measure(entry, name, seconds):
    with torch.set_grad_enabled(entry.kind != "inference"):
        load_libraries(entry)
        found = {"capture_us": None, "peak_bytes": None, "reserved_bytes": None, "gpu_us": None}
        is_new = (entry.name, name) not in kept
        before = begin_watching_memory() if on_gpu else None
        peer = Peer(entry, name, device) if is_new else kept[entry.name, name]
        found["ready_us"] = peer.ready_us
        found["host_us"] = host_time(peer.run, seconds)
        found["wall_us"] = wall_time(peer.run, seconds)
        if on_gpu:
            found["gpu_us"] = device_time(peer.run, found["host_us"])
            if is_new:
                found["peak_bytes"] = torch.cuda.max_memory_allocated() - before[0]
                found["reserved_bytes"] = torch.cuda.max_memory_reserved() - before[1]
        if name in KEPT:
            kept[entry.name, name] = peer
        return found


def answer(workload, peer, seconds):
    torch.manual_seed(1)
    try:
        if workload not in WORKLOADS:
            raise Absent(f"there is no {workload} in Python")
        return measure(WORKLOADS[workload], peer, seconds)
    except Absent as absent:
        return {"absent": str(absent)}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[:400]}


def answers(request):
    workload, peers, seconds = request.split()
    return {peer: answer(workload, peer, float(seconds)) for peer in peers.split(",")}


if __name__ == "__main__":
    replies, sys.stdout = sys.stdout, sys.stderr  # what libraries print is not a reply
    for line in sys.stdin:
        print(json.dumps(answers(line)), file=replies, flush=True)
