// SPDX-License-Identifier: Apache-2.0
//
// What is fused: pointwise operators over one iteration space, as data.
#pragma once

#include "fusion/formulas.h"

#include <c10/core/Scalar.h>
#include <c10/core/ScalarType.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace graphed::impl::fusion {

/// A tensor's memory. Its address is a parameter of the kernel. Two that overlap and may be written must be one and the same, or one is
/// never read: a thread loads all that it reads before it stores.
struct memory {
  at::ScalarType dtype;
  std::vector<int64_t> strides;  ///< in elements, one for each size of the group; 0 where it is broadcast
  bool is_aligned = true;        ///< whether its address is a multiple of 16 bytes
};

/// What a step computes from.
struct operand {
  enum class source { memory, step, number };
  source from = source::memory;
  std::size_t index = 0;  ///< of the memory or of the step
  c10::Scalar number;

  static operand of_memory(std::size_t index) { return {source::memory, index, {}}; }
  static operand of_step(std::size_t index) { return {source::step, index, {}}; }
  static operand of_number(c10::Scalar number) { return {source::number, 0, number}; }
};

/// One operator.
struct step {
  const formula* of;
  std::vector<operand> operands;  ///< those of the formula, in its order
  at::ScalarType computes_in;     ///< to which operands are converted: the common dtype of LibTorch's TensorIterator
  at::ScalarType dtype;           ///< of the result
};

struct store {
  std::size_t step;
  std::size_t memory;  ///< of the step's dtype
};

/// What each of its threads computes for its elements, in row-major order of the sizes.
struct group {
  std::vector<int64_t> sizes;  ///< after broadcasting
  std::vector<memory> memories;
  std::vector<step> steps;
  std::vector<store> stores;
};

/// One launch: the groups run side by side, each in a range of blocks of its own. Its parameters are the memories of all, in order.
struct kernel {
  std::string name;
  std::vector<group> groups;
};

}  // namespace graphed::impl::fusion
