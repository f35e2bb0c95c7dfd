# SPDX-License-Identifier: Apache-2.0
#
#   table.py HELP FILE PATTERN
# Fails where the options of HELP, what --help prints, and what PATTERN finds in FILE, a regular expression whose groups are names, differ.
import re
import sys

text = open(sys.argv[1], encoding="utf-8").read().split("OPTIONS:")[1]
told = set(re.findall(r"^ +--?([a-z][a-z-]*)", text, re.MULTILINE))
found = [next(filter(None, groups)) for groups in re.findall(sys.argv[3] + "|(^$.)", open(sys.argv[2], encoding="utf-8").read(), re.MULTILINE)]
assert len(told) >= 20 and sorted(told) == sorted(found), (sorted(told), sorted(found))
