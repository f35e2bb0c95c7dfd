// SPDX-License-Identifier: Apache-2.0
//
// What the autograd graph of a captured forward shows: whose gradients it computes, and what it has saved. No interface of LibTorch shows
// the latter: the graph holds the tensor, or its version counter.
#pragma once

#include "slot/captured_callable.h"
#include "slot/static_arguments.h"
#include "watch/recording.h"

#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

namespace graphed::impl {

/// How many hold each member of the closure, before a capture.
std::vector<std::size_t> use_counts(const closure& members);

/// Notes which arguments, members of the closure and results the backward needs. A view that is returned holds its base and shares its
/// version counter, but nothing is saved by that. `before`: the members' use counts; a tensor without one was not known before the capture.
void find_saved(captured_callable& made, const static_arguments& arguments, const tensor_list& results,
                const std::vector<std::size_t>& before);

/// Distinguishes nodes of the callable's from those of an earlier history.
class earlier_nodes {
 public:
  /// `first` counts on this thread. Nodes that autograd's thread of a device has made, in a backward inside of the callable, count there. A
  /// history from before is reached by a tensor that an operator has used.
  earlier_nodes(uint64_t first, const recording& seen);
  bool include(const torch::autograd::Node& node) const;

 private:
  const uint64_t first_, thread_;
  std::unordered_set<const torch::autograd::Node*> of_tensors_;
};

/// Follows the captured graph from the node's outputs. Throws unseen_tensors, needs_originals, and CaptureError for a history from
/// before.
std::vector<gradient_target> find_targets(const captured_callable& made, const static_arguments& arguments, const Inputs& inputs,
                                          const earlier_nodes& earlier);

}  // namespace graphed::impl
