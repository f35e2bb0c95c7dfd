// SPDX-License-Identifier: Apache-2.0
#include "torch/accumulators.h"

#include <torch/csrc/autograd/variable.h>

#include <typeinfo>
#include <utility>

namespace graphed {

namespace impl = torch::autograd::impl;
using torch::autograd::AccumulateGrad;
using torch::autograd::Node;

namespace {

/// Reaches the lock that an accumulator takes.
struct any_node : Node {
  static std::mutex& mutex_of(Node& node) { return node.*(&any_node::mutex_); }
};

}  // namespace

AccumulateGrad* accumulator_at(const torch::autograd::Edge& edge) {
  Node* const node = edge.function.get();
  return node != nullptr && typeid(*node) == typeid(AccumulateGrad) ? static_cast<AccumulateGrad*>(node) : nullptr;
}

bool has_accumulator(const at::Tensor& leaf) { return impl::try_get_grad_accumulator(leaf) != nullptr; }

std::unique_lock<std::mutex> try_lock(AccumulateGrad& accumulator) { return {any_node::mutex_of(accumulator), std::try_to_lock}; }

bool is_ordinary_leaf(const at::Tensor& tensor) {
  const auto* const state = impl::get_autograd_meta(tensor);
  return state != nullptr && state->grad_fn_ == nullptr && !state->is_view_ && !state->grad_dtype_ && !state->allow_grad_dtype_mismatch_;
}

accumulator_aside::accumulator_aside(const at::Tensor& leaf, owned_node<Node>& instead)
    : leaf_(leaf), original_(impl::try_get_grad_accumulator(leaf)) {
  impl::set_grad_accumulator(leaf, weak_node(instead));
  instead = impl::grad_accumulator(leaf);
}

accumulator_aside::~accumulator_aside() { impl::set_grad_accumulator(leaf_, std::move(original_)); }

}  // namespace graphed
