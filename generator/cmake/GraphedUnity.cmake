# SPDX-License-Identifier: Apache-2.0
#
#   graphed_compile_together(<number> <target>...)
#
# Compiles so many of a target's sources as one: most of the time that each takes goes to the headers of LibTorch or Clang. For a source, its
# batch is a namespace. CMAKE_UNITY_BUILD=OFF, as the preset dev has it, compiles each alone, which shows an #include that is missing.
include_guard(GLOBAL)

function(graphed_compile_together number)
  if(NOT DEFINED CMAKE_UNITY_BUILD)
    set_target_properties(${ARGN} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${number})
    foreach(target IN LISTS ARGN)
      # GCC takes a source that is included for a header, whose unnamed namespaces differ from file to file.
      target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
    endforeach()
  endif()
endfunction()
