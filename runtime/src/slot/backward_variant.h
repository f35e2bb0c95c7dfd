// SPDX-License-Identifier: Apache-2.0
//
// The backward graph for one pattern of incoming gradients.
#pragma once

#include "backend/captured_graph.h"
#include "capture/static_memory.h"
#include "slot/captured_callable.h"

#include <ATen/core/Tensor.h>
#include <c10/core/StorageImpl.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

namespace graphed::impl {

class backward_variant {
 public:
  /// Moves what callers still hold of the results of this capture, if it is this one or a later one: how many.
  std::size_t keep(pool_order& order, uint64_t first_capture) { return work && work->number() >= first_capture ? results.keep(order) : 0; }
  /// Whether callers hold such results.
  bool shows_results(uint64_t first_capture) const { return results.alive() && work->number() >= first_capture; }

  std::vector<at::Tensor> static_gradients;  ///< one for each of the node's outputs, undefined where no gradient comes
  std::unique_ptr<executable> work;          ///< null: eager autograd computes these gradients
  result_set results;                        ///< one for each of the node's edges
  std::vector<bool> copied_for_leaves;       ///< of those: what no leaf may take over
  std::vector<bool> given;                   ///< of those: what the graph itself gives to leaves, where it gives any
  reach comes_to;
  std::unordered_set<const c10::StorageImpl*> needed;  ///< captured memory that it reads, where it is not whole
  uint64_t replays = 0;
  std::string refusal;  ///< why there is no work
};

}  // namespace graphed::impl
