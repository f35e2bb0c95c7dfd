# SPDX-License-Identifier: Apache-2.0
#
# The check of the bodies that a target's sources give to the callables of its headers, a command for each source, and of what callables do
# in other sources, one command, at the end of the folder: sources may be added until then.
include_guard(GLOBAL)

# The names of the callables, which all the headers' manifests contain: what keeps sources that define none from being scanned.
function(_graphed_add_callables name folder)
  set(bases ${ARGN})
  list(TRANSFORM bases APPEND ".json" OUTPUT_VARIABLE manifests)
  list(TRANSFORM bases APPEND ".stamp" OUTPUT_VARIABLE stamps)
  set(script "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/GraphgenCallables.cmake")
  add_custom_command(
    OUTPUT "${folder}/callables.stamp"
    BYPRODUCTS "${folder}/callables.txt"
    COMMAND "${CMAKE_COMMAND}" "-DMANIFESTS=${manifests}" "-DTO=${folder}/callables.txt" -P "${script}"
    COMMAND "${CMAKE_COMMAND}" -E touch "${folder}/callables.stamp"
    DEPENDS ${stamps} "${script}"
    COMMENT "Callables of ${name}" VERBATIM)
  # A target, made before the other: Make knows no rule for a byproduct, which must be there when checks are asked for.
  add_custom_target(${name}_graphed_callables DEPENDS "${folder}/callables.stamp")
  add_dependencies(${name}_graphed_callables ${name}_graphed_flags)
  add_dependencies(${name} ${name}_graphed_callables)
endfunction()

# Sets `result` to the target's C++ sources that are files now: none that the build makes.
function(_graphed_sources_to_check name result)
  set(found "")
  get_target_property(sources ${name} SOURCES)
  foreach(file IN LISTS sources)
    cmake_path(ABSOLUTE_PATH file NORMALIZE)
    _graphed_has_extension("${file}" is_source SOURCE)
    get_source_file_property(generated "${file}" GENERATED)
    if(is_source AND NOT generated AND EXISTS "${file}")
      list(APPEND found "${file}")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES found)
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# Sets `result` to the path of the summary of a source, once it is scanned.
function(_graphed_checked_source file folder result)
  cmake_path(RELATIVE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" OUTPUT_VARIABLE relative)
  string(REPLACE "../" "__/" below "${relative}")
  set(${result} "${folder}/checked/${below}" PARENT_SCOPE)
endfunction()

function(_graphed_check_definitions name folder)
  get_property(headers DIRECTORY PROPERTY _GRAPHED_HEADERS_OF_${name})
  _graphed_sources_to_check(${name} sources)
  if(NOT headers OR NOT sources)
    return()
  endif()
  _graphed_add_callables(${name} "${folder}" ${headers})
  foreach(file IN LISTS sources)
    _graphed_checked_source("${file}" "${folder}" checked)
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" OUTPUT_VARIABLE relative)
    set_property(DIRECTORY APPEND PROPERTY _GRAPHED_CHECKED_OF_${name} "${checked}.stamp")
    add_custom_command(
      OUTPUT "${checked}.stamp"
      BYPRODUCTS "${checked}.summary"
      COMMAND graphgen::graphgen -p "${folder}" --check-definitions "--callables=${folder}/callables.txt" ${ARGN}
              --summary "${checked}.summary" --depfile "${checked}.stamp.d" "${relative}"
      COMMAND "${CMAKE_COMMAND}" -E touch "${checked}.stamp"
      DEPENDS graphgen::graphgen "${file}" "${folder}/callables.txt" "${folder}/compile_commands.json"
      DEPFILE "${checked}.stamp.d"
      WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
      COMMENT "graphgen checks ${relative}" VERBATIM)
    target_sources(${name} PRIVATE "${checked}.stamp")
  endforeach()
endfunction()

# Writes the list of the sources of a library of the project's that add_graphed_target has nothing to do with, and sets `result` to it.
function(_graphed_list_library library folder result)
  set(${result} "" PARENT_SCOPE)
  get_target_property(type ${library} TYPE)
  get_target_property(imported ${library} IMPORTED)
  if(imported OR NOT type MATCHES "^(STATIC|SHARED|OBJECT)_LIBRARY$" OR library STREQUAL "graphed")
    return()
  endif()
  get_target_property(base ${library} SOURCE_DIR)
  get_target_property(sources ${library} SOURCES)
  set(lines "")
  foreach(file IN LISTS sources)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${base}" NORMALIZE)
    _graphed_has_extension("${file}" is_source SOURCE)
    if(is_source AND EXISTS "${file}")
      cmake_path(RELATIVE_PATH file BASE_DIRECTORY "${base}" OUTPUT_VARIABLE below)
      string(REPLACE "../" "__/" below "${below}")
      string(APPEND lines "${folder}/linked/${library}/${below}.summary\t${file}\t${CMAKE_BINARY_DIR}\n")
    endif()
  endforeach()
  set_property(TARGET ${library} PROPERTY EXPORT_COMPILE_COMMANDS ON)
  file(GENERATE OUTPUT "${folder}/linked/${library}.txt" CONTENT "${lines}")
  set(${result} "${folder}/linked/${library}.txt" PARENT_SCOPE)
endfunction()

# Sets `result` to the lists of sources of the target and of the libraries of the project that it links, directly or not.
function(_graphed_source_lists name folder result)
  set(lists "")
  set(seen "")
  set(left ${name})
  while(NOT left STREQUAL "")
    list(POP_FRONT left target)
    if(NOT TARGET "${target}")
      continue()
    endif()
    get_target_property(aliased ${target} ALIASED_TARGET)
    if(aliased)
      set(target ${aliased})
    endif()
    if(target IN_LIST seen)
      continue()
    endif()
    list(APPEND seen "${target}")
    get_target_property(list ${target} GRAPHED_SOURCE_LIST)
    if(NOT list)
      _graphed_list_library(${target} "${folder}" list)
    endif()
    list(APPEND lists ${list})
    get_target_property(linked ${target} LINK_LIBRARIES)
    get_target_property(needed ${target} INTERFACE_LINK_LIBRARIES)
    foreach(each IN LISTS linked needed)
      string(REGEX REPLACE "^\\$<(LINK_ONLY|BUILD_INTERFACE):(.*)>$" "\\2" each "${each}")
      list(APPEND left "${each}")
    endforeach()
  endwhile()
  set(${result} "${lists}" PARENT_SCOPE)
endfunction()

# The list of the target's sources has the path of each one's summary, for this check and for those of targets that link it.
function(_graphed_check_other_sources name folder)
  get_property(written DIRECTORY PROPERTY _GRAPHED_WRITTEN_OF_${name})
  get_property(checked DIRECTORY PROPERTY _GRAPHED_CHECKED_OF_${name})
  _graphed_sources_to_check(${name} sources)
  list(TRANSFORM written APPEND ".summary\t" OUTPUT_VARIABLE lines)
  foreach(file IN LISTS sources)
    _graphed_checked_source("${file}" "${folder}" base)
    list(APPEND lines "${base}.summary\t${file}")
  endforeach()
  list(JOIN lines "\n" lines)
  file(GENERATE OUTPUT "${folder}/sources.txt" CONTENT "${lines}\n")
  set_property(TARGET ${name} PROPERTY GRAPHED_SOURCE_LIST "${folder}/sources.txt")
  get_property(is_off DIRECTORY PROPERTY _GRAPHED_NO_JOIN_OF_${name})
  if(is_off)
    return()
  endif()
  _graphed_source_lists(${name} "${folder}" lists)
  list(TRANSFORM lists PREPEND "--sources=" OUTPUT_VARIABLE options)
  get_target_property(type ${name} TYPE)
  if(type STREQUAL "EXECUTABLE")
    list(APPEND options --program)
  endif()
  list(TRANSFORM written APPEND ".stamp")
  add_custom_command(
    OUTPUT "${folder}/joined.stamp"
    COMMAND graphgen::graphgen --join ${ARGN} ${options} --depfile "${folder}/joined.stamp.d"
    COMMAND "${CMAKE_COMMAND}" -E touch "${folder}/joined.stamp"
    DEPENDS graphgen::graphgen ${written} ${checked} ${lists}
    DEPFILE "${folder}/joined.stamp.d"
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
    COMMENT "graphgen checks what callables of ${name} do in other sources" VERBATIM)
  target_sources(${name} PRIVATE "${folder}/joined.stamp")
endfunction()

function(_graphed_check_definitions_later name folder)
  get_property(is_known DIRECTORY PROPERTY _GRAPHED_CHECK_OPTIONS_OF_${name} SET)
  get_property(before DIRECTORY PROPERTY _GRAPHED_CHECK_OPTIONS_OF_${name})
  if(is_known AND NOT before STREQUAL "${ARGN}")
    _graphed_refuse("CHECKS and WARNINGS_AS_ERRORS of ${name} differ from those of the call before: they are the same for a target.")
  elseif(NOT is_known)
    set_property(DIRECTORY PROPERTY _GRAPHED_CHECK_OPTIONS_OF_${name} "${ARGN}")
    # What a deferred call is given is evaluated when it is made.
    cmake_language(EVAL CODE "cmake_language(DEFER CALL _graphed_check_links [[${name}]])")
    cmake_language(EVAL CODE "cmake_language(DEFER CALL _graphed_check_definitions [[${name}]] [[${folder}]] [[${ARGN}]])")
    cmake_language(EVAL CODE "cmake_language(DEFER CALL _graphed_check_other_sources [[${name}]] [[${folder}]] [[${ARGN}]])")
  endif()
endfunction()
