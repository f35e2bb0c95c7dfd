// SPDX-License-Identifier: Apache-2.0
//
// Tensors in members of the object that the callable replaces: inputs of its captures after the arguments, and results after its own.
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

/// A sample with the members that one call found.
class member_sample {
 public:
  /// `base` lives as long as `holder` does.
  member_sample(const SampleSpec& base, std::shared_ptr<const void> holder, const std::vector<carried_tensor>& members);
  member_sample& operator=(member_sample&&) = delete;

  const SampleSpec& spec() const { return spec_; }
  std::size_t count() const { return names_.size(); }
  /// Types, shapes and flags of the members. An absent one counts as none.
  void append_key(key_bytes& key) const;
  /// Why such a capture cannot take the members, where it cannot.
  std::optional<mismatch> check(const Inputs& inputs, const placement& place) const;

 private:
  std::shared_ptr<const void> holder_;
  std::vector<std::string> names_;
  std::vector<std::vector<int64_t>> shapes_;
  std::vector<TensorSpec> tensors_;
  SampleSpec spec_;
};

/// The members that one call has found, and what they hold from then on.
class carried_members final : public call_members {
 public:
  /// Keeps a reference to `of`, and copies `assigned`. `given` are the tensors of the call.
  carried_members(object_members& of, assigned_members assigned, const Inputs& given, bool is_step);

  const Inputs& inputs() const override { return inputs_; }
  std::vector<carried_tensor> tensors() const { return members_.carried(assigned_); }
  /// Runs `body`, which gets the arguments and live scalars among `in`, with the other ones of `in` in the members. Gives its results and
  /// then what it has left in the members, which afterwards hold what they held before. Throws CaptureError where it leaves more or fewer
  /// tensors, or in a step tensors with a history.
  tensor_list run(c10::function_ref<tensor_list(tensor_list&)> body, tensor_list& in);
  void assign(tensor_list& results) const override;

 private:
  object_members& members_;
  const assigned_members assigned_;
  const std::size_t given_;  ///< tensors of the call
  const bool is_step_;
  Inputs inputs_;
};

}  // namespace graphed::impl
