// SPDX-License-Identifier: Apache-2.0
#include <graphed/graph.h>

#include "slot/call_node.h"
#include "slot/slot.h"
#include "slot/verify.h"
#include "torch/history.h"
#include "torch/node.h"

#include <utility>

namespace graphed {

void graph::stage(const inputs& inputs) {
  staged_ = &inputs;
  if (!was_captured_now_) {
    slot_->stage(inputs, *details_);
  }
}

void graph::replay() {
  try {
    slot_->replay(was_captured_now_);
  } catch (...) {
    slot_->write_back_partly(*staged_);
    throw;
  }
}

std::shared_ptr<const void> graph::keep_form(const std::shared_ptr<const void>& made) { return slot_->keep_form(made); }

bool graph::wants_gradients() const { return slot_->wants_gradients(); }

tensor_list graph::outputs(const inputs& inputs, std::unique_ptr<function> made) {
  slot& slot = *slot_;
  owned_node<call_node> node;
  std::vector<saved_tensor>* saved = nullptr;
  if (made) {
    node = make_node<call_node>(std::move(made), std::move(slot_), details_);
    saved = &node->saved();
  }
  tensor_list results = slot.outputs(inputs, *details_, node, saved);
  if (node) {
    announce_node(node);
    node->end_forward();
  }
  verify(slot.site(), *details_, inputs, results);
  return results;
}

backward_graph::backward_graph(call_node& node, slot& slot, backward_variant& variant, bool was_captured_now,
                               std::unique_lock<reentrant_mutex> alone, std::shared_ptr<gradients_in_graph> leaves)
    : node_(node),
      slot_(slot),
      variant_(variant),
      was_captured_now_(was_captured_now),
      alone_(std::move(alone)),
      leaves_(std::move(leaves)) {}

backward_graph::~backward_graph() = default;

void backward_graph::stage(const tensor_list& gradients) {
  if (!was_captured_now_) {
    slot_.keep_results(variant_.work->number());
    slot_.backwards().stage(variant_, gradients);
  }
}

void backward_graph::replay() {
  if (!was_captured_now_) {
    variant_.work->replay();
  }
  ++variant_.replays;
  ledger::add(slot_.site().counts->each_call.backward_replays, 1);
}

tensor_list backward_graph::gradients(const tensor_list& incoming) {
  const call_details& details = node_.details();
  backward_table& backwards = slot_.backwards();
  const bool in_parts = node_.goes_back_in_parts(incoming);
  tensor_list results = backwards.gradients(variant_, incoming, details, node_);
  verify_backward(slot_.site(), slot_.callable(), details, incoming, results);
  node_.cut_unreached(incoming, results);
  node_.forbid_double_backward(results);
  backwards.give_to_leaves(variant_, node_, results, leaves_.get(), /*keeps_edges=*/in_parts);
  node_.note_gone_back(incoming);
  return results;
}

}  // namespace graphed
