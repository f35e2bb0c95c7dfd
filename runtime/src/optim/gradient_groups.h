// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace graphed {

/// The gradients that there are, by device and dtype: foreach operators are one kernel then. Throws c10::Error for one that is not dense.
std::vector<std::vector<at::Tensor>> gradient_groups(at::TensorList parameters);

}  // namespace graphed
