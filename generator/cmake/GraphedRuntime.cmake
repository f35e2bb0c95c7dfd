# SPDX-License-Identifier: Apache-2.0
#
# What the runtime's folder is built with: graphed::torch, and GRAPHED_WITH_CUDA, where the language CUDA is enabled. It is included by the
# folder above, in a scope that is not a function's.
include(GraphedTorch)

set(GRAPHED_CUDA AUTO CACHE STRING "Build the CUDA backend: AUTO (where LibTorch and a CUDA toolkit can), ON, OFF")
set_property(CACHE GRAPHED_CUDA PROPERTY STRINGS AUTO ON OFF)

graphed_find_torch(RECORDED "${graphgen_TORCH_ROOT}")
graphed_check_torch_for_source()
set(GRAPHED_WITH_CUDA OFF)
if(GRAPHED_CUDA)
  graphed_torch_links_cuda(GRAPHED_WITH_CUDA)
  if(GRAPHED_WITH_CUDA)
    find_package(CUDAToolkit REQUIRED)
    if(NOT CMAKE_CUDA_COMPILER)
      set(CMAKE_CUDA_COMPILER "${CUDAToolkit_NVCC_EXECUTABLE}")
    endif()
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES all-major)
    endif()
    set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)  # LibTorch's own
    set(CMAKE_CUDA_STANDARD 17)
    enable_language(CUDA)
  elseif(NOT GRAPHED_CUDA STREQUAL "AUTO")
    message(FATAL_ERROR "GRAPHED_CUDA=${GRAPHED_CUDA}: ${GRAPHED_TORCH_NO_CUDA_BECAUSE}.")
  else()
    message(STATUS "CUDA backend: no, ${GRAPHED_TORCH_NO_CUDA_BECAUSE}")
  endif()
endif()
graphed_import_torch(CUDA ${GRAPHED_WITH_CUDA})
