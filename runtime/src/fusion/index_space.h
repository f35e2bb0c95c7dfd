// SPDX-License-Identifier: Apache-2.0
//
// The elements that pointwise operators go through, and where each tensor has them.
#pragma once

#include "trace/program.h"

#include <c10/util/ArrayRef.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace graphed::impl::fusion {

/// Sizes of dimensions, none of them one. Elements are numbered in row-major order: what tensors of other shapes have at a number is the
/// same element where one is a view of the other.
using index_space = std::vector<int64_t>;

index_space space_of(c10::IntArrayRef sizes);

/// The coarsest space of which both others are views; none where their dimensions do not nest.
std::optional<index_space> common_space(const index_space& a, const index_space& b);

/// By dimension of `space`, the distance of neighbours in elements, for a tensor that is broadcast to these sizes, which are a view of the
/// space; none where it cannot be broadcast.
std::optional<std::vector<int64_t>> strides_in(const index_space& space, c10::IntArrayRef sizes, const traced_tensor& tensor);

/// Puts the dimension with the largest of `order` first, and merges neighbours that are one dimension by all strides. `strides` has those
/// of each tensor.
void simplify(index_space& space, std::vector<int64_t> order, std::vector<std::vector<int64_t>*> strides);

}  // namespace graphed::impl::fusion
