// SPDX-License-Identifier: Apache-2.0
//
// What a checked program may say of itself.
#pragma once

#include <torch/torch.h>

#include <vector>

namespace judged {

using torch::Tensor;
using Tensors = std::vector<Tensor>;

/// The class of an annotated method derives from it. The method's tensors are f32[4]. What it calls is behind it: a finding belongs to the
/// last method before its line.
struct Program {
  virtual ~Program() = default;

  /// Why a finding does no harm on the tape.
  static constexpr const char* harmless_on_a_tape = "";
  /// Why the tape ends a capture, or why replays differ, where graphgen says nothing.
  static constexpr const char* not_found = "";
  /// Two values of a key: the warm-ups, the capture and replays of each.
  static constexpr int number_of_calls = 12;
  /// Whether the method's tensors require grad.
  static constexpr bool grad = false;

  /// What a caller could see of the object after a call.
  virtual Tensors state() const { return {}; }
  /// What the caller does between two calls.
  virtual void between(int /*call*/) {}
};

inline Tensor number(double value) { return torch::full({}, value, torch::kFloat64); }

}  // namespace judged
