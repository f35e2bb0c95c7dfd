// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/memory_kernel.h"

namespace graphed {
namespace {

__device__ uint64_t first_element() { return blockIdx.x * uint64_t{memory_threads} + threadIdx.x; }
__device__ uint64_t element_step() { return gridDim.x * uint64_t{memory_threads}; }

template <class Element>
__device__ void fill_as(const fill_arguments& a) {
  for (uint64_t i = first_element(); i < a.width * a.height; i += element_step()) {
    const uint64_t row = i / a.width;
    reinterpret_cast<Element*>(static_cast<char*>(a.to) + row * a.pitch)[i - row * a.width] = static_cast<Element>(a.value);
  }
}

__global__ void __launch_bounds__(memory_threads) fill(const fill_arguments a) {
  if (a.element_size == 4) {
    fill_as<uint32_t>(a);
  } else if (a.element_size == 2) {
    fill_as<uint16_t>(a);
  } else {
    fill_as<uint8_t>(a);
  }
}

template <class Word>
__device__ void copy_as(const copy_arguments& a) {
  const uint64_t width = a.width / sizeof(Word);
  for (uint64_t i = first_element(); i < width * a.height * a.depth; i += element_step()) {
    const uint64_t row = i / width;
    const uint64_t slice = row / a.height;
    const uint64_t row_in_slice = row - slice * a.height;
    auto* to = static_cast<char*>(a.to) + slice * a.to_slice + row_in_slice * a.to_pitch;
    const auto* from = static_cast<const char*>(a.from) + slice * a.from_slice + row_in_slice * a.from_pitch;
    reinterpret_cast<Word*>(to)[i - row * width] = reinterpret_cast<const Word*>(from)[i - row * width];
  }
}

__global__ void __launch_bounds__(memory_threads) copy(const copy_arguments a) {
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

}  // namespace

void* fill_kernel() { return reinterpret_cast<void*>(&fill); }
void* copy_kernel() { return reinterpret_cast<void*>(&copy); }

}  // namespace graphed
