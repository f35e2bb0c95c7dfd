// SPDX-License-Identifier: Apache-2.0
//
// The tensors whose gradients a captured autograd graph computes.
#pragma once

#include "slot/captured_callable.h"
#include "slot/static_arguments.h"
#include "watch/recording.h"

#include <cstdint>
#include <unordered_set>
#include <vector>

namespace graphed::impl {

/// Tells nodes of the callable's from those of a history that was there before.
class earlier_nodes {
 public:
  /// `first` counts on this thread. Nodes that autograd's thread of a device has made, in a backward inside of the callable, are counted
  /// there; a history from before is reached by a tensor that an operator has used.
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
