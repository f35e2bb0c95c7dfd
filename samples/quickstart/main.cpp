// SPDX-License-Identifier: Apache-2.0
#include "measure.h"
#include "policy.graphed.h"

int main() {
  const torch::Device device = torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;
  const torch::Tensor obs = torch::randn({64, 17}, device), actions = torch::randn({64, 6}, device);
  Policy policy;
  policy->to(device);

  const auto eager_step = [&] {
    policy->zero_grad();
    const torch::Tensor loss = policy->loss(obs, actions);
    loss.backward();
    return loss;
  };
  const double eager = microseconds(eager_step);
  std::printf("%s, microseconds a step\neager    %7.1f\n", device.str().c_str(), eager);

  graphed::callable<&PolicyImpl::loss> graphed_loss(policy);  // the same signature
  const auto graphed_step = [&] {
    policy->zero_grad();
    const torch::Tensor loss = graphed_loss(obs, actions);  // captured once, then one launch
    loss.backward();                                        // and one for the backward
    return loss;
  };
  const double graphed = microseconds(graphed_step);
  std::printf("graphed  %7.1f\nspeed-up %7.1fx%s\n", graphed, eager / graphed, device.is_cuda() ? "" : " (a CPU has no launches to save)");

  const bool equal = bits_equal(eager_step, graphed_step, obs, policy->parameters());
  std::printf("bits equal: %s\ngenerated code: %s\n", equal ? "yes" : "no", GENERATED_CODE);
  return equal && graphed_loss.stats().backward_replays > 0 ? 0 : 1;
}
