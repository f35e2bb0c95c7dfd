# SPDX-License-Identifier: Apache-2.0
#
#   pictures.py PROGRAM SAMPLE FOLDER
# Makes the pictures of docs/reference/report.md again in FOLDER, to look at: the graph of report_program's network, one with 2,000 operators,
# and the report of a sample.
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import browser
import large_graph

# What stays of the page: the head of a callable, or the picture of the first graph.
HEAD = """
const section = document.querySelector("section");
document.getElementById("page").replaceChildren(section);
"""
GRAPH = """
const root = views[0].root;
document.getElementById("page").replaceChildren(root);
views[0].fit();
"""
# A group open, a layer in it, a module in that, and the critical path.
OPEN = GRAPH + """
document.querySelector(".tools input").click();
for (let i = 0; i < 3; ++i) document.querySelector(".box.group").dispatchEvent(new Event("click"));
"""


def picture(page, script, size, to, profile):
    text = page.read_text()
    cut = page.with_suffix(".cut.html")
    cut.write_text(text.replace("</body>", f"<script>addEventListener('load', () => setTimeout(() => {{{script}}}, 200));</script></body>"))
    browser.run(cut, profile, f"--screenshot={to.resolve()}", f"--window-size={size}", "--hide-scrollbars", "--timeout=3000", fragment="")
    print(to, to.stat().st_size, "bytes")


def report_of(command, folder):
    environment = {**os.environ, "GRAPHED_REPORT": str(folder / "report"), "GRAPHED_LOG": "off"}
    subprocess.run(command, env=environment, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return folder / "report" / "index.html"


def only_last(page, other):
    """The same of the last callable alone."""
    begin, end, text = browser.embedded(page)
    report = json.loads(text[begin:end])
    report["callables"] = report["callables"][-1:]
    other.write_text(text[:begin] + json.dumps(report).replace("<", "\\u003c") + text[end:])
    return other


browser.skip_without()
program, sample, pictures = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), pathlib.Path(sys.argv[3])
with tempfile.TemporaryDirectory() as temporary:
    work = pathlib.Path(temporary)
    page, profile = report_of([program, "cpu", "return"], work), work / "profile"
    picture(only_last(page, work / "last.html"), GRAPH, "640,440", pictures / "report-5.png", profile)
    large_graph.write(page, work / "large.html")
    picture(work / "large.html", OPEN, "760,760", pictures / "report-2000.png", profile)
    picture(report_of([sample], work), HEAD, "1000,620", pictures / "report-page.png", profile)
