// SPDX-License-Identifier: Apache-2.0
//
// The program that most behaviours need: some calls of one callable, each with its backward.
#pragma once

#include "device_test.h"

#include <algorithm>

namespace graphed::testing {

/// Numbers of any type, from the eager random stream.
inline at::Tensor numbers(const scenario& run, at::IntArrayRef shape, c10::ScalarType dtype) {
  if (c10::isFloatingType(dtype) || c10::isComplexType(dtype)) {
    return run.random(shape, dtype);
  }
  return at::randint(dtype == at::kBool ? 2 : 10, shape, run.options(at::kLong)).to(dtype);
}

/// Calls `f` once: arguments that require grad are the leaves, in order, the others are new. Sees the results, what the call wrote, and,
/// where a result requires grad, the gradients that its backward leaves.
inline void see_call(scenario& run, subject& f, const std::vector<argument>& arguments, const tensor_list& leaves) {
  tensor_list given;
  auto leaf = leaves.begin();
  for (const auto& argument : arguments) {
    given.push_back(argument.grad ? *leaf++ : numbers(run, argument.shape, argument.dtype));
  }
  const tensor_list results = f(given);
  run.see("results", results);
  run.see("arguments", given);
  at::Tensor loss;
  for (const auto& result : results) {
    if (result.defined() && result.requires_grad()) {
      loss = loss.defined() ? loss + at::sin(result).sum().to(at::kDouble) : at::sin(result).sum().to(at::kDouble);
    }
  }
  if (loss.defined()) {
    loss.backward();
  }
  for (const auto& tensor : leaves) {
    run.see_grad("gradient", tensor);
  }
}

/// Seven calls of `body`, two of them warm-ups.
inline void expect_same_calls(c10::Device device, const std::vector<argument>& arguments, const test_callable::body& body) {
  expect_same(device, [&](scenario& run) {
    subject f(run, arguments, body);
    tensor_list leaves;
    for (const auto& argument : arguments) {
      if (argument.grad) {
        leaves.push_back(run.leaf(argument.shape, argument.dtype));
      }
    }
    for (int step = 0; step < 7; ++step) {
      see_call(run, f, arguments, leaves);
    }
    f.expect_replays(5, leaves.empty() ? 0 : 5);
    f.expect_captures(1);
  });
}

}  // namespace graphed::testing
