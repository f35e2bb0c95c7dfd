// SPDX-License-Identifier: Apache-2.0
//
// A number that the host finds decides what comes after it.
#include "support/device_test.h"

#include <graphed/control_flow.h>
#include <graphed/host.h>

#include <set>
#include <tuple>

namespace host_number_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(HostNumber);

constexpr int calls = 12;

TEST_P(HostNumber, DecidesABranch) {
  expect_same([](scenario& run) {
    const Tensor weight = run.leaf({3});
    std::set<bool> found;
    subject callable(run, {{"x", {3}, at::kFloat, /*grad=*/true}}, [&](tensor_list& in) {
      const Tensor y = in[0] * weight;
      const Scalar is_large = host([y, &found] { return *found.insert(y.sum().item<float>() > 0).first; });
      return tensor_list{if_else(is_large.tensor(y.device()), [&] { return y.sin() * 2; }, [&] { return y * y; })};
    });
    for (int call = 0; call < calls; ++call) {
      const Tensor x = run.leaf({3});
      const tensor_list results = callable({x});
      run.see("results", results);
      results[0].sum().backward();
      run.see_grad("x", x);
      run.see_grad("weight", weight);
    }
    EXPECT_EQ(found.size(), 2U);
    callable.expect_replays(calls - 2, calls - 2);
  });
}

TEST_P(HostNumber, CountsIterations) {
  expect_same([](scenario& run) {
    subject callable(run, {{"x", {6}}}, [](tensor_list& in) {
      const Tensor y = in[0].sin();
      const Scalar count = host([y] { return y.gt(0).sum().item<int64_t>(); });
      const Tensor limit = count.tensor(y.device());
      const auto is_left = [&](const std::tuple<Tensor, Tensor>& now) { return std::get<1>(now) < limit; };
      const auto turn = [](const std::tuple<Tensor, Tensor>& now) { return std::tuple(std::get<0>(now).cos(), std::get<1>(now) + 1); };
      const auto [z, turns] = while_loop(is_left, turn, std::tuple(y, at::zeros_like(limit)), /*at_most=*/6);
      return tensor_list{z, turns};
    });
    for (int call = 0; call < calls; ++call) {
      run.see("results", callable({run.random({6})}));
    }
    callable.expect_replays(calls - 2);
  });
}

}  // namespace host_number_test
