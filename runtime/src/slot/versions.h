// SPDX-License-Identifier: Apache-2.0
//
// The tensors that a backward needs, as they were when the forward returned: eager autograd throws where one was modified since.
#pragma once

#include "slot/captured_callable.h"
#include "slot/static_arguments.h"

#include <ATen/core/Tensor.h>
#include <c10/core/TensorImpl.h>

#include <cstdint>
#include <vector>

namespace graphed::impl {

class backward_variant;

struct saved_tensor {
  c10::VariableVersion counter{0};
  uint32_t version;
  const at::Tensor* captured;  ///< what stands for it in the capture, which is the slot's
  std::vector<int64_t> sizes;  ///< its own, where a padded call's are smaller; else empty
};

/// After a call's forward, into `saved`, which is empty.
void remember_versions(const captured_callable& callable, const static_arguments& arguments, const Inputs& inputs,
                       const tensor_list& results, bool is_padded, std::vector<saved_tensor>& saved);
bool are_unchanged(const std::vector<saved_tensor>& saved);
/// Throws eager's error if a tensor that the backward needs was modified since; without a variant, that any backward needs.
void check_versions(const std::vector<saved_tensor>& saved, const backward_variant* variant);

}  // namespace graphed::impl
