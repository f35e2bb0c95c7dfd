// SPDX-License-Identifier: Apache-2.0
//
// Which steps of a program must stay in their order, and who may use what they have written: by the bytes that they read and write.
#pragma once

#include "trace/program.h"

#include <cstddef>
#include <vector>

namespace graphed::impl {

/// What a step has written.
struct written_value {
  std::vector<std::size_t> readers;  ///< later steps that may read some of it
  bool is_seen = false;              ///< something besides the program may see some of it after the run
};

struct memory_order {
  /// By step, the earlier ones that it must come after: those that wrote what it reads, and those that used what it writes. What these come
  /// after may be left out. Of a barrier there are none: it comes after all.
  std::vector<std::vector<std::size_t>> after;
  std::vector<written_value> values;  ///< by step; only those of steps that are `overwriting`
};

/// `overwriting`: the steps known to have one result, of which they write each element.
memory_order order_by_memory(const traced_program& traced, const std::vector<bool>& overwriting);

}  // namespace graphed::impl
