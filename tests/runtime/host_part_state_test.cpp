// SPDX-License-Identifier: Apache-2.0
//
// What a host part has of its own, and what it gets from others: state of the lambda, numbers, bits of tensors.
#include "support/device_test.h"
#include "support/warnings.h"

#include <graphed/host.h>

#include <functional>

namespace host_part_state_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(HostPartState);

constexpr int calls = 8;

// As in eager mode, where each call makes the lambda.
TEST_P(HostPartState, AMutableOneBeginsAgain) {
  expect_same([](scenario& run) {
    subject callable(run, {{"x", {2}}}, [](tensor_list& in) {
      Tensor y = in[0] * 2;
      const Tensor counted = host([y, count = 0]() mutable { return y + ++count; });
      const Tensor doubled = host([y]() mutable {
        y = y + 1;
        return y * 2;
      });
      return tensor_list{counted, doubled};
    });
    for (int call = 0; call < calls; ++call) {
      run.see("results", callable({run.random({2})}));
    }
    callable.expect_replays(calls - 2);
  });
}

TEST_P(HostPartState, ReadsTheNumberOfAnother) {
  expect_same([](scenario& run) {
    subject callable(run, {{"x", {2}}}, [](tensor_list& in) {
      const Tensor y = in[0] * 2;
      const Scalar sum = host([y] { return y.sum().item<float>(); });
      const Scalar is_large = host([sum] { return sum.value().toDouble() > 0.5; });
      return tensor_list{at::where(is_large.tensor(y.device()), y, -y)};
    });
    for (int call = 0; call < calls; ++call) {
      run.see("results", callable({run.random({2})}));
    }
    callable.expect_replays(calls - 2);
  });
}

// With GRAPHED_VERIFY, too, which runs it once more.
TEST_P(HostPartState, PreparesAnotherCallable) {
  expect_same([](scenario& run) {
    subject inner(run, {{"x", {2}}}, [](tensor_list& in) { return tensor_list{in[0].cos() + 1}; });
    subject outer(run, {{"x", {2}}}, [&inner](tensor_list& in) {
      const Tensor y = in[0] * 2;
      return tensor_list{host([y, &inner] {
                           inner.prepare({y});
                           return inner({y})[0];
                         }) +
                         y};
    });
    for (int call = 0; call < calls; ++call) {
      run.see("results", outer({run.random({2})}));
    }
    outer.expect_replays(calls - 2);
  });
}

TEST_P(HostPartState, ItsResultMayBeAConjugate) {
  expect_same([](scenario& run) {
    subject callable(run, {{"x", {2}, at::kComplexFloat}}, [](tensor_list& in) {
      const Tensor y = in[0] * 2;
      const Tensor z = host([y] { return at::real(y).sum().item<float>() > 0 ? y.clone().conj() : y.clone(); });
      return tensor_list{z + y, z * 1};
    });
    for (int call = 0; call < 2 * calls; ++call) {
      const Tensor x = run.random({2}, at::kComplexFloat);
      const c10::InferenceMode inference;
      run.see("results", callable({x * 1}));
    }
    callable.expect_replays(2 * calls - 2);
  });
}

void expect_that_none_is_captured(c10::Device device, bool in_inference_mode, const std::function<void(const Tensor& argument)>& write) {
  const collected_warnings warnings;
  expect_same(device, [&](scenario& run) {
    subject callable(run, {{"x", {2}, at::kFloat, /*grad=*/false, /*inplace=*/true}}, [&](tensor_list& in) {
      host([x = in[0], &write] { write(x); });
      return tensor_list{in[0] * 2};
    });
    for (int call = 0; call < calls; ++call) {
      const c10::InferenceMode inference(in_inference_mode);
      const Tensor x = run.random({2});
      run.see("results", callable({x}));
      run.see("x", x);
    }
    callable.expect_replays(0);
    callable.expect_captures(0);
  });
  EXPECT_EQ(warnings.count({"no capture is tried: a host part writes an argument of the callable"}), 1U) << warnings.all();
}

TEST_P(HostPartState, OneThatWritesAnArgumentIsNotCaptured) {
  expect_that_none_is_captured(device(), /*in_inference_mode=*/false, [](const Tensor& x) { x.add_(1); });
}

// Such tensors have no version that would show it.
TEST_P(HostPartState, OneThatWritesAnArgumentInInferenceModeIsNotCaptured) {
  expect_that_none_is_captured(device(), /*in_inference_mode=*/true, [](const Tensor& x) { x.add_(1); });
}

TEST_P(HostPartState, OneThatWritesAnArgumentByItsPointerIsNotCaptured) {
  if (!device().is_cpu()) {
    GTEST_SKIP() << "the host has no pointer to it";
  }
  expect_that_none_is_captured(device(), /*in_inference_mode=*/false, [](const Tensor& x) { x.mutable_data_ptr<float>()[0] += 1; });
}

}  // namespace host_part_state_test
