// SPDX-License-Identifier: Apache-2.0
//
// The kernel at the head of a graph: copies into static memory. What it copies rides in its parameters, which change before each launch.
#pragma once

#include <cstddef>
#include <cstdint>

namespace graphed {

/// The sizes of table that there are kernels for: a patch costs by the size as well. All parameters of a kernel have 4 KiB.
constexpr std::size_t staging_capacities[] = {1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 160};

/// How many sets of sources a table keeps.
constexpr std::size_t staging_sets(std::size_t capacity) { return capacity <= 64 ? 4 : 1; }

/// Copies and values into memory of the graph. A patch within 16 bytes costs the host a third of any other (docs/performance.md). So what
/// changes on each launch comes first, and sources that were staged lately are kept: the addresses of a program's tensors come again.
template <std::size_t capacity>
struct staging_table {
  uint64_t set;                                        ///< the sources that hold
  uint64_t last_source;                                ///< in all sets: of the last entry, which is a random offset where there is one
  uint64_t sources[staging_sets(capacity)][capacity];  ///< each the address of a copy's source, or the bytes of a value
  uint64_t targets[capacity];                          ///< addresses
  uint64_t bytes[capacity];                            ///< 0: nothing is to be done; at most eight of a value
};
/// Added to the bytes of a value.
constexpr uint64_t is_staged_value = uint64_t{1} << 63;

/// For one of the capacities. One row of blocks copies one entry of the table.
void* staging_kernel(std::size_t capacity);
constexpr unsigned staging_threads = 256;

}  // namespace graphed
