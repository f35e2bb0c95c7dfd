# SPDX-License-Identifier: Apache-2.0
"""export.py DEVICE FOLDER: writes FOLDER/net.pt2, the package that exported_test.cpp loads. AOTInductor compiles it for the device."""
import pathlib
import sys

import torch
from torch import nn


class Net(nn.Module):
    """What a compiled model may do: an operator of LibTorch between fused kernels, a number, a state of its own."""

    def __init__(self):
        super().__init__()
        self.convolution = nn.Conv2d(3, 4, 3)
        self.head = nn.Linear(4, 5)
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, images):
        self.calls.add_(1)
        seen = self.convolution(images).relu()
        return seen, self.head(seen.mean((2, 3))).tanh() * 2, (images * images).sum(), images.sin() + self.calls


def main():
    device, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    net = Net().to(device).eval()
    with torch.no_grad():
        exported = torch.export.export(net, (torch.randn(2, 3, 8, 8, device=device),))
        torch._inductor.aoti_compile_and_package(exported, package_path=str(folder / "net.pt2"))


if __name__ == "__main__":
    main()
