// SPDX-License-Identifier: Apache-2.0
//
// A std::function of an object that gets other functions, which take one another's memory: each is a new key.
#include "support/device_test.h"

#include <torch/nn/modules/linear.h>

#include <array>
#include <functional>
#include <memory>
#include <vector>

namespace watched_function_test {

using namespace graphed;
using namespace graphed::impl;
using namespace graphed::testing;

GRAPHED_DEVICE_TEST_SUITE(WatchedFunction);

using function = std::function<at::Tensor(const at::Tensor&)>;

// A sanitizer's operator new is not the C++ library's.
bool is_size_known() {
  const auto block = std::make_unique<std::array<double, 4>>();
  return !impl::detail::bytes_of_lambda(block.get()).empty();
}

struct policy {
  function shape;
};
constexpr const char* names[] = {"shape"};
void look_at(WatchedMembers& members, const policy& of) { members.visit<WatchedMember<&policy::shape>>(of); }

struct shaped {
  explicit shaped(const scenario& run)
      : f(run, {{"x", {4}}}, [this](tensor_list& in) { return tensor_list{at.shape(in[0])}; }, {}, nullptr, {at, names, look_at}) {}

  void see_each(scenario& run, const std::function<function(int)>& make) {
    for (int i = 0; i < 6; ++i) {
      at.shape = nullptr;
      at.shape = make(i);
      for (int call = 0; call < 6; ++call) {
        run.see("y", f({run.random({4})}));
      }
    }
    f.expect_captures(6);
  }

  policy at;
  subject f;
};

TEST_P(WatchedFunction, ThatCapturedATensor) {
  if (!is_size_known()) {
    GTEST_SKIP() << "the memory of a lambda does not tell its size";
  }
  expect_same([](scenario& run) {
    shaped program(run);
    std::vector<at::Tensor> scales;
    for (int i = 0; i < 6; ++i) {
      scales.push_back(at::full({4}, i + 1.0, run.options()));
    }
    program.see_each(run, [&](int i) -> function { return [scale = scales[i]](const at::Tensor& x) { return x * scale; }; });
  });
}

TEST_P(WatchedFunction, ThatCapturedAModule) {
  if (!is_size_known()) {
    GTEST_SKIP() << "the memory of a lambda does not tell its size";
  }
  expect_same([](scenario& run) {
    shaped program(run);
    program.see_each(run, [&](int i) -> function {
      torch::nn::Linear layer(4, 4);
      layer->to(run.device());
      const at::NoGradGuard no_gradients;
      layer->weight.fill_(i + 1.0);
      layer->bias.zero_();
      return [layer](const at::Tensor& x) mutable { return layer(x).detach(); };
    });
  });
}

TEST_P(WatchedFunction, ThatCapturedManyNumbers) {
  if (!is_size_known()) {
    GTEST_SKIP() << "the memory of a lambda does not tell its size";
  }
  expect_same([](scenario& run) {
    shaped program(run);
    program.see_each(run, [](int i) -> function {
      return [by = std::array<double, 4>{1, 2, 3, i + 1.0}](const at::Tensor& x) { return x * by[0] + by[3]; };
    });
  });
}

TEST_P(WatchedFunction, ThatStaysIsOneKey) {
  expect_same([](scenario& run) {
    shaped program(run);
    const at::Tensor scale = at::full({4}, 2.0, run.options());
    program.at.shape = [scale](const at::Tensor& x) { return x * scale; };
    for (int call = 0; call < 8; ++call) {
      run.see("y", program.f({run.random({4})}));
    }
    program.f.expect_captures(1);
  });
}

}  // namespace watched_function_test
