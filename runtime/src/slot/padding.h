// SPDX-License-Identifier: Apache-2.0
//
// Calls that are smaller than the sample that serves them: their tensors are in the first rows of the static ones.
#pragma once

#include <graphed/impl/spec.h>

#include <ATen/core/Tensor.h>

#include <vector>

namespace graphed::impl {

/// The shape of a sample's tensor where its padded variables have these sizes; with none, the sample's own.
std::vector<int64_t> own_shape(const SampleSpec& sample, std::size_t tensor, at::IntArrayRef sizes);

/// the layout of the elements of a tensor; empty for one that is undefined.
struct tensor_layout {
  std::vector<int64_t> sizes, strides;
};
std::vector<tensor_layout> layouts_of(const std::vector<at::Tensor>& tensors);

/// Of all its tensors.
int64_t elements_of(const SampleSpec& sample);

/// The first elements of `tensor` along each dimension, over the same memory, without history.
at::Tensor corner(const at::Tensor& tensor, at::IntArrayRef sizes);

/// Gives `result`, which nothing else has, the first elements of each dimension alone, to be as `layout` says. It stays over its memory
/// where they have that layout there; else it gets memory of its own, which takes a copy, and that is reported.
bool cut_down(at::Tensor& result, const tensor_layout& layout);

/// Copies `from` into the corner of `to`, which is tensor number `tensor` of the sample, and fills the rest as the annotation says. Returns
/// the bytes copied.
uint64_t copy_filled(const SampleSpec& sample, std::size_t tensor, const at::Tensor& to, const at::Tensor& from);
/// Copies `from` into the corner of `to`, zeros into the rest.
uint64_t copy_filled(const at::Tensor& to, const at::Tensor& from);

}  // namespace graphed::impl
