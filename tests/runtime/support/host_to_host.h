// SPDX-License-Identifier: Apache-2.0
//
// What tests of arguments and results in the memory of the host need.
#pragma once

#include "device_test.h"
#include "test_callable.h"

namespace graphed::testing {

inline constexpr int calls = 12;  // each entry of the ring is used more than once
inline constexpr int warmups = 2;

inline settings to_host() {
  settings made;
  made.outputs = OutputPolicy::Host;
  return made;
}

inline argument on_host(std::string name, std::vector<int64_t> shape, c10::ScalarType dtype = at::kFloat, unsigned further = 0) {
  return {std::move(name), std::move(shape), dtype, false, false, flags::host | further};
}

/// What `f` gives on the device, copied to the host.
inline tensor_list expected(const std::function<tensor_list(tensor_list&)>& f, tensor_list arguments, c10::Device device) {
  const c10::NoGradGuard no_history;
  for (auto& argument : arguments) {
    argument = argument.defined() ? argument.to(device) : argument;
  }
  tensor_list results = f(arguments);
  for (auto& result : results) {
    result = result.defined() ? result.cpu() : result;
  }
  return results;
}

inline void expect_equal(const tensor_list& graphed, const tensor_list& plain, int call = 0) {
  ASSERT_EQ(graphed.size(), plain.size());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    ASSERT_EQ(graphed[i].defined(), plain[i].defined()) << "result " << i;
    if (plain[i].defined()) {
      EXPECT_TRUE(graphed[i].is_cpu()) << "result " << i;
      EXPECT_EQ(graphed[i].scalar_type(), plain[i].scalar_type()) << "result " << i;
      EXPECT_TRUE(at::equal(graphed[i], plain[i])) << "call " << call << ", result " << i << ": " << graphed[i] << plain[i];
      EXPECT_FALSE(graphed[i].requires_grad());
    }
  }
}

/// A policy: two layers, whose weights are on the device.
struct network {
  explicit network(c10::Device device)
      : w(at::randn({6, 8}, at::TensorOptions(device)).requires_grad_()), b(at::randn({8}, at::TensorOptions(device)).requires_grad_()) {}
  tensor_list operator()(tensor_list& in) const {
    const at::Tensor y = at::addmm(b, in[0], w).tanh();
    return {y, y.argmax(-1)};
  }
  at::Tensor w, b;
};

}  // namespace graphed::testing
