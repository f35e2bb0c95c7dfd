#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each word that graphgen and the runtime print leads, by the site's search, to the page that explains it.

printed.py SOURCE SITE GRAPHGEN   the words of SOURCE and of the program GRAPHGEN, looked up as SITE's search does: ids of diagnostics, options,
                                reasons of misses, environment variables, words of annotations
"""
import html
import json
import pathlib
import re
import subprocess
import sys

FIRST = 3  # among so many results a reader finds a page


def text_of(source, *names):
    return "\n".join((source / name).read_text() for name in names)


def ids(source):
    """With their pages: what the indexes name, from which graphgen's own list is made."""
    for index in ("diagnostics", "checks/README"):
        text = text_of(source, f"docs/reference/{index}.md")
        for name, page in re.findall(r"^\| \[(graphed-[a-z-]+)\]\((?:([a-z-]+)\.md)?#", text, re.MULTILINE):
            yield name, f"docs/reference/checks/{page}" if page else f"docs/reference/{index}"


def words(source, graphgen):
    """Each kind to its words, each with its page."""
    completion = subprocess.run([graphgen, "--completion=bash"], stdout=subprocess.PIPE, text=True, check=True).stdout
    pages = dict(ids(source))
    options = re.findall(r"(?<=[' ])(?:--[a-z][a-z-]*|-p)(?==| |')", completion)
    sources = [path.relative_to(source) for folder in ("runtime/src", "generator") for path in (source / folder).rglob("*.cpp")]
    variables = re.findall(r'read\(\w+, "(GRAPHED_[A-Z_]+)"\)|(?:GetEnv\(|\{)"(GRAPHGEN_[A-Z_]+)"', text_of(source, *sources))
    reasons = re.search(r"^constexpr std::array reasons\{(.*?)\};", text_of(source, "runtime/src/report/stats.cpp"), re.MULTILINE | re.DOTALL)[1]
    annotations = re.findall(r'\{"(\w+)", (?:DType|Flag|ScalarKind|ObjectKind|UnseenKind|OptionKind)::', text_of(source, "generator/annotation/Words.cpp"))
    return {
        "id": ({(word, pages.get(word, "a page")) for word in re.findall(r"graphed-[a-z-]+", completion)} | set(pages.items()), 50),
        "option": ({(word, "docs/reference/graphgen") for word in options}, 25),
        "miss": ({(word, "docs/reference/statistics") for word in re.findall(r'"(\w+)"', reasons)}, 15),
        "environment variable": ({("".join(pair), "docs/reference/environment") for pair in variables}, 9),
        "word of annotations": ({(word, "docs/reference/annotations") for word in annotations}, 30),
    }


class Search:
    """What Sphinx's searchtools.js finds for one word, best first, but for partial matches in texts, which come last."""

    def __init__(self, site):
        index = (site / "searchindex.js").read_text()
        self.index = json.loads(index[index.index("(") + 1 : index.rindex(")")])

    def scored(self, query):
        query = query.lower()
        docs = self.index["docnames"]
        for title, found in self.index["alltitles"].items():
            if query in title.lower() and len(query) >= len(title) / 2:
                for doc, _ in found:
                    yield round(15 * len(query) / len(title)) + (self.index["titles"][doc] == title), docs[doc], None
        for entry, found in self.index["indexentries"].items():
            if query in entry and len(query) >= len(entry) / 2:
                for doc, anchor, main in found:
                    if main:
                        yield round(100 * len(query) / len(entry)), docs[doc], anchor
        for table, score in (("terms", 5), ("titleterms", 15)):
            found = self.index[table].get(query, [])
            for doc in [found] if isinstance(found, int) else found:
                yield score, docs[doc], None

    def results(self, query):
        found = sorted(self.scored(query), key=lambda result: (-result[0], self.index["titles"][self.index["docnames"].index(result[1])].lower()))
        return list(dict.fromkeys((page, anchor) for _, page, anchor in found))


def plain(page):
    return html.unescape(re.sub(r"<[^>]*>", "", page))


def failures(source, site, graphgen):
    search = Search(site)
    for kind, (pairs, least) in words(source, graphgen).items():
        if len(pairs) < least:
            yield f"of the kind '{kind}' only these words were found: {sorted(pairs)}"
        for word, page in sorted(pairs):
            results = search.results(word)[:FIRST]
            anchor = next((anchor for found, anchor in results if found == page), "none")
            if anchor == "none":
                yield f"the {kind} '{word}' does not lead to {page}, but to {', '.join(found for found, _ in results) or 'nothing'}"
                continue
            if not (site / f"{page}.md/index.html").is_file():
                yield f"the URL {page}.md, which messages have, leads nowhere"
            text = (site / f"{page}.html").read_text()
            if word not in plain(text) or (anchor and f'id="{anchor}"' not in text):
                yield f"the {kind} '{word}' leads to {page}#{anchor or ''}, which does not have it"


def main():
    source, site, graphgen = (pathlib.Path(argument) for argument in sys.argv[1:])
    found = list(failures(source, site, graphgen))
    for failure in found:
        print("FAILED:", failure, file=sys.stderr)
    return bool(found)


sys.exit(main())
