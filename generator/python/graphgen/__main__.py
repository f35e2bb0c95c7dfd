# SPDX-License-Identifier: Apache-2.0
"""graphgen, the program; `python -m graphgen --cmake-dir` prints the folder of its CMake package."""

import os
import sys

import graphgen


def main() -> None:
    if sys.argv[1:] == ["--cmake-dir"]:
        print(graphgen.cmake_dir())
    else:
        os.execv(graphgen.program(), ["graphgen", *sys.argv[1:]])


if __name__ == "__main__":
    main()
