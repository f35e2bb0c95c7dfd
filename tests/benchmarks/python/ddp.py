#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ddp.py: one rank of PyTorch's DistributedDataParallel, with the networks, batches and optimizer of samples/data_parallel. Rank 0 prints the
milliseconds of a step as JSON, by network: eager, and captured as a whole step. It reads torchrun's variables."""
import json
import os
import sys
import time

os.environ["TORCH_NCCL_ASYNC_ERROR_HANDLING"] = "0"  # as PyTorch's notes on CUDA graphs ask of a captured DDP

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

WARM_UPS_OF_A_CAPTURE = 11  # those notes again
WIDTH = 2048


def small_net():
    return nn.Sequential(nn.Conv2d(1, 10, 5), nn.MaxPool2d(2), nn.ReLU(), nn.Conv2d(10, 20, 5), nn.MaxPool2d(2), nn.ReLU(), nn.Flatten(),
                         nn.Linear(320, 50), nn.ReLU(), nn.Linear(50, 10))


def wide_net():
    return nn.Sequential(*(layer for _ in range(6) for layer in (nn.Linear(WIDTH, WIDTH), nn.ReLU())))


def small_loss(result, labels):
    return nn.functional.nll_loss(nn.functional.log_softmax(result, 1), labels)


NETWORKS = {
    "small": (small_net, small_loss, lambda: (torch.randn(64, 1, 28, 28), torch.randint(10, (64,)))),
    "wide": (wide_net, nn.functional.mse_loss, lambda: (torch.randn(256, WIDTH), torch.randn(256, WIDTH))),
}


def synchronize(device):
    if device.type == "cuda":
        torch.cuda.synchronize()


def time_of(action, device):
    """As the sample's: milliseconds of a call, after ten."""
    calls = 100 if device.type == "cuda" else 5
    for _ in range(10):
        action()
    synchronize(device)
    dist.barrier()
    synchronize(device)
    start = time.perf_counter()
    for _ in range(calls):
        action()
    synchronize(device)
    return 1000 * (time.perf_counter() - start) / calls


def make_step(network, device):
    make, loss_of, _ = NETWORKS[network]
    net = DistributedDataParallel(make().to(device), device_ids=[device.index] if device.type == "cuda" else None,
                                  gradient_as_bucket_view=True)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.5, fused=True)

    def step(x, y):
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(net(x), y)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


def capture(network, device, x, y):
    """A step of new tensors: they are copied to those that the graph reads, as a graphed callable does with its arguments."""
    static_x, static_y = x.clone(), y.clone()
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        step = make_step(network, device)
        for _ in range(WARM_UPS_OF_A_CAPTURE):
            step(static_x, static_y)
    torch.cuda.current_stream().wait_stream(stream)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream, capture_error_mode="thread_local"):
        step(static_x, static_y)

    def replay():
        static_x.copy_(x)
        static_y.copy_(y)
        graph.replay()

    return replay


def main():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if sys.argv[1] == "cuda" else torch.device("cpu")
    if device.type == "cuda":
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if device.type == "cuda" else "gloo", device_id=device if device.type == "cuda" else None)
    times = {}
    for network, (_, _, batch) in NETWORKS.items():
        x, y = (each.to(device) for each in batch())
        step = make_step(network, device)
        times[f"{network} eager"] = time_of(lambda: step(x, y), device)
        del step
        if device.type == "cuda":
            times[f"{network} captured"] = time_of(capture(network, device, x, y), device)
    if dist.get_rank() == 0:
        print(json.dumps(times), flush=True)
    dist.barrier()
    synchronize(device)
    sys.stdout.flush()
    os._exit(0)  # NCCL waits for graphs that hold its communicator


if __name__ == "__main__":
    main()
