#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Natural technical English: no words that only this project uses.

words.py SOURCE [PAGE...]

In README.md, in the pages of docs/, generator/, runtime/ and samples/, in the comments of all C++ sources, in the messages in the sources of
generator/ and runtime/, in comments of Python, CMake and the shell, and in pictures, no text has a word of words.txt. Code is left out.
"""
import pathlib
import re
import sys

CPP = (".h", ".cpp", ".cu", ".inc")
HERE = pathlib.Path(__file__).parent

FENCE = re.compile(r"^ *(```+|~~~+)")
CODE = re.compile(r"(`+).+?\1", re.DOTALL)
LINK = re.compile(r"!?\[([^]]*)\]\([^)]*\)")
ITEM = re.compile(r"^\s*([-*+]|\d+[.)])\s+")
DIRECTIVE = re.compile(r"[A-Z][A-Z0-9-]+(\{LITERAL\})?:(\s|$)")  # of lit and FileCheck
COMMENT = re.compile(r"^(.*?)//(?:/<?)? ?(.*)$")
HASH = re.compile(r"(?:^|\s)#(?![!{])(.*)")
USAGE = re.compile(r"\S+\.(?:py|sh)\s")
DOCSTRING = re.compile(r'^[ \t]*"""(.*?)"""', re.DOTALL | re.MULTILINE)
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


class Words:
    def __init__(self, file):
        lines = [line for line in file.read_text().splitlines() if line and not line.startswith("#")]
        self.rules = [(re.compile(rf"\b(?:{pattern})\b"), instead) for pattern, instead in (line.split(" => ") for line in lines)]
        self.any = re.compile(rf"\b(?:{'|'.join(line.split(' => ')[0] for line in lines)})\b")

    def found(self, text):
        text = text.lower()
        if self.any.search(text):
            for rule, instead in self.rules:
                for match in rule.finditer(text):
                    yield match.start(), f"'{match[0]}' (write: {instead})"


def page_blocks(text):
    """The paragraphs, list items and headings of a page: the number of the first line, and its lines."""
    fence, first, lines = None, 0, []
    for number, line in enumerate(text.splitlines(), 1):
        mark = FENCE.match(line)
        if fence:
            fence = None if mark and mark[1] == fence else fence
            continue
        if mark:
            fence = mark[1]
        table = line.lstrip().startswith("|")
        if lines and (mark or table or not line.strip() or ITEM.match(line) or line.startswith("#")):
            yield first, lines
            lines = []
        if mark or table or not line.strip():
            continue
        if not lines:
            first = number
        lines.append(ITEM.sub("", line))
        if line.startswith("#"):
            yield first, lines
            lines = []
    if lines:
        yield first, lines


def table_rows(text):
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            inside = not inside
        elif not inside and line.lstrip().startswith("|"):
            yield number, [line]


def comment_blocks(text):
    """The paragraphs of a source's comments."""
    first, lines, trailing = 0, [], False
    for number, line in enumerate([*text.splitlines(), ""], 1):
        comment = COMMENT.match(line) if '"' not in line.split("//")[0] else None
        words = comment[2] if comment and not DIRECTIVE.match(comment[2]) else ""
        alone = bool(comment) and not comment[1].strip()
        if lines and (not words.strip() or not alone or trailing or ITEM.match(words) or "SPDX" in words):
            yield first, lines
            lines = []
        if words.strip() and "SPDX" not in words and not words.startswith(("namespace", "clang-format", "NOLINT")):
            if not lines:
                first, trailing = number, not alone
            lines.append(ITEM.sub("", words))


def hash_comments(text):
    """The lines of comments that begin with # and of Python's docstrings, but for those that show how a script is called."""
    for number, line in enumerate(text.splitlines(), 1):
        comment = HASH.search(line)
        if comment and not USAGE.match(comment[1].strip()):
            yield number, [comment[1]]
    for docstring in DOCSTRING.finditer(text):
        for number, line in enumerate(docstring[1].splitlines(), text.count("\n", 0, docstring.start()) + 1):
            if not USAGE.match(line.strip()):
                yield number, [line]


def picture_texts(text):
    for number, line in enumerate(text.splitlines(), 1):
        yield from ((number, [found]) for found in re.findall(r"<text[^>]*>([^<]*)", line))


def literals(text):
    """Messages: the string literals of a source that have a space, joined where the compiler joins them."""
    text = re.sub(r"^[ \t]*(//|#include).*$", "", text, flags=re.MULTILINE)
    text = re.sub(r'R"(\w*)\((.*?)\)\1"', lambda raw: re.sub(r'["\\]', " ", raw[0]).replace("R ", '"', 1), text, flags=re.DOTALL)
    for number, line in enumerate(text.splitlines(), 1):
        for match in LITERAL.finditer(line):
            if " " in match[1].strip():
                yield number, [match[1]]


def without_code(text):
    text = CODE.sub(lambda code: "\x00" + "\n" * code[0].count("\n"), text)
    return re.sub(r"<[^<>\s][^<>]*>|https?://\S+", "\x00", LINK.sub(r"\1", text))


def complaints(blocks, words):
    for first, lines in blocks:
        text = without_code("\n".join(lines))
        at = lambda position: first + text.count("\n", 0, position)
        for position, message in words.found(text):
            yield at(position), message


def check(file, words, has_messages=True):
    text = file.read_text()
    if file.suffix == ".md":
        yield from complaints(page_blocks(text), words)
        yield from complaints(table_rows(text), words)
        return
    if file.suffix == ".svg":
        yield from complaints(picture_texts(text), words)
        return
    if file.suffix in CPP:
        yield from complaints(comment_blocks(text), words)
    else:
        yield from complaints(hash_comments(text), words)
    if has_messages:
        yield from complaints(literals(text), words)


def is_script(file):
    has_no_suffix = file.parent.name in (".ci", "docs") and not file.suffix and file.is_file()
    return has_no_suffix or file.suffix in (".py", ".sh") or file.name == "CMakeLists.txt"


def files(source):
    """Each with whether it has messages."""
    yield source / "README.md", False
    for folder in ("docs", "generator", "runtime", "samples"):
        yield from ((file, False) for file in sorted((source / folder).rglob("*.md")))
    for folder in ("docs/explanation", "docs/contributing"):
        yield from ((file, False) for file in sorted((source / folder).glob("*.svg")))
    for folder in ("generator", "runtime"):
        yield from ((file, True) for file in sorted((source / folder).rglob("*")) if file.suffix in (*CPP, ".cmake"))
        yield from ((file, False) for file in sorted((source / folder).rglob("*")) if is_script(file))
    for folder in ("samples", "tests", "docs", ".ci"):
        yield from ((file, False) for file in sorted((source / folder).rglob("*")) if file.suffix in (*CPP, ".cmake") or is_script(file))


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    words = Words(HERE / "words.txt")
    asked = set(sys.argv[2:])
    failures, seen = [], 0
    for file, has_messages in files(source):
        name = str(file.relative_to(source))
        if not asked or name in asked:
            seen += 1
            failures += [f"{name}:{line}: {message}" for line, message in sorted(set(check(file, words, has_messages)))]
    assert asked or seen > 1000, f"{source} has {seen} files"
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
