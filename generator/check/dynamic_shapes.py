#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""dynamic_shapes.py NATIVE_FUNCTIONS > DynamicShapes.inc

Prints, from LibTorch's own schema (torchgen/packaged/ATen/native/native_functions.yaml of the wheel), the functions whose results have shapes that
depend on data, a row each: {name in C++, its parameters, the parameter that makes the shape known}. Of the parameters 'T' is a tensor or may be one,
'-' anything else; a method's first is its object.
"""
import re
import sys

# Composites of tagged functions, which have no tags of their own: aten/src/ATen/native/TensorAdvancedIndexing.cpp, Repeat.cpp, Unique.cpp.
COMPOSITES = {"where", "nonzero_numpy", "repeat_interleave.self_Tensor", "_unique"}

# With this argument the host reads nothing on a GPU.
UNLESS = {"repeat_interleave": "output_size", "one_hot": "num_classes"}

# Of integer indices the shape is known: DynamicShapeCheck.cpp looks at them.
SPECIAL = {"index.Tensor"}


def parameters(arguments):
    """The letters of the parameters, those of the results that are written last, as the schema has them."""
    inputs, outs = "", ""
    for each in re.split(r",\s*(?![^(\[]*[)\]])", arguments):
        if each == "*":
            continue
        letter = "T" if re.match(r"Tensor(\([a-z]!?\))?\??(\s|$)", each) else "-"
        if re.match(r"Tensor\([a-z]!\)", each):
            outs += letter
        else:
            inputs += letter
    return inputs, outs


def rows(lines):
    schema = None
    for line in lines:
        function = re.match(r"- func: ([\w.]+)\((.*?)\) -> ", line)
        if function:
            schema = function.groups()
        is_tagged = re.match(r"  tags:.*\bdynamic_output_shape\b", line)
        is_composite = function and schema[0] in COMPOSITES
        if not (is_tagged or is_composite) or schema[0] in SPECIAL:
            continue
        name = schema[0].split(".")[0]
        inputs, outs = parameters(schema[1])
        unless = UNLESS.get(name, "")
        if outs:
            yield f"{name}_out", outs + inputs, unless
            yield f"{name}_outf", inputs + outs, unless
        else:
            yield name, inputs, unless


def main():
    with open(sys.argv[1], encoding="utf-8") as schema:
        table = sorted(set(rows(schema)))
    assert len(table) >= 15, "the schema was not read"
    print("// SPDX-License-Identifier: Apache-2.0\n//\n// Made by dynamic_shapes.py from LibTorch's schema.")
    for name, letters, unless in table:
        print(f'{{"{name}", "{letters}", "{unless}"}},')


if __name__ == "__main__":
    main()
