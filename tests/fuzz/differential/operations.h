// SPDX-License-Identifier: Apache-2.0
//
// The operations that a random callable is made of.
#pragma once

#include <graphed/scalar.h>

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace graphed::fuzz {

using shape = std::vector<int64_t>;
using tensor_list = std::vector<at::Tensor>;

/// What an operation needs besides its operands and numbers.
struct surroundings {
  bool training;
  Scalar live;
};

struct operation {
  enum trait : unsigned {
    none = 0,
    view = 1,       ///< the result may be the first operand, or show its memory
    writes = 2,     ///< changes its first operand, and returns it
    saves = 4,      ///< its backward always needs a saved tensor, so that a second one is an error
    repeats = 8,    ///< uses an operand more than once
    rare = 16,      ///< no graph can hold it, or it is of little interest otherwise
    last = 32,      ///< the result is the last operand, a buffer
    part = 64,      ///< the result is one of several views that an operator returns
    each = 128,     ///< exactly rounded for each element, alone or among others: padding changes nothing
    live = 256,     ///< reads the `live` scalar
    asks = 512,     ///< asks for a gradient of its first operand
    align = 1024,   ///< its kernel depends on how its operands are aligned
    custom = 2048,  ///< a Function of the user's own, which gets zeros instead of undefined gradients
    cuts = 4096,    ///< no gradient comes back through it
    second = 8192,  ///< to its first operand its backward goes on without a gradient
    draws = 16384,  ///< random numbers
  };
  /// Tensors that the operation closes over: parameters unless they are `buffers`, the last ones.
  struct closure {
    std::vector<shape> sizes;
    std::size_t buffers = 0;
  };

  const char* text;  ///< C++, in which x[0] is an operand (members come last) and n[0] a number
  std::size_t operands;
  std::size_t numbers;
  unsigned traits;
  at::Tensor (*apply)(const surroundings&, const tensor_list& operands, const std::vector<int64_t>& numbers);
  /// What it closes over, for a first operand; null: nothing. Throws for an operand that does not match.
  closure (*members)(const at::Tensor& first) = nullptr;

  bool has(trait wanted) const { return (traits & wanted) != 0; }
};

const std::vector<operation>& operations();

}  // namespace graphed::fuzz
