// SPDX-License-Identifier: Apache-2.0
#include "torch/accumulators.h"

#include "torch/private_member.h"

#include <torch/csrc/autograd/variable.h>

#include <typeinfo>
#include <utility>

namespace graphed::impl {

namespace autograd_impl = torch::autograd::impl;
using torch::autograd::AccumulateGrad;
using torch::autograd::Node;

struct stream_of_metadata : member_of<torch::autograd::InputMetadata, c10::Stream> {
  friend pointer pointer_to(stream_of_metadata);
};
template struct opened<stream_of_metadata, &torch::autograd::InputMetadata::stream_>;

namespace {

/// Reaches the lock that an accumulator takes.
struct any_node : Node {
  static std::mutex& mutex_of(Node& node) { return node.*(&any_node::mutex_); }
};

c10::Stream& stream_of(Node& accumulator) { return accumulator.mutable_input_metadata(0).*pointer_to(stream_of_metadata()); }

}  // namespace

AccumulateGrad* accumulator_at(const torch::autograd::Edge& edge) {
  Node* const node = edge.function.get();
  return node != nullptr && typeid(*node) == typeid(AccumulateGrad) ? static_cast<AccumulateGrad*>(node) : nullptr;
}

bool has_accumulator(const at::Tensor& leaf) { return autograd_impl::try_get_grad_accumulator(leaf) != nullptr; }

std::unique_lock<std::mutex> try_lock(AccumulateGrad& accumulator) { return {any_node::mutex_of(accumulator), std::try_to_lock}; }

bool is_ordinary_leaf(const at::Tensor& tensor) {
  const auto* const state = autograd_impl::get_autograd_meta(tensor);
  return state != nullptr && state->grad_fn_ == nullptr && !state->is_view_ && !state->grad_dtype_ && !state->allow_grad_dtype_mismatch_;
}

bool attach(const owned_node<Node>& accumulator, const at::Tensor& leaf) {
  auto* const state = autograd_impl::get_autograd_meta(leaf);
  const std::lock_guard lock(state->mutex_);
  const bool has_none = state->grad_accumulator_.expired();
  if (has_none) {
    state->grad_accumulator_ = weak_node(accumulator);
  }
  return has_none;
}

bool detach(const owned_node<Node>& accumulator) {
  auto* const state = autograd_impl::get_autograd_meta(static_cast<AccumulateGrad&>(*accumulator).variable);
  const std::lock_guard lock(state->mutex_);  // with it, nothing gets it from the leaf
  const bool is_sole = refers_to(state->grad_accumulator_, accumulator) && accumulator.use_count() == 1;
  if (is_sole) {
    state->grad_accumulator_.reset();
  }
  return is_sole;
}

accumulator_aside::accumulator_aside(const at::Tensor& leaf, owned_node<Node>& instead)
    : leaf_(leaf), original_(autograd_impl::try_get_grad_accumulator(leaf)) {
  autograd_impl::set_grad_accumulator(leaf, weak_node(instead));
  instead = autograd_impl::grad_accumulator(leaf);
}

accumulator_aside::~accumulator_aside() { autograd_impl::set_grad_accumulator(leaf_, std::move(original_)); }

accumulators_on_stream::~accumulators_on_stream() {
  for (const auto& [accumulator, own] : moved_) {
    stream_of(*accumulator) = own;
  }
}

void accumulators_on_stream::move_next(const Node& node) {
  const std::lock_guard lock(mutex_);
  for (const auto& edge : node.next_edges()) {
    if (accumulator_at(edge) == nullptr) {
      continue;
    }
    c10::Stream& stream = stream_of(*edge.function);
    if (stream.device() == stream_.device() && stream != stream_) {
      moved_.emplace_back(edge.function, stream);
      stream = stream_;
    }
  }
}

}  // namespace graphed::impl
