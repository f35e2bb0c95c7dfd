# SPDX-License-Identifier: Apache-2.0
"""Pictures of a run: a row a workload, a mark a peer, on a logarithmic axis."""
import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "benchmarks"  # the same bytes for the same figures
import matplotlib.pyplot as plt

# Colours that the colour-blind can distinguish: M. Okabe, K. Ito, https://jfly.uni-koeln.de/color
MARKS = {
    "launch": ("#999999", "|"),
    "plain": ("#000000", "o"),
    "libtorch": ("#F0E442", "o"),
    "handwritten": ("#56B4E9", "s"),
    "graphed": ("#D55E00", "D"),
    "graphed-here": ("#CC79A7", "D"),
    "eager": ("#0072B2", "v"),
    "make_graphed_callables": ("#009E73", "^"),
    "compile": ("#E69F00", "P"),
    "CudaGraphModule": ("#5D3A9B", "X"),
}


def plot(run, device, figure, title, path):
    """Medians with their intervals. Nothing is drawn where nothing was measured."""
    workloads = [name for name in run.workloads(device) if any(run.figure(name, peer, figure, device) for peer in MARKS)]
    if not workloads:
        return False
    picture, axes = plt.subplots(figsize=(9, 1.2 + 0.34 * len(workloads)))
    for peer, (colour, mark) in MARKS.items():
        found = [(i, run.figure(name, peer, figure, device)) for i, name in enumerate(workloads)]
        found = [(i, each) for i, each in found if each]
        if found:
            medians = [each["median"] for _, each in found]
            errors = [[each["median"] - each["low"] for _, each in found], [each["high"] - each["median"] for _, each in found]]
            axes.errorbar(medians, [i for i, _ in found], xerr=errors, fmt=mark, color=colour, label=peer, markersize=7, alpha=0.85)
    axes.set_xscale("log")
    axes.set_yticks(range(len(workloads)), workloads)
    axes.invert_yaxis()
    axes.grid(axis="x", which="both", alpha=0.3)
    axes.set_xlabel(title)
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False)
    picture.savefig(path, bbox_inches="tight", metadata={"Date": None})
    plt.close(picture)
    return True
