// SPDX-License-Identifier: Apache-2.0
#include "backend/capture_lock.h"
#include "call/agreement.h"
#include "call/replay_warnings.h"
#include "report/text.h"
#include "watch/recorder.h"

#include <graphed/error.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

namespace graphed::impl {
namespace {

/// Captures of a callable, for each of its samples and slots, before no more are made: so many keys, or replacements of what it closes
/// over. One more for so many replays.
constexpr uint64_t captures_of_a_slot = 64;
constexpr uint64_t replays_of_a_capture = 32;

std::string no_more_tries(const capture_tries& tries) { return tries.words_of_rest("calls of their key"); }

/// The capture of a callable.
class capture_in_hand final : public run_in_hand {
 public:
  explicit capture_in_hand(std::shared_ptr<const made_callable> whose) : whose_(std::move(whose)) {}
  std::string words() const override { return "the capture of '" + whose_->name + "'"; }
  std::shared_ptr<const made_callable> callable() const override { return whose_; }

 private:
  const std::shared_ptr<const made_callable> whose_;
};

class capture_attempt {
 public:
  /// Keeps references.
  capture_attempt(admission& call, c10::function_ref<tensor_list(tensor_list&)> body)
      : call_(call), engine_(call.engine), key_(*call.key), body_(body) {}

  SlotLease run();

 private:
  bool is_ahead() const { return call_.purpose == call_purpose::prepare; }
  bool is_allowed();
  // Under the engine's mutex.
  bool is_full() const { return key_.slots.size() >= static_cast<std::size_t>(engine_.spec.slots); }
  uint64_t limit() const;
  std::shared_ptr<slot> make();
  void check_stable(const unseen_tensors& unseen);
  SlotLease fail(const std::string& what, next_try next = next_try::next_call);
  void agree(const recording& seen);
  std::string tell_others(const std::string& what);
  void name_parameters() const;

  admission& call_;
  engine_state& engine_;
  entry& key_;
  const c10::function_ref<tensor_list(tensor_list&)> body_;
  std::shared_ptr<recording> watched_;
  agreement agreement_{call_};
};

}  // namespace

// A capture that misses a tensor which the last warm-up used, and uses one that it did not, would freeze a tensor that changes from call to
// call. A step can be given gradients as it is given arguments.
void capture_attempt::check_stable(const unseen_tensors& unseen) {
  const auto used = watched_->held_outside();
  const auto is_used = [&](const outside_tensor& expected) {
    return std::any_of(used.begin(), used.end(), [&](const outside_tensor& outside) { return outside.tensor.is_same(expected.tensor); });
  };
  const auto is_unseen = [&](const at::Tensor& gradient) {
    return std::any_of(unseen.tensors.begin(), unseen.tensors.end(), [&](const at::Tensor& each) { return each.is_same(gradient); });
  };
  std::vector<outside_tensor> dropped;  // they end when no lock is held
  const std::lock_guard lock(engine_.mutex);
  auto& expected = key_.seen.outside;
  const auto missing = std::stable_partition(expected.begin(), expected.end(), is_used);
  if (missing == expected.end()) {
    return;
  }
  std::vector<at::Tensor> leaves;
  for (const auto& outside : used) {
    if (engine_.spec.step && outside.leaf.defined() && outside.leaf.grad().is_same(outside.tensor) && is_unseen(outside.tensor)) {
      leaves.push_back(outside.leaf);
    }
  }
  const auto has_copy = [](const at::Tensor& leaf) { return can_be_copied(leaf.grad()); };
  if (!std::all_of(leaves.begin(), leaves.end(), has_copy) || call_.overlap_of_gradients(leaves, used)) {
    throw CaptureError(not_its_own_text(leaves.front().sizes()));
  }
  if (leaves.empty() || !std::all_of(missing, expected.end(), [](const outside_tensor& each) { return each.leaf.defined(); })) {
    throw CaptureError("it uses a tensor of shape " + text(unseen.tensors.front().sizes()) +
                       " from outside that is a different one on each call: pass it as an argument");
  }
  auto& replaced = key_.seen.leaves_of_replaced_gradients;
  replaced.insert(replaced.end(), leaves.begin(), leaves.end());
  dropped.assign(std::make_move_iterator(missing), std::make_move_iterator(expected.end()));
  expected.erase(missing, expected.end());
}

// A capture that has failed before its end.
std::string capture_attempt::tell_others(const std::string& what) {
  const std::string theirs = agreement_.is_due() ? agreement_.keep(what) : "";
  return theirs.empty() ? what : what + "; " + theirs;
}

SlotLease capture_attempt::fail(const std::string& what, next_try next) {
  call_.members.look_again();
  call_.members.put_back();
  call_.members.forget();
  engine_.counts->update([](Statistics& stats) { ++stats.failed_captures; });
  call_.implementation->check_usable(call_.device, message_prefix(engine_.spec));
  const std::string message = tell_others("the capture failed" + (watched_ == nullptr ? "" : watched_->place()) + ": " + what);
  engine_.counts->note_failure(message);
  failed_try& failed = call_.failed.emplace();
  if (watched_ != nullptr) {
    failed.thrown = watched_->host_parts().thrown();
  }
  {
    const std::lock_guard lock(engine_.mutex);
    // A capture on a CPU has run the host parts, and the original function runs them again.
    const bool is_costly = call_.implementation->capture_executes() && !key_.seen.host_parts.empty();
    failed.failures_before = key_.tries.failures;
    if (key_.tries.note_failure(message, is_costly && next == next_try::next_call ? next_try::none : next)) {
      failed.last_words = no_more_tries(key_.tries);
    }
  }
  if (is_ahead()) {
    throw CaptureError(message_prefix(engine_.spec) + message + see(pages::failure));
  }
  call_.count_miss(Miss::CaptureFailed);
  engine_.object_to<CaptureError>(message, engine_.counts->first_message(message),
                                  next == next_try::after_pause ? "the original function runs instead, and later calls try again"
                                                                : "the original function runs instead",
                                  pages::failure);
  return {};
}

// Replays earn captures: a server that is given other weights from time to time stays graphed.
uint64_t capture_attempt::limit() const {
  const uint64_t replays = engine_.counts->each_call.replays, made = engine_.past.captures_made;
  return captures_of_a_slot * static_cast<uint64_t>(engine_.spec.slots) * (engine_.spec.samples.size() + engine_.past.sized.count()) +
         (replays > made ? (replays - made) / replays_of_a_capture : 0);
}

bool capture_attempt::is_allowed() {
  std::unique_lock lock(engine_.mutex);
  // A capture has failed for a reason that may pass, not long ago.
  const bool pauses = !is_ahead() && !is_strict(engine_.spec) && key_.tries.pauses();
  const bool has_failed = key_.tries.are_over();
  const std::string last_words = no_more_tries(key_.tries);
  const bool is_full = this->is_full();
  const uint64_t limit = this->limit();
  const bool is_at_limit = engine_.past.captures_made >= limit;
  lock.unlock();
  if (pauses || has_failed) {
    call_.count_miss(Miss::CaptureFailed);
    agreement_.object("it has failed before");
    if (is_strict(engine_.spec)) {
      throw CaptureError(message_prefix(engine_.spec) + last_words + see(pages::failure));
    }
  } else if (is_full) {
    call_.turn_away(Miss::Slots,
                    "every slot (" + std::to_string(engine_.spec.slots) +
                        ") is in use, by a call that runs or awaits its backward: `slots = n` gives more",
                    pages::calls_in_flight);
  } else if (is_at_limit) {
    call_.turn_away(Miss::CaptureLimit,
                    "captured " + std::to_string(limit) +
                        " times, and no more: its modes, the values of its `key` scalars, the objects among its arguments or the "
                        "tensors that it closes over keep changing",
                    pages::failure);
  }
  return !pauses && !has_failed && !is_full && !is_at_limit;
}

// Again, as long as a try shows something that the next one can do in another way.
std::shared_ptr<slot> capture_attempt::make() {
  auto known = call_.known_tensors();
  std::unique_lock lock(engine_.mutex);
  const bool has_choices = key_.seen.has_choices;
  const std::vector<host_results> host_parts = key_.seen.host_parts.of(call_.captured_sizes());  // warm-ups of other threads add some
  const bool has_host_parts = !key_.seen.host_parts.empty();
  const body_paths bodies_run = key_.seen.bodies_run;
  lock.unlock();
  bool branches_allowed = key_.branches_allowed && !has_choices, knows_more = false;
  const bool has_warmups = engine_.spec.warmup > 0 || is_ahead();  // else it is unknown whether autograd runs a backward
  captured_on tensors = engine_.spec.step || key_.seen.goes_back || !has_warmups ? captured_on::originals : captured_on::stand_ins;
  // Other graphs may replay while a host part runs.
  input_memory inputs = has_host_parts ? input_memory::own : input_memory::shared;
  placeholders given = first_placeholders;
  std::optional<rehearsal> shown;
  const auto run = [this](tensor_list& in) { return call_.run(body_, in); };
  while (true) {
    lock.lock();
    const bool gradients_in_place = !key_.seen.gradients_move;
    lock.unlock();
    try {
      auto memory = engine_.memory ? engine_.memory : named_pool(engine_.spec.pool, *call_.implementation, call_.device);
      auto made = std::make_shared<slot>(call_.description(), call_.sample(), *call_.implementation, std::move(memory), call_.device,
                                         engine_.counts);
      if (!branches_allowed) {
        made->site().forbid_branches();
      }
      const std::size_t members = call_.carried ? call_.carried->tensors().size() : 0;
      made->capture(
          {call_.arguments(), *call_.details, known, key_.seen.leaves_of_replaced_gradients, members, gradients_in_place, inputs, tensors,
           given, shown ? &*shown : nullptr, host_parts, bodies_run, run, [this](const recording& seen) { agree(seen); }},
          watched_);
      return made;
    } catch (const impl::needs_originals&) {
      if (std::exchange(tensors, captured_on::originals) == captured_on::originals) {
        throw;
      }
      key_.seen.goes_back = true;
    } catch (rehearsed& seen) {
      given = seen.shown.next();
      shown = std::move(seen.shown);
    } catch (const c10::OutOfMemoryError&) {
      key_.branches_allowed = false;  // the next call's capture takes less
      throw;
    } catch (const unordered_work&) {
      key_.branches_allowed = false;
      if (!std::exchange(branches_allowed, false)) {
        throw;
      }
    } catch (const unseen_tensors& unseen) {
      if (std::exchange(knows_more, true)) {
        throw;
      }
      check_stable(unseen);
      known = call_.known_tensors();
      std::copy_if(unseen.tensors.begin(), unseen.tensors.end(), std::back_inserter(known), [&](const at::Tensor& each) {
        const auto& leaves = key_.seen.leaves_of_replaced_gradients;
        return std::none_of(leaves.begin(), leaves.end(), [&](const at::Tensor& leaf) { return leaf.grad().is_same(each); });
      });
    } catch (const kept_inputs&) {
      if (std::exchange(inputs, input_memory::own) == input_memory::own) {
        throw;
      }
      knows_more = false;
    } catch (const std::exception& error) {
      const bool refuses_large =
          given == placeholders::large && std::string_view(error.what()).find("without overflow") != std::string_view::npos;
      if (!refuses_large) {
        throw;
      }
      given = placeholders::negative;
    }
  }
}

// A capture that has run to its end is kept where those of all ranks have.
void capture_attempt::agree(const recording& seen) {
  {
    const std::lock_guard lock(engine_.mutex);
    key_.seen.check_truth_values(seen);
    key_.seen.check_bodies(seen, engine_.spec.step);
  }
  note_groups(call_, seen);
  agreement_.check_known(seen);
  if (!agreement_) {
    return;
  }
  if (const std::string objection = agreement_.keep({}); !objection.empty()) {
    throw CaptureError("it is not kept, as another rank has none: " + objection);
  }
}

// Of this capture's modules, and of those before it. Under the engine's mutex.
void capture_attempt::name_parameters() const {
  if (is_collecting()) {
    const auto add = [&](const at::Tensor& tensor, const std::string& name, const std::string& module) {
      engine_.past.parameters.add(tensor, name, module);
    };
    engine_.module.for_each_named("", add);
    call_.members.for_each_named(add);
  }
}

SlotLease capture_attempt::run() {
  if (is_ahead() && call_.reads_gradients()) {  // another call has been turned away
    throw CaptureError(message_prefix(engine_.spec) + words_of_anomaly_mode + see(pages::failure));
  }
  if (!is_allowed()) {
    if (is_ahead()) {
      throw CaptureError(message_prefix(engine_.spec) + "captures failed before, or too many were made" + see(pages::failure));
    }
    return {};
  }
  if (const std::string objection = agreement_.propose(); !objection.empty()) {
    if (is_ahead()) {
      throw CaptureError(message_prefix(engine_.spec) + "another rank does not capture: " + objection + see(pages::distributed));
    }
    return call_.count_miss(Miss::CaptureBusy), SlotLease();
  }
  std::optional<capture_lock> one_at_a_time;
  is_ahead() ? one_at_a_time.emplace(message_prefix(engine_.spec)) : one_at_a_time.emplace(std::try_to_lock);
  if (!*one_at_a_time) {
    tell_others("another thread was capturing");
    return call_.count_miss(Miss::CaptureBusy), SlotLease();
  }
  std::unique_lock lock(engine_.mutex);
  const bool has_room = !is_full() && engine_.past.captures_made < limit();
  const std::string unsteady = key_.seen.unsteady_text(engine_.spec.step);
  const std::string refilled = key_.seen.refilled;
  lock.unlock();
  if (!has_room) {
    tell_others("another thread has captured meanwhile");
    return is_ahead() ? SlotLease() : (call_.count_miss(Miss::CaptureBusy), SlotLease());
  }
  call_.members.remember();
  if (!unsteady.empty()) {
    return fail(unsteady);
  }
  if (!refilled.empty()) {
    return fail("it puts tensors into " + refilled + ", which held none: let it hold tensors before the call, such as zeros");
  }
  std::shared_ptr<slot> made;
  try {
    const capture_in_hand with_ranks(engine_.among_others);
    made = make();
  } catch (const unseen_tensors&) {
    return fail("it makes tensors on each call that are kept outside: return them, or pass them as arguments");
  } catch (const unlike_runs& error) {
    return fail(error.what(), next_try::none);
  } catch (const std::exception& error) {
    return fail(words_of_failure(error), next_try_after(error));
  } catch (...) {
    return fail("an exception that is not a std::exception");
  }
  agreement_.watch_captures();
  auto lease = made->lease();
  call_.note_assigned_members(*watched_);
  call_.members.forget();
  warn_of_replays(call_, *watched_);
  std::vector<outside_tensor> outside = watched_->held_outside();
  lock.lock();
  name_parameters();
  key_.tries.note_success();
  ++engine_.past.captures_made;
  engine_.past.keys.note_capture();
  engine_.past.has_captured_collectives |= !!agreement_;
  engine_.past.is_reset = false;
  key_.slots.push_back({slot::served(std::move(made)), call_.module_tensors});
  key_.seen.outside.swap(outside);
  lock.unlock();  // what was known before ends now
  return lease;
}

void warn_of_replaced(admission& call, const void* identity) {
  const std::string place = call.members.place_of(identity);
  if (!place.empty() && call.engine.counts->first("replaced " + place)) {
    warn(message_prefix(call.engine.spec) + "it is captured again for the third time, because " + place +
         " is another tensor or module for each call: write into the one that is there with copy_(), or hold it elsewhere" +
         see(pages::modes));
  }
}

void drop_changed(admission& call, const slot& changed, const std::string& why) {
  engine_state& engine = call.engine;
  entry& key = *call.key;
  const std::string message = "a replay was taken back: " + why;
  captured_slot dropped;  // it ends when no lock is held
  std::unique_lock lock(engine.mutex);
  const auto found =
      std::find_if(key.slots.begin(), key.slots.end(), [&](const captured_slot& each) { return each.serving.get() == &changed; });
  if (found != key.slots.end()) {
    dropped = std::move(*found);
    key.slots.erase(found);
  }
  key.seen.forget_runs_of_bodies();
  const bool is_last = key.tries.note_failure(message, next_try::next_call);
  const std::string last_words = no_more_tries(key.tries);
  lock.unlock();
  engine.counts->note_failure(message);
  call.count_miss(Miss::CaptureFailed, {}, message);
  engine.object_to<CaptureError>(message, engine.counts->first_message(message), "the original function runs instead",
                                 pages::library_operators);
  if (is_last) {
    warn(message_prefix(engine.spec) + last_words + see(pages::failure));
  }
}

SlotLease capture(admission& call, c10::function_ref<tensor_list(tensor_list&)> body) { return capture_attempt(call, body).run(); }

}  // namespace graphed::impl
