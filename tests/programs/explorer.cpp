// SPDX-License-Identifier: Apache-2.0
#include "explorer.h"

namespace explorer {

at::Tensor Noise::sample() {
  const at::Tensor next = state * 0.85 + at::ones_like(state) * 0.2;
  if (is_written_in_place) {
    state.copy_(next);
  } else {
    state = next;
  }
  return next;
}

Agent::Agent(const at::TensorOptions& options)
    : noise{at::zeros({kRows, kSeen}, options)}, optimizer(policy->parameters(), graphed::optim::SGDOptions(0.1)) {
  policy->to(options.device());
}

at::Tensor Agent::act(const at::Tensor& x) {
  const torch::NoGradGuard no_grad;
  return policy(x) + noise.sample();
}

at::Tensor Agent::learn(const at::Tensor& x) {
  optimizer.zero_grad();
  const at::Tensor loss = policy(x).square().mean();
  loss.backward();
  optimizer.step();
  return loss.detach();
}

at::Tensor DreamImpl::forward(const at::Tensor& x) {
  const torch::NoGradGuard no_grad;
  hidden_ = torch::tanh(cell(x) + hidden_ * 0.5);
  return hidden_ * 2;
}

}  // namespace explorer
