# SPDX-License-Identifier: Apache-2.0
"""The workloads of workload.h, by the same names."""
from dataclasses import dataclass, field
from typing import Callable

import torch
from torch import nn

from networks import Chain, ClearedSums, EncoderLayer, Perceptron, Policy, Recurrent, ResNet18
from steps import Mnist, Ppo, Sac, Td3


@dataclass
class Batch:
    """What one call is given."""

    inputs: tuple
    gradient: torch.Tensor | None = None  # of a training's result

    def tensors(self):
        return self.inputs if self.gradient is None else (*self.inputs, self.gradient)


@dataclass
class Workload:
    calls: tuple  # callables of the inputs, called one after another; modules where they are
    batches: tuple  # used in turn, so that no call finds its inputs where the last one's were
    parameters: list = field(default_factory=list)  # whose gradients a training computes


@dataclass
class Entry:
    name: str
    kind: str  # inference, training or step
    make: Callable  # of a device, and of whether optimizers must be capturable


def two(draw):
    return draw(), draw()


def inference(make, *shapes, count=1):
    def made(device, capturable):
        modules = tuple(make().to(device).eval() for _ in range(count))
        return Workload(modules, two(lambda: Batch(tuple(torch.randn(shape, device=device) for shape in shapes))))

    return "inference", made


def training(make, shape, result):
    def made(device, capturable):
        module = make().to(device)
        batches = two(lambda: Batch((torch.randn(shape, device=device),), torch.randn(result, device=device)))
        return Workload((module,), batches, list(module.parameters()))

    return "training", made


def step(make, draw):
    return "step", lambda device, capturable: Workload((make(device, capturable).learn,), two(lambda: Batch(draw(device))))


def images_and_labels(device):
    return torch.randn(64, 1, 28, 28, device=device), torch.randint(10, (64,), device=device)


def transitions(device):
    draw = lambda *shape: torch.randn(shape, device=device)
    return draw(256, 17), draw(256, 6).tanh(), draw(256, 17), draw(256, 1), torch.zeros(256, 1, device=device)


def minibatch(device):
    draw = lambda *shape: torch.randn(shape, device=device)
    return draw(64, 17), draw(64, 6), draw(64) - 8, draw(64), draw(64), draw(64)


def perceptron(dropout=0.0):
    return lambda: Perceptron([256, 256, 256, 10], dropout)


def encoder(count):
    return training(lambda: nn.Sequential(*(EncoderLayer() for _ in range(count))), (128, 8, 512), (128, 8, 512))


WORKLOADS = {
    name: Entry(name, *definition)
    for name, definition in {
        **{f"chain-{count}": inference(lambda count=count: Chain(count), (1024,)) for count in (0, 1, 10, 100, 500)},
        "memsets-24": inference(ClearedSums, (1024,)),
        "mlp-1": inference(perceptron(), (64, 256)),
        "mlp-8": inference(perceptron(), *[(64, 32)] * 8),
        "mlp-32": inference(perceptron(), *[(64, 8)] * 32),
        "mlp-1-dropout": inference(perceptron(0.5), (64, 256)),
        "policy-1": inference(Policy, (1, 17)),
        "policy-256": inference(Policy, (256, 17)),
        "policies-24": inference(Policy, (1, 17), count=24),
        "resnet18": inference(ResNet18, (1, 3, 224, 224)),
        "encoder-6": inference(lambda: nn.Sequential(*(EncoderLayer() for _ in range(6))), (128, 8, 512)),
        "mlp-training": training(lambda: Perceptron([784, 512, 512, 10]), (64, 784), (64, 10)),
        "gru-20": training(Recurrent, (20, 32, 128), (32, 128)),
        "transformer-1": encoder(1),
        "transformer-6": encoder(6),
        "mnist-step": step(Mnist, images_and_labels),
        "td3-update": step(Td3, transitions),
        "sac-update": step(Sac, transitions),
        "ppo-minibatch": step(Ppo, minibatch),
    }.items()
}
