# SPDX-License-Identifier: Apache-2.0
#
#   host_values.py GRAPHGEN FOLDER SEED COUNT -- FLAG...
# Writes the random programs of COUNT seeds from SEED on into FOLDER, with what graphgen generates for them, and run.cpp, which is to be
# compiled. It knows of each host value what graphgen said about it.
import json
import pathlib
import re
import subprocess
import sys

from exchanges import Assigned, Handle
from objects import File
from programs import Program

SOURCES = ("programs.h", "bodies.cpp", "elsewhere.cpp")


def main():
    graphgen, folder, seed, count = sys.argv[1:5]
    flags = sys.argv[sys.argv.index("--") :]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    programs = [program_of(seed) for seed in range(int(seed), int(seed) + int(count))]
    header = File("programs.h", "#pragma once", "#include <graphed/annotate.h>", '#include "values.h"')
    bodies, elsewhere = (File(name, '#include "programs.h"') for name in SOURCES[1:])
    for program in programs:
        program.print(header, bodies, elsewhere)
    for source in (header, bodies, elsewhere):
        write(folder, source)

    generate(graphgen, folder, flags)
    write(folder, run_of(programs, lambda value: ""))  # what it changes is known before what was said of that
    told = diagnostics(graphgen, folder, flags)
    write(folder, run_of(programs, lambda value: said(told, value)))


def program_of(seed):
    return {3: Handle, 7: Assigned}.get(seed % 10, Program)(seed)


def run_of(programs, said_of):
    included = ("programs.h", "programs.graphed.h", "programs.graphed.cpp", *SOURCES[1:], "play.h")
    run = File("run.cpp", *(f'#include "{name}"' for name in included))
    for program in programs:
        program.print_run(run, said_of)
    entries = ", ".join(f"{{{program.seed}, p{program.seed}::play}}" for program in programs)
    run.add(f"static const hunt::batch all{{{entries}}};")
    return run


def write(folder, source):
    folder.joinpath(source.name).write_text("\n".join(source.lines) + "\n")


def summary(name):
    return f"--summary={name}.summary"


def generate(graphgen, folder, flags):
    """Code and summaries. Errors of checks, which would leave them out, are held against the run instead."""
    depfile = str(folder.resolve() / "run.cpp.d")
    commands = [["--out-dir", ".", "--depfile", depfile, summary("programs.h"), "programs.h"]]
    commands += [["--check-definitions", summary(name), name] for name in SOURCES[1:]]
    for command in commands:
        result = subprocess.run([graphgen, "--checks=-*", *command, *flags], cwd=folder, check=False, stderr=subprocess.PIPE, text=True)
        if result.returncode != 0:
            sys.exit(result.stderr)


def diagnostics(graphgen, folder, flags):
    """Of each file, and of what its functions do in the others, as a build finds them. The last file is the one that changes values."""
    checks = {"programs.h": "--check", "bodies.cpp": "--check-definitions", "elsewhere.cpp": "--check-definitions"}
    commands = [[how, "--summary=checked.summary", name, *flags] for name, how in checks.items()]
    commands.append(["--check-definitions", "--checks=-*", summary("run.cpp"), "run.cpp", *flags])
    commands.append(["--join", "--program", *(f"{name}.summary" for name in (*SOURCES, "run.cpp"))])
    found = []
    for command in commands:
        told = subprocess.run([graphgen, "--diagnostics-format=json", *command], cwd=folder, check=False, stdout=subprocess.PIPE, text=True)
        found += json.loads(told.stdout)["diagnostics"]
    return found


def said(told, value):
    """The ids of what names a value, one of the members that lead to it, or a place where it is declared or read."""
    named = re.compile(rf"\b({'|'.join(value.names)})\b")
    ids = set()
    for found in told:
        for part in (found, *found.get("notes", [])):
            place = (pathlib.Path(part.get("file", "")).name, part.get("line"))
            if place in value.places or named.search(part["message"]):
                ids.add(found["id"])
    return " ".join(sorted(ids))


if __name__ == "__main__":
    main()
