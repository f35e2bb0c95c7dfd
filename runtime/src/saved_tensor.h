// SPDX-License-Identifier: Apache-2.0
//
// A tensor that a backward needs, as it was when the forward returned.
#pragma once

#include <c10/core/StorageImpl.h>
#include <c10/core/TensorImpl.h>

#include <string>

namespace graphed {

struct saved_tensor {
  c10::VariableVersion counter{0};
  uint32_t version;
  std::string description;           ///< "CPUFloatType [4, 8]"
  const c10::StorageImpl* captured;  ///< what stands for it in the capture
};

}  // namespace graphed
