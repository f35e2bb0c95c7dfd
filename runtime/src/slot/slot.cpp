// SPDX-License-Identifier: Apache-2.0
#include "slot/slot.h"

#include "report/log.h"
#include "report/text.h"
#include "slot/padding.h"
#include "torch/history.h"
#include "watch/recorder.h"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/ScopeExit.h>

#include <algorithm>
#include <utility>

namespace graphed::impl {

slot::slot(std::shared_ptr<const CallableSpec> description, const SampleSpec& sample, backend& backend, std::shared_ptr<pool> pool,
           c10::Device device, std::shared_ptr<ledger> counts)
    : site_(std::move(description), sample, backend, std::move(pool), device, std::move(counts)),
      arguments_(site_),
      host_(site_),
      backwards_({site_, callable_, arguments_}) {}

slot::~slot() { site_.pool->remove(*this); }

void slot::capture(const capture_task& task, std::shared_ptr<recording>& seen) {
  callable_ = impl::capture(site_, arguments_, host_, task, seen);
  site_.pool->add(*this);  // only now: another thread may ask at once when it was captured
  site_.counts->update([](Statistics& stats) { ++stats.captures; });
}

SlotLease slot::lease() {
  if (!occupancy_.try_take()) {
    return {};
  }
  SlotLease taken(shared_from_this());
  if (const auto caller = thread_number(); caller != user_) {
    const auto alone = backwards_.try_lock();
    if (!alone || (end_of_user_ && !*end_of_user_) || shows_results(/*first_capture=*/0)) {
      return {};
    }
    user_ = caller;
  }
  return taken;
}

std::shared_ptr<slot> slot::served(std::shared_ptr<slot> made) {
  slot* const each = made.get();
  return {each, [made = std::move(made)](slot* ended) { ended->end_serving(); }};
}

void slot::end_serving() noexcept {
  is_served_ = false;
  forget_code();
}

void slot::end_forward() {
  occupancy_.end_forward();
  if (!is_served_) {
    forget_code();
  }
}

// The end of a forward that is under way comes here as well.
void slot::forget_code() noexcept {
  while (!occupancy_.is_in_forward()) {
    if (const occupancy::pause between_forwards(occupancy_); between_forwards) {
      form_.reset();
      for (const auto& part : callable_.host_parts) {
        part->forget();
      }
      return;
    }
    std::this_thread::yield();
  }
}

void SlotLease::end_forward() { slot_->end_forward(); }

void SlotLease::end() noexcept {
  if (const auto ended = std::exchange(slot_, nullptr)) {
    ended->occupancy_.let_go();
  }
}

// What was captured after `capture` may be where it has temporaries: results, and what a call that awaits its backward has saved.
bool slot::make_way(uint64_t capture, uint64_t thread) {
  const uint64_t next = capture + 1;
  const bool is_others = user_ != thread;
  const occupancy::pause between_forwards(occupancy_);
  if (!between_forwards || (between_forwards.is_taken() && (is_others || callable_.work->number() > capture))) {
    return false;
  }
  const auto alone = backwards_.try_lock();
  overwrite by_capture(site_.order);
  if (!alone || (is_others && shows_results(next)) || !can_be_overwritten(by_capture)) {
    return false;
  }
  keep_results(by_capture, next, /*but=*/{});
  return true;
}

void slot::leave() noexcept {
  try {
    if (!callable_.work || site_.backend.capture_executes() || inside_capture() || site_.backend.capturing(site_.device)) {
      return;
    }
    keep_results(/*first_capture=*/0);
  } catch (const std::exception& error) {
    warn(message_prefix(site_.spec) + "results of a capture that has ended could not be moved: " + error.what());
  }
}

bool slot::shows_results(uint64_t first_capture) const {
  return ((callable_.results.alive() || arguments_.alive()) && callable_.work->number() >= first_capture) ||
         backwards_.shows_results(first_capture);
}

void slot::keep_results(overwrite& next, uint64_t first_capture, at::TensorList but) {
  moved_storages moved = backwards_.keep(next, first_capture);
  if (callable_.work->number() >= first_capture) {
    moved += callable_.results.keep(next, but);
    moved += arguments_.keep(next);
  }
  site_.note_moved(moved);
}

void slot::prepare_backward(bool required) {
  ++served_;  // the state that it was captured in is gone
  backwards_.prepare(required);
}

// Numbers that host code reads are in memory that graphs of all orders share.
static auto change_within(pool_order& order) {
  return [&order](c10::function_ref<void()> write) { order.change_shared(write); };
}

void slot::stage(const Inputs& inputs, const call_details& details) {
  end_of_user_ = site_.order.has_streams() ? site_.order.end_of_thread() : nullptr;
  callable_.gradients.drop();
  if (!callable_.sources.empty()) {
    callable_.sources.refresh(change_within(site_.order));
  }
  const auto going_round = arguments_.find_going_round(inputs, details, callable_.results);
  std::vector<at::Tensor> given;
  for (const std::size_t i : going_round) {
    given.push_back(inputs.tensors()[i]);
  }
  keep_results(callable_.work->number(), given);
  host_.begin_call();
  host_.stage(*callable_.work);
  arguments_.stage(inputs, details, callable_.work.get(), host_.takes() ? &host_ : nullptr);
  arguments_.stage_write_back(inputs, *callable_.work);
  arguments_.give_places(going_round, inputs, callable_.results);
}

void slot::replay(bool was_the_call) {
  ++served_;
  if (!was_the_call) {
    const auto ends = c10::make_scope_exit([this]() noexcept { host_.end_call(); });
    const auto change = change_within(site_.order);
    const replay_of_sources sources(callable_.sources, change);
    site_.replay(*callable_.work);
  }
  ledger::add(site_.counts->each_call.replays, 1);
}

void slot::end_failed_replay(const Inputs& inputs) {
  if (callable_.work->has_begun()) {
    arguments_.write_back_partly(inputs);
  } else {
    arguments_.take_back_places();
  }
  site_.order.end_use();
  callable_.work->order_side_streams();
}

// The node's edges; and the node is the history of written arguments, between them and what they depend on, before results show them.
static void connect_arguments(const captured_callable& callable, leaf_store& leaves, c10::Device device, const Inputs& inputs,
                              const owned_node<torch::autograd::Node>& node) {
  torch::autograd::edge_list edges = leaves.take_list();
  edges.reserve(callable.targets.size());
  const c10::Stream current = c10::impl::VirtualGuardImpl(device.type()).getStream(device);
  for (std::size_t i = 0; i < callable.targets.size(); ++i) {
    const gradient_target& target = callable.targets[i];
    edges.push_back(target.is_input ? edge_to(inputs.tensors()[target.index])
                                    : leaves.edge_of(i, callable.closed_over.members()[target.index].tensor, current));
  }
  node->set_next_edges(std::move(edges));
  for (const auto& output : callable.outputs) {
    if (output.is_input) {
      renew_history(inputs.tensors()[output.index], node);
    }
  }
}

// A padded call's results, from this one on. True where it copied.
static bool cut_down(const result_set& captured, tensor_list& results, std::size_t first, const call_details& details) {
  bool is_copied = false;
  for (std::size_t i = first; i < results.size(); ++i) {
    if (captured.plans()[i].from == result_plan::source::memory) {
      is_copied |= cut_down(results[i], details.results[i]);
    }
  }
  return is_copied;
}

tensor_list slot::outputs(const Inputs& inputs, const call_details& details, const owned_node<torch::autograd::Node>& node,
                          std::vector<saved_tensor>* saved) {
  const bool is_written_back = arguments_.write_back(inputs);
  for (const auto& member : callable_.closed_over.members()) {
    if (member.written && !member.tensor.is_inference()) {
      member.tensor.unsafeGetTensorImpl()->bump_version();
    }
  }
  if (node) {
    connect_arguments(callable_, backwards_.leaves(), site_.device, inputs, node);
  }
  const OutputPolicy policy = site_.spec.outputs;
  const std::size_t aliased = policy == OutputPolicy::Alias ? callable_.returned : 0;  // gradients are kept all the same
  const std::size_t delivered = host_.delivered();
  tensor_list results(delivered);
  if (delivered < callable_.results.plans().size()) {
    results = callable_.results.hand_out(inputs.tensors(), callable_.outside_of(callable_.results), aliased);
    std::fill_n(results.begin(), delivered, at::Tensor());
  }
  callable_.gradients.install({results.begin() + static_cast<std::ptrdiff_t>(callable_.returned), results.end()});
  results.resize(callable_.returned);
  if (policy == OutputPolicy::Host && delivered == 0) {
    callable_.copy_what_is_the_callers(results);
  }
  const bool is_cut_down = details.is_padded() && cut_down(callable_.results, results, delivered, details);
  if (policy == OutputPolicy::Clone || policy == OutputPolicy::Host || !site_.order.gives_memory()) {
    callable_.results.keep(site_.order);
  } else if (!node && !details.is_padded()) {
    for (std::size_t i = delivered; i < results.size(); ++i) {
      callable_.results.retain(i, results[i]);  // most are let go of before the next call, which then returns the same tensors
    }
  }
  if (is_written_back || is_cut_down) {
    site_.order.end_use();
  }
  callable_.work->order_side_streams();
  if (node) {
    for (const auto& output : callable_.outputs) {
      if (!output.is_input) {
        give_history(results[output.index], node);
      }
    }
    *saved = backwards_.take_room();
    remember_versions(callable_, arguments_, inputs, results, details.is_padded(), *saved);
  }
  return results;
}

std::vector<std::string> explain(slot& slot) {
  std::vector<std::string> lines = slot.backwards().explain();
  const std::size_t parts = slot.callable().work->host_parts();
  const std::string pieces = parts == 0 ? "" : " in " + std::to_string(parts + 1) + " pieces";
  const uint64_t bytes_pinned = slot.site().bytes_pinned();
  const std::string pinned = bytes_pinned == 0 ? "" : ", and pinned memory of the host, " + human_bytes(bytes_pinned);
  lines.insert(lines.begin(),
               "forward" + pieces + "; holds " + human_bytes(slot.site().bytes_held()) + ", its backwards included" + pinned);
  return lines;
}

}  // namespace graphed::impl
