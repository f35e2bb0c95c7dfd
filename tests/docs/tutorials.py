#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A tutorial's page shows the program of its sample, whole, and what that prints.

tutorials.py SOURCE NAME PROGRAM   the page of samples/tutorials/NAME; PROGRAM is what was built of it. Numbers and units may be others, but for calls
"""
import difflib
import pathlib
import re
import subprocess
import sys

PAGES = {"first_graph": "docs/start/first-graph.md"}
FILES = {"main.cpp": "cpp", "CMakeLists.txt": "cmake"}


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def shown(page, name):
    """The block that begins with the file's name in a comment."""
    for block in blocks(page, FILES[name]):
        head, _, text = block.partition("\n")
        if head in (f"// {name}", f"# {name}"):
            return text
    return ""


def form(printed):
    lines = [re.sub(r"\s*\(function .*\)$", "", line) for line in printed.splitlines()]
    return [line if line.startswith("calls") else re.sub(r"-?\d[\d.]*(e[+-]?\d+)?( ([KMG]iB|B|us|ms|s)\b)?", "N", line) for line in lines]


def difference(expected, found):
    return "\n".join(difflib.unified_diff(expected, found, "the page", "found", lineterm="", n=1))


def unlike_difference(source, program):
    """The added lines of the page about graphs by hand are the program's."""
    (difference_shown,) = blocks((source / "docs/tutorials/hand-written-graphs.md").read_text(), "diff")
    for line in re.findall(r"^\+ *(.+)$", difference_shown, re.MULTILINE):
        if line not in program:
            yield f"docs/tutorials/hand-written-graphs.md adds a line that first_graph does not have: {line}"


def failures(source, name, program):
    page = PAGES.get(name, f"docs/tutorials/{name.replace('_', '-')}.md")
    text = (source / page).read_text()
    for file in FILES:
        lines = (source / "samples/tutorials" / name / file).read_text().splitlines()
        differs = difference(shown(text, file).splitlines(), [line for line in lines if "SPDX-License-Identifier" not in line])
        if differs:
            yield f"{page} shows another {file} than samples/tutorials/{name} has:\n{differs}"
    if name == "first_graph":
        yield from unlike_difference(source, (source / "samples/tutorials/first_graph/main.cpp").read_text())
    ran = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout
    if not any(form(block) == form(ran) for block in blocks(text, "text")):
        yield f"{page} has no block of what {name} prints:\n{ran}"
    if "eager: yes" not in ran:
        yield f"{name} does not compute what eager does:\n{ran}"


def main():
    source, name, program = sys.argv[1:]
    found = list(failures(pathlib.Path(source), name, program))
    for failure in found:
        print("FAILED:", failure, file=sys.stderr)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
