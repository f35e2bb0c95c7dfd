# SPDX-License-Identifier: Apache-2.0
#
# The harnesses as tests: built by Clang below the build folder, then so many executions each, from the same random numbers: what fails,
# fails again on any machine. After so many fuzz_annotation reaches hardly any new code. Skipped where there is no Clang with libFuzzer.
set(here "${CMAKE_CURRENT_LIST_DIR}")
set(build "${CMAKE_CURRENT_BINARY_DIR}/fuzz-generator")

add_test(NAME fuzz.generator.build COMMAND bash "${here}/build" "${build}" "-DGRAPHED_WERROR=${GRAPHED_WERROR}"
         "-DGRAPHGEN_LLVM_CONFIG=${GRAPHGEN_LLVM_CONFIG}" "-DCMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER}")
set_tests_properties(fuzz.generator.build PROPERTIES
  FIXTURES_SETUP fuzz_harnesses LABELS fuzz COST 200 TIMEOUT 1800 SKIP_RETURN_CODE 77 ENVIRONMENT "CXX=;CXXFLAGS=;LDFLAGS=")

set(executions_of_annotation 150000)
set(executions_of_graphgen 800)
foreach(harness IN ITEMS annotation graphgen)
  add_test(NAME fuzz.${harness} COMMAND bash "${here}/run" fuzz_${harness} runs=${executions_of_${harness}} "${build}")
  set_tests_properties(fuzz.${harness} PROPERTIES FIXTURES_REQUIRED fuzz_harnesses LABELS fuzz COST 60 TIMEOUT 600 SKIP_RETURN_CODE 77
    ENVIRONMENT FUZZ_SEED=1)
endforeach()
