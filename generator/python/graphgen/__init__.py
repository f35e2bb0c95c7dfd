# SPDX-License-Identifier: Apache-2.0
"""graphgen, as a package of Python: the paths of the program and of the CMake package."""

from pathlib import Path

_folder = Path(__file__).resolve().parent


def cmake_dir() -> str:
    """The folder of graphgenConfig.cmake, for -Dgraphgen_DIR."""
    return str(_folder / "lib" / "cmake" / "graphgen")


def program() -> str:
    """The path of graphgen, the program."""
    return str(_folder / "bin" / "graphgen")
