// SPDX-License-Identifier: Apache-2.0
//
// Tensors in members of the object that the callable replaces, and the gradients of a step's arguments: inputs of its captures after the
// arguments, and results after its own.
#pragma once

#include "call/guards.h"
#include "call/members.h"
#include "slot/call_members.h"

#include <graphed/impl/inputs.h>
#include <graphed/impl/spec.h>
#include <graphed/results.h>

#include <c10/util/FunctionRef.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphed::impl {

/// The arguments that a backward inside a step gives a `.grad`: leaves that require grad, each once.
std::vector<std::size_t> leaves_among(const Inputs& arguments, const CallableSpec& spec);

/// A sample with the members that one call found. An argument of a step requires grad if the call's does.
class member_sample {
 public:
  /// `base` lives as long as `holder` does. `leaves`: of the arguments, as leaves_among().
  member_sample(const SampleSpec& base, std::shared_ptr<const void> holder, const std::vector<std::size_t>& leaves,
                const std::vector<carried_tensor>& members);
  member_sample& operator=(member_sample&&) = delete;

  const SampleSpec& spec() const { return spec_; }
  std::size_t count() const { return names_.size(); }
  /// Types, shapes and flags of the members, which arguments are leaves. An absent one counts as none.
  void append_key(key_bytes& key) const;
  /// Why such a capture cannot take the members, where it cannot.
  std::optional<mismatch> check(const Inputs& inputs, const placement& place) const;

 private:
  std::shared_ptr<const void> holder_;
  const std::vector<std::size_t> leaves_;
  std::vector<std::string> names_;
  std::vector<std::vector<int64_t>> shapes_;
  std::vector<TensorSpec> tensors_;
  SampleSpec spec_;
};

/// The members and gradients that one call has found, and what they hold from then on.
class carried_members final : public call_members {
 public:
  /// Keeps references to `of` and to `spec`, and copies `assigned`. `given` are the tensors of the call.
  carried_members(object_members& of, assigned_members assigned, const Inputs& given, const CallableSpec& spec);

  const Inputs& inputs() const override { return inputs_; }
  /// Those of members, then gradients.
  std::vector<carried_tensor> tensors() const;
  const std::vector<std::size_t>& leaves() const { return leaves_; }
  /// Runs `body`, which gets the arguments and live scalars among `in`, with the other ones of `in` in the members. Gives its results and
  /// then what it has left in the members, which afterwards hold what they held before. Throws CaptureError where it leaves more or fewer
  /// tensors, or in a step tensors with a history.
  tensor_list run(c10::function_ref<tensor_list(tensor_list&)> body, tensor_list& in);
  void assign(tensor_list& results) const override;

 private:
  void add_left_in_members(tensor_list& results, std::size_t expected) const;

  object_members& members_;
  const assigned_members assigned_;
  const std::size_t given_;  ///< tensors of the call
  const CallableSpec& spec_;
  const std::vector<std::size_t> leaves_;
  std::vector<at::Tensor> leaves_of_call_;
  Inputs inputs_;
};

}  // namespace graphed::impl
