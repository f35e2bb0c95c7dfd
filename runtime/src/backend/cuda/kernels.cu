// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/kernels.h"

#include <iterator>
#include <utility>

namespace graphed::impl {
namespace {

__device__ uint64_t first_element() { return blockIdx.x * uint64_t{kernel_threads} + threadIdx.x; }
__device__ uint64_t element_step() { return gridDim.x * uint64_t{kernel_threads}; }

// A division of 64 bits takes longer than all else that a small node does.
__device__ uint64_t quotient(uint64_t number, uint64_t of, uint64_t most) { return most == 1 ? 0 : number / of; }

template <class Word>
__device__ void fill_as(const fill_arguments& a, Word value) {
  for (uint64_t i = first_element(); i < a.width * a.height; i += element_step()) {
    const uint64_t row = quotient(i, a.width, a.height);
    reinterpret_cast<Word*>(static_cast<char*>(a.to) + row * a.pitch)[i - row * a.width] = value;
  }
}

__global__ void __launch_bounds__(kernel_threads) fill(const fill_arguments a) {
  if (a.word_size == sizeof(uint4)) {
    fill_as(a, make_uint4(a.value, a.value, a.value, a.value));
  } else if (a.word_size == sizeof(uint32_t)) {
    fill_as<uint32_t>(a, a.value);
  } else if (a.word_size == sizeof(uint16_t)) {
    fill_as(a, static_cast<uint16_t>(a.value));
  } else {
    fill_as(a, static_cast<uint8_t>(a.value));
  }
}

// Most memsets are small: one more branch or loop shows in the time of the node.
__global__ void __launch_bounds__(kernel_threads) fill_row(const fill_arguments a) {
  const uint64_t i = first_element();
  if (i < a.width) {
    static_cast<uint4*>(a.to)[i] = make_uint4(a.value, a.value, a.value, a.value);
  }
}

template <class Word>
__device__ void copy_as(const copy_arguments& a) {
  const uint64_t width = a.width / sizeof(Word);
  for (uint64_t i = first_element(); i < width * a.height * a.depth; i += element_step()) {
    const uint64_t row = quotient(i, width, a.height * a.depth);
    const uint64_t slice = quotient(row, a.height, a.depth);
    const uint64_t row_in_slice = row - slice * a.height;
    auto* to = static_cast<char*>(a.to) + slice * a.to_slice + row_in_slice * a.to_pitch;
    const auto* from = static_cast<const char*>(a.from) + slice * a.from_slice + row_in_slice * a.from_pitch;
    reinterpret_cast<Word*>(to)[i - row * width] = reinterpret_cast<const Word*>(from)[i - row * width];
  }
}

__global__ void __launch_bounds__(kernel_threads) copy(const copy_arguments a) {
  const uint64_t all = reinterpret_cast<uint64_t>(a.to) | reinterpret_cast<uint64_t>(a.from) | a.to_pitch | a.to_slice | a.from_pitch |
                       a.from_slice | a.width;
  if (all % sizeof(uint4) == 0) {
    copy_as<uint4>(a);
  } else if (all % sizeof(uint32_t) == 0) {
    copy_as<uint32_t>(a);
  } else {
    copy_as<char>(a);
  }
}

#if CUDART_VERSION >= 12080
__global__ void decide(const decide_arguments a) {
  bool is_true = *a.truth;
  if (a.count != nullptr) {
    const int64_t times = a.is_first ? 0 : *a.count + 1;
    *a.count = times;
    is_true = is_true && times < a.at_most;
  }
  cudaGraphSetConditional(a.handle, is_true ? 1 : 0);
}
#endif

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

__device__ void copy_aligned(char* to, const char* from, uint64_t bytes, uint64_t first, uint64_t step) {
  const uint64_t place = reinterpret_cast<uint64_t>(to) | reinterpret_cast<uint64_t>(from);
  if (place % sizeof(uint4) == 0) {
    copy_as<uint4>(to, from, bytes, first, step);
  } else if (place % sizeof(uint32_t) == 0) {
    copy_as<uint32_t>(to, from, bytes, first, step);
  } else {
    copy_as<char>(to, from, bytes, first, step);
  }
}

// Each thread's fence orders its writes before the block's end, and that before the word of the last block.
__global__ void __launch_bounds__(kernel_threads) deliver(const __grid_constant__ delivery_table table) {
  char* const entry = reinterpret_cast<char*>(*table.address);
  for (unsigned i = 0; i < table.count; ++i) {
    copy_aligned(entry + table.to[i], reinterpret_cast<const char*>(table.from[i]), table.bytes[i], first_element(), element_step());
  }
  if (table.is_last == 0) {
    return;
  }
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0 && (gridDim.x == 1 || atomicAdd(table.finished, 1U) + 1 == gridDim.x)) {
    __threadfence_system();
    *reinterpret_cast<volatile uint32_t*>(entry) = static_cast<uint32_t>(*table.number);
  }
}

// Up to four bytes, at any address.
__device__ uint32_t load_bytes(const char* from, uint64_t bytes) {
  if (bytes >= sizeof(uint32_t) && reinterpret_cast<uint64_t>(from) % sizeof(uint32_t) == 0) {
    return *reinterpret_cast<const uint32_t*>(from);
  }
  uint32_t data = 0;
  for (unsigned i = 0; i < sizeof data && i < bytes; ++i) {
    data |= uint32_t{static_cast<uint8_t>(from[i])} << (8 * i);
  }
  return data;
}

// Without a fence: what the host sees of a word it sees of all its eight bytes.
__global__ void __launch_bounds__(kernel_threads) deliver_in_words(const __grid_constant__ delivery_table table) {
  for (unsigned i = 0; i < table.count; ++i) {
    const uint64_t at = (threadIdx.x - table.to[i]) * sizeof(uint32_t);
    if (threadIdx.x >= table.to[i] && at < table.bytes[i]) {
      const uint64_t data = load_bytes(reinterpret_cast<const char*>(table.from[i]) + at, table.bytes[i] - at);
      const uint64_t word = data | (*table.number << 32);
      reinterpret_cast<volatile uint64_t*>(*table.address + words_of_entry)[threadIdx.x] = word;
    }
  }
}

template <std::size_t capacity>
__device__ uint64_t outside_of(const staging_table<capacity>& table, unsigned entry) {
  return entry + 1 == gridDim.y ? table.last_outside : table.outside[table.set][entry];
}
__device__ uint64_t outside_of(const staging_table<1>& table, unsigned /*entry*/) { return table.last_outside; }

template <std::size_t capacity>
__device__ void stage_from(const staging_table<capacity>& table, const char* memory) {
  const unsigned entry = capacity == 1 ? 0 : blockIdx.y;
  const uint64_t outside = outside_of(table, entry);
  const uint64_t own = table.own[entry];
  const uint64_t asked = table.bytes[entry];
  const uint64_t bytes = asked & ~(is_staged_value | is_copied_out | is_within);
  const uint64_t first = first_element();
  const uint64_t step = element_step();
  if ((asked & is_staged_value) != 0) {
    if (first < bytes) {
      reinterpret_cast<char*>(own)[first] = static_cast<char>(outside >> (8 * first));
    }
    return;
  }
  if ((asked & is_within) != 0) {
    return copy_aligned(reinterpret_cast<char*>(own), memory + outside, bytes, first, step);
  }
  const bool goes_out = (asked & is_copied_out) != 0;
  auto* to = reinterpret_cast<char*>(goes_out ? outside : own);
  const auto* from = reinterpret_cast<const char*>(goes_out ? own : outside);
  copy_aligned(to, from, bytes, first, step);
}

template <std::size_t capacity>
__global__ void __launch_bounds__(kernel_threads) stage(const __grid_constant__ staging_table<capacity> table) {
  stage_from(table, nullptr);
}

template <std::size_t capacity, std::size_t words>
__global__ void __launch_bounds__(kernel_threads)
    stage_with_memory(const __grid_constant__ staging_table_with_memory<capacity, words> given) {
  stage_from(given.table, reinterpret_cast<const char*>(given.memory));
}

template <std::size_t capacity, std::size_t... index>
void* kernel_with_memory(std::size_t words, std::index_sequence<index...>) {
  void* found = nullptr;
  if constexpr (capacity <= largest_with_memory) {
    ((staging_memory_words[index] == words ? found = reinterpret_cast<void*>(&stage_with_memory<capacity, staging_memory_words[index]>)
                                           : nullptr),
     ...);
  }
  return found;
}

template <std::size_t capacity>
void* kernel_of(std::size_t words) {
  return words == 0 ? reinterpret_cast<void*>(&stage<capacity>)
                    : kernel_with_memory<capacity>(words, std::make_index_sequence<std::size(staging_memory_words)>());
}

template <std::size_t... index>
void* kernel_for(std::size_t capacity, std::size_t words, std::index_sequence<index...>) {
  void* found = nullptr;
  ((staging_capacities[index] == capacity ? found = kernel_of<staging_capacities[index]>(words) : nullptr), ...);
  return found;
}

}  // namespace

void* fill_kernel() { return reinterpret_cast<void*>(&fill); }
void* fill_row_kernel() { return reinterpret_cast<void*>(&fill_row); }
void* copy_kernel() { return reinterpret_cast<void*>(&copy); }
#if CUDART_VERSION >= 12080
void* decide_kernel() { return reinterpret_cast<void*>(&decide); }
#endif
void* delivery_kernel() { return reinterpret_cast<void*>(&deliver); }
void* delivery_in_words_kernel() { return reinterpret_cast<void*>(&deliver_in_words); }

void* staging_kernel(std::size_t capacity, std::size_t words) {
  return kernel_for(capacity, words, std::make_index_sequence<std::size(staging_capacities)>());
}

}  // namespace graphed::impl
