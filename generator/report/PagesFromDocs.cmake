# SPDX-License-Identifier: Apache-2.0
#
# cmake -DDOCS=docs -DPAGES=start/faq.md;... -DOUTPUT=Pages.inc -P PagesFromDocs.cmake: writes {"page", text} for each of the pages.
set(rows "")
foreach(page IN LISTS PAGES)
  file(READ "${DOCS}/${page}" text)
  string(APPEND rows "{\"${page}\", R\"page(${text})page\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "${rows}")
