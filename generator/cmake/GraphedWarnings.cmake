# SPDX-License-Identifier: Apache-2.0
#
# graphed_set_warnings(<target>...): the warnings that the project's own code is held to. Those of a project that it is a part of are none of
# its own.
include_guard(GLOBAL)

function(graphed_set_warnings)
  foreach(target IN LISTS ARGN)
    if(PROJECT_IS_TOP_LEVEL)
      target_compile_options(${target} PRIVATE
        "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wconversion;$<$<BOOL:${GRAPHED_WERROR}>:-Werror>>"
        # GCC's -Wconversion leaves signs out; libstdc++ 12 calls its own std::get_temporary_buffer, which is deprecated.
        "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-sign-conversion;-Wno-deprecated-declarations>")
    else()
      target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-w>)
    endif()
  endforeach()
endfunction()
