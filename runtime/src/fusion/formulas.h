// SPDX-License-Identifier: Apache-2.0
//
// The scalar arithmetic of LibTorch's pointwise operators on a GPU, with each rounding made explicit: one table, a row an operator.
#pragma once

#include <ATen/core/ivalue.h>
#include <ATen/core/operator_name.h>
#include <c10/core/Scalar.h>
#include <c10/core/ScalarType.h>
#include <c10/util/ArrayRef.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace graphed::impl::fusion {

/// The type T of a formula's arithmetic.
enum class arithmetic {
  opmath,  ///< float for half types, whose result is rounded once; otherwise the dtype
  dtype,   ///< the dtype: each operation on half types is rounded
};

/// The dtypes that a formula holds for, of float64, float32, float16, bfloat16, int64, int32 and bool.
enum class dtypes {
  floating,
  to_float32,  ///< the floating ones but for float64
  promoted,    ///< to floating, where the operands are integers
  numbers,
  all,
  integral
};

struct formula {
  const char* name;       ///< "aten::add"; in-place and out= forms have the same row
  const char* overloads;  ///< separated by spaces; empty for an operator with a single one
  /// A letter for each argument of the schema: e a tensor; c one of bools, which is not converted; x a tensor or a number; n a number;
  /// d a number as a double, whatever T is; l and h a limit other than NaN, or none for the lowest and the highest value; s "tanh" as 1,
  /// other strings as 0; z a number that must be 0; r and R a loss's reduction, as the factor 1 or 2 over the number of averaged elements;
  /// = a tensor that is only written, in whose dtype it computes; t an optional dtype that it computes in; - what is not an operand.
  const char* arguments;
  arithmetic in;
  dtypes on;
  const char* body;         ///< C++ over the operands a, b, c ... and the functions of prelude.h: an expression, or statements
  bool is_boolean = false;  ///< whether the result is a bool
};

/// A formula for a call, and where its operands come from.
struct formula_use {
  struct operand {
    std::size_t argument;               ///< of the schema
    std::optional<c10::Scalar> number;  ///< empty for a tensor
  };
  const formula* of;
  std::vector<operand> operands;
  at::ScalarType computes_in;
};

/// The formula for a call with these arguments, `elements` the size of its iteration space. Empty where the table has none: for the
/// operator, for its dtypes, or for such arguments. A tensor without dimensions in the host's memory is a number.
std::optional<formula_use> find_formula(const c10::OperatorName& name, c10::ArrayRef<c10::IValue> arguments, int64_t elements);

/// All rows, for tests and proofs.
c10::ArrayRef<formula> formula_rows();
/// Whether a row holds for a dtype that its operands have in common.
bool holds_for(const formula& row, at::ScalarType dtype);

}  // namespace graphed::impl::fusion
