# SPDX-License-Identifier: Apache-2.0
#
#   cmake -DMODULE=<GraphedTorch.cmake> -DWORK=<folder> -P accepted.cmake
# The runtime's source takes LibTorch 2.11 to 2.15, with the standard of C++ that its headers need, and refuses others in one sentence.
function(check version expected)
  set(root "${WORK}/${version}")
  string(REPLACE "." ";" numbers "${version}")
  list(GET numbers 0 major)
  list(GET numbers 1 minor)
  list(GET numbers 2 patch)
  file(WRITE "${root}/torch/include/torch/headeronly/version.h"
       "#define TORCH_VERSION_MAJOR ${major}\n#define TORCH_VERSION_MINOR ${minor}\n#define TORCH_VERSION_PATCH ${patch}\n")
  file(WRITE "${root}/torch/include/ATen/ATen.h" "")
  file(WRITE "${root}/torch/lib/libtorch_cpu.so" "")
  file(WRITE "${root}/find.cmake" "include(\"${MODULE}\")\ngraphed_find_torch()\ngraphed_check_torch_for_source()\n"
       "message(\"C++\${GRAPHED_TORCH_STANDARD} with \${GRAPHED_TORCH_VERSION}\")\n")
  execute_process(COMMAND "${CMAKE_COMMAND}" "-DTorch_DIR=${root}/torch" -P "${root}/find.cmake" OUTPUT_QUIET ERROR_VARIABLE told)
  string(REGEX REPLACE "[ \n]+" " " told "${told}")
  file(REAL_PATH "${root}/torch" root)
  string(REPLACE "ROOT" "${root}" expected "${expected}")
  string(FIND "${told}" "${expected}" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "Of ${version} it should say '${expected}', and says: ${told}")
  endif()
endfunction()

foreach(version IN ITEMS 2.11.0 2.12.1 2.13.0)
  check(${version} "C++17 with ${version}")
endforeach()
foreach(version IN ITEMS 2.14.1 2.15.0)
  check(${version} "C++20 with ${version}")
endforeach()
foreach(version IN ITEMS 1.13.1 2.10.0 2.16.0 3.0.0)
  check(${version} "graphgen: LibTorch 2.11 to 2.15 is needed, ROOT is version ${version}. ")
endforeach()
