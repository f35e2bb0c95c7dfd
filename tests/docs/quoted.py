#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Examples that pages quote from tests are there, line for line.

quoted.py SOURCE   a C++ block of PAGES whose first line is `// FILE` quotes tests/generator/generated/FILE, or samples/..., which is compiled and
run
"""
import pathlib
import re
import sys

PAGES = ("docs/how-to/training-steps.md",)


def missing(source, page):
    quoted = re.findall(r"^```cpp\n// (\S+)\n(.*?)^```$", (source / page).read_text(), re.MULTILINE | re.DOTALL)
    if not quoted:
        yield f"{page}: no block quotes a test"
    for name, text in quoted:
        file = source / ("" if name.startswith("samples/") else "tests/generator/generated") / name
        if not file.is_file() or text not in file.read_text():
            yield f"{page}: the example that begins with '{text.splitlines()[0].strip()}' is not in {file}"


def main():
    source = pathlib.Path(sys.argv[1])
    found = [message for page in PAGES for message in missing(source, page)]
    print("\n".join(found), file=sys.stderr)
    return 1 if found else 0


sys.exit(main())
