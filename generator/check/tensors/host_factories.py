#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""host_factories.py NATIVE_FUNCTIONS > HostFactories.inc

Prints, from LibTorch's own schema (torchgen/packaged/ATen/native/native_functions.yaml of the wheel), the functions that make a tensor of no other
one and lay it into the host's memory where their arguments say no device.
"""
import re
import sys


def names(lines):
    for line in lines:
        function = re.match(r"- func: (\w+)(\.\w+)?\((.*?)\) -> Tensor$", line.rstrip())
        if function and not function[1].startswith("_") and "Device? device" in function[3] and "Tensor" not in function[3]:
            yield function[1]


def main():
    with open(sys.argv[1], encoding="utf-8") as schema:
        table = sorted(set(names(schema)))
    assert len(table) >= 25, "the schema was not read"
    print("// SPDX-License-Identifier: Apache-2.0\n//\n// Made by host_factories.py from LibTorch's schema.")
    for name in table:
        print(f'"{name}",')


if __name__ == "__main__":
    main()
