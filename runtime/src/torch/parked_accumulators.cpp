// SPDX-License-Identifier: Apache-2.0
#include "torch/parked_accumulators.h"

#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <mutex>
#include <utility>

namespace graphed {

using torch::autograd::AccumulateGrad;
using torch::autograd::AutogradMeta;
using torch::autograd::Edge;

namespace {

bool is_plain_leaf(const AutogradMeta& meta) {
  return meta.grad_fn_ == nullptr && !meta.is_view_ && !meta.grad_dtype_ && !meta.allow_grad_dtype_mismatch_;
}

}  // namespace

Edge parked_accumulators::edge_of(std::size_t place, const at::Tensor& tensor, c10::Stream current) {
  if (place >= places_.size()) {
    places_.resize(place + 1);
  }
  places_[place].is_kept = true;
  auto& parked = places_[place].parked;
  AutogradMeta* const meta = torch::autograd::impl::get_autograd_meta(tensor);
  if (parked == nullptr || meta == nullptr || !is_plain_leaf(*meta) || parked->input_metadata(0).stream() != current) {
    return torch::autograd::impl::gradient_edge(tensor);
  }
  {
    const std::lock_guard lock(meta->mutex_);
    if (meta->grad_accumulator_.expired()) {
      meta->grad_accumulator_ = weak_node(parked);
      return {std::move(parked), 0};
    }
  }
  return torch::autograd::impl::gradient_edge(tensor);
}

void parked_accumulators::park(std::size_t place, Edge&& edge) {
  Edge given = std::move(edge);
  if (place >= places_.size() || !places_[place].is_kept) {
    return;
  }
  AutogradMeta* const meta = torch::autograd::impl::get_autograd_meta(static_cast<AccumulateGrad&>(*given.function).variable);
  const std::lock_guard lock(meta->mutex_);  // with it, nobody gets it from the leaf
  auto& registered = meta->grad_accumulator_;
  const bool is_registered = refers_to(registered, given.function);
  if (is_registered && given.function.use_count() == 1) {
    registered.reset();
    places_[place].parked = std::move(given.function);
  }
}

}  // namespace graphed
