// SPDX-License-Identifier: Apache-2.0
//
// A stand-in for the runtime's optimizers.
#pragma once

#include <torch/optim.h>

namespace graphed::optim {
struct Adam : torch::optim::Optimizer {
  torch::Tensor step() override;
};
}  // namespace graphed::optim
