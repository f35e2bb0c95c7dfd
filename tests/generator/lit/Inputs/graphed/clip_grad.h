// SPDX-License-Identifier: Apache-2.0
//
// A stand-in for the runtime's clipping.
#pragma once

#include <torch/torch.h>

namespace graphed {
double clip_grad_norm_(const std::vector<torch::Tensor>& parameters, double max_norm);
}
