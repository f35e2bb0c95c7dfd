# SPDX-License-Identifier: Apache-2.0
#
#   pages.py GRAPHGEN PAGE...
# Fails where GRAPHGEN --explain-check prints another text than the section of an id, in one of the pages.
import re
import subprocess
import sys

sections = {}
for page in sys.argv[2:]:
    parts = re.split(r"^## (.*)$", open(page, encoding="utf-8").read(), flags=re.MULTILINE)
    sections |= {f"## {heading}": text for heading, text in zip(parts[1::2], parts[2::2]) if heading.startswith("graphed-")}
assert len(sections) >= 50, sections
for heading, text in sections.items():
    printed = subprocess.run([sys.argv[1], f"--explain-check={heading[3:]}"], capture_output=True, check=True, text=True).stdout
    assert printed.rstrip("\n") == (heading + text).rstrip("\n"), heading
