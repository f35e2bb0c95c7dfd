// SPDX-License-Identifier: Apache-2.0
#include <graphed/impl/graph.h>

#include "backend/staging.h"
#include "backend/stream_hook.h"
#include "slot/call_members.h"
#include "slot/call_node.h"
#include "slot/slot.h"
#include "slot/verification.h"
#include "torch/graph_task.h"
#include "torch/history.h"
#include "torch/hooks.h"
#include "torch/node.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace graphed::impl {

void ForwardGraph::stage(const Inputs& inputs) {
  staged_ = members_ != nullptr ? &members_->inputs() : &inputs;
  if (so_far_ == progress::nothing) {
    tell_use(StreamUse::Stage, slot_->site().device);
    slot_->stage(*staged_, *details_);
  }
}

void ForwardGraph::replay() {
  if (so_far_ == progress::replayed) {
    return;
  }
  try {
    slot_->replay(so_far_ == progress::captured);
  } catch (const changed_results&) {
    throw;  // nothing of it is left
  } catch (...) {
    slot_->end_failed_replay(*staged_);
    throw;
  }
}

void ForwardGraph::run_ahead(const Inputs& inputs) {
  stage(inputs);
  replay();
  so_far_ = progress::replayed;
}

std::shared_ptr<const void> ForwardGraph::keep_form(const std::shared_ptr<const void>& made) { return slot_->keep_form(made); }

bool ForwardGraph::wants_gradients() const { return !slot_->callable().outputs.empty(); }

tensor_list ForwardGraph::outputs(const Inputs& /*given*/, FunctionMaker make) {
  tensor_list results = give(wants_gradients() ? make : nullptr);
  if (!coming_) {
    return results;
  }
  coming_->settle();
  return coming_->tensors();
}

HostResults ForwardGraph::results_on_host(const Inputs& /*given*/) {
  tensor_list results = give(nullptr);
  return coming_ ? HostResults(std::move(coming_)) : HostResults(std::move(results));
}

// With those of members given to them. What is delivered to the host comes by itself.
tensor_list ForwardGraph::give(FunctionMaker make) {
  const Inputs& inputs = *staged_;
  slot& slot = *slot_;
  owned_node<call_node> node;
  std::vector<saved_tensor>* saved = nullptr;
  if (make != nullptr) {
    node = make_node<call_node>(make, std::move(slot_), details_);
    saved = &node->saved();
  }
  tensor_list results = slot.outputs(inputs, *details_, node, saved);
  if (node) {
    announce_node(node);
    node->end_forward();
  }
  coming_ = slot.results_on_host(details_);
  if (details_->verified && coming_) {
    coming_->settle();
    std::copy(coming_->tensors().begin(), coming_->tensors().end(), results.begin());
  }
  if (details_->verified) {
    details_->verified->check_forward(slot.site(), inputs, results);
  }
  if (members_ != nullptr) {
    members_->assign(results);
  }
  return results;
}

BackwardGraph::BackwardGraph(call_node& node, slot& slot, backward_variant& variant, bool was_captured_now,
                             std::unique_lock<reentrant_mutex> alone, std::shared_ptr<leaf_gradients> leaves)
    : node_(node),
      slot_(slot),
      variant_(variant),
      was_captured_now_(was_captured_now),
      alone_(std::move(alone)),
      leaves_(std::move(leaves)) {}

BackwardGraph::~BackwardGraph() = default;

void BackwardGraph::stage(const tensor_list& gradients) {
  if (!was_captured_now_) {
    tell_use(StreamUse::Stage, slot_.site().device);
    slot_.keep_results(variant_.work->number());
    stage_gradients(slot_.site(), variant_, gradients, variant_.work.get());
  }
}

void BackwardGraph::replay() {
  if (!was_captured_now_) {
    try {
      slot_.site().replay(*variant_.work);
    } catch (const changed_results& error) {
      taken_back_ = error.what();
      return;
    }
  }
  ++variant_.replays;
  ledger::add(slot_.site().counts->each_call.backward_replays, 1);
}

// The engine lets other streams' nodes read a gradient, and records that with LibTorch's allocator, to which this memory does not belong. A
// node may pass it on as it is, to one of a third stream: when the backward is over, the stream of its caller has waited for all of them.
static void note_readers(const tensor_list& gradients, const torch::autograd::Node& node, c10::Device device) {
  if (device.is_cpu()) {
    return;
  }
  const c10::Stream current = c10::impl::VirtualGuardImpl(device.type()).getStream(device);
  const std::optional<c10::Stream> joined = stream_of_backward(device);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const torch::autograd::Edge& to = node.next_edge(i);
    if (!gradients[i].defined() || !to.is_valid() || to.input_nr >= to.function->num_inputs()) {
      continue;
    }
    if (joined && *joined != current) {
      note_reader(gradients[i], *joined);
    }
    const auto& reader = to.function->input_metadata(to.input_nr);
    if (reader.device() == device && reader.stream() != current) {
      note_reader(gradients[i], reader.stream());
    }
  }
}

// What a replay computed, one for each edge of the node.
static tensor_list computed(const captured_forward& forward, backward_variant& variant, const tensor_list& incoming,
                            const call_details& details, const torch::autograd::Node& node) {
  const auto outside = forward.callable.outside_of(variant.results);
  tensor_list gradients = forward.own_gradients(variant.results.hand_out(incoming, outside), details);
  pool_order& order = forward.site.order;
  const bool are_clones = forward.site.spec.outputs == OutputPolicy::Clone || !order.gives_memory();
  if (are_clones) {
    variant.results.keep(order);
  }
  bool is_cloned = false;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const bool is_taken = gradients[i].defined() && !are_clones && leads_to_hooks(node.next_edge(i));
    if (is_taken || (gradients[i].defined() && variant.copied_for_leaves[i] && is_accumulated(node.next_edge(i)))) {
      gradients[i] = copy_of(gradients[i]);
      is_cloned = true;
    }
  }
  if (is_cloned) {
    order.end_use();
  }
  note_readers(gradients, node, forward.site.device);
  return gradients;
}

tensor_list BackwardGraph::gradients(const tensor_list& incoming) {
  backward_table& backwards = slot_.backwards();
  const call_details& details = node_.details();
  if (!taken_back_.empty()) {
    leaves_.reset();  // the engine gives them their gradients
    backwards.drop(variant_, incoming, details, taken_back_);
    return node_.original_backward(incoming);
  }
  tensor_list results = computed(backwards.forward(), variant_, incoming, details, node_);
  if (details.verified) {
    details.verified->check_backward(slot_.site(), slot_.callable(), incoming, results);
  }
  at::Tensor restores_edges = node_.pass_by(variant_.comes_to.unreached, results);
  node_.forbid_double_backward(results);
  if (leaf_gradients::may_give(node_)) {
    std::optional<leaf_gradients> made;
    leaf_gradients& leaves = leaves_ ? *leaves_ : made.emplace(node_, backwards.leaves());
    if (leaves.give(results, variant_.results, variant_.given, /*keeps_edges=*/node_.goes_back_in_parts())) {
      slot_.site().order.end_use();
    }
  }
  variant_.work->order_side_streams();
  node_.note_gone_back();
  node_.end_passing(std::move(restores_edges), results);
  return results;
}

}  // namespace graphed::impl
