# SPDX-License-Identifier: Apache-2.0
#
#   levels.py LIST PAGES
# Prints each check of LIST, what --list-checks prints, whose page's first example has another level.
import re
import sys

for line in open(sys.argv[1], encoding="utf-8"):
    check, level = line.split()[:2]
    page = open(f"{sys.argv[2]}/{check}.md", encoding="utf-8").read()
    shown = re.search(rf": (error|warning): .* \[{check}\]$", page, re.MULTILINE)[1]
    if shown != level:
        print(check, level, shown)
