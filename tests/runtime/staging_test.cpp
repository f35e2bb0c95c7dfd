// SPDX-License-Identifier: Apache-2.0
//
// What a replay is given: on CUDA, the first nodes of its graph copy it.
#include "support/device_test.h"

#include <limits>

namespace staging_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Staging);

/// Five calls with new numbers in arguments of these shapes and dtypes, which are returned changed.
void expect_same_numbers(c10::Device device, const std::vector<argument>& arguments) {
  expect_same(device, [&](scenario& run) {
    subject f(run, arguments, [](tensor_list& in) {
      tensor_list out;
      for (const auto& tensor : in) {
        out.push_back(tensor.dtype() == at::kBool ? tensor.logical_not() : tensor + 1);
      }
      return out;
    });
    for (int step = 0; step < 5; ++step) {
      tensor_list given;
      for (const auto& argument : arguments) {
        given.push_back(at::randint(argument.dtype == at::kBool ? 2 : 100, argument.shape, run.options(at::kLong)).to(argument.dtype));
      }
      run.see("results", f(given));
    }
    f.expect_replays(3);
  });
}

TEST_P(Staging, HundredsOfArguments) {
  std::vector<argument> arguments;
  for (int64_t i = 0; i < 300; ++i) {
    arguments.push_back({"x" + std::to_string(i), {i % 7, i % 11 + 1}, i % 3 == 0 ? at::kLong : at::kFloat});
  }
  expect_same_numbers(device(), arguments);
}

TEST_P(Staging, OddNumbersOfBytes) {
  std::vector<argument> arguments;
  for (int64_t bytes = 1; bytes < 40; ++bytes) {
    arguments.push_back({"x" + std::to_string(bytes), {bytes}, at::kByte});
  }
  expect_same_numbers(device(), arguments);
}

TEST_P(Staging, EveryDtype) {
  std::vector<argument> arguments;
  for (const auto dtype : {at::kDouble, at::kFloat, at::kHalf, at::kBFloat16, at::kLong, at::kInt, at::kShort, at::kChar, at::kByte,
                           at::kBool, at::kComplexFloat, at::kComplexDouble}) {
    arguments.push_back({std::string("x_") + c10::toString(dtype), {5, 3}, dtype});
  }
  expect_same_numbers(device(), arguments);
}

TEST_P(Staging, SmallOnesBesideALargeOne) {
  expect_same_numbers(device(), {{"small", {3}}, {"large", {1 << 22}}, {"empty", {0}}, {"number", {}}});
}

TEST_P(Staging, OneArgumentAgainAndAgainWithOtherNumbers) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {64}}}, [](tensor_list& in) { return tensor_list{in[0] * 2}; });
    const Tensor x = run.random({64});
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({x}));
      x.add_(1);
    }
  });
}

// A graph remembers the places of some of its last arguments.
TEST_P(Staging, ArgumentsThatComeAgain) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {6}}, {"y", {6}}, {"z", {6}}}, [](tensor_list& in) { return tensor_list{in[0] - in[1] * in[2]}; });
    tensor_list all;
    for (int i = 0; i < 7; ++i) {
      all.push_back(run.random({6}));
    }
    const auto turn = [&](std::size_t i) { return all[i % all.size()]; };
    for (std::size_t step = 0; step < 40; ++step) {
      const std::size_t first = step < 12 ? step % 2 : step < 24 ? step % 5 : step * step;
      run.see("result", f({turn(first), turn(first + step / 30), turn(3 * first)}));
      turn(step).add_(1);
    }
    f.expect_replays(38);
  });
}

TEST_P(Staging, ArgumentThatDiesAtOnce) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {1 << 18}}}, [](tensor_list& in) { return tensor_list{in[0].exp().sin()}; });
    for (int step = 0; step < 6; ++step) {
      const Tensor y = f({run.random({1 << 18})})[0];
      const Tensor other = at::full({1 << 18}, 7.0, run.options());  // where the argument was
      run.see("y", y);
    }
  });
}

Tensor laid_out(const scenario& run, int step) {
  switch (step % 5) {
    case 0:
      return run.random({6, 10});
    case 1:
      return run.random({10, 6}).t();
    case 2:
      return run.random({10}).expand({6, 10});
    case 3:
      return run.random({61}).narrow(0, 1, 60).view({6, 10});
    default:
      return run.random({6, 20}).slice(1, 0, 20, 2);
  }
}

TEST_P(Staging, GradientsOfAnyLayout) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {6, 10}, at::kFloat, true}}, [](tensor_list& in) { return tensor_list{in[0].tanh() * in[0]}; });
    for (int step = 0; step < 20; ++step) {
      const Tensor x = run.leaf({6, 10});
      f({x})[0].backward(laid_out(run, step));
      run.see_grad("x", x);
    }
    f.expect_replays(18, 18);
  });
}

TEST_P(Staging, WithRandomNumbersAndWithout) {
  expect_same([](scenario& run) {
    subject with(run, {{"x", {8}}}, [](tensor_list& in) { return tensor_list{at::dropout(in[0], 0.5, true)}; });
    subject only(run, {}, [&](tensor_list&) { return tensor_list{at::randn({8}, run.options())}; });
    for (int step = 0; step < 6; ++step) {
      run.see("with", with({run.random({8})}));
      run.see("eager", run.random({8}));
      run.see("only", only({}));
      if (step == 4) {
        torch::manual_seed(11);
      }
    }
  });
}

// A tensor of zeros without memory, as LibTorch makes them for forward-mode derivatives. Of one, operators compute other bits than of zeros
// in memory: `inf * x` is zero.
Tensor zeros_without_memory(const scenario& run) { return at::_efficientzerotensor({4, 4}, run.options()); }

void use_as_argument(scenario& run, argument parameter, const test_callable::body& body) {
  subject f(run, {parameter, {"y", {4, 4}}}, body, {/*warmup=*/1});
  for (int step = 0; step < 6; ++step) {
    const Tensor y = run.random({4, 4});
    const Tensor x = step % 2 == 0 ? run.random({4, 4}) : zeros_without_memory(run);
    y[0][0] = std::numeric_limits<float>::infinity();
    run.see_error("error", [&] { run.see("results", f({x, y})); });
    run.see("x", x.clone());
  }
  f.expect_replays(2);
  f.expect_misses(Miss::Strides, 3);
}

TEST_P(Staging, ZerosWithoutMemoryAsAnArgument) {
  expect_same([](scenario& run) {
    use_as_argument(run, {"x", {4, 4}}, [](tensor_list& in) { return tensor_list{in[0] * in[1] * -1, in[0] + in[1]}; });
  });
  EXPECT_EQ(warnings_.count({"parameter 'x': expected values in memory, got zeros without memory"}), 1U) << warnings_.all();
}

TEST_P(Staging, ZerosWithoutMemoryAsAWrittenArgument) {
  expect_same([](scenario& run) {
    use_as_argument(run, {"x", {4, 4}, at::kFloat, /*grad=*/false, /*inplace=*/true}, [](tensor_list& in) {
      in[0].add_(in[1]);
      return tensor_list{in[0] * 2};
    });
  });
}

void use_as_gradient(scenario& run, settings settings) {
  const Tensor w = run.leaf({4, 4});
  subject f(
      run, {{"x", {4, 4}, at::kFloat, /*grad=*/true}}, [&](tensor_list& in) { return tensor_list{in[0] * w * -2, in[0].tanh()}; },
      settings);
  for (int step = 0; step < 8; ++step) {
    const Tensor x = run.leaf({4, 4});
    const tensor_list y = f({x});
    const Tensor ones = at::ones({4, 4}, run.options());
    const Tensor first = step % 4 == 1 || step % 4 == 2 ? zeros_without_memory(run) : ones;
    const Tensor second = step % 4 == 2 || step % 4 == 3 ? zeros_without_memory(run) : ones;
    torch::autograd::backward({y[0], y[1]}, {first, second});
    run.see("x", x.grad().clone());
    run.see("w", w.grad().clone());
    if (step % 4 != 3) {
      w.mutable_grad() = Tensor();
    }
  }
  f.expect_replays(7, 1);
}

TEST_P(Staging, ZerosWithoutMemoryAsAGradient) {
  expect_same([](scenario& run) { use_as_gradient(run, {/*warmup=*/1}); });
}

TEST_P(Staging, ZerosWithoutMemoryAsAGradientOfGradientsInTheGraph) {
  settings in_graph{/*warmup=*/1};
  in_graph.grads_in_graph = true;
  expect_same([&](scenario& run) { use_as_gradient(run, in_graph); });
}

TEST_P(Staging, ZerosWithoutMemoryAsAGradientOfAPaddedCall) {
  expect_same([](scenario& run) {
    settings padded{/*warmup=*/1};
    padded.sizes = {8};
    padded.pad = PadFill::Zero;
    subject f(run, {{"x", {B, 4}, at::kFloat, /*grad=*/true}}, [](tensor_list& in) { return tensor_list{in[0].tanh()}; }, padded);
    for (int step = 0; step < 5; ++step) {
      const Tensor x = run.leaf({4, 4});
      f({x})[0].backward(step % 2 == 0 ? at::ones({4, 4}, run.options()) : zeros_without_memory(run));
      run.see("x", x.grad().clone());
    }
  });
}

// As `.grad`, to which nothing can be added.
TEST_P(Staging, ZerosWithoutMemoryInALeaf) {
  for (const bool in_graph : {false, true}) {
    expect_same([&](scenario& run) {
      settings chosen{/*warmup=*/1};
      chosen.grads_in_graph = in_graph;
      const Tensor w = run.leaf({4, 4});
      subject f(run, {{"x", {4, 4}}}, [&](tensor_list& in) { return tensor_list{in[0] * w}; }, chosen);
      for (int step = 0; step < 6; ++step) {
        w.mutable_grad() = step % 2 == 0 ? Tensor() : zeros_without_memory(run);
        const Tensor y = f({run.random({4, 4})})[0].sum();
        run.see_error("error", [&] { y.backward(); });
        run.see("w", w.grad().clone());
      }
    });
  }
}

TEST_P(Staging, ZerosWithoutMemoryAsAResultAndClosedOver) {
  expect_same([](scenario& run) {
    const Tensor outside = zeros_without_memory(run);
    subject f(run, {{"x", {4, 4}, at::kFloat, /*grad=*/true}},
              [&](tensor_list& in) { return tensor_list{in[0] * outside, in[0] + outside, outside}; }, {/*warmup=*/1});
    for (int step = 0; step < 4; ++step) {
      const Tensor x = run.leaf({4, 4});
      const tensor_list results = f({x});
      for (const Tensor& result : results) {
        run.see("result", result.detach().clone());
      }
      results[0].backward(at::ones({4, 4}, run.options()));
      run.see("gradient", x.grad().clone());
    }
  });
}

}  // namespace staging_test
