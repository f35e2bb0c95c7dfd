// SPDX-License-Identifier: Apache-2.0
//
// The steps of steps.h through the code that is generated for them, beside the originals.
#include "compare.h"
#include "steps.graphed.h"

#include <torch/autograd.h>

#include <exception>
#include <string>
#include <vector>

namespace {

using at::Tensor;
using generated_tests::expect_same;
using generated_tests::kCalls;

/// Both train the weight from the same values by the same batches.
template <auto original>
void expect_same_steps(at::IntArrayRef wanted) {
  graphed::callable<original> fast;
  std::vector<Tensor> plain;
  for (const bool is_graphed : {false, true}) {
    at::manual_seed(3);
    steps::weight() = at::ones({3}).requires_grad_();
    for (int call = 0; call < kCalls; ++call) {
      const Tensor x = at::randn({4, 3}), y = at::randn(wanted);
      const graphed::tensor_list seen{is_graphed ? fast(x, y) : original(x, y), steps::weight().detach().clone(),
                                      steps::weight().grad().clone()};
      if (is_graphed) {
        expect_same(seen, {plain.begin() + 3 * call, plain.begin() + 3 * (call + 1)}, "step");
      } else {
        plain.insert(plain.end(), seen.begin(), seen.end());
      }
    }
  }
  EXPECT_EQ(fast.stats().replays, 5U) << fast.stats();
  EXPECT_EQ(fast.stats().captures, 1U) << fast.stats();
}

TEST(GeneratedSteps, OfAFunctionAndAMethod) {
  expect_same_steps<&steps::learn>({4});

  steps::Trainer eager, trained;
  {
    const at::NoGradGuard no_grad;
    trained.net->weight.copy_(eager.net->weight);
    trained.net->bias.copy_(eager.net->bias);
  }
  graphed::callable<&steps::Trainer::train> step(trained);
  for (int call = 0; call < kCalls; ++call) {
    const Tensor x = at::randn({4, 3}), y = at::randn({4, 2});
    expect_same({eager.train(x, y), eager.net->weight.detach(), eager.net->bias.grad()},
                {step(x, y), trained.net->weight.detach(), trained.net->bias.grad()}, "step");
  }
  EXPECT_EQ(step.stats().replays, 5U) << step.stats();  // its momentum is made by the first call: one more warm-up
}

/// What is thrown where the energy's gradient is differentiated.
std::string second_order_error(graphed::callable<&steps::energy>& energy) {
  const Tensor x = at::randn({4, 3}).requires_grad_();
  const Tensor gradient = torch::autograd::grad({energy(x)}, {x}, {}, /*retain_graph=*/true, /*create_graph=*/true)[0];
  try {
    gradient.square().sum().backward();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(GeneratedSteps, AreTheRemedyForGradientsOfGradients) {
  steps::weight() = at::ones({3}).requires_grad_();
  graphed::callable<&steps::energy> energy;
  std::string error;
  for (int call = 0; call < kCalls; ++call) {
    error = second_order_error(energy);
  }
  EXPECT_EQ(energy.stats().replays, 5U) << energy.stats();
  for (const char* const part :
       {"steps::energy (steps.h:", "mark the training 'step'", "docs/how-to/training-steps.md#gradients-of-gradients"}) {
    EXPECT_NE(error.find(part), std::string::npos) << error;
  }

  expect_same_steps<&steps::learn_forces>({4, 3});
}

}  // namespace
