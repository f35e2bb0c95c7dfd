// SPDX-License-Identifier: Apache-2.0
#include "torch/parked_accumulators.h"

#include "torch/accumulators.h"
#include "torch/history.h"

#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/variable.h>

#include <mutex>
#include <utility>

namespace graphed {

using torch::autograd::AccumulateGrad;
using torch::autograd::AutogradMeta;
using torch::autograd::Edge;

Edge parked_accumulators::edge_of(std::size_t place, const at::Tensor& tensor, c10::Stream current) {
  if (place >= places_.size()) {
    places_.resize(place + 1);
  }
  places_[place].is_kept = true;
  auto& parked = places_[place].parked;
  AutogradMeta* const meta = torch::autograd::impl::get_autograd_meta(tensor);
  if (parked == nullptr || !is_ordinary_leaf(tensor) || parked->input_metadata(0).stream() != current) {
    return edge_to(tensor);
  }
  {
    const std::lock_guard lock(meta->mutex_);
    if (meta->grad_accumulator_.expired()) {
      meta->grad_accumulator_ = weak_node(parked);
      return {std::move(parked), 0};
    }
  }
  return edge_to(tensor);
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
