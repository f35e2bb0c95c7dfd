#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scans each file without and with precompiled headers, cold and warm: exit status, diagnostics and every written byte are the same.

usage: compare.py [--min-precompiled N] <graphgen> <file or folder>... -- <flags>
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def scan(command, files_out, options, cache, file, flags):
    """What a scan says and writes, why it used no precompiled header, and whether it made a precompiled header."""
    out = files_out / "out"
    environment = dict(os.environ, GRAPHGEN_CACHE=str(cache))
    line = [command, "--timings", *options, "--out-dir", str(out), "--depfile", str(files_out / "x.d"), file, "--", *flags]
    done = subprocess.run(line, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    timing = re.compile(rb"^graphgen: (.*: (?:[\d.]+ m?s|\d+ min \d+ s)\b.*|precompiling LibTorch's headers, once for these flags)\n", re.MULTILINE)
    plain = re.search(rb"; no precompiled header because (.*)", done.stderr)
    is_made = b"precompiled header made" in done.stderr
    result = {"status": done.returncode, "output": done.stdout, "diagnostics": timing.sub(b"", done.stderr)}
    for path in sorted(p for p in files_out.rglob("*") if p.is_file()):
        result[str(path.relative_to(files_out))] = path.read_bytes().replace(os.fsencode(files_out), b"OUT")
    return result, plain.group(1).decode() if plain else ("" if b"scan with it" in done.stderr else "--no-pch"), is_made


def compare(command, cache, file, flags):
    """The differences, in words, and why the scans used no precompiled header. A file for which none is tried is scanned once, one that
    finds one was warm at once."""
    problems = []
    results = {}
    for name in ("cold", "plain", "warm"):
        _, why, is_made = results.get("cold", (None, "", True))
        was_tried = not why or why.startswith("the scan with the precompiled header")
        if not was_tried or (name == "warm" and not is_made):
            break
        with tempfile.TemporaryDirectory() as folder:
            results[name] = scan(command, pathlib.Path(folder), ["--no-pch"] if name == "plain" else [], cache, file, flags)
    expected = results["plain" if "plain" in results else "cold"][0]
    for name in [each for each in ("cold", "warm") if each in results]:
        result = results[name][0]
        text = lambda value: value.decode(errors="replace") if isinstance(value, bytes) else str(value)
        for key in sorted(set(expected) | set(result)):
            if expected.get(key) != result.get(key):
                problems.append(f"{file}: {key} of the {name} scan differs\n--- plain\n{text(expected.get(key))}\n+++ {name}\n{text(result.get(key))}")
    return problems, results["warm" if "warm" in results else "cold"][1]


def sources(paths):
    """The files, and those of the folders that are annotated."""
    for path in map(pathlib.Path, paths):
        if not path.is_dir():
            yield str(path.resolve())
        for each in sorted(path.resolve().iterdir() if path.is_dir() else ()):
            if each.suffix in (".h", ".cpp") and "GRAPHED(" in each.read_text():
                yield str(each)


def main():
    own, flags = sys.argv[1:], []
    if "--" in own:
        own, flags = own[: own.index("--")], own[own.index("--") + 1 :]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--min-precompiled", type=int, default=1, help="how many of the files must be scanned with a precompiled header")
    parser.add_argument("graphgen")
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args(own)
    problems, precompiled = [], 0
    with tempfile.TemporaryDirectory() as cache:
        files = list(sources(arguments.files))
        for file in files:
            found, why = compare(arguments.graphgen, pathlib.Path(cache), file, flags)
            problems += found
            precompiled += not why
            print(f"{file}: {'differs' if found else 'same'}, {'plain because ' + why if why else 'precompiled'}", flush=True)
    print(f"{len(files)} files, {precompiled} scanned with a precompiled header, {len(problems)} differences")
    print("\n".join(problems), file=sys.stderr)
    if precompiled < arguments.min_precompiled:
        print(f"expected at least {arguments.min_precompiled} with a precompiled header", file=sys.stderr)
    return 1 if problems or precompiled < arguments.min_precompiled else 0


if __name__ == "__main__":
    sys.exit(main())
