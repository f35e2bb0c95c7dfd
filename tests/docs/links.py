# SPDX-License-Identifier: Apache-2.0
#
#   links.py FOLDER
# Every relative link of the Markdown files below FOLDER leads to a file in FOLDER; one with an anchor to a heading.
import pathlib
import re
import sys


def without_code(text):
    text = re.sub(r"^( *)(```+).*?^\1\2 *$", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"(`+).+?\1", lambda code: re.sub(r"[\[\]()]", "", code.group()), text)


def anchors(page):
    text = re.sub(r"^( *)(```+).*?^\1\2 *$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    for heading in re.findall(r"^#+ +(.*?) *$", text, flags=re.MULTILINE):
        heading = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


folder = pathlib.Path(sys.argv[1]).resolve()
pages = [page for page in sorted(folder.rglob("*.md")) if not any(part.startswith((".", "build")) for part in page.relative_to(folder).parts)]
assert len(pages) >= 60, f"{folder} has {len(pages)} pages"
dead = []
for page in pages:
    for link in re.findall(r"\]\(([^)\s]+)\)", without_code(page.read_text())):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if folder not in target.parents or not target.exists():
            dead.append(f"{page.relative_to(folder)}: {link}")
        elif anchor and target.suffix == ".md" and anchor not in anchors(target):
            dead.append(f"{page.relative_to(folder)}: {link}: no such heading")
if dead:
    sys.exit("links that lead nowhere:\n" + "\n".join(dead))
