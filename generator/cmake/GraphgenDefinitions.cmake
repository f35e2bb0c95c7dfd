# SPDX-License-Identifier: Apache-2.0
#
# The check of the bodies that a target's sources give to the callables of its headers, a command for each source, at the end of the
# folder: sources may be added until then.
include_guard(GLOBAL)

# The names of the callables, which all the headers' manifests bring: what keeps sources that define none from being scanned.
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

function(_graphed_check_definitions name folder)
  get_property(headers DIRECTORY PROPERTY _GRAPHED_HEADERS_OF_${name})
  _graphed_sources_to_check(${name} sources)
  if(NOT headers OR NOT sources)
    return()
  endif()
  _graphed_add_callables(${name} "${folder}" ${headers})
  foreach(file IN LISTS sources)
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" OUTPUT_VARIABLE relative)
    string(REPLACE "../" "__/" below "${relative}")
    set(checked "${folder}/checked/${below}")
    add_custom_command(
      OUTPUT "${checked}.stamp"
      COMMAND graphgen::graphgen -p "${folder}" --check-definitions "--callables=${folder}/callables.txt" ${ARGN}
              --depfile "${checked}.stamp.d" "${relative}"
      COMMAND "${CMAKE_COMMAND}" -E touch "${checked}.stamp"
      DEPENDS graphgen::graphgen "${file}" "${folder}/callables.txt" "${folder}/compile_commands.json"
      DEPFILE "${checked}.stamp.d"
      WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
      COMMENT "graphgen checks ${relative}" VERBATIM)
    target_sources(${name} PRIVATE "${checked}.stamp")
  endforeach()
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
  endif()
endfunction()
