# SPDX-License-Identifier: Apache-2.0
"""The members of the C++ API, below the headings of docs/reference/api that name a public header, as `## graphed/stats.h`.

Doxygen reads the headers, and one header that graphgen has generated; Breathe turns what it finds into text. Each public header has its heading. Without
Doxygen the pages have their words alone.
"""
import pathlib
import re
import shutil
import subprocess
import xml.etree.ElementTree as xml

from sphinx.util import logging

log = logging.getLogger(__name__)
PAGES = "docs/reference/api/"
HEADING = re.compile(r"^## `(?:(graphed/[a-z_/]+\.h)|(policy\.graphed\.h))`$", re.MULTILINE)
INCLUDE = "runtime/include"
GENERATED = "tests/generator/golden/generated/module.graphed.h"
NOT_SHOWN = {"graphed/export.h", "graphed/optim.h"}  # one macro, and includes alone

DOXYFILE = """
QUIET = YES
INPUT = {input}
RECURSIVE = YES
EXCLUDE_PATTERNS = */impl/*
STRIP_FROM_PATH = {input}
FULL_PATH_NAMES = YES
OUTPUT_DIRECTORY = {output}
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
EXTRACT_ALL = YES
EXTRACT_PRIVATE = NO
HIDE_FRIEND_COMPOUNDS = YES
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = GRAPHED_API= "TORCH_ARG(type,name)=type name"
AUTOLINK_SUPPORT = NO
WARN_IF_UNDOCUMENTED = NO
"""


def headers(source):
    folder = source / INCLUDE / "graphed"
    return {path.relative_to(source / INCLUDE).as_posix() for path in (*folder.glob("*.h"), *folder.glob("optim/*.h"))}


def generated(source):
    """As graphgen wrote it, with comments that Doxygen reads, and the namespace around the class."""
    text = (source / GENERATED).read_text()
    text = re.sub(r"^// (GRAPHED\(.*\))\n(?=template <>)", r"/// Of the annotation `\1`.\n", text, count=1, flags=re.MULTILINE)
    text = re.sub(r"^  // ", "  /// ", text, flags=re.MULTILINE)
    text = re.sub(r"^class graphed::callable<&::", "class callable<&", text, flags=re.MULTILINE)
    first = text.index("/// Of the annotation")
    last = text.index("\n};", first) + 4
    return "#pragma once\nnamespace graphed {\n" + text[first:last] + "}\n"


def run_doxygen(app):
    source, work = pathlib.Path(app.srcdir).resolve(), pathlib.Path(app.doctreedir).resolve() / "doxygen"
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(source / INCLUDE, work / "include")
    (work / "include/policy.graphed.h").write_text(generated(source))
    (work / "Doxyfile").write_text(DOXYFILE.format(input=work / "include", output=work))
    said = subprocess.run(["doxygen", work / "Doxyfile"], cwd=work, stderr=subprocess.PIPE, text=True, check=True).stderr
    for line in filter(None, said.splitlines()):
        log.warning("doxygen: %s", line.replace(f"{work}/include/", ""))
    app.config.breathe_projects["graphed"] = str(work / "xml")
    app.found_by_doxygen = found_by_doxygen(work / "xml")


def start(app):
    shown = {header for page in (pathlib.Path(app.srcdir) / PAGES).glob("*.md") for header, _ in HEADING.findall(page.read_text())}
    for header in sorted(headers(pathlib.Path(app.srcdir)) - NOT_SHOWN - shown):
        log.warning("no page of %s has a heading for %s", PAGES, header)
    if app.has_doxygen:
        run_doxygen(app)


def is_inside(name):
    """A namespace that is not for programs."""
    return re.search(r"(^|::)(impl|detail)(::|$)", name) is not None


def directive(scope, member):
    name, kind = member.findtext("name"), member.get("kind")
    if kind == "define":
        return f"doxygendefine}} {name}"
    arguments = re.sub(r"\)[^)]*$", ")", member.findtext("argsstring") or "") if kind == "function" else ""
    return f"doxygen{kind}}} {scope}::{name}{arguments}"


def found_by_doxygen(folder):
    """Each header to the directives of what it declares: classes, then the members of namespaces and macros."""
    found = {}
    for path in sorted(folder.glob("*.xml")):
        for compound in xml.parse(path).getroot().iter("compounddef"):
            name, kind = compound.findtext("compoundname"), compound.get("kind")
            if is_inside(name):
                continue
            if kind in ("class", "struct") and not re.search(r"::[A-Z]\w*(<.*>)?::", name):  # those in another class are its members
                found.setdefault(compound.find("location").get("file"), []).append(f"doxygen{kind}}} {name}\n:members:\n:undoc-members:")
            elif kind in ("namespace", "file"):
                for member in compound.iter("memberdef"):
                    if kind == "namespace" or member.get("kind") == "define":
                        found.setdefault(member.find("location").get("file"), []).append(directive(name, member))
    return found


def with_members(section, found):
    named = HEADING.match(section)
    if not named:
        return section
    directives = found.get(named[1] or named[2], [])
    if not directives:
        log.warning("Doxygen has found nothing in %s", named[1] or named[2])
    return section.rstrip() + "\n\n" + "".join(f"```{{{each}\n:project: graphed\n```\n\n" for each in directives)


def add_members(app, page, text):
    if app.has_doxygen and page.startswith(PAGES):
        parts = re.split(r"(?=^## )", text[0], flags=re.MULTILINE)
        text[0] = "".join(with_members(part, app.found_by_doxygen) for part in parts)


def setup(app):
    app.has_doxygen = shutil.which("doxygen") is not None
    app.setup_extension("breathe")
    app.connect("builder-inited", start, priority=100)
    app.connect("source-read", add_members)
    return {"parallel_read_safe": True}
