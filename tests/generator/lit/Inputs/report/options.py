# SPDX-License-Identifier: Apache-2.0
#
#   options.py HELP PAGE
# Fails where the options of HELP, what --help prints, and of the table in PAGE are not the same. One with a choice of values is written as
# --option=a|b.
import re
import sys

help_text, page = (open(path, encoding="utf-8").read() for path in sys.argv[1:])

told = []
for line in help_text.split("OPTIONS:")[1].splitlines():
    option = re.match(r" +(--?[a-z][a-z-]*(?:[ =]<[a-zA-Z]+>)?)(?= )", line)
    choice = re.match(r" +=([a-z]+) ", line)
    if option:
        told.append([option[1], []])
    elif choice:
        told[-1][1].append(choice[1])
told = {re.sub("<[a-zA-Z]+>", "|".join(choices), option) if choices else option for option, choices in told}

table = page.split("## Options")[1].split("\n\n")[1]
documented = {each for row in table.splitlines()[2:] for each in re.findall(r"`(-[^`]*)`", row.replace("\\|", "|").split(" | ")[0])}

assert len(told) >= 10 and len(documented) >= 10, (told, documented)
for where, only in (("--help", told - documented), ("the documentation", documented - told)):
    for each in sorted(only):
        print(f"in {where} alone: {each}", file=sys.stderr)
sys.exit(told != documented)
