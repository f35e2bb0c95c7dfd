// SPDX-License-Identifier: Apache-2.0
//
// Copies between the caller's tensors and static ones, of the same shape, dtype and strides, below autograd: no history, no version is in
// the counts.
#pragma once

#include <graphed/impl/spec.h>

#include <ATen/core/DimVector.h>
#include <ATen/core/Tensor.h>
#include <c10/core/Scalar.h>

namespace graphed::impl {

/// Whether a strided tensor's bytes are its values. Those of a conjugate or negative view are not, and a ZeroTensor has none.
inline bool has_values_in_memory(const at::Tensor& tensor) { return !tensor.is_conj() && !tensor.is_neg() && !tensor._is_zerotensor(); }
/// Whether two of these dense tensors share memory, though their storages may not know of each other.
bool overlap(at::TensorList tensors);
/// A tensor in memory of its own, which nothing fills: LibTorch's deterministic mode would have a graph fill it again on each replay.
at::Tensor make_static(at::IntArrayRef sizes, at::IntArrayRef strides, c10::ScalarType dtype, c10::Device device);
/// the layout of an annotated tensor where it has these sizes.
at::DimVector strides_of(const TensorSpec& spec, at::IntArrayRef sizes);
/// One of this one's shape, dtype and strides. Dimensions of stride 0 stay expanded.
at::Tensor static_like(const at::Tensor& tensor);
/// How many bytes copy_value copies to a tensor of this layout.
uint64_t bytes_of_copy(const at::Tensor& to);
/// Copies the value; elements that a stride of 0 shows many times are copied once. Returns the bytes copied.
uint64_t copy_value(const at::Tensor& to, const at::Tensor& from);
/// Its value in memory of its own, with its strides and without history.
at::Tensor copy_of(const at::Tensor& tensor);
/// All bytes of a storage, as a tensor that shows them.
at::Tensor bytes_of(const c10::Storage& storage);
void fill_value(const at::Tensor& to, const c10::Scalar& value);

}  // namespace graphed::impl
