# SPDX-License-Identifier: Apache-2.0
#
# A headless browser, for the tests of pages and for their pictures in docs/.
import pathlib
import re
import shutil
import subprocess
import sys

program = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"))), None)


def skip_without():
    if program is None:
        sys.exit(print("SKIPPED: there is no browser: apt-get install chromium-headless-shell, and run this test again"))


def run(page, profile, *flags, fragment="#all"):
    usual = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000", f"--user-data-dir={profile}"]
    run = subprocess.run([program, *usual, *flags, pathlib.Path(page).resolve().as_uri() + fragment], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    return run.stdout


def document(page, profile):
    """What the page is after its scripts have run, with every graph open."""
    text = run(page, profile, "--dump-dom")
    body = text[:text.index('<script type="application/json"')]
    assert 'id="error"' not in body, re.search('id="error">.*?<', body)
    return body


def embedded(page):
    """Where the report begins and ends in the page, and the page."""
    text = page.read_text()
    begin = text.index('id="report">') + len('id="report">')
    return begin, text.index("</script>", begin), text
