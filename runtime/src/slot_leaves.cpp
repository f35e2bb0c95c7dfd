// SPDX-License-Identifier: Apache-2.0
//
// Gradients of leaves: given within the backward graph, or after it.
#include "function_state.h"
#include "leaf_gradients.h"
#include "slot.h"

#include <algorithm>

namespace graphed {

static bool are_unchanged(const std::vector<saved_tensor>& needed) {
  return std::all_of(needed.begin(), needed.end(),
                     [](const saved_tensor& saved) { return saved.counter.current_version() == saved.version; });
}

// A recording is the call itself: what it adds stays added, so that nothing may stop the backward after it.
std::shared_ptr<gradients_in_graph> slot::leaves_in_graph(function& node) {
  const call_details& details = *node.state_->details;
  const bool is_plain = !details.is_padded() && details.verified == nullptr && details.copied.inputs && details.copied.outputs;
  if (!spec_.grads_in_graph || spec_.delay_weights || !is_plain || !backward_only_accumulates() || !node.post_hooks().empty() ||
      node.num_outputs() != targets_.size() || !are_unchanged(node.state_->saved)) {
    return nullptr;
  }
  const auto make_home = [&](std::size_t edge, const at::Tensor& leaf) {
    auto made = targets_[edge].is_input ? std::make_shared<gradient_home>(leaf, backend_) : gradient_home::of(leaf, backend_);
    bytes_in_pool_ += made.use_count() == 1 ? made->memory().nbytes() : 0;
    return made;
  };
  auto leaves = std::make_shared<gradients_in_graph>(node, homes_, make_home, user_.load(), spec_.outputs != output_policy::clone);
  return leaves->are_any() ? leaves : nullptr;
}

// Gradients that lie where no graph has left them are added to in a graph once they are found there a second time.
bool slot::are_worth_a_graph(const std::string& pattern, const gradients_in_graph& leaves) {
  const bool is_settled = leaves.are_at_home() || pattern == unsettled_;
  unsettled_ = leaves.are_at_home() ? unsettled_ : pattern;
  return is_settled && variants_.size() < patterns_of_a_slot / 2;
}

void slot::give_to_leaves(backward_variant& variant, function& node, tensor_list& gradients, gradients_in_graph* leaves) {
  if (!backward_only_accumulates() || !node.post_hooks().empty()) {
    return;
  }
  if (leaves != nullptr) {
    leaves->finish(variant.given);
  }
  if (graphed::give_to_leaves(node, gradients, parked_, variant.results, variant.given)) {
    backend_.end_use(device_);
  }
}

}  // namespace graphed
