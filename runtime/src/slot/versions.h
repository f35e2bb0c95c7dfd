// SPDX-License-Identifier: Apache-2.0
//
// The tensors that a backward needs, as they were when the forward returned: eager autograd throws where one was modified since.
#pragma once

#include "slot/captured_callable.h"
#include "slot/static_arguments.h"

#include <ATen/core/Tensor.h>
#include <c10/core/TensorImpl.h>

#include <cstdint>
#include <exception>
#include <vector>

namespace graphed::impl {

class backward_variant;

struct saved_tensor {
  c10::VariableVersion counter{0};
  uint32_t version;
  const at::Tensor* captured;  ///< what stands for it in the captured graph, which is the slot's
  std::vector<int64_t> sizes;  ///< its own, where a padded call's are smaller; else empty
};

/// After a call's forward, into `saved`, which is empty.
void remember_versions(const captured_callable& callable, const static_arguments& arguments, const Inputs& inputs,
                       const tensor_list& results, bool is_padded, std::vector<saved_tensor>& saved);
bool are_unchanged(const std::vector<saved_tensor>& saved);
/// Throws eager's error if a tensor that the backward needs was modified since.
void check_versions(const std::vector<saved_tensor>& saved, const backward_variant& variant);

/// While it lives, what was modified since has a version in the captured graph at which no node has saved it. A node that eager autograd
/// comes to throws then, as eager's does. It comes to none of the body of a branch that has not run.
class modified_in_graph {
 public:
  explicit modified_in_graph(const std::vector<saved_tensor>& saved);
  ~modified_in_graph();
  modified_in_graph& operator=(modified_in_graph&&) = delete;

  /// Throws eager's error where this one is that of a node; else returns.
  void throw_as_eager(const std::exception& of_node) const;

 private:
  struct shown {
    const saved_tensor* modified;
    c10::VariableVersion counter;
    uint32_t before, now;
  };
  std::vector<shown> shown_;
};

}  // namespace graphed::impl
