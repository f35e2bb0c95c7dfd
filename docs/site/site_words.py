# SPDX-License-Identifier: Apache-2.0
"""The words that tools print, in the site's index, which its search looks at first.

The words are what tables of the pages below explain, in code quotes in a row's first cell: options, environment variables, reasons of misses. A word
leads to its row. The id of a diagnostic leads to the section that has it as title.
"""
import re

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

PAGES = re.compile(r"docs/(start/install|how-to/(control-flow|host-parts|padding|training-steps)|reference/(annotations|cmake|environment|graphgen|manifest|report|standalone|statistics))$")


def words_of(row):
    """`--out-dir=<dir>` is the word `--out-dir`, `-p <build>` is `-p`. A row of four cells is two of two cells."""
    for cell in row.children[:: 2 if len(row) == 4 else len(row)]:
        for literal in cell.findall(nodes.literal):
            word = re.split(r"[=\s<[(]", literal.astext(), maxsplit=1)[0]
            if re.search(r"\w", word):
                yield word


def entry(word, target):
    return addnodes.index(entries=[("single", word, target, "main", None)])


class Words(SphinxTransform):
    default_priority = 400  # before the domains read what the document has

    def apply(self):
        for section in self.document.findall(nodes.section):
            title = section[0].astext()
            if title.startswith("graphed-"):
                section.insert(1, entry(title, section["ids"][0]))
        if PAGES.match(self.env.docname):
            for body in self.document.findall(nodes.tbody):
                for row in body.children:
                    for word in dict.fromkeys(words_of(row)):
                        self.add_row(row, word)

    def add_row(self, row, word):
        target = nodes.make_id(f"word-{word}")
        if target not in self.document.ids:  # the first row of a page explains it
            row["ids"].append(target)
            self.document.ids[target] = row
            row[0].insert(0, entry(word, target))


def setup(app):
    app.add_transform(Words)
    return {"parallel_read_safe": True}
