// SPDX-License-Identifier: Apache-2.0
#include "slot/slot.h"

#include "backend/staging.h"
#include "backward/leaf_gradients.h"
#include "slot/function_state.h"
#include "slot/padding.h"

#include <c10/util/strides.h>

namespace graphed {

static uint64_t stage_gradient(backend& backend, executable* work, std::size_t place, const at::Tensor& to, const at::Tensor& from) {
  if (to.const_data_ptr() == from.const_data_ptr()) {
    return 0;
  }
  if (to.sizes() != from.sizes()) {
    backend.begin_use(to.device());
    return copy_filled(to, from);
  }
  return work != nullptr ? work->copy_in(place, to, from) : copy_value(to, from);
}

void slot::stage(backward_variant& variant, const tensor_list& gradients, const call_details& details) {
  if (variant.recorded_now) {
    return;
  }
  if (details.copied.outputs) {
    keep_results(variant.work->number());
  }
  if (details.copied.inputs || !variant.is_staged) {
    stage_gradients(variant, gradients);
  }
}

void slot::stage_gradients(backward_variant& variant, const tensor_list& gradients) {
  variant.is_staged = true;
  uint64_t bytes = 0;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (gradients[i].defined()) {
      bytes += stage_gradient(backend_, variant.work.get(), i, variant.static_gradients[i], gradients[i]);
    }
  }
  ledger::add(ledger_->each_call.bytes_staged, bytes);
}

void slot::replay(backward_variant& variant) {
  if (!variant.recorded_now) {
    variant.work->replay();
  }
  variant.recorded_now = false;
  ledger::add(ledger_->each_call.backward_replays, 1);
}

tensor_list slot::gradients(backward_variant& variant, const tensor_list& incoming, const function& node) {
  const call_details& details = *node.state_->details;
  tensor_list gradients = own_gradients(handed_out(variant, incoming, details), details);
  if (spec_.outputs == output_policy::clone && details.copied.outputs) {
    variant.results.keep(backend_);
  }
  bool is_cloned = false;
  for (std::size_t i = 0; i < gradients.size() && details.copied.outputs; ++i) {
    if (!gradients[i].defined()) {
      continue;
    }
    const bool is_taken = spec_.outputs != output_policy::clone && leads_to_hooks(node.next_edge(i));
    if (is_taken || (variant.copied_for_leaves[i] && accumulator_at(node.next_edge(i)) != nullptr)) {
      gradients[i] = gradients[i].clone();
      is_cloned = true;
    }
  }
  if (is_cloned) {
    backend_.end_use(device_);
  }
  return gradients;
}

tensor_list slot::handed_out(backward_variant& variant, const tensor_list& incoming, const call_details& details) {
  const auto outside = outside_of(variant.results);
  return details.copied.outputs ? variant.results.hand_out(incoming, outside) : variant.results.alias(incoming, outside);
}

// For the whole result of the capture, of which a padded call's may be a part.
at::Tensor slot::make_static_gradient(const at::Tensor& gradient, std::size_t output, const call_details& details) const {
  if (!details.is_padded()) {
    return static_like(gradient);
  }
  const node_output& target = node_outputs_[output];
  const at::Tensor& whole = target.is_input ? arguments_[target.index] : results_.plans()[target.index].captured;
  return make_static(whole.sizes(), c10::contiguous_strides(whole.sizes()), gradient.scalar_type(), gradient.device());
}

// The parts that belong to a padded call's own arguments.
tensor_list slot::own_gradients(tensor_list gradients, const call_details& details) const {
  for (std::size_t i = 0; i < gradients.size() && details.is_padded(); ++i) {
    if (gradients[i].defined() && targets_[i].is_input) {
      gradients[i] = corner(gradients[i], own_shape(sample_, targets_[i].index, details.sizes));
    }
  }
  return gradients;
}

}  // namespace graphed
