// SPDX-License-Identifier: Apache-2.0
//
// What a profiler sees of a call.
#include "support/device_test.h"

#include <ATen/record_function.h>

namespace range_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

const std::vector<argument> arguments{{"x", {16, 8}, at::kFloat, true}};

tensor_list layer(tensor_list& in) { return {in[0].tanh()}; }

GRAPHED_DEVICE_TEST_SUITE(Profiled);

std::vector<std::string> seen_ranges;

std::unique_ptr<at::ObserverContext> note_range(const at::RecordFunction& function) {
  seen_ranges.emplace_back(function.name());
  return nullptr;
}

TEST_P(Profiled, CallsAreRangesWithTheCallablesName) {
  test_callable f(arguments, layer);
  const Tensor x = at::ones({16, 8}, at::TensorOptions(device())).requires_grad_();
  const auto handle = at::addGlobalCallback(at::RecordFunctionCallback(&note_range).scopes({at::RecordScope::USER_SCOPE}));
  seen_ranges.clear();
  for (int call = 0; call < 4; ++call) {
    f({x});
  }
  at::removeCallback(handle);
  EXPECT_EQ(seen_ranges, std::vector<std::string>(4, "test_callable"));
}

TEST_P(Profiled, TheNodeHasTheCallablesName) {
  test_callable f(arguments, layer);
  const Tensor x = at::ones({16, 8}, at::TensorOptions(device())).requires_grad_();
  f({x});
  f({x});
  EXPECT_EQ(f({x})[0].grad_fn()->name(), "test_callable backward");
}

}  // namespace range_test
