// SPDX-License-Identifier: Apache-2.0
//
// Calls a graphed callable and the original side by side and compares results, gradients and written arguments bit for bit.
#pragma once

#include <graphed/results.h>

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include <gtest/gtest.h>

#include <vector>

namespace generated_tests {

constexpr int kCalls = 8;  // enough for the warm-up, the capture and replays

inline at::Tensor normal(at::IntArrayRef shape) { return at::randn(shape); }
inline at::Tensor wanting_grad(at::IntArrayRef shape) { return at::randn(shape).requires_grad_(); }

/// Copies that require grad where the originals do.
inline graphed::tensor_list fresh(const graphed::tensor_list& tensors) {
  graphed::tensor_list copies;
  for (const at::Tensor& tensor : tensors) {
    copies.push_back(tensor.detach().clone().set_requires_grad(tensor.requires_grad()));
  }
  return copies;
}

/// The bytes of a tensor whose dtype at::equal does not know.
inline at::Tensor comparable(const at::Tensor& tensor) { return at::isFloat8Type(tensor.scalar_type()) ? tensor.view(at::kByte) : tensor; }

inline void expect_same(const graphed::tensor_list& left, const graphed::tensor_list& right, const char* what) {
  ASSERT_EQ(left.size(), right.size()) << what;
  for (std::size_t i = 0; i < left.size(); ++i) {
    ASSERT_EQ(left[i].defined(), right[i].defined()) << what << ' ' << i;
    if (left[i].defined()) {
      ASSERT_EQ(left[i].scalar_type(), right[i].scalar_type()) << what << ' ' << i;
      EXPECT_TRUE(at::equal(comparable(left[i]), comparable(right[i]))) << what << ' ' << i << ": " << left[i] << " and " << right[i];
      EXPECT_EQ(left[i].requires_grad(), right[i].requires_grad()) << what << ' ' << i;
    }
  }
}

inline void run_backward(const graphed::tensor_list& results) {
  graphed::tensor_list differentiable;
  graphed::tensor_list gradients;
  for (const at::Tensor& result : results) {
    if (result.requires_grad()) {
      differentiable.push_back(result);
      gradients.push_back(at::full_like(result, 0.75));
    }
  }
  if (!differentiable.empty()) {
    torch::autograd::backward(differentiable, gradients);
  }
}

inline graphed::tensor_list gradients_of(const graphed::tensor_list& tensors) {
  graphed::tensor_list gradients;
  for (const at::Tensor& tensor : tensors) {
    gradients.push_back(tensor.grad());
  }
  return gradients;
}

template <class Graphed>
void expect_replays(const Graphed& fast) {
  EXPECT_GT(fast.stats().replays, 0U) << fast.stats();
  EXPECT_EQ(fast.stats().miss_count(), 0U) << fast.stats();
}

/// `sample`: one tensor for each tensor argument; each call gets other values. `call_graphed` and `call_plain` take a list of them and
/// return what the callable returns.
template <class Graphed, class Plain>
void expect_equal_calls(const graphed::tensor_list& sample, Graphed&& call_graphed, Plain&& call_plain) {
  for (int call = 0; call < kCalls; ++call) {
    graphed::tensor_list given;
    for (const at::Tensor& tensor : sample) {
      const bool has_arithmetic = tensor.is_floating_point() && !at::isFloat8Type(tensor.scalar_type());
      const at::Tensor other = has_arithmetic ? tensor.detach() * (call + 1) + call : tensor.detach();
      given.push_back(other.set_requires_grad(tensor.requires_grad()));
    }
    graphed::tensor_list for_graphed = fresh(given);
    graphed::tensor_list for_plain = fresh(given);
    const graphed::tensor_list results = graphed::impl::packed([&] { return call_graphed(for_graphed); });
    const graphed::tensor_list expected = graphed::impl::packed([&] { return call_plain(for_plain); });
    expect_same(results, expected, "result");
    run_backward(results);
    run_backward(expected);
    expect_same(for_graphed, for_plain, "argument");
    expect_same(gradients_of(for_graphed), gradients_of(for_plain), "gradient");
  }
}

/// `call` takes what it calls and a list of tensors.
template <class Graphed, class Plain, class Call>
void expect_same_calls(const graphed::tensor_list& sample, Graphed& fast, Plain plain, Call call) {
  expect_equal_calls(
      sample, [&](graphed::tensor_list& in) { return call(fast, in); }, [&](graphed::tensor_list& in) { return call(plain, in); });
}

}  // namespace generated_tests
