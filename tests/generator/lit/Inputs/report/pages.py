# SPDX-License-Identifier: Apache-2.0
#
#   pages.py GRAPHGEN FOLDER...
# Fails where GRAPHGEN --explain-check prints another text than the page of an id, in one of the folders.
import pathlib
import subprocess
import sys

pages = [page for folder in sys.argv[2:] for page in pathlib.Path(folder).glob("graphed-*.md")]
assert len(pages) >= 50, pages
for page in pages:
    told = subprocess.run([sys.argv[1], f"--explain-check={page.stem}"], capture_output=True, check=True).stdout
    assert told == page.read_bytes(), page
