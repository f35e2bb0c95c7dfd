# SPDX-License-Identifier: Apache-2.0
#
#   levels.py LIST PAGES
# Prints each check of LIST, what --list-checks prints, for which the first example of its section has another level.
import pathlib
import re
import sys

pages = "\n".join(page.read_text(encoding="utf-8") for page in pathlib.Path(sys.argv[2]).glob("*.md"))
for line in open(sys.argv[1], encoding="utf-8"):
    check, level = line.split()[:2]
    shown = re.search(rf": (error|warning): .* \[{check}\]$", pages[pages.index(f"\n## {check}\n"):], re.MULTILINE)[1]
    if shown != level:
        print(check, level, shown)
