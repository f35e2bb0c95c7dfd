// SPDX-License-Identifier: Apache-2.0
#include "walk.h"

#include <c10/core/GradMode.h>

namespace graphed::testing {
namespace {

constexpr int warmups = 2;
constexpr int calls_of_a_mode = 5;
constexpr uint64_t replays_of_a_mode = calls_of_a_mode - warmups;

std::vector<argument> arguments_of(const std::vector<sample>& samples) {
  std::vector<argument> all;
  for (const auto& each : samples) {
    all.push_back(each.spec);
    all.back().name = "x" + std::to_string(all.size() - 1);
  }
  return all;
}

at::Tensor whole_numbers(at::IntArrayRef sizes, const at::TensorOptions& options) { return at::randint(-4, 5, sizes, options); }

void backward(const tensor_list& results, bool exact_sums) {
  tensor_list roots, gradients;
  for (const auto& result : results) {
    if (result.defined() && result.requires_grad()) {
      roots.push_back(result);
      gradients.push_back(exact_sums ? whole_numbers(result.sizes(), result.options()) : at::randn_like(result));
    }
  }
  torch::autograd::backward(roots, gradients);
}

void call(scenario& run, subject& f, const torch::nn::Module& module, const std::vector<sample>& samples, const expected& expected) {
  const bool with_grad = expected.gradients && c10::GradMode::is_enabled() && (module.is_training() || expected.in_eval_mode);
  tensor_list arguments;
  for (const auto& each : samples) {
    arguments.push_back(each.make(run).set_requires_grad(each.spec.grad));
  }
  const tensor_list results = f(arguments);
  run.see("result", results);
  if (with_grad) {
    backward(results, expected.exact_sums);
  }
  for (const auto& argument : arguments) {
    run.see_grad("an argument's gradient", argument);
  }
  for (const auto& parameter : module.named_parameters()) {
    const at::Tensor gradient = parameter.value().grad();
    const bool is_sparse = gradient.defined() && gradient.is_sparse();
    run.see(parameter.key() + (is_sparse ? "'s sparse gradient" : "'s gradient"), is_sparse ? gradient.to_dense() : gradient);
    parameter.value().mutable_grad() = at::Tensor();
  }
  for (const auto& buffer : module.named_buffers()) {
    run.see(buffer.key(), buffer.value());
  }
}

}  // namespace

sample real(std::vector<int64_t> shape) {
  return {{"", shape, at::kFloat, /*grad=*/true}, [shape](const scenario& run) { return run.random(shape); }};
}

sample constant(std::vector<int64_t> shape) {
  return {{"", shape}, [shape](const scenario& run) { return run.random(shape); }};
}

sample whole(std::vector<int64_t> shape) {
  return {{"", shape, at::kFloat, /*grad=*/true}, [shape](const scenario& run) { return whole_numbers(shape, run.options()); }};
}

sample probability(std::vector<int64_t> shape, bool grad) {
  return {{"", shape, at::kFloat, grad}, [shape](const scenario& run) { return at::rand(shape, run.options()) * 0.9 + 0.05; }};
}

sample sign(std::vector<int64_t> shape) {
  return {{"", shape}, [shape](const scenario& run) { return at::randint(2, shape, run.options()) * 2 - 1; }};
}

sample index(std::vector<int64_t> shape, int64_t low, int64_t high) {
  return {{"", shape, at::kLong}, [=](const scenario& run) { return at::randint(low, high, shape, run.options(at::kLong)); }};
}

void walk(c10::Device device, const module_maker& make, const std::vector<sample>& samples, expected expected) {
  expect_same(device, [&](scenario& run) {
    const called_module one = make();
    one.module->to(run.device());
    settings settings;
    settings.warmup = warmups;
    settings.list = samples.size() > 3;
    subject f(run, arguments_of(samples), one.forward, settings, one.module.get());
    const auto calls = [&] {
      for (int i = 0; i < calls_of_a_mode; ++i) {
        call(run, f, *one.module, samples, expected);
      }
    };
    one.module->train();
    calls();
    one.module->eval();
    calls();
    {
      const c10::AutoGradMode no_grad(false);
      calls();
    }
    f.expect_replays(3 * replays_of_a_mode, expected.graphed * replays_of_a_mode);
  });
}

void expect_refused(c10::Device device, const module_maker& make, const std::vector<sample>& samples,
                    const std::vector<std::string>& parts) {
  const collected_warnings warnings;
  expect_same(device, [&](scenario& run) {
    const called_module one = make();
    one.module->to(run.device());
    settings settings;
    settings.list = samples.size() > 3;
    subject f(run, arguments_of(samples), one.forward, settings, one.module.get());
    for (int i = 0; i < calls_of_a_mode; ++i) {
      call(run, f, *one.module, samples, {});
    }
    f.expect_captures(0);
    f.expect_replays(0);
  });
  EXPECT_EQ(warnings.count(parts), 1U) << warnings.all();
}

void module_test::SetUp() {
  deterministic_ = at::globalContext().deterministicAlgorithms();
  warn_only_ = at::globalContext().deterministicAlgorithmsWarnOnly();
  at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/true);
  device_test::SetUp();
}

void module_test::TearDown() {
  at::globalContext().setDeterministicAlgorithms(deterministic_, warn_only_);
  device_test::TearDown();
}

}  // namespace graphed::testing
