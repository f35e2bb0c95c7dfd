// SPDX-License-Identifier: Apache-2.0
//
// What the autograd node of one graphed call does in a backward. Generated code derives from it, one class a callable. The node itself is
// the runtime's: how LibTorch makes and owns one differs between its versions.
#pragma once

#include <graphed/export.h>
#include <graphed/impl/graph.h>

#include <memory>
#include <optional>

namespace graphed::impl {

class GRAPHED_API AutogradFunction {
 public:
  AutogradFunction() = default;
  virtual ~AutogradFunction();
  AutogradFunction& operator=(AutogradFunction&&) = delete;

  /// The gradients of the node's edges for those of its results, on the thread that autograd calls the node on.
  virtual tensor_list apply(tensor_list&& gradients) = 0;

 protected:
  /// The backward graph for these incoming gradients, captured when they are the first of their pattern, or nothing where it cannot be
  /// captured. Throws what eager autograd throws: a second backward through a released node, a tensor that was modified in place since the
  /// forward. Differentiating twice throws when the gradients' own history is used.
  std::optional<BackwardGraph> backward(const tensor_list& gradients);
  /// The same gradients by eager autograd.
  tensor_list plain_backward(const tensor_list& gradients);

 private:
  friend class call_node;
  call_node* node_ = nullptr;  ///< which owns it
};

template <class Function>
std::unique_ptr<AutogradFunction> ForwardGraph::make_function() {
  return std::make_unique<Function>();
}

}  // namespace graphed::impl
