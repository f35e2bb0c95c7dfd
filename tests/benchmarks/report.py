#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""report.py JSON [FOLDER]: writes benchmarks-<device>.md, its plots, the README's chart and a copy of the JSON of `run` into FOLDER, by default docs/results."""
import argparse
import json
import pathlib
import re
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "python"))

from bars import Run, bars
from chart import chart
from figures import PEERS

TABLES = (
    ("host_us", "Host time", "microseconds that the caller's thread takes for a call, with at most ten in flight", 1),
    ("wall_us", "Wall time", "microseconds a call, where call follows call", 1),
    ("gpu_us", "GPU time", "microseconds a call, where all calls are enqueued before the first begins", 1),
    ("peak_bytes", "Peak memory", "MiB allocated, the workload's own tensors included", 2**20),
    ("reserved_bytes", "Reserved memory", "MiB", 2**20),
    ("ready_us", "First replay", "milliseconds from making the peer to its first replay's result, warm-ups included", 1000),
    ("capture_us", "Captures", "milliseconds of it that graphed callables spent on captures", 1000),
)
SPREAD = 1.1  # of an interval that is shown
DEVICES = {"cuda": "GPU", "cpu": "CPU, the tape"}


def number(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def figure_text(found, scale):
    """With its interval, where that is wide."""
    text = number(found["median"] / scale)
    if found["high"] > SPREAD * found["low"]:
        text += f" ({number(found['low'] / scale)} to {number(found['high'] / scale)})"
    return text


def table(rows):
    head, *body = rows
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *body]) + "\n"


def peers_with(run, device, figure):
    return [peer for peer in PEERS if any(run.figure(workload, peer, figure, device) for workload in run.workloads(device))]


def figure_table(run, device, figure, scale):
    peers = peers_with(run, device, figure)
    rows = [["", *(f"`{peer}`" for peer in peers)]]
    for workload in run.workloads(device):
        cells = [run.figure(workload, peer, figure, device) for peer in peers]
        if any(cells):
            rows.append([workload, *(figure_text(each, scale) if each else "" for each in cells)])
    return table(rows)


def ratio_table(run, device):
    """How much longer than graphed a call takes, wall, with 95 % intervals."""
    peers = [peer for peer in peers_with(run, device, "wall_us") if peer != "graphed"]
    rows = [["", *(f"`{peer}`" for peer in peers)]]
    for workload in run.workloads(device):
        cells = [run.ratio(workload, peer, "graphed", "wall_us", device) for peer in peers]
        if any(cells):
            rows.append([workload, *(f"{each['median']:.2f} ({each['low']:.2f} to {each['high']:.2f})" if each else "" for each in cells)])
    return table(rows)


def bar_table(run):
    rows = [["what", "target", "measured", "95 % interval", "met", ""]]
    for bar in bars(run):
        unit = "x" if bar.unit == "x" else f" {bar.unit}"
        measured = "not measured" if bar.value is None else f"{bar.value:.2f}{unit}"
        between = f"{bar.interval[0]:.2f} to {bar.interval[1]:.2f}" if bar.interval else ""
        holds = {None: "", True: "yes", False: "**no**"}[bar.holds()]
        rows.append([bar.what, f"{'≤' if bar.at_most else '≥'} {bar.bound:g}{unit}", measured, between, holds, re.sub(r"\(([a-z_-]+)\)", r"(`\1`)", bar.note)])
    return table(rows)


def described(data):
    versions = ", ".join(f"{name} {version or 'not installed'}" for name, version in data["versions"].items())
    return table(
        [
            ["", ""],
            ["GPU, driver, memory", data["device"]],
            ["processor", data["processor"]],
            ["system", data["system"]],
            ["versions", versions],
            ["commit", data["commit"]],
            ["date", data["date"]],
            ["command", f"`{data['command']}`".replace("|", "\\|")],
            ["repetitions", f"{data.get('repetitions', 0)}, of {data['seconds_a_figure']} s a figure"],
        ]
    )


def absences(run):
    lines = [
        f"- {DEVICES[device]}, {workload}, {peer}: {row.get('error') or row['absent']}"
        for (device, workload, peer), row in run.rows.items()
        if "error" in row or "absent" in row
    ]
    return "\n".join(lines) + "\n" if lines else "All cells were measured.\n"


def plots(run, device, stem, folder):
    try:
        from plots import plot
    except ImportError:
        print("report.py: no matplotlib: no plots", file=sys.stderr)
        return ""
    links = ""
    for figure, title, meaning, scale in TABLES[:2]:
        name = f"{stem}-{device}-{figure.removesuffix('_us')}.svg"
        if plot(run, device, figure, f"{title}: {meaning}", folder / name):
            links += f"![{title}]({name})\n"
    return links


def gains(run, device):
    """Of each workload that is work the wall time of C++ eager over graphed's, the largest first."""
    found = [(run.ratio(workload, "plain", "graphed", "wall_us", device), workload) for workload in run.workloads(device) if workload != "chain-0"]
    return sorted(((ratio["median"], workload) for ratio, workload in found if ratio), reverse=True)


def gain_section(run):
    device = next((device for device in DEVICES if gains(run, device)), None)
    if device is None:
        return []
    rows = [
        [workload, *(figure_text(run.figure(workload, peer, "wall_us", device), 1) for peer in ("plain", "graphed")), f"{gain:.2f}x"]
        for gain, workload in gains(run, device)
    ]
    low, high = gains(run, device)[-1][0], gains(run, device)[0][0]
    parts = [f"## How much faster, on the {DEVICES[device]}", "", f"Graphed callables are {low:.1f} to {high:.1f} times as fast as C++ eager here. The table has"]
    parts += ["microseconds a call, wall time. [What each workload is](../contributing/benchmarks.md#workloads).", ""]
    parts += [table([["workload", "eager", "graphed", "gain"], *rows])]
    return [*parts, *when_not(run, device), "[Is this for me?](../start/is-this-for-me.md) says more.", ""]


def when_not(run, device):
    """Where little or nothing is gained: as this run shows it, and as it follows from what a graph is."""
    slowest = ", ".join(f"`{workload}`" for _, workload in gains(run, device)[:-4:-1])
    parts = ["## When not", "", f"- **With long kernels, or few**: a graph removes launches, not work. Here {slowest} gain least."]
    parts += ["- **With large batches and large models**: the GPU never waits for a launch, and nothing is gained."]
    parts += ["- **Where calls do not replay**, or the program waits for each result on the host."]
    if device != "cpu" and gains(run, "cpu"):
        on_cpu = [gain for gain, _ in gains(run, "cpu")]
        none = sum(gain < 1.05 for gain in on_cpu)
        parts += [f"- **On a CPU**: {none} of {len(on_cpu)} workloads gain less than 5 %. Replays there are for tests."]
    return [*parts, ""]


def page(run, stem, folder):
    parts = ["# Results: " + run.data["device"].partition(",")[0], "", *gain_section(run), "## The machine", "", described(run.data)]
    parts += [f"[How this is measured](../contributing/benchmarks.md). A median has its 95 % interval if the ends differ by more than {SPREAD - 1:.0%}.", ""]
    for device, name in DEVICES.items():
        if not run.workloads(device):
            continue
        parts += [f"## {name}", "", plots(run, device, stem, folder)]
        parts += ["### Against graphed", "", "Wall time over that of `graphed`, with 95 % intervals: above 1, graphed is faster.", "", ratio_table(run, device)]
        for figure, title, meaning, scale in TABLES:
            if peers_with(run, device, figure):
                parts += [f"### {title}", "", meaning[0].upper() + meaning[1:] + ".", "", figure_table(run, device, figure, scale)]
    if run.data.get("host_path_ns"):
        rows = [[name, number(found["median"])] for name, found in run.data["host_path_ns"].items()]
        parts += ["## The runtime's own part on a CPU", "", "Nanoseconds a call, of `host_path`.", "", table([["", "ns"], *rows])]
    parts += ["## The targets", "", "What the project expects of itself.", "", bar_table(run)]
    return "\n".join([*parts, "## What was not measured", "", absences(run)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition(": ")[2])
    parser.add_argument("json", type=pathlib.Path, help="what `run` wrote")
    parser.add_argument("folder", type=pathlib.Path, nargs="?", default=HERE / ".." / ".." / "docs" / "results")
    options = parser.parse_args()
    source, folder = options.json, options.folder
    folder.mkdir(parents=True, exist_ok=True)
    data = json.loads(source.read_text())
    name = "cpu" if data["device"] == "none" else re.sub(r"[^a-z0-9]+", "-", data["device"].partition(",")[0].lower().replace("nvidia", "")).strip("-")
    stem = f"benchmarks-{name}"
    run = Run(data)
    (folder / f"{stem}.md").write_text(page(run, stem, folder))
    if picture := chart(run):
        (folder / f"{stem}-speed-up.svg").write_text(picture)
    if source.resolve() != (folder / f"{stem}.json").resolve():
        shutil.copyfile(source, folder / f"{stem}.json")
    print((folder / f"{stem}.md").resolve())


if __name__ == "__main__":
    main()
