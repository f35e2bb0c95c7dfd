# SPDX-License-Identifier: Apache-2.0
#
# cmake -DDOCS=docs -DOUTPUT=Rules.inc -P RulesFromDocs.cmake: writes {"id", "page", "meaning"} for each row of the indexes, in order.
set(rows "")
foreach(folder IN ITEMS diagnostics checks)
  file(STRINGS "${DOCS}/${folder}/README.md" lines REGEX "^\\| \\[graphed-[a-z-]+\\]\\(graphed-[a-z-]+\\.md\\) \\| .* \\|$")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^\\| \\[([a-z-]+)\\]\\(([a-z.-]+)\\) \\| (.*) \\|$" "{\"\\1\", \"${folder}/\\2\", R\"text(\\3)text\"}," row "${line}")
    string(REPLACE ";" "\t" row "${row}")  # which divides the elements of a list
    list(APPEND rows "${row}")
  endforeach()
endforeach()
if(rows STREQUAL "")
  message(FATAL_ERROR "${DOCS} has no index of diagnostics")
endif()
list(SORT rows)
list(JOIN rows "\n" text)
string(REPLACE "\t" ";" text "${text}")
file(WRITE "${OUTPUT}" "${text}\n")
