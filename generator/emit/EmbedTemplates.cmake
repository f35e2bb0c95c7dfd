# SPDX-License-Identifier: Apache-2.0
#
# cmake -DTEMPLATES=a.mustache;b.mustache -DOUTPUT=Templates.inc -P EmbedTemplates.cmake: writes {"name", text} for each template.
set(rows "")
foreach(path IN LISTS TEMPLATES)
  get_filename_component(name "${path}" NAME_WE)
  file(READ "${path}" text)
  string(APPEND rows "{\"${name}\", R\"mustache(${text})mustache\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "${rows}")
