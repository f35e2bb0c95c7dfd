# SPDX-License-Identifier: Apache-2.0
#
#   folders.py ROOT
# The folders of the runtime's sources are those of runtime/README.md, and a file includes only its own folder and those above it there.
import pathlib
import re
import sys

LONGEST = 400
root = pathlib.Path(sys.argv[1]) / "runtime"
rows = re.findall(r"^\| `([a-z/]+)/` \|", (root / "README.md").read_text(), re.M)
sources = root / "src"


def folder(path):
    """The innermost folder of the table that has the file."""
    fitting = [row for row in rows if path.startswith(row + "/")]
    return max(fitting, key=len, default=None)


failures = []
for file in sorted(sources.rglob("*.*")):
    path = file.relative_to(sources).as_posix()
    own = folder(path)
    if own is None:
        failures.append(f"{path}: its folder has no row in runtime/README.md")
        continue
    text = file.read_text()
    if text.count("\n") > LONGEST:
        failures.append(f"{path}: {text.count(chr(10))} lines, {LONGEST} at most")
    for included in re.findall(r'^#include "(.*)"$', text, re.M):
        other = folder(included)
        if not (sources / included).is_file():
            failures.append(f'{path}: "{included}" is no path from runtime/src')
        elif rows.index(other) > rows.index(own):
            failures.append(f'{path}: includes "{included}", whose folder stands below its own')
failures += [f"{row}/: runtime/README.md has a row, but there is no such folder" for row in rows if not (sources / row).is_dir()]
print("\n".join(failures))
sys.exit(1 if failures or not rows else 0)
