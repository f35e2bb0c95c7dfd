// SPDX-License-Identifier: Apache-2.0
//
// Optimizer steps inside a graphed callable: their state is in tensors that the callable closes over. Upstream: test_cuda.py,
// TestCudaOptims.test_graph_optims, where nothing else is said.
#include "support/device_test.h"

namespace optimizer_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Optimizer);

/// Two matrices and a number, as the upstream tests have, with `count` states each and a step counter each.
struct parameters {
  parameters(const scenario& run, std::size_t count) : states(count) {
    for (const std::vector<int64_t>& shape : std::vector<std::vector<int64_t>>{{5, 5}, {6, 6}, {}}) {
      values.push_back(run.random(shape));
      arguments.push_back({"gradient", shape, at::kFloat, false, /*inplace=*/true});
      steps.push_back(at::zeros({}, run.options()));
      for (auto& state : states) {
        state.push_back(at::zeros(shape, run.options()));
      }
    }
  }
  void count_step() const { at::_foreach_add_(steps, 1); }
  tensor_list gradients(const scenario& run) const {
    tensor_list made;
    for (const auto& value : values) {
      made.push_back(run.random(value.sizes()));
    }
    return made;
  }

  tensor_list values, steps;
  std::vector<tensor_list> states;
  std::vector<argument> arguments;
};

using update = std::function<void(parameters&, tensor_list& gradients)>;

void expect_stepped_as_eager(c10::Device device, std::size_t states, const update& update) {
  expect_same(device, [&](scenario& run) {
    parameters p(run, states);
    subject step(run, p.arguments, [&](tensor_list& in) {
      update(p, in);
      return tensor_list{};
    });
    for (int i = 0; i < 8; ++i) {
      step(p.gradients(run));
      run.see("parameters", p.values);
      run.see("steps", p.steps);
      for (const auto& state : p.states) {
        run.see("state", state);
      }
    }
    step.expect_replays(6);
    step.expect_captures(1);
  });
}

void expect_adam(c10::Device device, bool amsgrad, bool maximize, double weight_decay) {
  expect_stepped_as_eager(device, 3, [=](parameters& p, tensor_list& gradients) {
    p.count_step();
    at::_fused_adam_(p.values, gradients, p.states[0], p.states[1], amsgrad ? p.states[2] : tensor_list(), p.steps, 0.1, 0.9, 0.99,
                     weight_decay, 1e-8, amsgrad, maximize);
  });
}

TEST_P(Optimizer, Adam) { expect_adam(device(), false, false, 0); }
TEST_P(Optimizer, AdamWithAmsgrad) { expect_adam(device(), true, false, 0.1); }
TEST_P(Optimizer, AdamThatMaximizes) { expect_adam(device(), false, true, 0); }

TEST_P(Optimizer, AdamW) {
  expect_stepped_as_eager(device(), 2, [](parameters& p, tensor_list& gradients) {
    p.count_step();
    at::_fused_adamw_(p.values, gradients, p.states[0], p.states[1], {}, p.steps, 0.1, 0.9, 0.99, 0.1, 1e-8, false, false);
  });
}

TEST_P(Optimizer, Sgd) {
  expect_stepped_as_eager(device(), 0, [](parameters& p, tensor_list& gradients) {
    at::_fused_sgd_(p.values, gradients, {}, 0.1, 0.0, 0.1, 0.0, false, false, false);
  });
}

TEST_P(Optimizer, SgdWithMomentum) {
  expect_stepped_as_eager(device(), 1, [](parameters& p, tensor_list& gradients) {
    at::_fused_sgd_(p.values, gradients, p.states[0], 0.0, 0.9, 0.1, 0.0, /*nesterov=*/true, false, /*is_first_step=*/false);
  });
}

TEST_P(Optimizer, Adagrad) {
  expect_stepped_as_eager(device(), 1, [](parameters& p, tensor_list& gradients) {
    p.count_step();
    at::_fused_adagrad_(p.values, gradients, p.states[0], p.steps, 0.1, 0.01, 0.0, 1e-10, false);
  });
}

// There is no fused form: foreach operators.
TEST_P(Optimizer, RmsProp) {
  expect_stepped_as_eager(device(), 1, [](parameters& p, tensor_list& gradients) {
    at::_foreach_mul_(p.states[0], 0.99);
    at::_foreach_addcmul_(p.states[0], gradients, gradients, 0.01);
    auto average = at::_foreach_sqrt(p.states[0]);
    at::_foreach_add_(average, 1e-8);
    at::_foreach_addcdiv_(p.values, gradients, average, -0.1);
  });
}

TEST_P(Optimizer, Adadelta) {
  expect_stepped_as_eager(device(), 2, [](parameters& p, tensor_list& gradients) {
    at::_foreach_mul_(p.states[0], 0.9);
    at::_foreach_addcmul_(p.states[0], gradients, gradients, 0.1);
    auto delta = at::_foreach_sqrt(at::_foreach_add(p.states[1], 1e-6)), deviation = at::_foreach_sqrt(at::_foreach_add(p.states[0], 1e-6));
    at::_foreach_div_(delta, deviation);
    at::_foreach_mul_(delta, gradients);
    at::_foreach_mul_(p.states[1], 0.9);
    at::_foreach_addcmul_(p.states[1], delta, delta, 0.1);
    at::_foreach_sub_(p.values, delta);
  });
}

// test_graph_optims_with_explicitly_capturable_param_groups: two groups with learning rates of their own, in tensors that change.
TEST_P(Optimizer, TwoGroupsWithLearningRatesThatChange) {
  expect_same([](scenario& run) {
    parameters p(run, 2);
    const Tensor first_rate = at::full({}, 0.1, run.options()), second_rate = at::full({}, 0.01, run.options());
    const auto part = [](const tensor_list& all, std::size_t from, std::size_t to) {
      return tensor_list(all.begin() + static_cast<std::ptrdiff_t>(from), all.begin() + static_cast<std::ptrdiff_t>(to));
    };
    subject step(run, p.arguments, [&](tensor_list& in) {
      p.count_step();
      for (const bool first : {true, false}) {
        const std::size_t from = first ? 0 : 1, to = first ? 1 : 3;
        at::_fused_adam_(part(p.values, from, to), part(in, from, to), part(p.states[0], from, to), part(p.states[1], from, to), {},
                         part(p.steps, from, to), first ? first_rate : second_rate, 0.9, 0.99, 0.0, 1e-8, false, false);
      }
      return tensor_list{};
    });
    for (int i = 0; i < 8; ++i) {
      step(p.gradients(run));
      run.see("parameters", p.values);
      first_rate.mul_(0.5);
      second_rate.add_(0.01);
    }
    step.expect_replays(6);
  });
}

/// What a gradient scaler keeps, and does, on the device.
struct scaler {
  explicit scaler(const scenario& run)
      : scale(at::full({1}, 128.0, run.options())), found(at::zeros({1}, run.options())), growth(at::zeros({1}, run.options(at::kInt))) {}
  void update() { at::_amp_update_scale_(scale, growth, found, 2.0, 0.5, 3); }

  Tensor scale, found, growth;
};

enum class unscaling { before, fused };

// test_graph_scaling_fused_optimizers and test_grad_scaling_autocast_fused_optimizers: every third gradient is infinite, its step is
// skipped.
void expect_scaled_as_eager(c10::Device device, unscaling how, const std::function<void(parameters&, tensor_list&, scaler&)>& update) {
  expect_same(device, [&](scenario& run) {
    parameters p(run, 2);
    scaler scaler(run);
    subject step(run, p.arguments, [&](tensor_list& in) {
      scaler.found.zero_();
      Tensor factor = how == unscaling::before ? scaler.scale.reciprocal() : at::ones_like(scaler.scale);
      at::_amp_foreach_non_finite_check_and_unscale_(in, scaler.found, factor);
      update(p, in, scaler);
      scaler.update();
      return tensor_list{};
    });
    for (int i = 0; i < 12; ++i) {
      tensor_list gradients = p.gradients(run);
      if (i % 3 == 2) {
        gradients[1].mul_(std::numeric_limits<float>::infinity());
      }
      at::_foreach_mul_(gradients, scaler.scale.squeeze());
      step(gradients);
      run.see("parameters", p.values);
      run.see("steps", p.steps);
      run.see("scale", tensor_list{scaler.scale, scaler.growth, scaler.found});
    }
    step.expect_replays(10);
  });
}

TEST_P(Optimizer, ScaledAdamWithSeparateUnscaling) {
  expect_scaled_as_eager(device(), unscaling::before, [](parameters& p, tensor_list& gradients, scaler& scaler) {
    at::_foreach_add_(p.steps, 1 - scaler.found.squeeze());
    at::_fused_adam_(p.values, gradients, p.states[0], p.states[1], {}, p.steps, 0.1, 0.9, 0.99, 0.0, 1e-8, false, false, std::nullopt,
                     scaler.found);
  });
}

TEST_P(Optimizer, ScaledAdamThatUnscalesItself) {
  expect_scaled_as_eager(device(), unscaling::fused, [](parameters& p, tensor_list& gradients, scaler& scaler) {
    at::_foreach_add_(p.steps, 1 - scaler.found.squeeze());
    at::_fused_adam_(p.values, gradients, p.states[0], p.states[1], {}, p.steps, 0.1, 0.9, 0.99, 0.0, 1e-8, false, false, scaler.scale,
                     scaler.found);
  });
}

TEST_P(Optimizer, ScaledSgd) {
  expect_scaled_as_eager(device(), unscaling::fused, [](parameters& p, tensor_list& gradients, scaler& scaler) {
    at::_fused_sgd_(p.values, gradients, p.states[0], 0.0, 0.9, 0.1, 0.0, false, false, false, scaler.scale, scaler.found);
  });
}

}  // namespace optimizer_test
