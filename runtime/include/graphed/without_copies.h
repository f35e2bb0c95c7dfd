// SPDX-License-Identifier: Apache-2.0
//
// Leaving out the copies around a graph, to measure what they cost.
//
// Python: the arguments copy_inputs and copy_outputs of torch._dynamo.backends.cudagraphs.cudagraphs_inner.
#pragma once

#include <graphed/export.h>

namespace graphed {

enum class copies {
  inputs,   ///< of arguments, live scalars and incoming gradients into static memory
  outputs,  ///< of what callers still hold before a replay overwrites it, of results under `clone`, and back into `inplace` arguments
  both,
};

/// For measuring only: while it lives, the replays of calls that this thread makes, and of their backwards, leave out copies, so that their
/// results are wrong. Without those of inputs a graph computes with what its static inputs hold from an earlier call, which every capture
/// has had (large ones, in memory that captures without a backward share, are copied all the same); without those of outputs results are as
/// under `outputs = alias`. Scopes nest, and add up. Ends on the thread that it began on.
class GRAPHED_API without_copies {
 public:
  [[nodiscard]] explicit without_copies(copies left_out) noexcept;
  ~without_copies();
  without_copies(const without_copies&) = delete;
  without_copies& operator=(const without_copies&) = delete;

 private:
  const copies left_out_;
};

}  // namespace graphed
