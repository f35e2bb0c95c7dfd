// SPDX-License-Identifier: Apache-2.0
//
// Going back through a captured forward: in a capture, or by eager autograd.
#pragma once

#include "backward/leaf_gradients.h"
#include "slot/backward_variant.h"
#include "slot/captured_callable.h"
#include "slot/static_arguments.h"

#include <memory>
#include <string>

namespace graphed::impl {

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

/// Copies gradients into static ones, on the current stream. `work` is null within a capture that executes.
void stage_gradients(const capture_site& site, backward_variant& variant, const tensor_list& gradients, executable* work);

/// For gradients of this pattern. `leaves`: null, or those whose `.grad` it changes itself. Throws whatever ended the capture.
std::unique_ptr<backward_variant> capture_backward(const captured_forward& forward, const std::string& pattern,
                                                   const tensor_list& gradients, const call_details& details, leaf_gradients* leaves,
                                                   const std::shared_ptr<recording>& seen);

/// The same gradients by eager autograd. Throws CaptureError where another thread's capture takes too long.
tensor_list run_backward(const captured_forward& forward, const tensor_list& gradients, const call_details& details);

}  // namespace graphed::impl
