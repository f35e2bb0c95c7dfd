// SPDX-License-Identifier: Apache-2.0
//
// What a replay is given: on CUDA, the first nodes of its graph copy it.
#include "support/device_test.h"

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

}  // namespace staging_test
