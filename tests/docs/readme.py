#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What README.md says of samples/quickstart is what is there.

readme.py check SOURCE            the README's length, example, links, chart and figures, and the sample's own page
readme.py plain SOURCE OUT        writes the example without its added lines, a program without graphs, into the folder OUT
readme.py output SOURCE PROGRAM   runs the sample and compares what it prints with its page, but for numbers, the device and the folder
"""
import difflib
import json
import pathlib
import re
import subprocess
import sys

MAX_LINES = 120
FILES = ("CMakeLists.txt", "policy.h", "main.cpp")
CHART = "docs/results/benchmarks-h200-speed-up.svg"


def blocks(page, language):
    """The lines of each fenced block, which may be indented as part of a list."""
    found = []
    for indent, text in re.findall(rf"^( *)```{language}\n(.*?)^ *```$", page, re.MULTILINE | re.DOTALL):
        found.append([line.removeprefix(indent) for line in text.splitlines()])
    return found


def example(source):
    """The README's difference: a file's name to its lines with their marks. A file begins with its name in a comment."""
    (lines,) = blocks((source / "README.md").read_text(), "diff")
    files = {}
    for line in lines:
        head = re.fullmatch(r" (?:#|//) (\S+)", line)
        if head:
            current = files.setdefault(head[1], [])
        else:
            current.append(line or " ")
    for lines in files.values():
        while lines[-1] == " ":  # between two files
            lines.pop()
    return files


def without(mark, lines):
    return [line[1:] for line in lines if line[0] != mark]


def sample_file(source, name):
    return [line for line in (source / "samples/quickstart" / name).read_text().splitlines() if "SPDX-License-Identifier" not in line]


def difference(expected, found):
    return "\n".join(difflib.unified_diff(expected, found, "expected", "found", lineterm="", n=1))


def contains(lines, part):
    return any(lines[i : i + len(part)] == part for i in range(len(lines)))


def check_example(source):
    files = example(source)
    if tuple(files) != FILES:
        yield f"README.md shows {', '.join(files)}, not {', '.join(FILES)}"
        return
    for name, lines in files.items():
        odd = [line for line in lines if line[0] not in " +-"]
        if odd:
            yield f"README.md: {name}: lines without a mark: {odd}"
        differs = difference(sample_file(source, name), without("-", lines))
        if differs:
            yield f"README.md shows another {name} than samples/quickstart has:\n{differs}"


def check_lesson(source):
    """Of the sample's page: its C++ is the program's without graphs, its differences are parts of the README's."""
    files = example(source)
    page = (source / "samples/quickstart/README.md").read_text()
    for language, wanted in (("cpp", lambda lines: without("+", lines)), ("diff", list)):
        found = blocks(page, language)
        if len(found) < 2:
            yield f"samples/quickstart/README.md: {len(found)} blocks of {language}"
        for block in found:
            if not any(contains(wanted(lines), block) for lines in files.values()):
                yield "samples/quickstart/README.md shows what the example does not have:\n" + "\n".join(block)


def anchors(page):
    headings = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```", "", page, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def check_links(source, name):
    page = source / name
    links = re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^ *```.*?^ *```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL))
    if len(links) < 5:
        yield f"{name}: {len(links)} links were read"
    for link in links:
        path, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:", link):
            continue
        target = page.parent / path if path else page
        if not target.exists():
            yield f"{name}: there is no {link}"
        elif anchor and anchor not in anchors(target.read_text()):
            yield f"{name}: {path or name} has no heading #{anchor}"


def check_index(source):
    """docs/README.md leads to every page and every folder of pages."""
    index = (source / "docs/README.md").read_text()
    for page in sorted((source / "docs").glob("*.md")) + sorted((source / "docs").glob("*/README.md")):
        name = page.relative_to(source / "docs").as_posix()
        if name != "README.md" and f"]({name})" not in index:
            yield f"docs/README.md does not name {name}"


def check_chart(source):
    scripts = source / "tests/benchmarks/python"
    drawn = subprocess.run(
        [sys.executable, "-B", scripts / "chart.py", source / "docs/results/benchmarks-h200.json", "/dev/stdout"], stdout=subprocess.PIPE, check=True
    ).stdout
    if drawn != (source / CHART).read_bytes():
        yield f"{CHART} is not what tests/benchmarks/python/chart.py draws of docs/results/benchmarks-h200.json"
    if f"]({CHART})" not in (source / "README.md").read_text():
        yield f"README.md does not show {CHART}"


def check_gains(source):
    """The speed-ups that pages give are the recorded ones: the README's are in the chart, is-this-for-me.md's in the recorded run."""
    chart = (source / CHART).read_text()
    told = re.findall(r"\b\d+\.\dx", (source / "README.md").read_text())
    for gain in told or ["a gain"]:
        if f">{gain}<" not in chart:
            yield f"README.md: {gain} is not in {CHART}"
    recorded = {
        row["workload"]: f"{row['median']:.2f}"
        for row in json.loads((source / "docs/results/benchmarks-h200.json").read_text())["ratios"]
        if (row["device"], row["peer"], row["figure"]) == ("cuda", "plain", "wall_us")
    }
    rows = re.findall(r"^\| .*?\((`.*?`)\) \| ([\d., ]+) \|", (source / "docs/start/is-this-for-me.md").read_text(), re.MULTILINE)
    if len(rows) < 5:
        yield f"docs/start/is-this-for-me.md: {len(rows)} rows of gains were read"
    for workloads, gains in rows:
        expected = ", ".join(recorded[name] for name in re.findall(r"`(.*?)`", workloads))
        if gains != expected:
            yield f"docs/start/is-this-for-me.md: of {workloads} {expected} is recorded, not {gains}"


def check_length(source):
    count = len((source / "README.md").read_text().splitlines())
    if count > MAX_LINES:
        yield f"README.md has {count} lines, more than {MAX_LINES}"


def check(source):
    for part in (check_length, check_example, check_lesson, check_index, check_chart, check_gains):
        yield from part(source)
    for page in ("README.md", "docs/README.md", "docs/start/is-this-for-me.md", "samples/quickstart/README.md"):
        yield from check_links(source, page)


def write_plain(source, out):
    out.mkdir(parents=True, exist_ok=True)
    for name, lines in example(source).items():
        (out / name).write_text("\n".join(without("+", lines)) + "\n")
    (out / "measure.h").write_bytes((source / "samples/quickstart/measure.h").read_bytes())


def form(lines):
    """What stays the same from machine to machine."""
    rules = ((r"^(cpu|cuda(:\d+)?), ", "DEVICE, "), (r" +[\d.]+", " N"), (r"(code: ).*/", r"\1FOLDER/"), (r" \(a CPU has no launches to save\)$", ""))
    for pattern, replacement in rules:
        lines = [re.sub(pattern, replacement, line) for line in lines]
    return lines


def compare_output(source, program):
    printed = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    for page in blocks((source / "samples/quickstart/README.md").read_text(), "text"):
        differs = difference(form(page), form(printed))
        if differs:
            yield f"samples/quickstart/README.md shows another output than quickstart prints:\n{differs}"
    folder = pathlib.Path(printed[-1].partition(": ")[2])
    for name in ("policy.graphed.h", "policy.graphed.cpp"):
        if not (folder / name).exists():
            yield f"quickstart names {folder}, where no {name} lies"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    act, source, *rest = sys.argv[1:]
    source = pathlib.Path(source)
    if act == "plain":
        write_plain(source, pathlib.Path(rest[0]))
        return
    failures = list(check(source) if act == "check" else compare_output(source, *rest))
    for failure in failures:
        print("FAILED:", failure, file=sys.stderr)
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
