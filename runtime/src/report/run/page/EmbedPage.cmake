# SPDX-License-Identifier: Apache-2.0
#
# cmake -DPARTS=page.html;page.js -DOUTPUT=Page.inc -P EmbedPage.cmake: writes {"page.html", text} for each part, its text in literals of 8,000
# characters: a compiler may refuse much longer ones.
set(rows "")
foreach(path IN LISTS PARTS)
  get_filename_component(name "${path}" NAME)
  file(READ "${path}" text)
  string(LENGTH "${text}" length)
  string(APPEND rows "{\"${name}\",\n")
  set(begin 0)
  while(begin LESS length)
    string(SUBSTRING "${text}" ${begin} 8000 piece)
    string(APPEND rows "R\"page(${piece})page\"\n")
    math(EXPR begin "${begin} + 8000")
  endwhile()
  string(APPEND rows "},\n")
endforeach()
file(WRITE "${OUTPUT}" "${rows}")
