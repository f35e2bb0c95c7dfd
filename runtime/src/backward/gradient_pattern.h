// SPDX-License-Identifier: Apache-2.0
//
// What distinguishes the backward graphs of one slot: which gradients come in, their layout, and where they are read in place.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

namespace graphed::impl {

/// For gradients that are copied to static ones. `is_padded`: they are copied into contiguous ones of another size.
std::string pattern_of(at::TensorList gradients, bool is_padded);

/// For a graph that reads those of the gradients where they are that are results of graphs in the pool of this number. Where none is, it is
/// pattern_of(). It may be compared with the patterns of those graphs that keep this memory alive.
std::string pattern_in_place(at::TensorList gradients, uint64_t pool);

/// The memory itself where `gradient` is a result of a graph in this pool; undefined where it is not.
at::Tensor memory_in_place(const at::Tensor& gradient, uint64_t pool);

}  // namespace graphed::impl
