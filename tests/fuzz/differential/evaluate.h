// SPDX-License-Identifier: Apache-2.0
//
// Runs a random callable's body on tensors.
#pragma once

#include "program.h"

namespace graphed::fuzz {

/// With a value for the dimension variable.
shape shape_of(const testing::argument& argument, int64_t rows);

/// What a call of a body reads besides its arguments.
struct closed_over {
  tensor_list members;
  bool training = true;
  int64_t key = 0;
  Scalar live = 0.5;
  int64_t rows = 0;
  c10::Device device{at::kCPU};
};

/// The body's values, step by step.
class evaluation {
 public:
  evaluation(const body& body, const closed_over& outside, const tensor_list& arguments);

  const at::Tensor& of(const value& value) const;
  const at::Tensor& run(const step& step);
  std::size_t steps() const { return steps_.size(); }
  void pop() { steps_.pop_back(); }

 private:
  const closed_over& outside_;
  tensor_list arguments_;  ///< ones where one is absent
  tensor_list steps_;
};

tensor_list evaluate(const body& body, const closed_over& outside, const tensor_list& arguments);

}  // namespace graphed::fuzz
