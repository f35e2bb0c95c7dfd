# SPDX-License-Identifier: Apache-2.0
#
# add_graphed_target: runs graphgen on annotated files and adds the generated code, and the runtime, to a target.
include_guard(GLOBAL)
include("${CMAKE_CURRENT_LIST_DIR}/GraphgenArguments.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/GraphgenDefinitions.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/GraphgenLinks.cmake")

# Rules of custom commands (depfiles) are those of this CMake, whatever the caller's policies are.
cmake_policy(PUSH)
cmake_policy(VERSION 3.25)

# Writes the target's own entries of compile_commands.json, by configuration, into `folder`, again only when they change.
function(_graphed_add_flags name folder configuration)
  if(TARGET ${name}_graphed_flags)
    return()
  endif()
  set_property(TARGET ${name} PROPERTY EXPORT_COMPILE_COMMANDS ON)
  set(all "${CMAKE_BINARY_DIR}/compile_commands.json")
  add_custom_command(
    OUTPUT "${folder}/flags.stamp"
    BYPRODUCTS "${folder}/compile_commands.json"
    COMMAND "${CMAKE_COMMAND}" "-DFROM=${all}" "-DTO=${folder}/compile_commands.json" "-DTARGET=${name}"
            "-DCONFIGURATION=${configuration}" -P "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/GraphgenFlags.cmake"
    COMMAND "${CMAKE_COMMAND}" -E touch "${folder}/flags.stamp"
    DEPENDS "${all}" "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/GraphgenFlags.cmake"
    COMMENT "Flags of ${name} for graphgen" VERBATIM)
  add_custom_target(${name}_graphed_flags DEPENDS "${folder}/flags.stamp")
  add_dependencies(${name} ${name}_graphed_flags)
endfunction()

# Runs graphgen on one file. The stamp is the output: it is always touched, while generated files that stay the same keep their time.
function(_graphed_add_command name file flags out)
  get_filename_component(folder "${file}" DIRECTORY)
  get_filename_component(stem "${file}" NAME_WLE)
  cmake_path(APPEND out "${folder}" "${stem}.graphed" OUTPUT_VARIABLE base)
  set(generated "${base}.h")
  set_property(DIRECTORY APPEND PROPERTY _GRAPHED_WRITTEN_OF_${name} "${base}")
  _graphed_is_header("${file}" header)
  if(header)
    list(APPEND generated "${base}.cpp")
    set_property(DIRECTORY APPEND PROPERTY _GRAPHED_HEADERS_OF_${name} "${base}")
  else()
    target_sources(${name} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
  endif()
  add_custom_command(
    OUTPUT "${base}.stamp"
    BYPRODUCTS ${generated} "${base}.json" "${base}.summary"
    COMMAND graphgen::graphgen -p "${flags}" --out-dir "${out}" ${ARGN} --summary "${base}.summary" --depfile "${base}.stamp.d" "${file}"
    COMMAND "${CMAKE_COMMAND}" -E touch "${base}.stamp"
    DEPENDS graphgen::graphgen "${CMAKE_CURRENT_SOURCE_DIR}/${file}" "${flags}/compile_commands.json"
    DEPFILE "${base}.stamp.d"
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
    COMMENT "graphgen ${file}" VERBATIM)
  set_source_files_properties(${generated} PROPERTIES SKIP_AUTOGEN ON)
  target_sources(${name} PRIVATE "${base}.stamp" ${generated})
endfunction()

# Where files of the target's sources find generated headers: as they find the headers that those were generated from.
function(_graphed_add_include_folders name out)
  set(folders "${CMAKE_CURRENT_SOURCE_DIR}" "${out}")
  foreach(file IN LISTS ARGN)
    get_filename_component(folder "${file}" DIRECTORY)
    if(folder)
      list(APPEND folders "${out}/${folder}")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  get_target_property(type ${name} TYPE)
  if(type STREQUAL "EXECUTABLE")
    target_include_directories(${name} PRIVATE ${folders})
  else()
    list(TRANSFORM folders REPLACE "(.+)" "$<BUILD_INTERFACE:\\1>")
    target_include_directories(${name} PUBLIC ${folders})
  endif()
endfunction()

# Sets `result` to the folders of the target's own include folders, relative to the source folder, that one of the files is below.
function(_graphed_bases_of name property result)
  set(found "")
  get_target_property(folders ${name} ${property})
  foreach(folder IN LISTS folders)
    string(REGEX REPLACE "^\\$<BUILD_INTERFACE:(.*)>$" "\\1" folder "${folder}")
    cmake_path(IS_PREFIX CMAKE_CURRENT_SOURCE_DIR "${folder}" NORMALIZE below)
    if(NOT below)
      continue()
    endif()
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    foreach(file IN LISTS ARGN)
      cmake_path(IS_PREFIX folder "${file}" NORMALIZE is_base)
      if(is_base)
        list(APPEND found "${folder}")
        break()
      endif()
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES found)
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# At the end of the folder: include folders may be added until then.
function(_graphed_add_include_bases name out)
  _graphed_bases_of(${name} INCLUDE_DIRECTORIES own ${ARGN})
  list(TRANSFORM own PREPEND "${out}/")
  target_include_directories(${name} PRIVATE ${own})
  _graphed_bases_of(${name} INTERFACE_INCLUDE_DIRECTORIES given ${ARGN})
  list(TRANSFORM given REPLACE "(.+)" "$<BUILD_INTERFACE:${out}/\\1>")
  target_include_directories(${name} INTERFACE ${given})
endfunction()

# A folder that is not there when a file is scanned is none to look for headers in: the first scan and the next would differ.
function(_graphed_make_folders out)
  set(configurations "")
  get_property(multi GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(multi)
    set(configurations ${CMAKE_CONFIGURATION_TYPES})
  endif()
  foreach(file IN LISTS ARGN)
    get_filename_component(folder "${file}" DIRECTORY)
    if(NOT multi)
      file(MAKE_DIRECTORY "${out}/${folder}")
    endif()
    foreach(configuration IN LISTS configurations)
      file(MAKE_DIRECTORY "${out}/${configuration}/${folder}")
    endforeach()
  endforeach()
endfunction()

# By property: target_link_libraries would forbid the caller its other signature, with or without PRIVATE, for this target.
function(_graphed_link_runtime name)
  set_property(TARGET ${name} APPEND PROPERTY LINK_LIBRARIES graphed::graphed)
  set_property(TARGET ${name} APPEND PROPERTY INTERFACE_LINK_LIBRARIES graphed::graphed)
endfunction()

#   add_graphed_target(<name> [STATIC | SHARED | OBJECT] SOURCES <file>... [CHECKS <glob>...] [WARNINGS_AS_ERRORS <glob>...] [NO_JOIN])
#
# <name> is a target of this folder, to which the code generated from the files is added; with STATIC, SHARED or OBJECT it is the name of a
# new library of the files and their generated code. The files are headers or sources with GRAPHED annotations, relative to the current source folder.
# A source includes its own <stem>.graphed.h after its last annotated declaration. Generated files are below
# ${CMAKE_CURRENT_BINARY_DIR}/graphed/<name> (with several configurations, in a folder for each) at the input's relative path.
# CHECKS and WARNINGS_AS_ERRORS are graphgen's --checks and --warnings-as-errors; sources that define a header's callables are checked too.
# With NO_JOIN nothing checks what callables do in other sources than their own.
function(add_graphed_target)
  _graphed_read_arguments(${ARGV})
  if(NOT TARGET ${name})
    add_library(${name} ${type})
  endif()
  get_property(multi GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  set(configuration "$<$<BOOL:${multi}>:$<CONFIG>>")
  set(out "${CMAKE_CURRENT_BINARY_DIR}/graphed/${name}")
  set(flags "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${name}.graphed")
  _graphed_make_folders("${out}" ${files})
  if(multi)
    string(APPEND out "/$<CONFIG>")
    string(APPEND flags "/$<CONFIG>")
  endif()
  _graphed_add_flags(${name} "${flags}" "${configuration}")
  if(no_join)
    set_property(DIRECTORY PROPERTY _GRAPHED_NO_JOIN_OF_${name} TRUE)
    list(APPEND check_options --no-join)
  endif()
  foreach(file IN LISTS files)
    _graphed_add_command(${name} "${file}" "${flags}" "${out}" ${check_options})
  endforeach()
  _graphed_add_include_folders(${name} "${out}" ${files})
  # What a deferred call is given is evaluated when it is made.
  cmake_language(EVAL CODE "cmake_language(DEFER CALL _graphed_add_include_bases [[${name}]] [[${out}]] [[${files}]])")
  _graphed_link_runtime(${name})
  _graphed_check_definitions_later(${name} "${flags}" ${check_options})
endfunction()

cmake_policy(POP)
