# SPDX-License-Identifier: Apache-2.0
#
#   explained_test.py GRAPHGEN FOLDER FILE [-- FLAGS...]
# Opens in a headless browser the page that graphgen --explain --format=html prints of FILE. No script fails, and the page shows what
# --format=json has. Without a browser, the test is skipped, and says so.
import html
import json
import pathlib
import re
import shutil
import subprocess
import sys

import browser

browser.skip_without()
graphgen, folder, source, *flags = sys.argv[1:]
folder = pathlib.Path(folder)
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)


def explained(form):
    command = [graphgen, "--explain", f"--format={form}", pathlib.Path(source).name, *flags]
    return subprocess.run(command, cwd=pathlib.Path(source).parent, check=True, stdout=subprocess.PIPE, text=True).stdout


page = folder / "explained.html"
page.write_text(explained("html"))
report = json.loads(explained("json"))
body = html.unescape(browser.document(page, folder / "profile"))
assert report["callables"] and body.count("<section") == len(report["callables"]), body
assert "graphgen has no findings." in body and "Graphed callables, before running" in body
assert "undefined" not in body.replace("is undefined", ""), body
graphs = [graph for each in report["callables"] for graph in each["graphs"]]
assert body.count("From the source, not from a capture") == body.count("Operators in the source: ") == len(graphs) == 1, body
assert body.count("There is no picture: ") == len(report["callables"]) - len(graphs)
nodes = [node for graph in graphs for node in graph["nodes"]]
assert len(re.findall(r'<g class="box', body)) == len(nodes) == 3, nodes
assert [node["operator"] for node in nodes] == ["aten::mul_", "app::normalized", "aten::add_"] and nodes[2]["after"] == [1], nodes
assert f">line {nodes[1]['line']}, no body here<" in body and ">app::normalized<" in body, body
assert len(re.findall(r'<path class="edge', body)) == 1
for callable in report["callables"]:
    assert all(text in body for text in callable["annotations"]), (callable["annotations"], body)
    declared = callable["declared"]
    texts = declared["captures"] + declared["misses"] + [tensor["type"] for each in declared["inputs"] for tensor in each["tensors"]]
    assert all(text in body for text in texts), [text for text in texts if text not in body]
