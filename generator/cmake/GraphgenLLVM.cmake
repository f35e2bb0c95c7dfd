# SPDX-License-Identifier: Apache-2.0
#
# graphgen::llvm and graphgen::clang: LLVM 22, found by its llvm-config (LLVM_ROOT names another prefix), as shared libraries, and in a program
# whose property GRAPHGEN_STATIC_LLVM is set as static ones.
include_guard(GLOBAL)

find_program(GRAPHGEN_LLVM_CONFIG NAMES llvm-config-22 llvm-config HINTS "${LLVM_ROOT}" ENV LLVM_ROOT PATH_SUFFIXES bin
             PATHS /usr/lib/llvm-22 DOC "llvm-config of LLVM 22")
if(NOT GRAPHGEN_LLVM_CONFIG)
  message(FATAL_ERROR "graphgen: llvm-config of LLVM 22 was not found. Run .ci/install-dependencies, or name its prefix by LLVM_ROOT.")
endif()
execute_process(COMMAND "${GRAPHGEN_LLVM_CONFIG}" --version --includedir --libdir --bindir OUTPUT_VARIABLE answer
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" answer "${answer}")
list(GET answer 0 GRAPHGEN_LLVM_VERSION)
list(GET answer 1 include)
list(GET answer 2 lib)
list(GET answer 3 GRAPHGEN_LLVM_BIN)
string(REGEX MATCH "^[0-9]+" GRAPHGEN_LLVM_MAJOR "${GRAPHGEN_LLVM_VERSION}")
set(GRAPHGEN_RESOURCE_DIR "${lib}/clang/${GRAPHGEN_LLVM_MAJOR}")
if(NOT GRAPHGEN_LLVM_VERSION MATCHES "^22\\.")
  message(FATAL_ERROR "graphgen: LLVM 22 is needed, ${GRAPHGEN_LLVM_CONFIG} is of ${GRAPHGEN_LLVM_VERSION}.")
endif()
find_library(GRAPHGEN_LLVM_LIBRARY NAMES LLVM-22 LLVM PATHS "${lib}" NO_DEFAULT_PATH REQUIRED)
find_library(GRAPHGEN_CLANG_LIBRARY NAMES clang-cpp PATHS "${lib}" NO_DEFAULT_PATH REQUIRED)
mark_as_advanced(GRAPHGEN_LLVM_CONFIG GRAPHGEN_LLVM_LIBRARY GRAPHGEN_CLANG_LIBRARY)

find_library(GRAPHGEN_ZLIB NAMES libz.a)
find_library(GRAPHGEN_ZSTD NAMES libzstd.a)
mark_as_advanced(GRAPHGEN_ZLIB GRAPHGEN_ZSTD)
set(has_static OFF)
if(GRAPHGEN_ZLIB AND GRAPHGEN_ZSTD AND EXISTS "${lib}/libclangAST.a")
  set(has_static ON)
endif()
option(GRAPHGEN_STATIC_LLVM "Link graphgen with static libraries of LLVM, so that it starts faster and runs where there is no LLVM" ${has_static})
set(GRAPHGEN_GLIBC "" CACHE STRING "The version of glibc that an installed graphgen with static libraries may need at most; empty: any")
if(GRAPHGEN_STATIC_LLVM)
  include(GraphgenStaticLLVM)
endif()

add_library(graphgenLLVM INTERFACE)
add_library(graphgen::llvm ALIAS graphgenLLVM)
target_include_directories(graphgenLLVM SYSTEM INTERFACE "${include}")
target_compile_options(graphgenLLVM INTERFACE -fno-rtti)
set(is_static "$<BOOL:$<TARGET_PROPERTY:GRAPHGEN_STATIC_LLVM>>")
target_link_libraries(graphgenLLVM INTERFACE "$<IF:${is_static},graphgenStaticLLVM,${GRAPHGEN_LLVM_LIBRARY}>")

add_library(graphgenClang INTERFACE)
add_library(graphgen::clang ALIAS graphgenClang)
target_link_libraries(graphgenClang INTERFACE "$<$<NOT:${is_static}>:${GRAPHGEN_CLANG_LIBRARY}>" graphgenLLVM)
