// SPDX-License-Identifier: Apache-2.0
//
// The layout of a static input: that of the caller's tensor, so that operators choose the kernels that they choose in eager mode, with the
// same rounding.
#pragma once

#include <graphed/impl/spec.h>

#include <ATen/core/DimVector.h>
#include <ATen/core/Tensor.h>

#include <optional>

namespace graphed::impl {

/// Whether the tensor has the layout that the annotation says: contiguous, or channels last.
bool has_declared_strides(const TensorSpec& spec, const at::Tensor& argument);

/// The strides of a static input for this argument, which need not be defined: those of the annotation, where it has them; else its own,
/// but for gaps. The gaps between the rows of a narrow slice shrink to the least that keeps each row at the same address modulo 16 bytes,
/// the widest access of a kernel. None where elements overlap, but for expanded dimensions.
std::optional<at::DimVector> input_strides(const TensorSpec& spec, const at::Tensor& argument);

/// Whether a static input with `strides` has smaller gaps than the argument.
bool has_smaller_gaps(at::IntArrayRef strides, const at::Tensor& argument);

}  // namespace graphed::impl
