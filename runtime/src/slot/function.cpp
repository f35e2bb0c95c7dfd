// SPDX-License-Identifier: Apache-2.0
#include <graphed/function.h>

#include "report/log.h"
#include "slot/function_state.h"
#include "slot/verification.h"
#include "torch/node.h"

#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/functions/basic_ops.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <algorithm>

namespace graphed {

static bool are_none(const tensor_list& gradients) {
  return std::none_of(gradients.begin(), gradients.end(), [](const at::Tensor& gradient) { return gradient.defined(); });
}

function::function() : state_(std::make_unique<state>()) {}

function::~function() { state_->release(); }

std::string function::name() const { return state_->served_by ? state_->served_by->backward_name() : torch::autograd::Node::name(); }

void function::release_variables() {
  if (!state_->was_passed_by) {
    state_->release();
  }
}

std::optional<backward_graph> function::backward(const tensor_list& gradients) {
  slot& slot = *state_->served_by;
  auto alone = slot.lock_backward();
  state_->was_passed_by = are_none(gradients);
  if (state_->was_passed_by) {
    return std::nullopt;
  }
  TORCH_CHECK(!state_->released, torch::autograd::ERR_BACKWARD_TWICE);
  TORCH_CHECK(slot.waits_since() == 0, message_prefix(slot.spec()),
              "the delayed gradients of an earlier backward through this call still wait: call backward_weights() first");
  if (state_->details->verified) {
    state_->details->verified->begin_backward();
  }
  auto leaves = slot.leaves_in_graph(*this);
  auto* variant = slot.backward(gradients, *state_->details, leaves);
  slot.check_versions(state_->saved, variant);
  if (variant == nullptr) {
    return std::nullopt;
  }
  return std::optional<backward_graph>(std::in_place, *this, slot, *variant, std::move(alone), std::move(leaves));
}

tensor_list function::plain_backward(const tensor_list& gradients) {
  if (are_none(gradients)) {
    return tensor_list(num_outputs());
  }
  tensor_list results = state_->served_by->plain_backward(gradients, *state_->details);
  state_->served_by->cut_unreached(*this, gradients, results);
  forbid_double_backward(results);
  return results;
}

void function::forbid_double_backward(tensor_list& gradients) const {
  if (!c10::GradMode::is_enabled()) {
    return;
  }
  auto edges = next_edges();
  const auto node = make_node<torch::autograd::Error>(
      message_prefix(state_->served_by->spec()) +
          "a graphed callable cannot be differentiated twice: call the plain callable where create_graph is needed",
      std::move(edges));
  for (auto& gradient : gradients) {
    if (!gradient.defined()) {
      continue;
    }
    gradient = gradient.detach();
    torch::autograd::impl::set_gradient_edge(gradient, {node, node->add_input_metadata(gradient)});
  }
}

}  // namespace graphed
