# SPDX-License-Identifier: Apache-2.0
#
# graphgenStaticLLVM: what graphgen links of Clang and LLVM, and what those need, as static libraries.
include_guard(GLOBAL)

set(clang_libraries
    Tooling ToolingInclusions Format ToolingCore Frontend Driver Parse Serialization Sema APINotes Edit Analysis AnalysisLifetimeSafety ASTMatchers
    AST Rewrite Lex Support Options Basic)
execute_process(COMMAND "${GRAPHGEN_LLVM_CONFIG}" --link-static --libfiles frontendopenmp option windowsdriver support mc bitreader
                OUTPUT_VARIABLE llvm_files OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(llvm_files UNIX_COMMAND "${llvm_files}")
list(TRANSFORM clang_libraries REPLACE "(.+)" "${lib}/libclang\\1.a" OUTPUT_VARIABLE clang_files)
foreach(file IN LISTS clang_files llvm_files)
  if(NOT EXISTS "${file}")
    message(FATAL_ERROR "graphgen: GRAPHGEN_STATIC_LLVM needs ${file}, which is not there (libclang-22-dev and llvm-22-dev have it).")
  endif()
endforeach()
if(NOT GRAPHGEN_ZLIB OR NOT GRAPHGEN_ZSTD)
  message(FATAL_ERROR "graphgen: GRAPHGEN_STATIC_LLVM needs libz.a and libzstd.a (zlib1g-dev and libzstd-dev have them).")
endif()

list(JOIN clang_files "," clang_files)
add_library(graphgenStaticLLVM INTERFACE)
target_link_libraries(graphgenStaticLLVM INTERFACE
  "$<LINK_GROUP:RESCAN,${clang_files}>" ${llvm_files} "${GRAPHGEN_ZLIB}" "${GRAPHGEN_ZSTD}" ${CMAKE_DL_LIBS} m)
target_link_options(graphgenStaticLLVM INTERFACE -static-libstdc++ LINKER:--gc-sections)
