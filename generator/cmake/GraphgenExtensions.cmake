# SPDX-License-Identifier: Apache-2.0
#
# The extensions of the files that graphgen reads: for add_graphed_target, and for graphgen itself when it is built.
set(GRAPHGEN_HEADER_EXTENSIONS h hh hpp hxx h++ H cuh)
set(GRAPHGEN_SOURCE_EXTENSIONS cpp cc cxx c++ C)
set(GRAPHGEN_CUDA_EXTENSIONS cu)
