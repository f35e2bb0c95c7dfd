# SPDX-License-Identifier: Apache-2.0
#
# The documentation as a site: Sphinx reads the Markdown pages in place, with the checkout as its source folder. docs/build calls it.
import pathlib
import re
import sys

here = pathlib.Path(__file__).parent
source = here.parents[1]
sys.path.insert(0, str(here))

project = "graphgen"
version = release = re.search(r"project\(graphgen VERSION ([0-9.]+)", (source / "CMakeLists.txt").read_text())[1]
copyright = "the graphgen authors"

extensions = ["myst_parser", "site_tree", "site_links", "site_words", "site_api"]
root_doc = "README"
include_patterns = ["README.md", "CHANGELOG.md", "docs/**.md", "samples/**.md", "generator/check/**.md", "runtime/**.md", "tests/**.md",
                    "CONTRIBUTING.md", "SECURITY.md"]
exclude_patterns = [".*", "build*", "docs/site"]
nitpicky = True
nitpick_ignore_regex = [  # of the C++ API: what other libraries and programs declare, and namespaces
    ("cpp:identifier", r"(at|c10d?|torch|std)(::.*)?|u?int\d+_t|CUgraph(Exec)?_st|LossClosure"),
    ("cpp:identifier", r"graphed(::optim)?|(graphed::)?impl(::.*)?|signature(::.*)?|(::)?PolicyImpl(::loss)?"),
]
show_warning_types = True

myst_heading_anchors = 6
suppress_warnings = [
    "myst.header",  # pages on GitHub may begin below a first heading
    "misc.highlighting_failure",  # examples have "..." where something is left out
]
highlight_language = "none"

html_theme = "furo"
html_title = f"graphgen {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
