// SPDX-License-Identifier: Apache-2.0
//
// What the captures of a callable will hold, before any of them is kept.
#pragma once

#include <graphed/export.h>

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace graphed {

/// Bytes on the callable's device, where nothing else is said. CUDA's own memory for the nodes of a graph is not among them: no function of
/// CUDA reports it.
struct GRAPHED_API Estimate {
  /// One slot of one size, with its backward.
  struct Capture {
    std::string key;                   ///< in the words of explain(): the size, `key` scalars, modes
    uint64_t bytes_held = 0;           ///< static inputs, results, what the backward needs, and what operators work with
    uint64_t bytes_of_inputs = 0;      ///< of those, the static inputs that arguments are copied into
    uint64_t bytes_of_results = 0;     ///< of those, the results in the graph's memory; a callable with `outputs = keep` moves them out
    uint64_t bytes_of_workspaces = 0;  ///< cuBLAS's, which graphs that never run at the same time share; besides `bytes_held`
    uint64_t bytes_pinned = 0;         ///< pinned memory of the host, for `host` arguments and results
  };
  std::vector<Capture> captures;  ///< the size of the arguments first

  /// Of all captures, one slot each. With `slots = n` it may become n times as much, where calls wait for their backwards.
  uint64_t bytes_held() const;
  /// The same of pinned memory.
  uint64_t bytes_pinned() const;
};

/// A line for each capture and one for all, with rounded sizes.
GRAPHED_API std::ostream& operator<<(std::ostream& out, const Estimate& estimate);

}  // namespace graphed
