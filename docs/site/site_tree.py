# SPDX-License-Identifier: Apache-2.0
"""The site's tree of pages, made of the lists that readers of GitHub see.

Each section is a page README.md. The links that begin its list items, or the rows of its tables, are its children, in their order; a page belongs to
the section that names it first. A page that no section names is Sphinx's warning, which is an error.
"""
import pathlib
import re

ROOT = "README"
SECTIONS = [
    "docs/start/README",
    "docs/tutorials/README",
    "docs/how-to/README",
    "docs/reference/README",
    "docs/explanation/README",
    "docs/contributing/README",
    "CHANGELOG",
    "docs/README",
]
CHILD = re.compile(r"^ *(?:[-*]|\d+\.|\|) \[[^]]*\]\(([^)#\s]+\.md)(?:#[^)\s]*)?\)", re.MULTILINE)


def named(source, page):
    """The pages that a page's lists and tables name, without their suffix."""
    folder = (source / page).parent
    for link in CHILD.findall((source / f"{page}.md").read_text()):
        target = (folder / link).resolve()
        if target.is_file() and source in target.parents:
            yield target.relative_to(source).with_suffix("").as_posix()


def tree(source):
    """Each section to its children."""
    children = {ROOT: SECTIONS}
    taken = {ROOT, *SECTIONS}

    def visit(page):
        children[page] = [child for child in dict.fromkeys(named(source, page)) if child not in taken]
        taken.update(children[page])
        for child in children[page]:
            if child.endswith("/README") and not child.startswith("samples/"):
                visit(child)

    for section in SECTIONS:
        if section.endswith("/README"):
            visit(section)
    return children


def add_children(app, page, text):
    children = app.site_tree.get(page)
    if children:
        title = ":caption: Contents\n" if page == ROOT else ""
        entries = "".join(f"All pages by subject </{child}>\n" if child == "docs/README" else f"/{child}\n" for child in children)
        text[0] += "\n\n```{toctree}\n:hidden:\n" + title + "\n" + entries + "```\n"


def lead(page, target):
    page.write_text(f'<!doctype html><meta http-equiv="refresh" content="0; url={target}"><a href="{target}">{target}</a>\n')


def add_indexes(app, failed):
    """A folder's URL is its README's. A page's name on GitHub, as messages of the tools print it, leads to the page as well."""
    if failed or app.builder.format != "html":
        return
    out = pathlib.Path(app.outdir)
    for page in app.env.found_docs:
        html = out / f"{page}.html"
        redirect = out / f"{page}.md"
        redirect.mkdir(exist_ok=True)
        lead(redirect / "index.html", f"../{html.name}")
        if html.name == "README.html":
            lead(html.parent / "index.html", "README.html")


def setup(app):
    app.site_tree = tree(pathlib.Path(app.srcdir).resolve())
    app.connect("source-read", add_children)
    app.connect("build-finished", add_indexes)
    return {"parallel_read_safe": True}
