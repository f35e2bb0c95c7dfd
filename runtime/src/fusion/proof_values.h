// SPDX-License-Identifier: Apache-2.0
//
// The values that formulas are proven with.
#pragma once

#include "fusion/formulas.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Scalar.h>

#include <vector>

namespace graphed::impl::fusion {

constexpr int64_t proof_elements = 1 << 17;

/// Values for the operand with this place among the operands, in the host's memory: all combinations of special ones first, then all bit
/// patterns of half types and random ones of other types, which have every exponent, then random ones of common sizes.
at::Tensor proof_values(at::ScalarType dtype, unsigned place);

/// Numbers to prove a row with: a set has `count`, one for each operand that is any number. Rows that differ by a string or a reduction
/// have at least three sets.
std::vector<std::vector<c10::Scalar>> proof_numbers(const formula& of, at::ScalarType dtype, std::size_t count);

}  // namespace graphed::impl::fusion
