// SPDX-License-Identifier: Apache-2.0
//
// How torch::optim's optimizers step a parameter: by an operator that takes the learning rate as a number. A capture freezes that.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <c10/util/ArrayRef.h>
#include <c10/util/FunctionRef.h>

#include <string>

namespace graphed {

/// In words, the operator and its number where it steps what `is_parameter` tells by other numbers than one; else empty. The average of two
/// parameters is no step.
std::string frozen_update(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments,
                          c10::function_ref<bool(const at::Tensor&)> is_parameter);

}  // namespace graphed
