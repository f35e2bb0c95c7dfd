// SPDX-License-Identifier: Apache-2.0
//
// What memset and memcpy nodes do, as kernels.
#pragma once

#include <cstdint>

namespace graphed {

/// `height` rows of `width` elements, `pitch` bytes apart.
struct fill_arguments {
  void* to;
  uint64_t pitch;
  uint64_t width;
  uint64_t height;
  unsigned value;
  unsigned element_size;  ///< 1, 2 or 4
};

/// `depth` slices of `height` rows of `width` bytes; rows lie a pitch apart, slices a slice.
struct copy_arguments {
  void* to;
  const void* from;
  uint64_t to_pitch, to_slice;
  uint64_t from_pitch, from_slice;
  uint64_t width, height, depth;
};

/// For cudaKernelNodeParams; each takes its arguments as its one parameter, and any number of blocks along x.
void* fill_kernel();
void* copy_kernel();
constexpr unsigned memory_threads = 256;

}  // namespace graphed
