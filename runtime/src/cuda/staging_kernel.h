// SPDX-License-Identifier: Apache-2.0
//
// The kernel at the head and the end of a graph: copies into static memory, and out of it. What it copies rides in its parameters, which
// change before each launch.
#pragma once

#include <cstddef>
#include <cstdint>

namespace graphed {

/// Copies, and values to be written. What most launches change lies together: a patch costs by the words that it changes.
template <std::size_t capacity>
struct staging_table {
  uint64_t sources[capacity];  ///< the address of a copy's source, or the bytes of a value
  uint64_t targets[capacity];  ///< addresses
  uint64_t bytes[capacity];    ///< 0: nothing is to be done; at most eight of a value
};
/// Added to the bytes of a value.
constexpr uint64_t is_staged_value = uint64_t{1} << 63;

/// The sizes of table that there are kernels for: a patch costs by the size as well. All parameters of a kernel have 4 KiB.
constexpr std::size_t staging_capacities[] = {1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 160};

/// For one of these. One row of blocks copies one entry of the table.
void* staging_kernel(std::size_t capacity);
constexpr unsigned staging_threads = 256;

}  // namespace graphed
