// SPDX-License-Identifier: Apache-2.0
//
// The runtime's kernels: what memset and memcpy nodes do, and the one at the head and the end of a graph, which copies into static memory
// and out of it. What that copies rides in its parameters, which change before each launch.
#pragma once

#include <cstddef>
#include <cstdint>

namespace graphed::impl {

/// In a block of each.
constexpr unsigned kernel_threads = 256;

/// `height` rows of `width` words, `pitch` bytes apart.
struct fill_arguments {
  void* to;
  uint64_t pitch;
  uint64_t width;
  uint64_t height;
  unsigned value;      ///< a shorter word is its first bytes, a longer one repeats it
  unsigned word_size;  ///< 1, 2, 4 or 16
};

/// `depth` slices of `height` rows of `width` bytes; rows are stored a pitch apart, slices a slice.
struct copy_arguments {
  void* to;
  const void* from;
  uint64_t to_pitch, to_slice;
  uint64_t from_pitch, from_slice;
  uint64_t width, height, depth;
};

/// Whether a conditional node runs its body, or which one.
struct decide_arguments {
  uint64_t handle;  ///< cudaGraphConditionalHandle
  const bool* truth;
  int64_t* count;  ///< of a loop: how often its body has run; null elsewhere
  int64_t at_most;
  bool is_first;  ///< before the loop
};

/// For cudaKernelNodeParams; each takes its arguments as its one parameter, and any number of blocks along x.
void* fill_kernel();
void* copy_kernel();
/// What the first does, of one row of words of 16 bytes, with a thread for each.
void* fill_row_kernel();
/// One thread.
void* decide_kernel();

/// The sizes of table that there are kernels for. All parameters of a kernel have 4 KiB.
constexpr std::size_t staging_capacities[] = {1, 2, 4, 8, 16, 32, 64, 160};

/// How many sets of addresses a table keeps. The last entry's address is in none.
constexpr std::size_t staging_sets(std::size_t capacity) { return capacity == 1 ? 0 : capacity <= 64 ? 4 : 1; }
/// How many words come before them.
constexpr std::size_t staging_head(std::size_t capacity) { return capacity == 1 ? 1 : 2; }

/// Copies between memory of the graph and memory outside, and values for the former. A patch within 16 bytes costs the host a third of any
/// other (docs/explanation/performance.md). So what changes on each launch comes first, and addresses that were staged lately are kept:
/// those of a program's tensors come again.
template <std::size_t capacity>
struct staging_table {
  uint64_t set;                                        ///< the addresses that hold
  uint64_t last_outside;                               ///< in all sets: of the last entry, which is a random offset where there is one
  uint64_t outside[staging_sets(capacity)][capacity];  ///< each an address, or the bytes of a value
  uint64_t own[capacity];                              ///< addresses
  uint64_t bytes[capacity];                            ///< 0: nothing is to be done; at most eight of a value
};
/// The shorter a table, the less its patch costs the GPU.
template <>
struct staging_table<1> {
  uint64_t last_outside;
  uint64_t own[1];
  uint64_t bytes[1];
};
/// Added to the bytes of a value, of what is copied out of the graph's memory, and of what is within the parameters themselves.
constexpr uint64_t is_staged_value = uint64_t{1} << 63;
constexpr uint64_t is_copied_out = uint64_t{1} << 62;
constexpr uint64_t is_within = uint64_t{1} << 61;

/// A table, and memory within the parameters, of so many words of 8 bytes. Small arguments of the host ride there: a block that reads
/// memory of the host waits for it two microseconds. `outside` of such an entry is the distance from the memory's beginning.
template <std::size_t capacity, std::size_t words>
struct staging_table_with_memory {
  staging_table<capacity> table;
  uint64_t memory[words];
};
/// The sizes of such memory that there are kernels for, besides none, where the capacity is at most this one.
constexpr std::size_t staging_memory_words[] = {16, 64, 128};
constexpr std::size_t largest_with_memory = 8;

/// How many results one kernel writes into the memory of the host.
constexpr std::size_t delivery_capacity = 64;
/// Where the words of an entry begin: host_ring::alignment.
constexpr std::size_t words_of_entry = 64;

/// Copies from the graph's memory to an entry of a host_ring, at the address that is found in it, and at last the number to the address
/// itself.
struct delivery_table {
  const uint64_t* address;
  const uint64_t* number;
  unsigned* finished;  ///< zero before each launch: counts the blocks that have ended
  uint64_t from[delivery_capacity];
  uint64_t to[delivery_capacity];  ///< distances from the address; in words, the first one
  uint64_t bytes[delivery_capacity];
  unsigned count;
  unsigned is_last;  ///< of several launches: it writes the number
};
/// Takes the table as its one parameter, and any number of blocks along x.
void* delivery_kernel();
/// The same in words of data and number, as a host_ring has them: one block.
void* delivery_in_words_kernel();

/// For one of the capacities, and one of the sizes of memory or 0. One row of blocks copies one entry of the table.
void* staging_kernel(std::size_t capacity, std::size_t words = 0);

}  // namespace graphed::impl
