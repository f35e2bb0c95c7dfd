// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/record_function.h>

namespace graphed::impl {

/// What the accessor returns, which in a debug build asserts what a release build of LibTorch does not note.
c10::ArrayRef<const c10::IValue> inputs_of(const at::RecordFunction& function);

}  // namespace graphed::impl
