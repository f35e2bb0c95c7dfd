#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""edges.py GRAPH.dot...: for each collective of a graph that GRAPHED_DUMP wrote, what comes before it, after it, and what may run beside it."""
import collections
import re
import sys

NODE = re.compile(r'^\s*"(graph_\w+)"\s*\[(.*?)\];?\s*$', re.MULTILINE | re.DOTALL)
EDGE = re.compile(r'"(graph_\w+)"(?::\w+)?\s*->\s*"(graph_\w+)"')
KERNEL = re.compile(r"([\w:~$.]+)\s*\\?<\\?<\\?<")


def read(path):
    with open(path, errors="replace") as file:
        text = file.read()
    names = {}
    for found in re.finditer(r'"(graph_\w+)"\s*\[((?:[^"\]]|"(?:[^"\\]|\\.)*")*)\]', text):
        node, label = found.groups()
        kernel = KERNEL.search(label)
        kinds = re.findall(r"MEMCPY|MEMSET|EMPTY|HOST|EVENT_RECORD|EVENT_WAIT|MEM_ALLOC|MEM_FREE|CONDITIONAL", label)
        names.setdefault(node, kernel.group(1) if kernel else (kinds or ["?"])[0])
    before, after = collections.defaultdict(set), collections.defaultdict(set)
    for source, target in EDGE.findall(text):
        before[target].add(source)
        after[source].add(target)
    return names, before, after


def reached(start, edges):
    found, left = set(), [start]
    while left:
        for node in edges[left.pop()]:
            if node not in found:
                found.add(node)
                left.append(node)
    return found


def main():
    for path in sys.argv[1:]:
        names, before, after = read(path)
        collectives = [node for node, name in names.items() if "nccl" in name.lower()]
        if not collectives:
            continue
        edges = sum(map(len, before.values()))
        print(f"{path.rsplit('/', 1)[-1]}: {len(names)} nodes, {edges} edges, {collections.Counter(name for name in names.values() if name.isupper())}")
        for node in sorted(collectives, key=lambda each: len(reached(each, before))):
            earlier, later = reached(node, before), reached(node, after)
            direct = ", ".join(sorted(names.get(each, "?")[-50:] for each in before[node]))
            print(f"  {node} {names[node][-40:]}: after {len(earlier)} nodes, before {len(later)}, beside {len(names) - 1 - len(earlier) - len(later)}; "
                  f"next after: {direct}")


if __name__ == "__main__":
    main()
