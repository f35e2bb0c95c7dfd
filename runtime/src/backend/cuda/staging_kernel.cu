// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/staging_kernel.h"

#include <iterator>
#include <utility>

namespace graphed {
namespace {

template <class Word>
__device__ void copy_as(char* to, const char* from, uint64_t bytes, uint64_t first, uint64_t step) {
  const uint64_t words = bytes / sizeof(Word);
  for (uint64_t i = first; i < words; i += step) {
    reinterpret_cast<Word*>(to)[i] = reinterpret_cast<const Word*>(from)[i];
  }
  for (uint64_t i = words * sizeof(Word) + first; i < bytes; i += step) {
    to[i] = from[i];
  }
}

template <std::size_t capacity>
__global__ void __launch_bounds__(staging_threads) stage(const __grid_constant__ staging_table<capacity> table) {
  const uint64_t outside = blockIdx.y + 1 == gridDim.y ? table.last_outside : table.outside[table.set][blockIdx.y];
  const uint64_t own = table.own[blockIdx.y];
  const uint64_t asked = table.bytes[blockIdx.y];
  const uint64_t bytes = asked & ~(is_staged_value | is_copied_out);
  const uint64_t first = blockIdx.x * uint64_t{staging_threads} + threadIdx.x;
  const uint64_t step = gridDim.x * uint64_t{staging_threads};
  if ((asked & is_staged_value) != 0) {
    if (first < bytes) {
      reinterpret_cast<char*>(own)[first] = static_cast<char>(outside >> (8 * first));
    }
    return;
  }
  const bool goes_out = (asked & is_copied_out) != 0;
  auto* to = reinterpret_cast<char*>(goes_out ? outside : own);
  const auto* from = reinterpret_cast<const char*>(goes_out ? own : outside);
  const uint64_t place = reinterpret_cast<uint64_t>(to) | reinterpret_cast<uint64_t>(from);
  if (place % sizeof(uint4) == 0) {
    copy_as<uint4>(to, from, bytes, first, step);
  } else if (place % sizeof(uint32_t) == 0) {
    copy_as<uint32_t>(to, from, bytes, first, step);
  } else {
    copy_as<char>(to, from, bytes, first, step);
  }
}

template <std::size_t... index>
void* kernel_for(std::size_t capacity, std::index_sequence<index...>) {
  void* found = nullptr;
  ((staging_capacities[index] == capacity ? found = reinterpret_cast<void*>(&stage<staging_capacities[index]>) : nullptr), ...);
  return found;
}

}  // namespace

void* staging_kernel(std::size_t capacity) { return kernel_for(capacity, std::make_index_sequence<std::size(staging_capacities)>()); }

}  // namespace graphed
