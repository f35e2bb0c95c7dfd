# SPDX-License-Identifier: Apache-2.0
#
# Runs GRAPHGEN on policy.h of SAMPLE, and compares what it writes with the files of GOLDEN; with UPDATE, replaces those.
file(REMOVE_RECURSE "${OUT}")
list(TRANSFORM INCLUDES PREPEND "-I")
execute_process(COMMAND "${GRAPHGEN}" --out-dir "${OUT}" policy.h -- -std=c++${STANDARD} ${INCLUDES}
                WORKING_DIRECTORY "${SAMPLE}" COMMAND_ERROR_IS_FATAL ANY)

set(different FALSE)
foreach(file IN ITEMS policy.graphed.h policy.graphed.cpp policy.graphed.json)
  if(UPDATE)
    file(COPY_FILE "${OUT}/${file}" "${GOLDEN}/${file}")
  else()
    execute_process(COMMAND diff -u "${GOLDEN}/${file}" "${OUT}/${file}" RESULT_VARIABLE result)
    if(NOT result EQUAL 0)
      set(different TRUE)
    endif()
  endif()
endforeach()
if(different)
  message(FATAL_ERROR "The generated code is another than that of tests/generator/golden. If it should be, build the target update-golden.")
endif()
