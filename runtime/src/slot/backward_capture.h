// SPDX-License-Identifier: Apache-2.0
//
// Going back through a captured forward: in a capture, or by eager autograd.
#pragma once

#include "backward/leaf_gradients.h"
#include "capture/result_set.h"
#include "slot/captured_callable.h"
#include "slot/static_arguments.h"

#include <c10/core/StorageImpl.h>

#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

namespace graphed::impl {

struct saved_tensor;

/// The captured forward of one slot, and what it was captured with.
struct captured_forward {
  capture_site& site;
  captured_callable& callable;
  const static_arguments& arguments;

  /// A static gradient for this output of the node: for the whole result of the capture, of which a padded call's may be a part.
  at::Tensor make_static_gradient(const at::Tensor& gradient, std::size_t output, const call_details& details) const;
  /// The parts of the gradients that belong to a padded call's own arguments.
  tensor_list own_gradients(tensor_list gradients, const call_details& details) const;
};

/// The backward graph for one pattern of incoming gradients.
class backward_variant {
 public:
  /// Moves what callers still hold of the results of this capture, if it is this one or a later one: how many.
  moved_storages keep(overwrite& next, uint64_t first_capture) {
    return work->number() >= first_capture ? results.keep(next) : moved_storages();
  }
  /// Whether callers hold such results.
  bool shows_results(uint64_t first_capture) const { return results.alive() && work->number() >= first_capture; }

  std::vector<at::Tensor> static_gradients;  ///< one for each of the node's outputs, undefined where no gradient comes
  std::unique_ptr<executable> work;
  result_set results;                   ///< one for each of the node's edges
  std::vector<bool> copied_for_leaves;  ///< of those: what no leaf may take over
  std::vector<bool> given;              ///< of those: what the graph itself gives to leaves, where it gives any
  reach comes_to;
  std::unordered_set<const c10::StorageImpl*> needed;  ///< captured memory that it reads, where it is not whole
  uint64_t replays = 0;
};

/// Copies gradients into static ones, on the current stream. `work` is null within a capture that executes.
void stage_gradients(const capture_site& site, backward_variant& variant, const tensor_list& gradients, executable* work);

/// For gradients of this pattern. `leaves`: null, or those whose `.grad` it changes itself. Throws whatever ended the capture.
std::unique_ptr<backward_variant> capture_backward(const captured_forward& forward, const std::string& pattern,
                                                   const tensor_list& gradients, const call_details& details, leaf_gradients* leaves,
                                                   const std::shared_ptr<recording>& seen);

/// The same gradients by eager autograd. Throws CaptureError where another thread's capture takes too long, and eager's error where it
/// needs one of the saved tensors that was modified since.
tensor_list run_backward(const captured_forward& forward, const tensor_list& gradients, const call_details& details,
                         const std::vector<saved_tensor>& saved);

}  // namespace graphed::impl
