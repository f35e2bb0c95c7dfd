// SPDX-License-Identifier: Apache-2.0
//
// The kernel at the head of a graph: copies into static memory. What it copies rides in its parameters, which change before each launch.
#pragma once

#include <cstddef>
#include <cstdint>

namespace graphed {

/// A copy, or a value, into memory of the graph.
struct staging_entry {
  void* to = nullptr;
  const void* from = nullptr;  ///< of a copy
  uint64_t value = 0;          ///< else its first bytes
  uint64_t bytes = 0;          ///< at most eight of a value
};

template <std::size_t capacity>
struct staging_table {
  staging_entry entries[capacity];
};

/// The sizes of table that there are kernels for. All parameters of a kernel have 4 KiB.
constexpr std::size_t staging_capacities[] = {8, 32, 120};

/// For cudaKernelNodeParams. One row of blocks copies one entry of the table.
void* staging_kernel(std::size_t capacity);
constexpr unsigned staging_threads = 256;

}  // namespace graphed
