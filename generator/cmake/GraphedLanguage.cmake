# SPDX-License-Identifier: Apache-2.0
#
# The language, and how all of graphgen's own code is compiled, whatever the project says that it is a part of.
include(GraphedUnity)
include(GraphedWarnings)

set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()
