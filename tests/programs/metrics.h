// SPDX-License-Identifier: Apache-2.0
//
// Numbers that a program reports of its training, as a source of their own.
#pragma once

#include <ATen/core/Tensor.h>

namespace metrics {

float accuracy(const at::Tensor& logits, const at::Tensor& classes);

}  // namespace metrics
