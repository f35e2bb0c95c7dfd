// SPDX-License-Identifier: Apache-2.0
//
// What a capture ran, as data: its operators, the memory that each of them uses, and the nodes of the graph that it captured. One
// observer fills it. What follows from it is computed by passes, which are pure functions.
#pragma once

#include <ATen/core/ivalue.h>
#include <ATen/core/operator_name.h>
#include <c10/core/ScalarType.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace graphed::impl {

struct byte_range {
  uintptr_t begin, end;  ///< the latter is past the last byte

  bool overlaps(const byte_range& other) const { return begin < other.end && other.begin < end; }
};

/// A strided tensor in the memory of the device.
struct traced_tensor {
  uintptr_t address;  ///< of its first element
  at::ScalarType dtype;
  std::vector<int64_t> sizes, strides;
  std::size_t memory;  ///< index of traced_program::memories

  int64_t numel() const;
  /// From its first byte to its last one, with the gaps between its elements.
  byte_range range() const;
  /// Whether no two elements share memory. May be false where that is hard to see.
  bool is_injective() const;
  /// Whether it also fills its range.
  bool is_dense() const;
};

/// An operator that queued work. A step without a name is something else that did.
struct traced_step {
  c10::OperatorName name{"", ""};
  /// As many as the schema has arguments: what is not a tensor, and none in a tensor's place. A tensor of the host without dimensions that
  /// LibTorch wraps as a number is its number.
  std::vector<c10::IValue> numbers;
  std::vector<std::optional<traced_tensor>> arguments;  ///< as many again: the tensors. Lists of tensors are in `reads` and `writes` alone.
  std::vector<traced_tensor> results;                   ///< those that were made, and those that were written
  /// All memory that it uses, by itself or inside. What it allocates for itself is among the writes.
  std::vector<byte_range> reads, writes;
  std::vector<std::size_t> nodes;  ///< of the graph, by their index there
  std::size_t branch = 0;          ///< of the graph: those of one were captured one after another
  /// Nothing is known of its memory: what came before stays before it, and what came after stays after it.
  bool is_barrier = false;
};

/// A storage. Where two have addresses in common, the later one is used only after the last use of the earlier one.
struct traced_memory {
  byte_range range;
  /// Something besides the program can see its bytes after the run: a result, what the backward saved, a tensor from outside, a static
  /// input.
  bool is_seen;
};

/// Steps that run one and all. A body that a replay may leave out, or run again, is a program by itself. In the one around it, it is a
/// step.
struct traced_program {
  std::vector<traced_step> steps;  ///< in the order in which they ran. Each node of the graph that does any work is of one of them.
  std::vector<traced_memory> memories;
};

}  // namespace graphed::impl
