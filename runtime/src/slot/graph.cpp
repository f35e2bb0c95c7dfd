// SPDX-License-Identifier: Apache-2.0
#include <graphed/graph.h>

#include "slot/function_state.h"
#include "slot/slot.h"
#include "torch/node.h"

#include <graphed/function.h>

#include <utility>

namespace graphed {

void slot_lease::end() noexcept {
  if (const auto ended = std::exchange(slot_, nullptr)) {
    ended->release();
  }
}

void graph::stage(const inputs& inputs) {
  staged_ = &inputs;
  slot_->stage(inputs, *details_);
}

void graph::replay() {
  try {
    slot_->replay();
  } catch (...) {
    slot_->write_back_partly(*staged_, *details_);
    throw;
  }
}

std::shared_ptr<const void> graph::keep_form(const std::shared_ptr<const void>& made) { return slot_->keep_form(made); }

bool graph::wants_gradients() const { return slot_->wants_gradients(); }

tensor_list graph::outputs(const inputs& inputs, std::unique_ptr<function> made) {
  slot& slot = *slot_;
  owned_node<function> node;
  if (made) {
    node = own_node(std::move(made));
    node->state_->lease = std::move(slot_);
  }
  tensor_list results = slot.outputs(inputs, details_, node);
  slot.verify(*details_, inputs, results);
  return results;
}

// A capture that was the backward itself is of no use to another one.
backward_graph::~backward_graph() { variant_.recorded_now = false; }

void backward_graph::stage(const tensor_list& gradients) { slot_.stage(variant_, gradients, *node_.state_->details); }

void backward_graph::replay() { slot_.replay(variant_); }

tensor_list backward_graph::gradients(const tensor_list& incoming) {
  tensor_list results = slot_.gradients(variant_, incoming, node_);
  if (variant_.weights) {
    slot_.wait_for_weights(variant_, node_);
  }
  slot_.verify_backward(*node_.state_->details, incoming, results);
  slot_.cut_unreached(node_, incoming, results);
  node_.forbid_double_backward(results);
  if (!variant_.weights) {
    slot_.give_to_leaves(variant_, node_, results, leaves_.get());
  }
  return results;
}

}  // namespace graphed
