// SPDX-License-Identifier: Apache-2.0
//
// The check of a call's tensors against the samples of their annotation.
#pragma once

#include "call/open_samples.h"

#include <graphed/impl/inputs.h>
#include <graphed/impl/spec.h>
#include <graphed/stats.h>

#include <c10/core/Device.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace graphed::impl {

struct mismatch {
  Miss reason;
  std::string parameter;  ///< "x", or "hs[1]"
  std::string expected;
  std::string got;
};

/// The sample that serves a call.
struct served_sample {
  std::size_t index = 0;
  /// The call's own sizes of the sample's padded variables; empty where they are the sample's.
  std::vector<int64_t> sizes;
  open_values open;  ///< the call's, of an open sample
};

/// What tensors are checked for besides their annotation.
struct placement {
  c10::Device device;
  std::size_t alignment;  ///< of their addresses, in bytes: a power of two
  bool with_grad = c10::GradMode::is_enabled();
  bool in_inference_mode = c10::InferenceMode::is_enabled();
  bool in_step = false;  ///< whose arguments may be leaves without the mark `grad`
};

/// The sample from number `first` on whose shapes are the call's, or the smallest that they can be padded to, or nothing.
std::optional<served_sample> find_sample(const CallableSpec& spec, const Inputs& inputs, const placement& place, std::size_t first = 0);
/// Whether the lists, and all tensors together, are as many as the sample's.
bool lengths_fit(const SampleSpec& sample, const Inputs& inputs);
/// Why there is none, every argument that does not match the sample that comes nearest; or, of a sample that matches, an `inplace` argument
/// that shares its memory. Empty where nothing is wrong.
std::vector<mismatch> explain(const CallableSpec& spec, const Inputs& inputs, const placement& place);
/// Why one tensor, of whatever shape, does not match.
std::optional<mismatch> check_tensor(const TensorSpec& spec, const at::Tensor& tensor, const placement& place);
/// An `inplace` argument that is a view, in grad mode: no node can be the history of it and of its base.
std::optional<mismatch> check_views(const SampleSpec& sample, const Inputs& inputs);
std::optional<mismatch> check_overlap(const SampleSpec& sample, const Inputs& inputs);

}  // namespace graphed::impl
