#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""operators.py SITE_PACKAGES... > Operators.inc

Prints the schemas of LibTorch's operators with their tags, a row an overload, of all the versions that are given: SITE_PACKAGES is the folder
that has torch/, and torchgen/ where the tags come from. --missing TABLE prints the rows that TABLE lacks instead, and fails where there are any.
"""
import pathlib
import re
import sys

TAGS = {
    "pointwise": "Pointwise",
    "reduction": "Reduction",
    "inplace_view": "InplaceView",
    "dynamic_output_shape": "DynamicOutputShape",
    "data_dependent_output": "DataDependentOutput",
    "nondeterministic_seeded": "NondeterministicSeeded",
    "view_copy": "ViewCopy",
    "maybe_aliasing_or_mutating": "MaybeAliasingOrMutating",
}

# What torchgen gives to the operators that it makes from others (torchgen/native_function_generation.py).
INHERITED = {"nondeterministic_seeded", "view_copy"}


def schemas(packages):
    for header in sorted((packages / "torch/include/ATen/ops").glob("*_ops.h")):
        for text in re.findall(r'schema_str = "((?:[^"\\]|\\.)*)"', header.read_text(encoding="utf-8")):
            yield re.sub(r"\\(.)", r"\1", text)


def tags(packages):
    """The wanted tags of an operator's overload."""
    path = packages / "torchgen/packaged/ATen/native/native_functions.yaml"
    result, name = {}, None
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        if function := re.match(r"- func: ([\w.]+)\(", line):
            name, made = function[1], []
            result[name] = set()
        elif made_here := re.match(r"  autogen:\s*(.*)", line):
            made = re.findall(r"[\w.]+", made_here[1])
        elif tagged := re.match(r"  tags:\s*([^#]*)", line):
            result[name] = set(re.findall(r"\w+", tagged[1])) & TAGS.keys()
        if name:
            result.update({each: result[name] & INHERITED for each in made})
    return result


def table(folders):
    rows, tagged = set(), {}
    for folder in map(pathlib.Path, folders):
        rows.update(schemas(folder))
        for name, its in tags(folder).items():
            tagged[name] = tagged.get(name, set()) | its
    assert len(rows) > 3000, "the schemas were not read"
    for row in sorted(rows, key=lambda each: re.match(r"(\w+)(.*)", each).groups()):
        its = sorted(TAGS[each] for each in tagged.get(row.split("(")[0], ()))
        yield " | ".join([row, *its])


def missing(path, folders):
    """The rows that the table lacks; its own may have more tags, of another version."""
    known = {}
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        row, *its = line.split(" | ")
        known[row] = set(its)
    for line in table(folders):
        row, *its = line.split(" | ")
        if row not in known or not set(its) <= known[row]:
            yield line


def main():
    if sys.argv[1] == "--missing":
        lines = list(missing(sys.argv[2], sys.argv[3:]))
        print(*lines, sep="\n")
        sys.exit(1 if lines else 0)
    print("// SPDX-License-Identifier: Apache-2.0\n//\n// Made by operators.py from the schemas of LibTorch 2.11 to 2.15 (PyTorch, BSD-3-Clause).")
    print('R"(', *table(sys.argv[1:]), ')"', sep="\n")


main()
