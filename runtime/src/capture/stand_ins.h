// SPDX-License-Identifier: Apache-2.0
//
// Tensors that a capture sees instead of what its callable closes over: the same memory, under an autograd state of the capture's own. So
// it finds no nodes, hooks and versions of the caller's graphs, leaves none of its own in them, and other threads may train meanwhile.
#pragma once

#include "torch/debug_info.h"
#include "torch/interception.h"

#include <ATen/core/Tensor.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <memory>
#include <unordered_map>

namespace graphed::impl {

/// Ends a capture on stand-ins whose callable asks autograd for gradients itself, or gives autograd a tensor that it closes over, past the
/// operators. It must be made again, on the tensors themselves.
struct needs_originals {};

/// Pairs of tensors. None is in two of them.
class stand_ins {
 public:
  /// Makes one. Nothing where there can be none: a tensor of inference mode, or with a history.
  at::Tensor make_for(const at::Tensor& original);
  /// The other tensor of a pair, or null.
  const at::Tensor* for_original(const at::Tensor& original) const { return find(for_original_, original); }
  const at::Tensor* original_of(const at::Tensor& stand_in) const { return find(original_of_, stand_in); }

 private:
  using pairs = std::unordered_map<const c10::TensorImpl*, at::Tensor>;
  static const at::Tensor* find(const pairs& in, const at::Tensor& tensor) {
    const auto found = in.find(tensor.unsafeGetTensorImpl());
    return found == in.end() ? nullptr : &found->second;
  }

  pairs for_original_, original_of_;
};

/// While it lives, operators of this thread, and of threads that work for it with its state, get the stand-ins. Where they return one of
/// them, as those that work in place do, the callable gets the original.
class stand_in_scope {
 public:
  explicit stand_in_scope(std::shared_ptr<const stand_ins> pairs);
  ~stand_in_scope();
  stand_in_scope& operator=(stand_in_scope&&) = delete;

 private:
  const std::shared_ptr<shown_in_scope<const stand_ins>> shown_;
  c10::DebugInfoGuard info_;
  interception_scope operators_;
};

}  // namespace graphed::impl
