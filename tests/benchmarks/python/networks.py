# SPDX-License-Identifier: Apache-2.0
"""The networks of inference.h, training.h and resnet.h: the same operators on the same shapes."""
import math

import torch
from torch import nn
from torch.nn import functional as F


class Chain(nn.Module):
    def __init__(self, kernels):
        super().__init__()
        self.kernels = kernels

    def forward(self, x):
        for _ in range(self.kernels):
            x = x + 1
        return x


class ClearedSums(nn.Module):
    """Clears by kernels: Python has no memset."""

    def __init__(self):
        super().__init__()
        for i in range(24):
            self.register_buffer(f"sum{i}", torch.zeros(1024))

    def forward(self, x):
        for total in self.buffers():
            x = total.zero_().add_(x) + 1
        return x


class Perceptron(nn.Module):
    """Of one tensor, or of several that are joined."""

    def __init__(self, sizes, dropout=0.0):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(*pair) for pair in zip(sizes, sizes[1:]))
        self.dropout = dropout

    def forward(self, *xs):
        x = torch.cat(xs, 1) if len(xs) > 1 else xs[0]
        for layer in self.layers[:-1]:
            x = layer(x).relu()
            if self.dropout:
                x = F.dropout(x, self.dropout, training=True)
        return self.layers[-1](x)


class Policy(Perceptron):
    def __init__(self):
        super().__init__([17, 256, 256, 6])

    def forward(self, observations):
        return super().forward(observations).tanh()


def convolution(inner, outer, kernel, stride):
    return nn.Conv2d(inner, outer, kernel, stride=stride, padding=kernel // 2, bias=False)


class BasicBlock(nn.Module):
    def __init__(self, inner, outer, stride):
        super().__init__()
        self.conv1, self.norm1 = convolution(inner, outer, 3, stride), nn.BatchNorm2d(outer)
        self.conv2, self.norm2 = convolution(outer, outer, 3, 1), nn.BatchNorm2d(outer)
        self.shortcut = nn.Sequential()
        if stride != 1 or inner != outer:
            self.shortcut = nn.Sequential(convolution(inner, outer, 1, stride), nn.BatchNorm2d(outer))

    def forward(self, x):
        y = self.norm2(self.conv2(self.norm1(self.conv1(x)).relu_()))
        return (y + self.shortcut(x)).relu_()


class ResNet18(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.norm = convolution(3, 64, 7, 2), nn.BatchNorm2d(64)
        sizes = [64, 64, 128, 256, 512]
        self.blocks = nn.Sequential(
            *(
                block
                for inner, outer in zip(sizes, sizes[1:])
                for block in (BasicBlock(inner, outer, 1 if inner == outer else 2), BasicBlock(outer, outer, 1))
            )
        )
        self.head = nn.Linear(512, 1000)

    def forward(self, images):
        x = F.max_pool2d(self.norm(self.stem(images)).relu_(), 3, 2, 1)
        return self.head(self.blocks(x).mean((2, 3)))


class EncoderLayer(nn.Module):
    def __init__(self, width=512, heads=8, feedforward=2048, dropout=0.1):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.in_weight = nn.Parameter(nn.init.xavier_uniform_(torch.empty(3 * width, width)))
        self.in_bias = nn.Parameter(torch.zeros(3 * width))
        self.out = nn.Linear(width, width)
        self.linear1, self.linear2 = nn.Linear(width, feedforward), nn.Linear(feedforward, width)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)

    def drop(self, x):
        return F.dropout(x, self.dropout, self.training)

    def attend(self, x):
        length, batch, width = x.shape
        size = width // self.heads
        parts = F.linear(x, self.in_weight, self.in_bias).view(length, batch * self.heads, 3 * size)
        query, key, value = parts.transpose(0, 1).chunk(3, -1)
        weights = self.drop(torch.bmm(query * math.sqrt(1 / size), key.transpose(1, 2)).softmax(-1))
        return self.out(torch.bmm(weights, value).transpose(0, 1).reshape(length, batch, width))

    def forward(self, source):
        attended = self.norm1(source + self.drop(self.attend(source)))
        return self.norm2(attended + self.drop(self.linear2(self.drop(self.linear1(attended).relu()))))


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(128, 128)

    def forward(self, sequence):
        state = sequence.new_zeros(sequence.shape[1:])
        for x in sequence.unbind():
            state = self.cell(x, state)
        return state
