// SPDX-License-Identifier: Apache-2.0
#include "slot/call_node.h"

#include "report/log.h"
#include "slot/verification.h"
#include "torch/history.h"
#include "torch/node.h"

#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/functions/basic_ops.h>
#include <torch/csrc/autograd/graph_task.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <algorithm>

namespace graphed {

static bool are_none(const tensor_list& gradients) {
  return std::none_of(gradients.begin(), gradients.end(), [](const at::Tensor& gradient) { return gradient.defined(); });
}

function::~function() = default;

std::optional<backward_graph> function::backward(const tensor_list& gradients) { return node_->backward(gradients); }

tensor_list function::plain_backward(const tensor_list& gradients) { return node_->plain_backward(gradients); }

call_node::call_node(std::unique_ptr<function> code, slot_lease&& lease, std::shared_ptr<const call_details> details)
    : code_(std::move(code)), served_by_(lease.leased()), lease_(std::move(lease)), details_(std::move(details)) {
  code_->node_ = this;
}

// A backward that brought no gradient here is one that eager's would not have come to.
void call_node::release_variables() {
  if (gone_back_ == callable().parts) {
    release();
  }
}

void call_node::release() {
  if (!released_.exchange(true)) {
    served_by_->backwards().give_back(std::move(saved_));
    lease_.end();
  }
}

std::optional<backward_graph> call_node::backward(const tensor_list& gradients) {
  slot& slot = *served_by_;
  backward_table& backwards = slot.backwards();
  auto alone = backwards.lock();
  if (are_none(gradients)) {
    return std::nullopt;
  }
  check_gone_back(gradients);
  if (details_->verified) {
    details_->verified->begin_backward();
  }
  auto leaves = backwards.leaves_in_graph(*this, *details_, saved_, slot.user());
  auto [variant, is_captured_now] = backwards.find(gradients, *details_, leaves, slot.serves_first_call());
  if (variant != nullptr && !is_captured_now && !slot.may_replay(*variant)) {
    variant = nullptr;
  }
  check_versions(saved_, variant);
  if (variant == nullptr) {
    return std::nullopt;
  }
  return std::optional<backward_graph>(std::in_place, *this, slot, *variant, is_captured_now, std::move(alone), std::move(leaves));
}

tensor_list call_node::plain_backward(const tensor_list& gradients) {
  if (are_none(gradients)) {
    return tensor_list(num_outputs());
  }
  backward_table& backwards = served_by_->backwards();
  tensor_list results = backwards.run_plainly(gradients, *details_);
  cut_unreached(gradients, results);
  forbid_double_backward(results);
  note_gone_back(gradients);
  return results;
}

void call_node::check_gone_back(const tensor_list& incoming) const {
  TORCH_CHECK(!released_ && (gone_back_ & callable().parts_of(incoming)) == 0, torch::autograd::ERR_BACKWARD_TWICE);
  TORCH_CHECK(aside_.empty(), message_prefix(served_by_->site().spec),
              "an earlier backward through this call has failed, in another part of its graph");
}

void call_node::note_gone_back(const tensor_list& incoming) {
  if (!torch::autograd::get_current_graph_task_keep_graph()) {
    gone_back_ |= callable().parts_of(incoming);
  }
}

// A later backward through another part finds the edges where they were.
void call_node::cut_unreached(const tensor_list& incoming, const tensor_list& gradients) {
  auto cut = served_by_->backwards().cut_unreached(*this, incoming, gradients);
  if (cut.empty() || !goes_back_in_parts(incoming)) {
    return;
  }
  aside_ = std::move(cut);
  torch::autograd::Engine::get_default_engine().queue_callback([this, owner = owner_of(*this)] {
    const auto alone = served_by_->backwards().lock();
    for (auto& each : aside_) {
      next_edges()[each.place] = std::move(each.edge);
    }
    aside_.clear();
  });
}

void call_node::forbid_double_backward(tensor_list& gradients) const {
  if (!c10::GradMode::is_enabled() || are_none(gradients)) {
    return;
  }
  auto edges = next_edges();
  const auto node = make_node<torch::autograd::Error>(
      message_prefix(served_by_->site().spec) +
          "a graphed callable cannot be differentiated twice: call the plain callable where create_graph is needed",
      std::move(edges));
  for (auto& gradient : gradients) {
    if (gradient.defined()) {
      gradient = gradient.detach();
      give_history(gradient, node);
    }
  }
  announce_node(node);
}

}  // namespace graphed
