# SPDX-License-Identifier: Apache-2.0
#
# Runs GRAPHGEN on the files of INPUTS, and compares what it writes with the files of GOLDEN; with UPDATE, replaces those.
file(REMOVE_RECURSE "${OUT}")
file(GLOB inputs RELATIVE "${INPUTS}" "${INPUTS}/*")
list(TRANSFORM INCLUDES PREPEND "-I")
execute_process(COMMAND "${GRAPHGEN}" --out-dir "${OUT}" ${inputs} -- -std=c++${STANDARD} ${INCLUDES}
                WORKING_DIRECTORY "${INPUTS}" COMMAND_ERROR_IS_FATAL ANY)

if(UPDATE)
  file(REMOVE_RECURSE "${GOLDEN}")
  file(COPY "${OUT}/" DESTINATION "${GOLDEN}")
  return()
endif()
execute_process(COMMAND diff -ru "${GOLDEN}" "${OUT}" RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "The generated code differs from that of tests/generator/golden. If it should, build the target update-golden.")
endif()
