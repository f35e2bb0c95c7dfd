// SPDX-License-Identifier: Apache-2.0
//
// What the tests of training steps share.
#pragma once

#include "standalone.h"

#include <torch/nn.h>
#include <torch/optim.h>

#include <optional>
#include <vector>

namespace graphed::testing {

/// Instantiated in step_test.cpp.
class Step : public device_test {};

inline const std::vector<argument> batch{{"x", {8, 4}}, {"y", {8, 2}}};

inline settings of_a_step(int warmup = 2) {
  settings made;
  made.warmup = warmup;
  made.step = true;
  return made;
}

enum class zeroing { to_none, to_zero, none_outside, never };

/// A network with its optimizer, and the step that trains it.
struct trainer {
  explicit trainer(const scenario& run, zeroing how = zeroing::to_none, double momentum = 0)
      : how(how), net(torch::nn::Linear(4, 6), torch::nn::BatchNorm1d(6), torch::nn::Tanh(), torch::nn::Linear(6, 2)) {
    net->to(run.device());
    optimizer.emplace(net->parameters(), torch::optim::SGDOptions(0.1).momentum(momentum));
  }
  tensor_list operator()(tensor_list& in) {
    if (how == zeroing::to_none || how == zeroing::to_zero) {
      optimizer->zero_grad(how == zeroing::to_none);
    }
    const at::Tensor loss = (net->forward(in[0]) - in[1]).square().mean();
    loss.backward();
    optimizer->step();
    return {loss.detach()};
  }
  void see(scenario& run) const {
    for (const auto& parameter : net->named_parameters()) {
      run.see(parameter.key(), parameter.value());
      run.see(parameter.key() + ".grad", parameter.value().grad());
    }
    for (const auto& buffer : net->named_buffers()) {
      run.see(buffer.key(), buffer.value());
    }
  }

  const zeroing how;
  torch::nn::Sequential net;
  std::optional<torch::optim::SGD> optimizer;
};

}  // namespace graphed::testing
