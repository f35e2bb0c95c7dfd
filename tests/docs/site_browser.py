#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The site in a headless browser: no script fails, and the search finds pages.

site_browser.py SOURCE SITE PROFILE

Without a browser, or without the site that the test docs.site makes, the test is skipped, and says so.
"""
import pathlib
import re
import subprocess
import sys

source, site, profile = map(pathlib.Path, sys.argv[1:])
sys.path.insert(0, str(source / "tests/runtime/report"))
import browser

# What is typed into the search, and the page that comes first.
SEARCHES = {
    "graphed-host-item": "docs/reference/checks/host-values.html",
    "GRAPHED_VERIFY": "docs/reference/environment.html",
    "capture_failed": "docs/reference/statistics.html",
}
PAGES = ("README.html", "docs/tutorials/README.html", "docs/reference/api/README.html")


def opened(page, query=""):
    """What the page is after its scripts have run."""
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files", "--virtual-time-budget=20000"]
    flags += ["--enable-logging=stderr", f"--user-data-dir={profile}", "--dump-dom"]
    done = subprocess.run([browser.program, *flags, (site / page).resolve().as_uri() + query], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    failed = [line for line in done.stderr.splitlines() if "CONSOLE" in line and re.search(r"Uncaught|Error", line)]
    assert not failed, f"{page}: {failed}"
    return done.stdout


browser.skip_without()
if not (site / "search.html").exists():
    sys.exit(print("SKIPPED: there is no site: the test docs.site makes it"))
for page in PAGES:
    assert "</h1>" in opened(page), page
for query, expected in SEARCHES.items():
    text = opened("search.html", f"?q={query}")
    results = re.findall(r'<li[^>]*><a href="([^"?#]+)', text[text.index('id="search-results"'):])
    assert results and results[0] == expected, (query, results[:3])
