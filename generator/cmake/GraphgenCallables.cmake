# SPDX-License-Identifier: Apache-2.0
#
# A script: writes the names of the callables of MANIFESTS, a line each, to the file TO, only when they change.
cmake_minimum_required(VERSION 3.25)

set(names "")
foreach(manifest IN LISTS MANIFESTS)
  file(READ "${manifest}" text)
  string(JSON count LENGTH "${text}" callables)
  if(count)
    math(EXPR last "${count} - 1")
    foreach(index RANGE ${last})
      string(JSON name GET "${text}" callables ${index} name)
      string(APPEND names "${name}\n")
    endforeach()
  endif()
endforeach()
file(CONFIGURE OUTPUT "${TO}" CONTENT "${names}" @ONLY)
