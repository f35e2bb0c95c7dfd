# SPDX-License-Identifier: Apache-2.0
#
#   graphgen --explain --format=json ... | outline.py
# The operators of each callable's source, one on a line.
import json
import sys

for each in json.load(sys.stdin)["callables"]:
    print(each["name"])
    for graph in each["graphs"]:
        for i, node in enumerate(graph["nodes"]):
            words = [f"{i}:", f"line {node['line']}", node["operator"]] + [word for word in ("perhaps", "repeated", "elsewhere") if node.get(word)]
            words += [f"{name} {node[name]}" for name in ("file", "module", "after", "reads") if name in node]
            print(" ", *words)
