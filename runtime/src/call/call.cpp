// SPDX-License-Identifier: Apache-2.0
//
// One call on its way: admitted by the guards, then a replay of a slot, or the original function under the recorder.
#include "call/agreement.h"
#include "call/warm_up.h"
#include "report/range.h"
#include "report/text.h"
#include "report/thread_number.h"
#include "slot/verification.h"

#include <ATen/EmptyTensor.h>
#include <ATen/ops/as_strided.h>
#include <ATen/ops/clone.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <new>
#include <optional>
#include <utility>
#include <vector>

namespace graphed::impl {

/// Captures of a key that end because something of its object was replaced, before a warning says so.
static constexpr uint64_t often_replaced = 3;

namespace {

// What the last call of this thread has left, for its next one: so much memory comes from malloc's slow path.
thread_local void* spare_memory = nullptr;

struct end_of_spare_memory {
  ~end_of_spare_memory() { ::operator delete(std::exchange(spare_memory, nullptr)); }
};

}  // namespace

struct Call::state {
  static void* operator new(std::size_t bytes) {
    void* const spare = std::exchange(spare_memory, nullptr);
    return spare != nullptr ? spare : ::operator new(bytes);
  }
  static void operator delete(void* memory) {
    static thread_local const end_of_spare_memory freed_at_end;
    ::operator delete(std::exchange(spare_memory, memory));
  }

  state(engine_state& engine, const Inputs& inputs, Scalars&& scalars, WatchedObject&& objects)
      : profiled(engine.spec.name), noted(begin_note(engine)), call(engine, inputs, std::move(scalars), std::move(objects)) {}

  /// Under the engine's mutex.
  bool needs_warmup();
  /// Under it, after captures of a step have ended: whether there is one for calls with a `.grad` and another from now on.
  bool has_other_keys();
  void verify_if_due(c10::function_ref<tensor_list(tensor_list&)> body);

  /// For the report: when a call begins that is noted, and its end.
  static std::optional<report_clock::time_point> begin_note(const engine_state& engine);
  void end_note() noexcept;
  /// Where calls of this kind are still to be timed, and this one does what most do.
  void begin_timing(timed_kind kind);
  void end_timing();
  void warn_if_slower();
  /// What the original function did in the place of a capture that has failed.
  void note_failure_alone();
  void note_failure_of_both();
  /// Whether the replay that serves the call comes to its end. Else it is taken back, and the capture is dropped.
  bool replay_ahead();

  const range profiled;
  const std::optional<report_clock::time_point> noted;
  admission call;
  std::vector<captured_slot> dropped;       ///< they end when no lock is held: hooks are called
  std::vector<at::Tensor> leaves_before{};  ///< the same
  bool warms_up = false, learns_form = false, captures_now = false;
  std::optional<warm_up> original_run;
  std::optional<original_in_hand> original_words;
  std::optional<exceptions_again> thrown_again;
  std::optional<ForwardGraph> serving;
  std::optional<std::pair<timed_kind, timing>> timed;
};

// An option of an optimizer that changes on each call makes each call a warm-up, rather than a capture.
bool Call::state::needs_warmup() {
  entry& key = *call.key;
  capture_tries& tries = key.tries;
  if (key.drop_outdated(dropped)) {
    tries.warmups = std::min(tries.warmups, call.warmups_due() - 1);
  }
  if (tries.are_over()) {
    tries.rest_or_begin_again();
  }
  const bool is_first_of_its_form = call.details->is_padded() && key.seen.results.count(call.padded_form()) == 0;
  const bool is_known = !call.engine.spec.step || key.seen.is_known;  // a warm-up that throws shows nothing
  const bool is_steady = key.seen.unsteady.empty() || tries.are_over();
  const shown_host_results& shown = key.seen.host_parts;  // a run of another size shows more
  const bool shows_host_results = !shown.empty() && !shown.show(call.captured_sizes()) && !shown.know(call.padded_sizes());
  // Where the other ranks replay, this one does as well.
  learns_form = is_first_of_its_form && call.engine.past.has_captured_collectives && !key.slots.empty();
  if (tries.warmups >= call.warmups_due() && is_known && is_steady && !shows_host_results && (!is_first_of_its_form || learns_form)) {
    return false;
  }
  ++tries.warmups;
  tries.warmups_due = call.warmups_due();
  return true;
}

bool Call::state::has_other_keys() {
  seen_in_runs& seen = call.key->seen;
  if (seen.changes_of_gradients < changes_of_captures || dropped.empty()) {
    return false;
  }
  seen.changes_of_gradients = 0;
  leaves_before = std::exchange(call.engine.past.leaves_with_gradients, dropped.back().serving->callable().gradients.leaves());
  call.engine.has_keys_by_gradients = true;
  std::move(call.key->slots.begin(), call.key->slots.end(), std::back_inserter(dropped));
  call.key->slots.clear();
  return true;
}

void Call::state::verify_if_due(c10::function_ref<tensor_list(tensor_list&)> body) {
  const uint64_t every = environment::get().verify;
  std::vector<outside_tensor> outside;
  {
    const std::lock_guard lock(call.engine.mutex);
    if (call.key->slots.empty()) {
      return;  // a callable that cannot be captured runs once a call
    }
    const uint64_t number = call.key->service.since_capture++;
    if (number >= every && number % every != 0) {
      return;
    }
    outside = call.key->seen.outside;
  }
  call.own_details().verified = std::make_shared<verification>(call.description(), call.sample(), call.arguments(), *call.details, outside,
                                                               call.device, [this, body](tensor_list& in) { return call.run(body, in); });
}

// Calls that do something else, or more, say nothing about the others.
void Call::state::begin_timing(timed_kind kind) {
  call_times& times = call.key->service.times;
  if (!times.concern(kind) || call.details->is_padded() || call.details->verified) {
    return;
  }
  if (kind == timed_kind::replay) {
    warn_if_slower();
  }
  if (!times.want(kind)) {
    return;
  }
  try {
    timed.emplace(kind, timing(call.implementation->begin_interval(call.device)));
  } catch (const std::exception&) {  // of the device: its next use reports it
  }
}

void Call::state::end_timing() {
  if (!timed) {
    return;
  }
  try {
    timed->second.stop();
    call.key->service.times.add(timed->first, std::move(timed->second));
  } catch (const std::exception&) {
  }
  timed.reset();
}

std::optional<report_clock::time_point> Call::state::begin_note(const engine_state& engine) {
  return is_collecting() && engine.first_calls.wants() ? std::optional(report_clock::now()) : std::nullopt;
}

void Call::state::end_note() noexcept {
  const auto kind = warms_up ? call_kind::warmup : captures_now ? call_kind::capture : serving ? call_kind::replay : call_kind::miss;
  if (!noted || (kind == call_kind::miss && !call.missed)) {
    return;
  }
  const std::chrono::duration<double, std::micro> elapsed = report_clock::now() - *noted;
  try {
    call.engine.first_calls.add({since_begin(*noted), elapsed.count(), thread_number(), kind, call.missed});
  } catch (const std::exception&) {  // there is no memory for it
  }
}

void Call::state::warn_if_slower() {
  call_times& times = call.key->service.times;
  if (times.turn_out_slower() && call.engine.counts->first("slower")) {
    warn(message_prefix(call.engine.spec) + "a replay takes " + human_time(times.known(timed_kind::replay).least) +
         ", a warm-up of the original function " + human_time(times.known(timed_kind::warmup).least) +
         ": the graph is slower than the function, but calls still use it" + see(pages::slower_graphs));
  }
}

void Call::state::note_failure_alone() {
  if (call.failed && !call.failed->last_words.empty()) {
    warn(message_prefix(call.engine.spec) + call.failed->last_words + see(pages::failure));
  }
}

void Call::state::note_failure_of_both() {
  if (call.failed) {
    const std::lock_guard lock(call.engine.mutex);
    call.key->tries.take_back(*call.failed);
  }
}

bool Call::state::replay_ahead() {
  const std::shared_ptr<slot> served_by = serving->served_by();
  try {
    serving->run_ahead(call.given);
    return true;
  } catch (const changed_results& error) {
    serving.reset();
    timed.reset();
    drop_changed(call, *served_by, error.what());
    return false;
  }
}

Call::Call(const Engine& engine, const Inputs& inputs, Scalars scalars, WatchedObject objects)
    : state_(std::make_unique<state>(require_state(engine.state_), inputs, std::move(scalars), std::move(objects))) {}

Call::~Call() {
  if (state_->serving && state_->timed) {
    state_->end_timing();
  }
  if (state_->original_words) {
    state_->note_failure_of_both();
  }
  state_->end_note();
}

ForwardGraph* Call::captured(c10::function_ref<tensor_list(tensor_list&)> body) {
  admission& call = state_->call;
  if (!call.key) {
    return nullptr;
  }
  if (call.reads_gradients()) {
    call.turn_away(Miss::Disabled, words_of_anomaly_mode, pages::failure);
    return nullptr;
  }
  const environment& settings = environment::get();
  std::unique_lock lock(call.engine.mutex);
  if (std::exchange(call.key->is_one_of_many, false)) {
    const auto [value, warning] = call.key->changing;
    lock.unlock();
    turn_away_new_key(call, value, warning);
    return nullptr;
  }
  if (state_->needs_warmup()) {
    state_->warms_up = true;
    lock.unlock();
    state_->dropped.clear();
    agreement(call).object(words_of_warm_up(call));
    if (settings.log >= LogLevel::Calls) {
      log(LogLevel::Calls, call.engine.spec, "warms up");
    }
    return nullptr;
  }
  if (const auto overlap = call.overlap_with_outside()) {
    lock.unlock();
    call.refuse({*overlap});
    return nullptr;
  }
  if (state_->learns_form) {
    lock.unlock();
    learn_padded_form(call, body);
    lock.lock();
  }
  if (settings.verify != 0) {
    lock.unlock();
    state_->verify_if_due(body);
    lock.lock();
  }
  auto slot = call.key->free_slot(call.module_tensors, state_->dropped);
  if (!slot && state_->has_other_keys()) {
    lock.unlock();
    state_->dropped.clear();
    call.key = call.entry_on(call.device);
    return captured(body);
  }
  const bool is_replaced = !state_->dropped.empty() && call.key->seen.replacements == often_replaced;
  const void* const other = is_replaced ? call.key->seen.replaced_by : nullptr;
  lock.unlock();
  state_->dropped.clear();
  if (other != nullptr) {
    warn_of_replaced(call, other);
  }
  const bool is_new = !slot;
  if (is_new) {
    slot = capture(call, body);
  }
  if (!slot) {
    return nullptr;
  }
  const bool was_captured_now = is_new && call.implementation->capture_executes();
  if (!was_captured_now && !slot->may_replay(*slot->callable().work)) {
    slot.end();
    call.turn_away(Miss::Slots, "a call that was captured later into the same pool awaits its backward, or is another thread's",
                   pages::pools);
    return nullptr;
  }
  if (!slot->callable().can_serve(*call.details)) {
    slot.end();
    call.turn_away(Miss::Padding, "its results cannot be cut down to those of a smaller call", pages::padding);
    return nullptr;
  }
  if (!is_new && slot->callable().gives_history_to_view(call.arguments())) {
    slot.end();
    call.refuse({*check_views(call.sample(), call.arguments())});
    return nullptr;
  }
  if (settings.log >= LogLevel::Calls) {
    log(LogLevel::Calls, call.engine.spec, "replays");
  }
  if (!is_new && slot->callable().outputs.empty()) {
    state_->begin_timing(timed_kind::replay);
  }
  const bool may_change = !was_captured_now && slot->callable().may_change_results;
  ForwardGraph& graph = state_->serving.emplace(std::move(slot), call.details, was_captured_now, call.carried ? &*call.carried : nullptr);
  if (may_change && !state_->replay_ahead()) {
    return nullptr;
  }
  ledger::add(call.key->service.replays, 1);
  state_->captures_now = is_new;
  return &graph;
}

namespace {

// With its strides.
at::Tensor clone_of(const at::Tensor& tensor) {
  const std::size_t bytes = at::detail::computeStorageNbytes(tensor.sizes(), tensor.strides(), tensor.element_size());
  const auto elements = static_cast<int64_t>(bytes) / tensor.element_size();
  return tensor.as_strided({elements}, {1}).clone().as_strided(tensor.sizes(), tensor.strides(), 0);
}

// On the host, too, the caller may write the argument again before the backward.
bool may_be_saved(const at::Tensor& argument, const CallableSpec& spec) {
  return c10::GradMode::is_enabled() && !spec.step && !argument.requires_grad() && argument.layout() == at::kStrided;
}

at::Tensor moved_to(c10::Device device, const at::Tensor& argument) {
  return argument.device() == device ? clone_of(argument) : argument.to(device);
}

}  // namespace

// A recording of another callable sees the copy as one of that.
at::Tensor Call::on_device(const at::Tensor& argument) {
  const admission& call = state_->call;
  if (!argument.defined() || (argument.device() == call.device && !may_be_saved(argument, call.engine.spec))) {
    return argument;
  }
  if (!state_->original_run) {
    return moved_to(call.device, argument);
  }
  const unrecorded_scope unseen;
  const at::Tensor moved = moved_to(call.device, argument);
  state_->original_run->add_argument(moved);
  return moved;
}

std::optional<at::Tensor> Call::on_device(const std::optional<at::Tensor>& argument) {
  return argument ? std::optional(on_device(*argument)) : argument;
}

void Call::begin_original() {
  state_->original_words.emplace(state_->call, state_->warms_up);
  if (state_->call.failed) {
    state_->thrown_again.emplace(state_->call.failed->thrown);
  }
  if (state_->warms_up) {
    state_->original_run.emplace(state_->call);
    state_->begin_timing(timed_kind::warmup);
  }
}

void Call::end_original(const tensor_list& results) {
  state_->thrown_again.reset();
  state_->original_words.reset();
  state_->note_failure_alone();
  if (state_->warms_up) {
    state_->end_timing();
    state_->original_run->end(results);
  }
}

}  // namespace graphed::impl
