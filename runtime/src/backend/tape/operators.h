// SPDX-License-Identifier: Apache-2.0
//
// What a tape must know of an operator to record it.
#pragma once

#include "watch/observer.h"

#include <ATen/core/ivalue.h>

#include <vector>

namespace graphed {

/// Why it cannot be replayed, or null.
const char* refusal(const operator_call& call);
/// Whether it writes every byte of its first argument's storage, which it does not read.
bool overwrites_storage(const operator_call& call);
/// Whether this result, one tensor or a list, shows memory of the arguments, whatever the schema says: unsafe_split's do.
bool is_view(const c10::IValue& result, const std::vector<c10::IValue>& arguments);

}  // namespace graphed
