// SPDX-License-Identifier: Apache-2.0
#include <graphed/function.h>

#include "report/log.h"
#include "slot/function_state.h"
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

function::function() : state_(std::make_unique<state>()) {}

function::~function() { state_->release(); }

std::string function::name() const { return state_->served_by ? state_->served_by->site().backward_name : torch::autograd::Node::name(); }

void function::state::check_gone_back(const tensor_list& incoming) const {
  TORCH_CHECK(!released && (gone_back & callable().parts_of(incoming)) == 0, torch::autograd::ERR_BACKWARD_TWICE);
  TORCH_CHECK(aside.empty(), message_prefix(served_by->site().spec),
              "an earlier backward through this call has failed, in another part of its graph");
}

void function::state::note_gone_back(const tensor_list& incoming) {
  if (!torch::autograd::get_current_graph_task_keep_graph()) {
    gone_back |= callable().parts_of(incoming);
  }
}

// A later backward through another part finds the edges where they were.
void function::state::cut_unreached(function& node, const tensor_list& incoming, const tensor_list& gradients) {
  auto cut = served_by->backwards().cut_unreached(node, incoming, gradients);
  if (cut.empty() || !goes_back_in_parts(incoming)) {
    return;
  }
  aside = std::move(cut);
  torch::autograd::Engine::get_default_engine().queue_callback([this, &node, owner = owner_of(node)] {
    const auto alone = served_by->backwards().lock();
    for (auto& each : aside) {
      node.next_edges()[each.place] = std::move(each.edge);
    }
    aside.clear();
  });
}

// A backward that brought no gradient here is one that eager's would not have come to.
void function::release_variables() {
  if (state_->is_done()) {
    state_->release();
  }
}

std::optional<backward_graph> function::backward(const tensor_list& gradients) {
  slot& slot = *state_->served_by;
  backward_table& backwards = slot.backwards();
  auto alone = backwards.lock();
  if (are_none(gradients)) {
    return std::nullopt;
  }
  state_->check_gone_back(gradients);
  const call_details& details = *state_->details;
  if (details.verified) {
    details.verified->begin_backward();
  }
  auto leaves = backwards.leaves_in_graph(*this, details, state_->saved, slot.user());
  auto [variant, is_captured_now] = backwards.find(gradients, details, leaves, slot.serves_first_call());
  if (variant != nullptr && !is_captured_now && !slot.may_replay(*variant)) {
    variant = nullptr;
  }
  check_versions(state_->saved, variant);
  if (variant == nullptr) {
    return std::nullopt;
  }
  return std::optional<backward_graph>(std::in_place, *this, slot, *variant, is_captured_now, std::move(alone), std::move(leaves));
}

tensor_list function::plain_backward(const tensor_list& gradients) {
  if (are_none(gradients)) {
    return tensor_list(num_outputs());
  }
  backward_table& backwards = state_->served_by->backwards();
  tensor_list results = backwards.run_plainly(gradients, *state_->details);
  state_->cut_unreached(*this, gradients, results);
  forbid_double_backward(results);
  state_->note_gone_back(gradients);
  return results;
}

void function::forbid_double_backward(tensor_list& gradients) const {
  if (!c10::GradMode::is_enabled()) {
    return;
  }
  auto edges = next_edges();
  const auto node = make_node<torch::autograd::Error>(
      message_prefix(state_->served_by->site().spec) +
          "a graphed callable cannot be differentiated twice: call the plain callable where create_graph is needed",
      std::move(edges));
  for (auto& gradient : gradients) {
    if (!gradient.defined()) {
      continue;
    }
    gradient = gradient.detach();
    give_history(gradient, node);
  }
}

}  // namespace graphed
