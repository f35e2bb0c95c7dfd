// SPDX-License-Identifier: Apache-2.0
//
// Shorter ways to do on each replay what an operator did when it was recorded, the same bits into the same memory.
#pragma once

#include "torch/dispatch_path.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>

#include <optional>
#include <vector>

namespace graphed::impl {

/// What a replay calls in place of a recorded operator. It leaves every result where the recording has it.
struct direct_call {
  c10::OperatorHandle op;
  std::vector<c10::IValue> arguments;
};

/// For an operator with these arguments, all of whose results are tensors that it made, or none is: the overload that writes into given
/// tensors, where its kernel is the operator's own (a structured one); and a number beside a tensor of float or double as that dtype's, so
/// that no call converts it. None where nothing is gained, or the bits might be others.
std::optional<direct_call> find_direct_call(const c10::OperatorHandle& op, const dispatch_path& below,
                                            const std::vector<c10::IValue>& arguments, const std::vector<c10::IValue>& made);

}  // namespace graphed::impl
