# SPDX-License-Identifier: Apache-2.0
#
#   browser_test.py PROGRAM FOLDER
# Opens reports in a headless browser: that of report_program, and one with a graph of 2,000 operators. No script fails, and the page shows
# what report.json says. Without a browser, the test is skipped, and says so.
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import browser
import large_graph

program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
browser.skip_without()
profile = folder / "profile"

shutil.rmtree(folder, ignore_errors=True)
subprocess.run([program, "cpu", "return"], env={**os.environ, "GRAPHED_REPORT": str(folder), "GRAPHED_LOG": "off"}, check=True, stdout=subprocess.DEVNULL)
page = folder / "index.html"
assert page.stat().st_size <= 300_000, page.stat().st_size
assert not re.search(r'(src|href)="?(https?:)?//', page.read_text()), "the page asks for other files"
report = json.loads((folder / "report.json").read_text())
body = browser.document(page, profile)
assert body.count("<section") == len(report["callables"]) == 5
graphs = [graph for each in report["callables"] for graph in each["graphs"]]
shown = sum(1 for each in report["callables"] for key in each["keys"] for capture in key["captures"] for _ in [capture, *capture["backwards"]])
assert body.count("Forward graph: ") + body.count("Backward graph for ") == shown, body
assert len(re.findall(r'<g class="box', body)) == sum(len(graph["nodes"]) for graph in graphs)
for text in ("critical path, ", "GRAPHED(x: f32[8])", "<b>85</b><span>calls</span>", "pass what is annotated; annotate further sizes, or pad", "expected [16, 8], got [3, 8]",
             "it is item(): keep the value in a tensor", ">addmm<", ">tanh_backward<", "saved for the backward", "written back"):
    assert text in body, text
refused = next(each["statistics"] for each in report["callables"] if each["statistics"]["failed_captures"])
assert refused["replays"] == 0 and sum(refused["misses"].values()) > 1
for text in ("3 of 5 calls were replays of a graph.", "80 calls ran the original function instead", f"No call was a replay of a graph. {sum(refused['misses'].values())} calls ran the",
             "The words of this page", "copied into a static input, written back", "in the graph's memory", "report_program, process ", "Graphs ran on the CPU.",
             "Slot 1 on cpu"):
    assert text in body, text
assert body.count("The fastest replay took") + body.count("The host spent ") == 4, "of the callables that were replayed"
verdict = re.search(r'<div id="verdict">(.*?)</div>', body, re.DOTALL)[1]
assert "What to do first" in verdict and verdict.index("80 of 85 calls ran the original function") < verdict.index("is not captured: "), verdict
assert body.count("<title>call ") == sum(len(each["first_calls"]) for each in report["callables"])

# The same page with kernels under an operator, as a GPU has them.
begin, end, text = browser.embedded(page)
queued = json.loads(text[begin:end])
node = queued["callables"][-1]["graphs"][0]["nodes"][0]
kernels = ["void", "at::native::vectorized_elementwise_kernel<4, at::native::tanh>", "memset", "one", "two"]
node[10:] = [node[10], [len(queued["texts"]) + i for i in range(len(kernels))]]
queued["texts"] += kernels
other = folder / "kernels.html"
other.write_text(text[:begin] + json.dumps(queued).replace("<", "\\u003c") + text[end:])
body = browser.document(other, profile)
drawn = re.findall(r'<text class="small kernel"[^>]*>([^<]*)<', body)
assert drawn == ["void", "vectorized_elementwise_kernel", "memset", "and 2 more"], drawn

# And with the times of a profile: two launches of the graph, one of which has begun its kernels in another order, and what is none of it.
def profiled(*profiles):
    calls = [f"document.getElementById('profile-status').textContent = loadProfile({json.dumps(json.dumps(each))})" for each in profiles]
    page_with = folder / "profiled.html"
    page_with.write_text(other.read_text().replace("</body>", f"<script>{'; '.join(calls)}</script></body>"))
    return browser.document(page_with, profile)


linked = ["void", "void at::native::vectorized_elementwise_kernel<4, at::native::tanh>(int, float)", "one(int*)", "two(int*)", "staging(int)"]
times = [1, 2, 4, 8, 5]
event = lambda name, category, start, microseconds, launch: {
    "ph": "X", "name": name, "cat": category, "ts": start, "dur": microseconds, "args": {"correlation": launch}}
trace = [event(name, "kernel", 10 * launch + place, take + launch, launch)
         for launch in (1, 2) for place, (name, take) in enumerate(list(zip(linked, times))[::1 if launch == 1 else -1])]
eager = [event(name, "kernel", place, 100, 10 + place) for place, name in enumerate(linked)]
ways = {"pytorch": {"traceEvents": trace + eager + [event("cudaLaunchKernel", "cuda_runtime", 0, 1, 2), event("f", "gpu_user_annotation", 0, 1, 1),
                                                    {"ph": "M", "name": "process_name"}]},
        "nsys": [{"Start (ns)": 1000 * each["ts"], "Duration (ns)": 1000 * each["dur"], "CorrId": each["args"]["correlation"], "Name": each["name"]}
                 for each in trace + eager]}
for way, given in ways.items():
    body = profiled(given)
    assert "Found 2 launches of 1 graph." in body, way
    drawn = re.findall(r'<text class="small kernel"[^>]*>([^<]*)<', body)
    assert drawn == ["void, 2.5 us", "vectorized_elementwise_kernel, 3.5 us", "memset", "and 2 more"], (way, drawn)
    assert "Means of 2 launches: 27.5 us of kernels in each, of which 6.5 us are" in body, way
    table = body[body.index("Its kernels in the profile"):]
    rows = re.findall(r'<td class="right">([0-9.]+ us)</td><td class="right">([0-9.]+ %)</td><td><code>aten::addmm</code>', table)
    assert rows == [("9.5 us", "34.5 %"), ("5.5 us", "20.0 %"), ("3.5 us", "12.7 %"), ("2.5 us", "9.1 %")], (way, rows)
for none in ({"traceEvents": eager}, [], {"traceEvents": [each for each in trace if each["name"] != linked[1]]}):
    assert "The profile has no launch with the kernels of a graph of this page." in profiled(none)
body = profiled(ways["pytorch"], [])  # of which nothing is left beside another profile
assert "<h3>Its kernels in the profile</h3>" not in body and "<h3>Its kernels in the profile</h3>" in profiled(ways["pytorch"])
assert re.findall(r'<text class="small kernel"[^>]*>([^<]*)<', body) == ["void", "vectorized_elementwise_kernel", "memset", "and 2 more"]

# A graph of 2,000 operators.
other = folder / "large.html"
large_graph.write(page, other)
assert other.stat().st_size <= 300_000, other.stat().st_size
start = time.monotonic()
body = browser.document(other, profile)
boxes = re.findall(r'<g class="box([^"]*)"', body)
assert "2,000 operators" in body
assert 8 <= len(boxes) <= 120 and any("group" in box for box in boxes), boxes
print(f"{len(boxes)} boxes; the browser took {time.monotonic() - start:.1f} s")
