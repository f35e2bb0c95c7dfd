// SPDX-License-Identifier: Apache-2.0
//
// A tensor that a backward needs, as it was when the forward returned.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/StorageImpl.h>
#include <c10/core/TensorImpl.h>

#include <cstdint>
#include <vector>

namespace graphed {

struct saved_tensor {
  c10::VariableVersion counter{0};
  uint32_t version;
  const at::Tensor* captured;  ///< what stands for it in the capture, which is the slot's
  std::vector<int64_t> sizes;  ///< its own, where a padded call's are smaller; else empty
};

}  // namespace graphed
