// SPDX-License-Identifier: Apache-2.0
//
// The autograd node behind one graphed call. Generated code derives from it, one class a callable.
#pragma once

#include <graphed/export.h>
#include <graphed/graph.h>

#include <torch/csrc/autograd/function.h>

#include <memory>
#include <optional>
#include <string>

namespace graphed {

class GRAPHED_API function : public torch::autograd::Node {
 public:
  function();
  ~function() override;
  void release_variables() override;
  /// "app::policy backward"
  std::string name() const override;

 protected:
  /// The backward graph for these incoming gradients, captured when they are the first of their pattern, or nothing where it cannot be
  /// captured. Throws what eager autograd throws: a second backward through a released node, a tensor that was modified in place since the
  /// forward. Differentiating twice throws when the gradients' own history is used.
  std::optional<backward_graph> backward(const tensor_list& gradients);
  /// The same gradients by eager autograd.
  tensor_list plain_backward(const tensor_list& gradients);

 private:
  friend class graph;
  friend class backward_graph;
  /// Gradients that were asked for with create_graph get a history that says why it cannot be followed.
  void forbid_double_backward(tensor_list& gradients) const;

  struct state;
  std::unique_ptr<state> state_;
};

template <class Function>
std::unique_ptr<function> graph::make_node() {
  return std::make_unique<Function>();
}

}  // namespace graphed
