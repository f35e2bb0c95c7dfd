// SPDX-License-Identifier: Apache-2.0
//
// Looks at the operators of a callable as they run. An observer has one job; a recording shows it the operators.
#pragma once

#include "torch/dispatch_path.h"
#include "watch/operators.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <c10/util/ArrayRef.h>

namespace graphed::impl {

/// An operator on its way, with its arguments as they were before it ran.
struct operator_call {
  const c10::OperatorHandle& op;
  const dispatch_path& below;
  c10::ArrayRef<c10::IValue> arguments;
  const trait traits = traits_of(op);

  bool has(trait wanted) const { return includes(traits, wanted); }
};

/// What a recording shows, one operator at a time, from any thread.
class observer {
 public:
  observer() = default;
  virtual ~observer() = default;
  observer& operator=(observer&&) = delete;

  /// May throw to refuse the operator.
  virtual void before(const operator_call& /*call*/) {}
  virtual void after(const operator_call& /*call*/, c10::ArrayRef<c10::IValue> /*results*/) {}
  /// Before the first write to the memory of an input, or to a tensor from outside.
  virtual void before_write(const at::Tensor& /*tensor*/) {}
  /// Before after(): the operator has written this argument, though its schema does not say so. Meanwhile its memory has the bytes again
  /// that it had before the operator ran.
  virtual void undeclared_write(const operator_call& /*call*/, const at::Tensor& /*argument*/) {}
  /// Before the first use of a tensor from outside.
  virtual void before_use(const at::Tensor& /*outside*/) {}
};

}  // namespace graphed::impl
