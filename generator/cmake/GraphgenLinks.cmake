# SPDX-License-Identifier: Apache-2.0
#
# What a target of add_graphed_target links beside the runtime, which links LibTorch, looked at when its folder is complete.
include_guard(GLOBAL)

function(_graphed_check_links name)
  # find_package(Torch) of the project's own.
  if(TORCH_INSTALL_PREFIX)
    get_filename_component(other "${TORCH_INSTALL_PREFIX}" REALPATH)
    if(NOT other STREQUAL GRAPHED_TORCH_ROOT)
      _graphed_refuse("find_package(Torch) found ${other}, and find_package(graphgen) ${GRAPHED_TORCH_ROOT}: ${name} would load both. Name one "
                      "for both by Torch_DIR, in an empty build folder.")
    endif()
  endif()
  get_target_property(libraries ${name} LINK_LIBRARIES)
  get_target_property(folders ${name} LINK_DIRECTORIES)
  foreach(library IN ITEMS torch torch_cpu c10)
    if(library IN_LIST libraries AND NOT TARGET ${library} AND NOT folders)
      message(WARNING "add_graphed_target: ${name} links ${library}, which is not a target here, so that the linker will not find it. The runtime "
                      "links LibTorch: remove ${library} from target_link_libraries, or call find_package(Torch) before.")
    endif()
  endforeach()
endfunction()
