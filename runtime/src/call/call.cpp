// SPDX-License-Identifier: Apache-2.0
#include "call/call_state.h"
#include "report/log.h"
#include "report/pages.h"
#include "report/units.h"
#include "slot/verification.h"

#include <ATen/autocast_mode.h>

#include <algorithm>
#include <iterator>

namespace graphed::impl {

bool Call::state::guesses_device() const {
  const auto& tensors = arguments.tensors();
  return std::none_of(tensors.begin(), tensors.end(), [](const at::Tensor& each) { return each.defined(); }) && !engine.module.device() &&
         !(members && accelerator_of(*members));
}

// What a step closes over must be known before its capture, since it may replace `.grad`; so must a callable's device.
int Call::state::warmups_due() const { return engine.spec.warmup == 0 && (engine.spec.step || guesses_device()) ? 1 : engine.spec.warmup; }

void Call::state::hand_over_gradients() {
  if (!engine.spec.step) {
    return;
  }
  for (const auto& outside : seen->held_outside()) {
    if (outside.tensor.is_leaf() && outside.tensor.grad().defined()) {
      stream->hand_over(outside.tensor.grad());
    }
  }
}

// An option of an optimizer that changes on each call makes each call a warm-up, rather than a capture.
void Call::state::drop_outdated() {
  auto& slots = captures->slots;
  const auto outdated = [](const captured_slot& each) { return !each.serving->callable().sources.unchanged(); };
  const auto first = std::find_if(slots.begin(), slots.end(), outdated);
  if (first == slots.end()) {
    return;
  }
  first->serving->callable().sources.outdated();
  const auto kept = std::stable_partition(first, slots.end(), [&](const captured_slot& each) { return !outdated(each); });
  std::move(kept, slots.end(), std::back_inserter(dropped));
  slots.erase(kept, slots.end());
  captures->warmups = std::min(captures->warmups, warmups_due() - 1);
}

bool Call::state::needs_warmup() {
  drop_outdated();
  const bool is_first_of_its_size = details->is_padded() && captures->results.count(details->sizes) == 0;
  const bool is_known = !engine.spec.step || !captures->seen_outside.empty();  // a warm-up that throws tells nothing
  const bool is_steady = captures->unsteady.empty() || captures->failures >= attempts_of_a_key;
  if (captures->warmups >= warmups_due() && is_known && is_steady && !is_first_of_its_size) {
    return false;
  }
  ++captures->warmups;
  captures->warmups_due = warmups_due();
  return true;
}

// A callable without tensors among its arguments tells its device in its first warm-up, which counts for the key of that device.
void Call::state::learn_device(const tensor_list& results) {
  std::optional<c10::Device> found;
  if (!results.empty() && results.front().defined()) {
    found = results.front().device();
  }
  std::unique_lock lock(engine.mutex);
  if (!found && !captures->seen_outside.empty()) {
    found = captures->seen_outside.front().tensor.device();
  }
  if (!found) {
    return;
  }
  engine.result_device = *found;
  lock.unlock();
  if (!guesses_device() || *found == device) {
    return;
  }
  const auto right = entry_on(*found);
  lock.lock();
  ++right->warmups;
  right->seen_outside = captures->seen_outside;
  right->goes_back = captures->goes_back.load();
}

SlotLease Call::state::free_slot() {
  auto& slots = captures->slots;
  for (auto candidate = slots.begin(); candidate != slots.end();) {
    if (candidate->serving->backwards().is_tied_to_a_call()) {
      captures->failures = attempts_of_a_key;
      captures->refusal = "its backward sets the random state back";
    }
    auto lease = candidate->serving->lease();
    if (!lease) {
      ++candidate;
    } else if (lease->callable().is_valid() && !lease->backwards().is_tied_to_a_call() && candidate->module_tensors == module_tensors) {
      return lease;
    } else {
      dropped.push_back(std::move(*candidate));
      candidate = slots.erase(candidate);
    }
  }
  return {};
}

void Call::state::verify_if_due(c10::function_ref<tensor_list(tensor_list&)> body) {
  const uint64_t every = environment::get().verify;
  std::vector<outside_tensor> outside;
  {
    const std::lock_guard lock(engine.mutex);
    if (captures->slots.empty()) {
      return;  // a callable that cannot be captured runs once a call
    }
    const uint64_t number = captures->served++;
    if (number >= every && number % every != 0) {
      return;
    }
    outside = captures->seen_outside;
  }
  own_details().verified = std::make_shared<verification>(engine.spec, sample(), arguments, *details, outside, device, body);
}

void Call::state::remember_members() {
  if (members) {
    remembered.emplace(*members);
  }
}

void Call::state::note_assigned_members() {
  if (!remembered) {
    return;
  }
  engine.object.visit(members.emplace());
  const std::lock_guard lock(engine.mutex);
  engine.assigned = remembered->compared_with(*members, engine.assigned);
  remembered.reset();
}

void Call::state::warn_of_assigned_members() {
  std::unique_lock lock(engine.mutex);
  const assigned_members assigned = engine.assigned;
  lock.unlock();
  for (std::size_t i = 0; i < assigned.size(); ++i) {
    const std::string name = engine.object.names()[i];
    if (assigned[i] == assignment::changed && engine.counts->first("assigned member " + name)) {
      warn(message_prefix(engine.spec) + "it changes the member '" + name + "' of its object, which replays leave as it is" +
           see(pages::modes));
    }
  }
}

// Calls that do something else, or more, say nothing about the others.
void Call::state::begin_timing(timed_kind kind) {
  call_times& times = captures->times;
  if (times.have_ended() || details->is_padded() || details->verified) {
    return;
  }
  if (kind == timed_kind::replay) {
    warn_if_slower();
  }
  if (!times.want(kind)) {
    return;
  }
  try {
    timed.emplace(kind, timing(implementation->begin_interval(device)));
  } catch (const std::exception&) {  // of the device: whoever uses it next is told
  }
}

void Call::state::end_timing() {
  if (!timed) {
    return;
  }
  try {
    timed->second.stop();
    captures->times.add(timed->first, std::move(timed->second));
  } catch (const std::exception&) {
  }
  timed.reset();
}

void Call::state::warn_if_slower() {
  if (captures->times.turn_out_slower() && engine.counts->first("slower")) {
    warn(message_prefix(engine.spec) + "a replay takes " + human_time(captures->times.known(timed_kind::replay).least) +
         ", a warm-up of the plain callable " + human_time(captures->times.known(timed_kind::warmup).least) +
         ": the graph is slower, and serves its calls all the same" + see(pages::slower_graphs));
  }
}

Call::Call(Engine& engine, const Inputs& inputs, Scalars scalars)
    : state_(std::make_unique<state>(*engine.state_, inputs, std::move(scalars))) {}

Call::~Call() {
  if (state_->serving && state_->timed) {
    state_->end_timing();
  }
}

ForwardGraph* Call::captured(c10::function_ref<tensor_list(tensor_list&)> body) {
  if (!state_->captures) {
    return nullptr;
  }
  std::unique_lock lock(state_->engine.mutex);
  if (state_->needs_warmup()) {
    state_->warmup = true;
    lock.unlock();
    state_->dropped.clear();
    if (is_logged(LogLevel::Calls)) {
      log(LogLevel::Calls, state_->engine.spec, "warms up");
    }
    return nullptr;
  }
  if (const auto overlap = state_->overlap_with_outside()) {
    lock.unlock();
    state_->refuse({*overlap});
    return nullptr;
  }
  if (environment::get().verify != 0) {
    lock.unlock();
    state_->verify_if_due(body);
    lock.lock();
  }
  auto slot = state_->free_slot();
  lock.unlock();
  state_->dropped.clear();
  const bool is_new = !slot;
  if (is_new) {
    slot = state_->capture(body);
  }
  if (!slot) {
    return nullptr;
  }
  const bool was_captured_now = is_new && state_->implementation->capture_executes();
  if (!was_captured_now && !slot->may_replay(*slot->callable().work)) {
    slot.end();
    state_->turn_away(Miss::Slots, "a call that was captured later into the same pool awaits its backward, or is another thread's",
                      pages::pools);
    return nullptr;
  }
  if (!slot->callable().can_serve(*state_->details)) {
    slot.end();
    state_->turn_away(Miss::Padding, "its results cannot be cut down to those of a smaller call", pages::padding);
    return nullptr;
  }
  if (is_logged(LogLevel::Calls)) {
    log(LogLevel::Calls, state_->engine.spec, "replays");
  }
  if (!is_new && slot->callable().outputs.empty()) {
    state_->begin_timing(timed_kind::replay);
  }
  ledger::add(state_->captures->replays, 1);
  return &state_->serving.emplace(std::move(slot), state_->details, was_captured_now);
}

void Call::begin_plain() {
  if (!state_->warmup) {
    return;
  }
  state_->engine.counts->update([](Statistics& stats) { ++stats.warmups; });
  state_->remember_members();
  at::autocast::clear_cache();  // a cast that is there already would hide the weight that it is made of
  state_->stream = state_->implementation->enter_side_stream(state_->device);
  state_->seen = std::make_unique<recording>(recording::purpose::warmup, /*host_tensors_allowed=*/true);
  recording& seen = *state_->seen;
  if (!state_->device.is_cpu()) {  // there, the capture itself notices
    seen.watch_random_numbers(state_->device);
  }
  for (const auto& tensor : state_->arguments.tensors()) {
    if (tensor.defined()) {
      seen.tensors()->add_input(tensor, "", /*writable=*/true);
    }
  }
  state_->watching.emplace(seen);
  state_->begin_timing(timed_kind::warmup);
}

void Call::end_plain(const tensor_list& results) {
  if (!state_->warmup) {
    return;
  }
  state_->end_timing();
  state_->watching.reset();
  state_->note_assigned_members();
  {
    const std::lock_guard lock(state_->engine.mutex);
    auto& captures = *state_->captures;
    state_->note_warmup(*state_->seen);
    if (state_->details->is_padded()) {
      captures.results[state_->details->sizes] = layouts_of(results);
    }
  }
  state_->refuse_unstable();
  state_->hand_over_gradients();
  state_->learn_device(results);
  for (const auto& result : results) {
    if (result.defined()) {
      state_->stream->hand_over(result);
    }
  }
  state_->stream.reset();
}

}  // namespace graphed::impl
