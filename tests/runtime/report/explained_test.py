# SPDX-License-Identifier: Apache-2.0
#
#   explained_test.py GRAPHGEN FOLDER FILE [-- FLAGS...]
# Opens in a headless browser the page that graphgen --explain --format=html prints of FILE. No script fails, and the page shows what
# --format=json has. Without a browser, the test is skipped, and says so.
import html
import json
import pathlib
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
for callable in report["callables"]:
    assert all(text in body for text in callable["annotations"]), (callable["annotations"], body)
    declared = callable["declared"]
    texts = declared["captures"] + declared["misses"] + [tensor["type"] for each in declared["inputs"] for tensor in each["tensors"]]
    assert all(text in body for text in texts), [text for text in texts if text not in body]
