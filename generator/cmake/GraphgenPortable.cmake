# SPDX-License-Identifier: Apache-2.0
#
# A script: fails where PROGRAM needs a library that is not the C library's or GCC's, and that ALSO, a regular expression, does not name,
# or, where GLIBC is a version, a newer glibc than that.
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND "${OBJDUMP}" --private-headers "${PROGRAM}" OUTPUT_VARIABLE headers COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "NEEDED +[^\n]+" needed "${headers}")
foreach(line IN LISTS needed)
  string(REGEX REPLACE "NEEDED +" "" library "${line}")
  if(NOT library MATCHES "^(lib(c|m|dl|rt|pthread|gcc_s)|ld-linux-.*)\\.so\\.[0-9]+$" AND NOT (ALSO AND library MATCHES "^(${ALSO})$"))
    message(FATAL_ERROR "graphgen: ${PROGRAM} needs ${library}, which not every machine has. Static libraries of LLVM, Clang, zlib and zstd are "
                        "taken where their development packages are installed.")
  endif()
endforeach()

string(REGEX MATCHALL "GLIBC_[0-9.]+" versions "${headers}")
list(REMOVE_DUPLICATES versions)
foreach(version IN LISTS versions)
  string(REPLACE "GLIBC_" "" version "${version}")
  if(GLIBC AND version VERSION_GREATER GLIBC)
    message(FATAL_ERROR "graphgen: ${PROGRAM} needs glibc ${version}, the package is for ${GLIBC}. Build it on an older system, "
                        "or name the version by GRAPHGEN_GLIBC.")
  endif()
endforeach()
