#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""export.py FOLDER [cpu|cuda]: trains a classifier of handwritten digits, and writes it for C++ in two forms: FOLDER/digits.pt2, which
AOTInductor has compiled for this machine, and FOLDER/digits.pt, TorchScript. The default device is a GPU where there is one."""
import pathlib
import sys

import torch
from torch import nn
from torch.nn import functional as F

DIGITS = pathlib.Path(__file__).resolve().parent / ".." / "data" / "digits.pt"


class Classifier(nn.Module):
    """Of pixels from 0 to 1, f32[n, 1, 8, 8]: scores, f32[n, 10]."""

    def __init__(self):
        super().__init__()
        self.convolution1, self.convolution2 = nn.Conv2d(1, 16, 3, padding=1), nn.Conv2d(16, 32, 3, padding=1)
        self.hidden, self.head = nn.Linear(32 * 4 * 4, 64), nn.Linear(64, 10)

    def forward(self, images):
        x = F.gelu(self.convolution1(images))
        x = F.max_pool2d(F.gelu(self.convolution2(x)), 2)
        return self.head(F.gelu(self.hidden(x.flatten(1))))


def train(net, device):
    """On the images that the C++ program does not ask for."""
    rows = torch.load(DIGITS)
    rows = rows[torch.arange(len(rows)).remainder(6) != 0].to(device)
    images, labels = rows[:, :64].float().div(16).view(-1, 1, 8, 8), rows[:, 64].long()
    optimizer = torch.optim.Adam(net.parameters(), 2e-3)
    for _ in range(200):
        chosen = torch.randint(len(rows), (128,), device=device)
        optimizer.zero_grad()
        F.cross_entropy(net(images[chosen]), labels[chosen]).backward()
        optimizer.step()


def main():
    folder = pathlib.Path(sys.argv[1])
    device = sys.argv[2] if len(sys.argv) > 2 else "cuda" if torch.cuda.is_available() else "cpu"
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    net = Classifier().to(device)
    train(net, device)
    net.eval()
    with torch.no_grad():
        example = torch.rand(1, 1, 8, 8, device=device)
        torch.jit.freeze(torch.jit.trace(net, example)).save(str(folder / "digits.pt"))
        exported = torch.export.export(net, (example,))
        torch._inductor.aoti_compile_and_package(exported, package_path=str(folder / "digits.pt2"))


if __name__ == "__main__":
    main()
