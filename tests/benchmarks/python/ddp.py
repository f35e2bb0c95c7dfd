#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ddp.py DEVICE: one rank of PyTorch's DistributedDataParallel, with the networks, batches and optimizer of samples/data_parallel and several_gpus.
Rank 0 prints the milliseconds of a step as JSON, by network: eager, and captured as a whole step. It reads torchrun's variables."""
import json
import os
import sys
import time

os.environ["TORCH_NCCL_ASYNC_ERROR_HANDLING"] = "0"  # as PyTorch's notes on CUDA graphs ask of a captured DDP

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel

WARM_UPS_OF_A_CAPTURE = 11  # those notes again
WIDTH = 2048
ON_A_CPU = sys.argv[1] == "cpu"  # where this is only tried: one layer


def repeated(layers, make):
    return nn.Sequential(*(layer for _ in range(1 if ON_A_CPU else layers) for layer in make()))


def small_net():
    return nn.Sequential(nn.Conv2d(1, 10, 5), nn.MaxPool2d(2), nn.ReLU(), nn.Conv2d(10, 20, 5), nn.MaxPool2d(2), nn.ReLU(), nn.Flatten(),
                         nn.Linear(320, 50), nn.ReLU(), nn.Linear(50, 10))


def wide_net():
    return repeated(6, lambda: (nn.Linear(WIDTH, WIDTH), nn.ReLU()))


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first, self.second = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, x):
        return x + self.second(torch.relu(self.first(x)))


class EncoderLayer(nn.Module):
    def __init__(self, width, length=32, size_of_a_head=64):
        super().__init__()
        self.form = (-1, length, 3, width // size_of_a_head, size_of_a_head)
        self.into, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wider, self.narrower = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)

    def attend(self, x):
        query, key, value = self.into(x).view(self.form).permute(2, 0, 3, 1, 4).unbind()
        return F.scaled_dot_product_attention(query, key, value).transpose(1, 2).reshape(x.shape)

    def forward(self, x):
        attended = x + self.out(self.attend(self.norm1(x)))
        return attended + self.narrower(F.gelu(self.wider(self.norm2(attended))))


def deep_net():
    return repeated(48, lambda: (Residual(512),))


def encoder_net():
    return repeated(8, lambda: (EncoderLayer(512),))


def noise(rows, width):
    return lambda: (torch.randn(rows, width), torch.randn(rows, width))


def small_loss(result, labels):
    return F.nll_loss(F.log_softmax(result, 1), labels)


NETWORKS = {
    "small": (small_net, small_loss, lambda: (torch.randn(64, 1, 28, 28), torch.randint(10, (64,)))),
    "wide": (wide_net, F.mse_loss, noise(256, WIDTH)),
    "deep": (deep_net, F.mse_loss, noise(64, 512)),
    "encoder": (encoder_net, F.mse_loss, noise(256, 512)),
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
    for network in NETWORKS:
        batch = NETWORKS[network][2]
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
