// SPDX-License-Identifier: Apache-2.0
//
// What a tape must know of an operator to record it.
#pragma once

#include "torch/dispatch_path.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>

#include <vector>

namespace graphed {

/// Why it cannot be replayed, or null.
const char* refusal(const c10::OperatorHandle& op, const dispatch_path& below, c10::ArrayRef<c10::IValue> arguments);
/// Whether its result has no values yet.
bool only_allocates(const c10::OperatorHandle& op);
/// Whether it writes every byte of its first argument's storage, which it does not read.
bool overwrites_storage(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments);
/// Whether this result, one tensor or a list, shows memory of the arguments, whatever the schema says: unsafe_split's do.
bool is_view(const c10::IValue& result, const std::vector<c10::IValue>& arguments);

}  // namespace graphed
