#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#   site.sh SOURCE WORK PYTHON GRAPHGEN
# The pages are a site without a warning, as docs/build makes it but for the theme, and its search leads from each word that the tools print to the
# page that explains it. Ends with 77 where PYTHON has no Sphinx.
set -euo pipefail
source=$1 work=$2 python=$3 graphgen=$4
if ! "$python" -c 'import breathe, furo, myst_parser, sphinx' 2>/dev/null; then
  echo "SKIPPED: $python has no Sphinx, so the documentation's site is not built: run .ci/install-dependencies docs" >&2
  exit 77
fi
command -v doxygen >/dev/null || echo "SKIPPED: there is no Doxygen, so the site has no members of the C++ API: run .ci/install-dependencies docs" >&2
rm -rf "$work"
"$python" -B -m sphinx -q -W --keep-going -D html_theme=basic -c "$source/docs/site" "$source" "$work"
"$python" -B "$source/tests/docs/printed.py" "$source" "$work" "$graphgen"
