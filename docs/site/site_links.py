# SPDX-License-Identifier: Apache-2.0
"""Links that lead out of the site's pages.

To a file of the checkout: the file, as a download, but in headings, which the site repeats elsewhere. To a folder: the text alone.
"""
import pathlib

from docutils import nodes
from sphinx import addnodes


def leads_to_folder(env, link):
    return link.get("reftype") == "myst" and not link.get("refdomain") and pathlib.Path(env.relfn2path(link["reftarget"], env.docname)[1]).is_dir()


def replace(link):
    link.parent.replace(link, link.children)


def make_plain(app, doctree):
    for link in [link for link in doctree.findall(addnodes.pending_xref) if leads_to_folder(app.env, link)]:
        replace(link)
    for title in doctree.findall(nodes.title):
        for link in list(title.findall(addnodes.download_reference)):
            replace(link)


def setup(app):
    app.connect("doctree-read", make_plain, priority=100)  # before the tables of contents are made of headings
    return {"parallel_read_safe": True}
