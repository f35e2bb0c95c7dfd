#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does what the start pages and the tutorials say, each command as printed, and compares what the programs print.

walk.py HOME   for an empty machine, as a container of Debian 12: the pages install packages. HOME, a new folder, gets the environment and a folder
for each page. Ends with 1 where a command fails, or prints something else.
"""
import os
import pathlib
import re
import subprocess
import sys
import time

from tutorials import FILES, blocks, form, shown

SOURCE = pathlib.Path(__file__).resolve().parents[2]
WHEEL = ("docs/start/install.md", "Wheel", "")
PAGES = (  # and the folder of its program
    ("docs/start/first-graph.md", "", "first_graph"),
    ("docs/tutorials/inference-policy.md", "", "inference_policy"),
    ("docs/tutorials/training-step.md", "", "training_step"),
    ("docs/tutorials/batch-sizes.md", "", "batch_sizes"),
    ("docs/tutorials/forces.md", "", "forces"),
)
IN_A_PROJECT = "cmake -S . "  # of the page about installing: the next page has one
YES = "y\n" * 10  # to the package manager


def section(text, title):
    return next(part for part in re.split(r"^(?=## )", text, flags=re.MULTILINE) if part.startswith(f"## {title}\n")) if title else text


def commands(text, files):
    return [line for block in blocks(text, "sh") if files or not block.startswith(IN_A_PROJECT) for line in block.splitlines()]


def run(lines, folder, home):
    """What they print, in one shell that ends at the first failure; and its exit code."""
    script = home / "page.sh"
    script.write_text("\n".join(["set -e", *lines]) + "\n")
    done = subprocess.run(["bash", script], cwd=folder, env={**os.environ, "HOME": str(home)}, input=YES, stdout=subprocess.PIPE, text=True, check=False)
    return done.stdout, done.returncode


def failures(page, title, program, home):
    text = section((SOURCE / page).read_text(), title)
    folder = home / program
    folder.mkdir(exist_ok=True)
    files = {name: shown(text, name) for name in FILES}
    for name, content in files.items():
        if content:
            (folder / name).write_text(content)
    printed, code = run((["source ~/venv/bin/activate"] if program else []) + commands(text, program), folder, home)
    if code != 0:
        yield f"a command ended with {code}:\n{printed}"
    for block in blocks(text, "text"):
        expected, found = form(block), form(printed)
        if not any(found[i : i + len(expected)] == expected for i in range(len(found))):
            yield f"it does not print this:\n{block}\nbut:\n{printed}"


def main():
    home = pathlib.Path(sys.argv[1]).resolve()
    home.mkdir()
    (home / "graphgen").symlink_to(SOURCE)
    bad = 0
    for page, title, program in (WHEEL, *PAGES):
        start = time.monotonic()
        found = list(failures(page, title, program, home))
        bad += len(found)
        print(f"{page}: {'; '.join(found) or 'works as printed'}, {time.monotonic() - start:.0f} s", flush=True)
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
