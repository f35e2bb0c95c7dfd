# SPDX-License-Identifier: Apache-2.0
#
# graphed_embed_page(<output>): makes Page.inc, the report's page as two literals, of the files in this folder and dagre. The runtime's page
# and graphgen's are made of it.
set(GRAPHED_PAGE_FOLDER "${CMAKE_CURRENT_LIST_DIR}")
cmake_path(SET GRAPHED_PAGE_DAGRE NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../../../../third-party/dagre/dagre.min.js")

function(graphed_embed_page output)
  set(page "${GRAPHED_PAGE_FOLDER}/page.html")
  set(parts page.css groups.js graph.js declared.js summary.js profile.js page.js)
  list(TRANSFORM parts PREPEND "${GRAPHED_PAGE_FOLDER}/")
  list(APPEND parts "${GRAPHED_PAGE_DAGRE}")
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DPAGE=${page}" "-DPARTS=${parts}" "-DOUTPUT=${output}" -P "${GRAPHED_PAGE_FOLDER}/EmbedPage.cmake"
    DEPENDS "${page}" ${parts} "${GRAPHED_PAGE_FOLDER}/EmbedPage.cmake"
    COMMENT "Embedding the report's page"
    VERBATIM)
endfunction()
