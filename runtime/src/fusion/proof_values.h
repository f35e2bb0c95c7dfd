// SPDX-License-Identifier: Apache-2.0
//
// The values that formulas are proven with.
#pragma once

#include "fusion/formulas.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Scalar.h>

#include <cstddef>
#include <cstdint>

namespace graphed::impl::fusion {

constexpr int64_t proof_elements = 1 << 17;

/// Values for the operand with this place among the operands, in the host's memory: all combinations of special ones first, then all bit
/// patterns of half types and random ones of other types, which have every exponent, then random ones of common sizes.
at::Tensor proof_values(at::ScalarType dtype, unsigned place);

/// How often a row is run, with other numbers each time.
std::size_t proof_runs(const formula& of);
/// The number for an operand of the run, whatever its place.
c10::Scalar proof_number(const formula& of, at::ScalarType dtype, std::size_t run, std::size_t place);

}  // namespace graphed::impl::fusion
