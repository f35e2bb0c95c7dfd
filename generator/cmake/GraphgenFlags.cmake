# SPDX-License-Identifier: Apache-2.0
#
# A script: copies the entries of TARGET (and of CONFIGURATION, where there are several) from one compile_commands.json to another, which
# is written only when it changes. An entry is known by the object file that its command writes: other words of it may name files of other
# targets, such as a precompiled header that is taken from one. CMake writes entries one after another, each closed by "}".
cmake_minimum_required(VERSION 3.25)

file(READ "${FROM}" rest)
set(object "CMakeFiles/${TARGET}.dir/")
if(CONFIGURATION)
  string(APPEND object "${CONFIGURATION}/")
endif()

set(kept "")
while(TRUE)
  string(FIND "${rest}" "\n}" end)
  if(end EQUAL -1)
    break()
  endif()
  string(FIND "${rest}" "{" begin)
  math(EXPR length "${end} + 2 - ${begin}")
  string(SUBSTRING "${rest}" ${begin} ${length} entry)
  math(EXPR next "${end} + 2")
  string(SUBSTRING "${rest}" ${next} -1 rest)
  string(FIND "${entry}" " -o " at REVERSE)
  if(at EQUAL -1)
    continue()
  endif()
  string(SUBSTRING "${entry}" ${at} -1 output)
  string(REGEX MATCH "^ -o (\\\\\"[^\"]*|[^ \"]*)" output "${output}")
  string(FIND "${output}" "${object}" at)
  if(NOT at EQUAL -1)
    if(kept)
      string(APPEND kept ",\n")
    endif()
    string(APPEND kept "${entry}")
  endif()
endwhile()

if(NOT kept)
  message(FATAL_ERROR "graphgen: ${FROM} has no entry of target ${TARGET}.")
endif()
file(CONFIGURE OUTPUT "${TO}" CONTENT "[\n@kept@\n]\n" @ONLY)
