// SPDX-License-Identifier: Apache-2.0
//
// Parameters and buffers that are replaced after the capture. Upstream: test_cudagraph_trees.py.
#include "support/device_test.h"

#include <torch/nn.h>

namespace recapture_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Recapture);

const std::vector<argument> batch{{"x", {2, 2}}};

/// A module whose parameter can become another tensor.
struct ModuleImpl : torch::nn::Module {
  explicit ModuleImpl(c10::Device device) { to(device); }
  void replace_weight(const Tensor& other) { parameters_["weight"] = weight = other; }

  Tensor weight = register_parameter("weight", at::rand({2, 2}));
  Tensor buffer = register_buffer("buffer", at::rand({2, 2}));
  torch::nn::Linear linear = register_module("linear", torch::nn::Linear(2, 2));
  torch::nn::BatchNorm1d norm = register_module("norm", torch::nn::BatchNorm1d(2));
};

struct network {
  network(const scenario& run, std::function<Tensor(ModuleImpl&, const Tensor&)> forward)
      : module(std::make_shared<ModuleImpl>(run.device())),
        f(
            run, batch, [this, forward = std::move(forward)](tensor_list& in) { return tensor_list{forward(*module, in[0])}; }, {},
            module.get()) {}

  void step(scenario& run, int calls = 5) {
    for (int call = 0; call < calls; ++call) {
      const Tensor y = f({run.random({2, 2})})[0];
      run.see("y", y);
      y.pow(2).sum().backward();
      for (const auto& parameter : module->named_parameters()) {
        run.see_grad(parameter.key(), parameter.value());
      }
      for (const auto& buffer : module->named_buffers()) {
        run.see(buffer.key(), buffer.value());
      }
    }
  }

  const std::shared_ptr<ModuleImpl> module;
  subject f;
};

Tensor multiplied(ModuleImpl& module, const Tensor& x) { return module.weight * x; }

// test_multi_dispatch_single_compile_param_inputs: parameters that are arguments need one capture, where each needs its own there.
TEST_P(Recapture, ParametersAsArgumentsNeedOneCapture) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {2, 2}}, {"p", {2, 2}, at::kFloat, true}}, [](tensor_list& in) { return tensor_list{in[0] * in[1]}; });
    const Tensor p1 = run.leaf({2, 2}), p2 = run.leaf({2, 2});
    for (const Tensor& p : {p1, p2, p1}) {
      for (int step = 0; step < 5; ++step) {
        const Tensor y = f({at::ones({2, 2}, run.options()), p})[0];
        run.see("y", y);
        y.sum().backward();
        run.see_grad("p.grad", p);
      }
    }
    f.expect_captures(1);
    f.expect_replays(13, 13);
  });
}

// test_multi_dispatch_custom_module and test_not_fallback_to_eager_if_have_not_recompiling_too_many_times: another parameter, and back.
TEST_P(Recapture, ParameterReplacedAndPutBack) {
  expect_same([](scenario& run) {
    network n(run, multiplied);
    const Tensor first = n.module->weight, second = run.leaf({2, 2});
    n.step(run);
    n.module->replace_weight(second);
    n.step(run);
    run.see("gradient of the first", first.grad());
    n.module->replace_weight(first);
    n.step(run);
    run.see("gradient of the second", second.grad());
  });
}

// test_multi_dispatch_single_compile_builtin_module: a library module's own parameter gets other memory, and its own again.
TEST_P(Recapture, MemoryOfALinearsWeightReplacedAndPutBack) {
  expect_same([](scenario& run) {
    network n(run, [](ModuleImpl& module, const Tensor& x) { return module.linear(x); });
    const Tensor first = n.module->linear->weight.detach().clone(), second = run.random({2, 2});
    for (const Tensor& memory : {first, second, first}) {
      n.module->linear->weight.set_data(memory);
      n.step(run);
    }
  });
}

// test_multi_dispatch_single_compile_builtin_module_buffers: the same of batch normalisation's running mean.
TEST_P(Recapture, RunningMeanReplacedAndPutBack) {
  expect_same([](scenario& run) {
    network n(run, [](ModuleImpl& module, const Tensor& x) { return module.norm(x) * module.weight; });
    const Tensor first = n.module->norm->running_mean.clone(), second = run.random({2});
    for (const Tensor& memory : {first, second, first}) {
      n.module->norm->running_mean.set_data(memory);
      n.step(run);
    }
  });
}

// test_multi_dispatch_custom_module_buffer: other memory for a buffer, and its own again.
TEST_P(Recapture, MemoryOfABufferReplacedAndPutBack) {
  expect_same([](scenario& run) {
    network n(run, [](ModuleImpl& module, const Tensor& x) { return x * module.weight + module.buffer; });
    const Tensor first = n.module->buffer.clone(), second = run.random({2, 2});
    for (const Tensor& memory : {first, second, first}) {
      n.module->buffer.set_data(memory);
      n.step(run);
    }
  });
}

// test_multi_dispatch_child_node and _parent_node: of two callables in a row the second, then the first, gets another parameter.
TEST_P(Recapture, InTheFirstOrTheSecondOfTwo) {
  expect_same([](scenario& run) {
    network first(run, multiplied), second(run, multiplied);
    for (int round = 0; round < 4; ++round) {
      for (int step = 0; step < 5; ++step) {
        const Tensor y = first.f({run.random({2, 2})})[0], z = second.f({y.detach()})[0];
        run.see("z", z);
        (y.sum() + z.sum()).backward();
        run.see_grad("first", first.module->weight);
        run.see_grad("second", second.module->weight);
      }
      (round % 2 == 0 ? second : first).module->replace_weight(run.leaf({2, 2}));
    }
  });
}

// test_fallback_to_eager_if_recompiling_too_many_times and test_unstable_ptr: other memory before every call. There an exception or a
// fallback, here eager's numbers throughout.
TEST_P(Recapture, OtherMemoryBeforeEveryCall) {
  expect_same([](scenario& run) {
    network n(run, multiplied);
    for (int step = 0; step < 12; ++step) {
      n.module->weight.set_data(run.random({2, 2}));
      n.step(run, 1);
    }
  });
}

// test_fallback_to_eager_if_recompiling_too_many_times_warn_only_once: no warning comes twice.
TEST_P(Recapture, NoWarningComesTwice) {
  scenario run(device(), true);
  network n(run, multiplied);
  for (int step = 0; step < 12; ++step) {
    n.module->weight.set_data(run.random({2, 2}));
    n.step(run, 1);
  }
  EXPECT_LE(warnings_.count({"test_callable"}), 1U) << warnings_.all();
}

// test_fallback_to_eager_if_recompiling_too_many_times_due_to_cudagraph_managed_tensor: a result, then copies of results, go into the next.
TEST_P(Recapture, ResultsAndTheirCopiesInTurn) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {2, 3}}}, [](tensor_list& in) { return tensor_list{in[0] + 1}; });
    subject g(run, {{"x", {2, 3}}}, [](tensor_list& in) { return tensor_list{in[0] * 2}; });
    for (int step = 0; step < 9; ++step) {
      const Tensor y = f({run.random({2, 3})})[0];
      run.see("z", g({step < 3 ? y : y.clone()}));
    }
    g.expect_captures(1);
    g.expect_replays(7);
  });
}

// test_rerecord_if_static_input_address_changed and test_static_inputs_address_mutation_log: a written buffer and a bias get other memory.
TEST_P(Recapture, MemoryOfAWrittenBufferAndABiasReplaced) {
  expect_same([](scenario& run) {
    network n(run, [](ModuleImpl& module, const Tensor& x) {
      module.buffer.add_(at::ones({2, 2}, x.options()));
      return module.buffer + x + module.linear(x);
    });
    n.step(run, 4);
    n.module->buffer.set_data(at::ones({2, 2}, run.options()));
    n.module->linear->bias.set_data(at::ones({2}, run.options()));
    n.step(run, 4);
    n.f.expect_captures(2);
  });
}

// test_no_rerecord_with_mark_static_address: only x moves, the other argument stays where it is.
TEST_P(Recapture, NoneForAnArgumentThatMoves) {
  expect_same([](scenario& run) {
    torch::nn::Linear linear(2, 2);
    linear->to(run.device());
    subject f(
        run, {{"x", {2, 2}, at::kFloat, true}, {"y", {2, 2}}}, [&](tensor_list& in) { return tensor_list{at::cos(in[0]) + linear(in[1])}; },
        {}, linear.ptr().get());
    const Tensor y = run.random({2, 2});
    for (int step = 0; step < 7; ++step) {
      const Tensor x = run.leaf({2, 2});
      f({x, y})[0].sum().backward();
      run.see_grad("x.grad", x);
      run.see_grad("weight.grad", linear->weight);
      run.see_grad("bias.grad", linear->bias);
    }
    f.expect_captures(1);
  });
}

// Cast to another type and back.
TEST_P(Recapture, ModuleCastAndCastBack) {
  expect_same([](scenario& run) {
    network n(run, [](ModuleImpl& module, const Tensor& x) { return module.linear(x.to(module.linear->weight.scalar_type())); });
    for (const auto dtype : {at::kFloat, at::kDouble, at::kFloat}) {
      n.module->linear->to(dtype);
      n.step(run, 4);
    }
  });
}

}  // namespace recapture_test
