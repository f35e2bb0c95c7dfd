# SPDX-License-Identifier: Apache-2.0
#
#   judged.py CALLER GRAPHGEN MANIFESTS PROGRAM... -- FLAG...
# Holds what GRAPHGEN finds in each PROGRAM of the current folder against what CALLER, which calls all of them on the tape, has seen.
# A callable with a finding is refused or differs from the original, a callable without one does neither. What a program says against that
# of itself, program.h, is needed. Each check finds something, but those below.
import collections
import json
import pathlib
import re
import subprocess
import sys

# Checks of which no program can be called on a CPU.
NOT_CALLED = {
    "graphed-allow": "the programs silence nothing",
    "graphed-default-stream": "a CPU has no streams",
    "graphed-host-part": "what it refers to is gone",
    "graphed-collective": "ranks are processes",
    "graphed-padded-index": "each call has the annotated sizes",
    "graphed-generator": "a generator of CUDA cannot be made without a GPU",
    "graphed-stream": "a CPU has no streams",
    "graphed-unchecked": "it says what the checks have not seen",
}

Case = collections.namedtuple("Case", "verdict harmless not_found explained difference findings")


def verdicts(judged):
    """(file, line) of each callable that was called -> Case"""
    cases = {}
    for line in subprocess.run([judged], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines():
        verdict, harmless, not_found, explained, difference = line.split("\t")
        place = re.match(r"graphed: \S+ \((.+?):(\d+)\)", explained)
        cases[pathlib.Path(place[1]).name, int(place[2])] = Case(verdict, harmless, not_found, explained, difference, [])
    return cases


def findings(graphgen, programs, flags):
    command = [graphgen, "--check", "--diagnostics-format=json", *programs, "--", *flags]
    told = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
    return json.loads(told.stdout)["diagnostics"]


def line_in_callable(found):
    """Of the finding itself, or of the outermost call that leads to it."""
    calls = [note["line"] for note in found.get("notes", []) if note.get("call")]
    return calls[-1] if calls else found["line"]


def wrong(case):
    """Why the two do not say the same, or nothing."""
    is_equal = case.verdict == "equal"
    if case.findings and is_equal and not case.harmless:
        return "graphgen finds what does no harm"
    if not case.findings and not is_equal and not case.not_found:
        return "graphgen finds nothing, and the callable " + ("is refused" if case.verdict == "refused" else "differs")
    if case.harmless and not (case.findings and is_equal):
        return "'harmless_on_a_tape' is needed no longer"
    if case.not_found and (case.findings or is_equal):
        return "'not_found' is needed no longer"
    return ""


def main(judged, graphgen, manifests, *rest):
    programs, flags = rest[: rest.index("--")], rest[rest.index("--") + 1 :]
    cases = verdicts(judged)
    failures = []
    for program in programs:
        file = pathlib.Path(program).name
        manifest = json.loads((pathlib.Path(manifests) / file).with_suffix(".graphed.json").read_text())
        failures += [f"{file}:{each['line']}: never called" for each in manifest["callables"] if (file, each["line"]) not in cases]
    seen = set()
    for found in findings(graphgen, programs, flags):
        file = pathlib.Path(found["file"]).name
        line_of = line_in_callable(found)
        lines = [line for of, line in cases if of == file and line <= line_of]
        if not lines:
            failures.append(f"{file}:{found['line']}: {found['message']} [{found.get('id')}] stands before all callables")
            continue
        cases[file, max(lines)].findings.append(f"{found['level']}: {found['message']} [{found.get('id')}]")
        seen.add(found.get("id"))
    for (file, line), case in sorted(cases.items()):
        if wrong(case):
            told = "\n    ".join(case.findings) or "nothing"
            failures.append(f"{file}:{line}: {wrong(case)}\n  graphgen:\n    {told}\n  tape: {case.verdict}: {case.explained}\n    {case.difference}")
    listed = subprocess.run([graphgen, "--list-checks"], check=True, stdout=subprocess.PIPE, text=True).stdout
    for check in re.findall(r"^graphed-[a-z-]+", listed, re.MULTILINE):
        if (check in seen) == (check in NOT_CALLED):
            failures.append(f"{check}: " + ("NOT_CALLED is needed no longer" if check in seen else "found in no program"))
    print("\n".join(failures), file=sys.stderr)
    counts = collections.Counter(case.verdict for case in cases.values())
    print(f"{len(cases)} programs: {dict(counts)}, of {len(seen)} checks; {len(failures)} failures")
    sys.exit(bool(failures))


main(*sys.argv[1:])
