// SPDX-License-Identifier: Apache-2.0
//
// Optimizers of graphed::optim from their descriptions.
#pragma once

#include "program.h"

#include <graphed/optim/optimizer.h>

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

namespace graphed::fuzz::training {

/// Of a network's parameters, all but those that it leaves out.
std::unique_ptr<optim::Optimizer> make_optimizer(const optimizer& description, const std::vector<at::Tensor>& parameters);

/// Options for a further group, as the first group's are now.
void add_group(optim::Optimizer& optimizer, const at::Tensor& parameter);

/// Nothing where the optimizer has no such option.
void set_option(torch::optim::OptimizerOptions& options, number which, double value);

/// All tensors of its state, undefined ones too, in the order of its parameters.
std::vector<at::Tensor> state_of(optim::Optimizer& optimizer);

}  // namespace graphed::fuzz::training
