# SPDX-License-Identifier: Apache-2.0
"""chart.py JSON SVG: draws the speed-ups of the README, of a recorded run on a GPU. The same figures give the same bytes.

It is narrow, so that a phone shows all of it in letters that can be read.
"""
import json
import pathlib
import sys
import textwrap
from xml.sax.saxutils import escape

from bars import Run

WORKLOADS = (  # what a reader calls them, and their sizes
    ("ppo-minibatch", "PPO update", "17-64-64-6, minibatch 64"),
    ("td3-update", "TD3 update", "17-256-256-6, batch 256"),
    ("gru-20", "GRU training", "20 steps of 128, batch 32"),
    ("mlp-training", "MLP training", "784-512-512-10, batch 64"),
    ("mnist-step", "MNIST training step", "convolutions, batch 64"),
    ("policy-1", "Policy inference", "17-256-256-6, batch 1"),
    ("transformer-1", "Transformer layer training", "width 512, batch 8"),
    ("resnet18", "ResNet-18 inference", "224 by 224, batch 1"),
)
PEERS = (("plain", "C++ eager"), ("handwritten", "hand-written CUDA graph"), ("graphed", "graphed"))
WIDTH, LEFT, RIGHT, TOP = 480, 16, 50, 66
BAR, ROW, NAME, LINE = 10, 62, 18, 15
FOOT_LETTERS = 78  # in a line below the bars
STYLE = """
  text { font: 13px -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328 }
  .card { fill: #ffffff; stroke: #d1d9e0 } .grid { stroke: #d1d9e0 } .interval { stroke: #1f2328 }
  .name { font-weight: 600 } .small { font-size: 11px; fill: #59636e }
  .over { stroke: #ffffff; stroke-width: 3px; paint-order: stroke }
  .plain { fill: #8c959f } .handwritten { fill: #56b4e9 } .graphed { fill: #d55e00 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc } .small { fill: #9198a1 }
    .over { stroke: #0d1117 }
    .card { fill: #0d1117; stroke: #3d444d } .grid { stroke: #3d444d } .interval { stroke: #f0f6fc }
    .plain { fill: #7d8590 } .graphed { fill: #ff8c42 }
  }"""


def speed_ups(run):
    """A row a workload: its names, and of each peer C++ eager's wall time over the peer's, as median, low and high."""
    for workload, name, size in WORKLOADS:
        found = [(peer, run.ratio(workload, "plain", peer, "wall_us")) for peer, _ in PEERS]
        if all(ratio for _, ratio in found):
            yield name, size, found


def text(x, y, words, style="", anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{style}" text-anchor="{anchor}">{escape(words)}</text>'


def line(x1, y1, x2, y2, style):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{style}"/>'


def bars_of(top, name, size, found, scale):
    yield text(LEFT, top + 12, name, "name over")
    yield text(WIDTH - LEFT, top + 12, size, "small over", "end")
    for i, (peer, ratio) in enumerate(found):
        y, length = top + NAME + i * (BAR + 1), ratio["median"] * scale
        yield f'<rect x="{LEFT}" y="{y}" width="{length:.1f}" height="{BAR}" class="{peer}"/>'
        end = length
        if ratio["high"] > ratio["low"]:
            end = ratio["high"] * scale
            yield line(LEFT + ratio["low"] * scale, y + BAR / 2, LEFT + end, y + BAR / 2, "interval")
        if peer != "plain":
            yield text(LEFT + max(length, end) + 6, y + BAR, f"{ratio['median']:.1f}x", "small")


def described(data):
    return f"{data['device'].partition(',')[0]}, LibTorch {data['versions']['torch']}, {data['date'][:10]}, commit {data['commit'][:12]}"


def chart(run):
    """The SVG, or None where the run has no workload to show."""
    rows = sorted(speed_ups(run), key=lambda row: -row[2][-1][1]["median"])
    if not rows:
        return None
    longest = max(ratio["high"] for _, _, found in rows for _, ratio in found)
    scale = (WIDTH - LEFT - RIGHT) / longest
    foot = TOP + ROW * len(rows)
    notes = ["Wall time of calls that follow one another. Training: forward and backward. Updates and steps: the same fused optimizers in all three.",
             f"Lines are 95 % intervals of the medians. {described(run.data)}"]
    notes = [part for note in notes for part in textwrap.wrap(note, FOOT_LETTERS)]
    height = foot + 30 + LINE * len(notes) + 12
    title = "Speed against C++ eager: how many times as fast a call is"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>{STYLE}\n</style>",
        f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="6" class="card"/>',
        text(LEFT, 26, title, "name"),
    ]
    x = LEFT
    for peer, words in PEERS:
        parts += [f'<rect x="{x}" y="40" width="{BAR}" height="{BAR}" class="{peer}"/>', text(x + BAR + 6, 49, words)]
        x += 50 + 7 * len(words)
    for value in (1, *range(5, int(longest) + 1, 5)):
        at = LEFT + value * scale
        parts += [line(at, TOP - 4, at, foot, "grid"), text(at, foot + 14, f"{value}x", "small", "middle")]
    for i, row in enumerate(rows):
        parts += bars_of(TOP + 4 + i * ROW, *row, scale)
    parts += [
        *(text(LEFT, foot + 40 + LINE * i, note, "small") for i, note in enumerate(notes)),
        "</svg>\n",
    ]
    return "\n".join(parts)


if __name__ == "__main__":
    source, picture = map(pathlib.Path, sys.argv[1:])
    picture.write_text(chart(Run(json.loads(source.read_text()))))
