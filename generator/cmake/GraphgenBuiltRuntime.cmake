# SPDX-License-Identifier: Apache-2.0
#
# The runtimes that a wheel brings built: lib/graphed/torch-<version>-<cpu|cuda13>/libgraphed.so.<version>, each for one version of LibTorch.
# .ci/release builds them.
#
#   GRAPHGEN_RUNTIME_FROM_SOURCE   builds the package's source even where one fits

# "cuda13", "cpu", or nothing where GRAPHED_CUDA asks for what this LibTorch cannot link.
function(_graphgen_kind_of_torch result)
  set(kind cpu)
  if(NOT DEFINED GRAPHED_CUDA OR GRAPHED_CUDA)
    graphed_torch_cuda_major(major)
    set(links FALSE)
    if(major)
      _graphed_torch_try_cuda(links)
    endif()
    if(links)
      set(kind cuda${major})
    elseif(DEFINED GRAPHED_CUDA AND NOT GRAPHED_CUDA STREQUAL "AUTO")
      set(kind "")
    endif()
  endif()
  set(${result} "${kind}" PARENT_SCOPE)
endfunction()

# Defines graphed::graphed as the one that fits the project's LibTorch. Sets the variable to whether there is one.
function(_graphgen_import_built_runtime result)
  set(${result} FALSE PARENT_SCOPE)
  if(GRAPHGEN_RUNTIME_FROM_SOURCE OR CMAKE_CROSSCOMPILING OR NOT IS_DIRECTORY "${graphgen_BUILT_RUNTIMES}")
    return()
  endif()
  graphed_find_torch(RECORDED "${graphgen_SITE_PACKAGES}")
  _graphgen_kind_of_torch(kind)
  set(folder "${graphgen_BUILT_RUNTIMES}/torch-${GRAPHED_TORCH_VERSION}-${kind}")
  file(GLOB library "${folder}/libgraphed.so.*")
  if(NOT kind OR NOT library)
    message(STATUS "graphgen: the runtime is built from source, as the package has none for LibTorch ${GRAPHED_TORCH_VERSION} (${kind})")
    return()
  endif()
  set(with_cuda OFF)
  if(kind MATCHES "^cuda")
    set(with_cuda ON)
  endif()
  graphed_import_torch(CUDA ${with_cuda})
  get_filename_component(soname "${library}" NAME)
  add_library(graphed::graphed SHARED IMPORTED GLOBAL)
  set_target_properties(graphed::graphed PROPERTIES IMPORTED_LOCATION "${library}" IMPORTED_SONAME "${soname}")
  target_include_directories(graphed::graphed INTERFACE "${graphgen_RUNTIME_SOURCE}/runtime/include")
  target_link_libraries(graphed::graphed INTERFACE graphed::torch)
  message(STATUS "graphgen: the package's runtime for LibTorch ${GRAPHED_TORCH_VERSION} (${kind})")
  set(${result} TRUE PARENT_SCOPE)
endfunction()
