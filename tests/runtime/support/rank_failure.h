// SPDX-License-Identifier: Apache-2.0
//
// Two ranks of which something fails, and the step that they are in.
#pragma once

#include "ranks.h"
#include "test_callable.h"

#include <graphed/optim/sgd.h>

#include <gtest/gtest.h>
#include <torch/nn.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace graphed::testing {

/// Of two ranks, on the device that is the parameter.
class rank_test : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const std::string why = too_few_devices(GetParam(), 2); !why.empty()) {
      GTEST_SKIP() << why;
    }
  }
  std::vector<rank_end> run(const char* program, bool first_keeps_store = false) {
    return run_ranks(program, 2, GetParam(), {{}, 60, first_keeps_store});
  }
  /// A rank without a sign of life soon counts as ended.
  std::vector<rank_end> run_impatiently(const char* program, bool first_keeps_store = false) {
    return run_ranks(program, 2, GetParam(), {{{"GRAPHED_RANK_TIMEOUT_MS", "4000"}}, 60, first_keeps_store});
  }
};

/// The name of such a test.
inline std::string name_of_device(const ::testing::TestParamInfo<const char*>& info) { return info.param; }

/// Within the time that each failure has to be noticed in, with a message that has these parts.
inline void expect_fails(const rank_end& end, const std::vector<std::string>& parts) {
  EXPECT_FALSE(end.ended_well) << end.output;
  EXPECT_LT(end.seconds, 30) << end.output;
  for (const auto& part : parts) {
    EXPECT_NE(end.output.find(part), std::string::npos) << "expected '" << part << "' in\n" << end.output;
  }
}

/// A step that averages its gradients, as a callable. `also` gets the loss before the backward.
class trainer {
 public:
  explicit trainer(ProcessGroup& group, std::function<void(const at::Tensor&)> also = {}, int64_t outputs = 2)
      : net(torch::nn::Linear(6, outputs)),
        group_(group),
        also_(std::move(also)),
        optimizer_((net->to(group.device()), net->parameters()), 0.1) {
    make_callable_anew();
    group.broadcast(*net);
  }

  void make_callable_anew() {
    settings of_a_step;
    of_a_step.step = true;
    const auto body = [this](tensor_list& in) { return learn(in[0]); };
    step_ = std::make_unique<test_callable>(std::vector<argument>{{"x", {4, 6}}}, body, of_a_step, net.get());
  }
  void run(int calls, int64_t size = 4) {
    for (int i = 0; i < calls; ++i) {
      const at::Tensor loss = (*step_)({at::ones({size, 6}, at::TensorOptions(group_.device()))})[0];
      require_that(loss.item<float>() >= 0, "a loss");
    }
  }
  void reset() { step_->reset(); }
  Statistics stats() const { return step_->stats(); }

  std::function<void()> at_the_end = [] {};  ///< of the step
  torch::nn::Linear net;

 private:
  tensor_list learn(const at::Tensor& x) {
    optimizer_.zero_grad();
    const at::Tensor loss = net->forward(x).square().mean();
    if (also_) {
      also_(loss.detach());
    }
    loss.backward();
    group_.average_gradients(*net);
    optimizer_.step();
    at_the_end();
    return {loss.detach()};
  }

  ProcessGroup& group_;
  std::function<void(const at::Tensor&)> also_;
  optim::SGD optimizer_;
  std::unique_ptr<test_callable> step_;
};

}  // namespace graphed::testing
