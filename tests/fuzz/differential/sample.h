// SPDX-License-Identifier: Apache-2.0
//
// Sample tensors for a program's callables, and whether they run on them.
#pragma once

#include "evaluate.h"

#include <c10/core/Device.h>

namespace graphed::fuzz {

/// A value for a member: parameters require grad, buffers are positive.
at::Tensor make_member(const member& member, c10::ScalarType dtype, c10::Device device);

/// A value for an argument as it is declared, of other sizes if so asked. A leaf, unless it is to be written and requires grad.
at::Tensor make_argument(const testing::argument& argument, const shape& sizes, bool requires_grad, c10::Device device);

/// A callable's arguments as they are declared, on the CPU.
tensor_list make_arguments(const body& body, int64_t rows);

/// Gives every member the shape that its use asks for. False where a callable, or its backward, does not run as declared.
bool fit(program& program);

/// Backward from the sum of all results; false where that throws.
bool goes_back(const tensor_list& results);

}  // namespace graphed::fuzz
