# SPDX-License-Identifier: Apache-2.0
#
# cmake -DMODULES=generator/cmake -P find-torch.cmake: prints the folder of the LibTorch that a build would take.
list(PREPEND CMAKE_MODULE_PATH "${MODULES}")
include(GraphedTorch)
graphed_find_torch()
file(WRITE /dev/stdout "${GRAPHED_TORCH_ROOT}\n")
