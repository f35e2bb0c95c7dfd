# SPDX-License-Identifier: Apache-2.0
#
# graphed_set_warnings(<target>...): the warnings that the project's own code is held to.
include_guard(GLOBAL)

function(graphed_set_warnings)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wconversion;$<$<BOOL:${GRAPHED_WERROR}>:-Werror>>")
  endforeach()
endfunction()
