// SPDX-License-Identifier: Apache-2.0
//
// Making a capture for a call, and what happens where none can be made.
#include "backend/capture_lock.h"
#include "call/call_state.h"
#include "report/log.h"
#include "report/pages.h"
#include "report/text.h"
#include "watch/operators.h"

#include <graphed/error.h>

#include <algorithm>
#include <iterator>
#include <new>
#include <optional>

namespace graphed::impl {

std::vector<at::Tensor> Call::state::known_tensors() {
  std::vector<at::Tensor> known = engine.module.tensors();
  const std::lock_guard lock(engine.mutex);
  if (members) {
    const auto held = tensors_of(*members, engine.assigned);
    known.insert(known.end(), held.begin(), held.end());
  }
  for (const auto& outside : captures->seen_outside) {
    known.push_back(outside.tensor);
  }
  return known;
}

// A capture that misses a tensor which the last warm-up used, and uses one that it did not, would freeze a tensor that changes from call to
// call. A step can be given gradients as it is given arguments.
void Call::state::check_stable(const recording& watched, const unseen_tensors& unseen) {
  const auto used = watched.held_outside();
  const auto is_used = [&](const outside_tensor& expected) {
    return std::any_of(used.begin(), used.end(), [&](const outside_tensor& outside) { return outside.tensor.is_same(expected.tensor); });
  };
  const auto is_unseen = [&](const at::Tensor& gradient) {
    return std::any_of(unseen.tensors.begin(), unseen.tensors.end(), [&](const at::Tensor& each) { return each.is_same(gradient); });
  };
  const std::lock_guard lock(engine.mutex);
  auto& expected = captures->seen_outside;
  const auto missing = std::stable_partition(expected.begin(), expected.end(), is_used);
  if (missing == expected.end()) {
    return;
  }
  std::vector<at::Tensor> leaves;
  for (const auto& outside : used) {
    if (engine.spec.step && outside.tensor.is_leaf() && is_unseen(outside.tensor.grad())) {
      leaves.push_back(outside.tensor);
    }
  }
  const auto has_copy = [](const at::Tensor& leaf) { return can_be_copied(leaf.grad()); };
  if (!std::all_of(leaves.begin(), leaves.end(), has_copy) || overlap_of_gradients(leaves, used)) {
    throw CaptureError("the gradient of a tensor of shape " + text(leaves.front().sizes()) +
                       " is another one on each call, and its memory is not its own: let no other tensor show it");
  }
  if (leaves.empty() || !std::all_of(missing, expected.end(), [](const outside_tensor& each) { return each.leaf.defined(); })) {
    throw CaptureError("it uses a tensor of shape " + text(unseen.tensors.front().sizes()) +
                       " from outside that is another one on each call: pass it as an argument");
  }
  auto& replaced = captures->leaves_of_replaced_gradients;
  replaced.insert(replaced.end(), leaves.begin(), leaves.end());
  expected.erase(missing, expected.end());
}

void Call::state::note_warmup(const recording& watched) {
  captures->seen_outside = watched.held_outside();
  captures->goes_back = captures->goes_back || watched.goes_back();
  note_trace(watched);
}

// What differs between two warm-ups changes from call to call, and a graph would freeze it. Where a value is read on the host, the capture
// says that, which is the cause.
void Call::state::note_trace(const recording& watched) {
  if (details->is_padded() || watched.reads_on_host()) {
    return;
  }
  operator_trace trace = watched.trace();
  captures->unsteady = captures->traced.empty() ? "" : captures->traced.first_difference(trace);
  captures->traced = std::move(trace);
}

void Call::state::fail(const recording* watched, const std::string& what, cause cause) {
  engine.counts->update([](Statistics& stats) { ++stats.failed_captures; });
  implementation->check_usable(device, message_prefix(engine.spec));
  const std::string at =
      watched == nullptr || watched->last_operator().empty() ? "" : " at operator " + with_remedy(watched->last_operator());
  bool last = false;
  {
    const std::lock_guard lock(engine.mutex);
    captures->refusal = "the capture failed" + at + ": " + what;
    if (cause == cause::passing) {
      captures->calls_to_wait = captures->pause;
      captures->pause = std::min(std::max<uint64_t>(2 * captures->pause, 1), longest_pause);
    } else {
      last = ++captures->failures == attempts_of_a_key;
    }
  }
  const std::string message = message_prefix(engine.spec) + "the capture failed" + at + ": " + what;
  if (purpose == call_purpose::prepare) {
    throw CaptureError(message + see(pages::failure));
  }
  count_miss(Miss::CaptureFailed);
  if (is_strict(engine.spec)) {
    throw CaptureError(message + see(pages::failure));
  }
  if (engine.counts->first(message)) {
    warn(message + "; the plain callable runs instead" + (cause == cause::passing ? ", and later calls try again" : "") +
         see(pages::failure));
  }
  if (last) {
    warn(no_more_tries());
  }
}

std::string Call::state::no_more_tries() const {
  return message_prefix(engine.spec) + "captures failed " + std::to_string(attempts_of_a_key) + " times: no more are tried" +
         see(pages::failure);
}

std::string Call::state::unsteady_text() const {
  const std::string& difference = captures->unsteady;
  if (difference.empty()) {
    return difference;
  }
  return difference + ": what changes from call to call is an argument, and a number marked `live` or `key`" +
         (engine.spec.step ? "; torch::optim's optimizers count steps on the host, those of graphed::optim on the device" : "");
}

// A callable that changes what it will read cannot be captured, and a try would change it once more.
void Call::state::refuse_unstable() {
  std::string reason = seen->tensors()->abandoned();
  if (seen->sets_random_state()) {
    reason = random_state_error().what();
  }
  {
    const std::lock_guard lock(engine.mutex);
    if (reason.empty() && captures->warmups >= warmups_due() + attempts_of_a_key) {
      reason = unsteady_text();
    }
    if (reason.empty() || captures->failures >= attempts_of_a_key) {
      return;
    }
    captures->failures = attempts_of_a_key;
    captures->refusal = "no capture is tried: " + reason;
  }
  const std::string message = message_prefix(engine.spec) + "no capture is tried: " + reason;
  if (is_strict(engine.spec)) {
    throw CaptureError(message + see(pages::failure));
  }
  if (engine.counts->first(message)) {
    warn(message + "; the plain callable runs" + see(pages::failure));
  }
}

// Replays earn captures: a server that is given other weights from time to time stays graphed.
uint64_t Call::state::capture_limit() const {
  const uint64_t replays = engine.counts->each_call.replays;
  const uint64_t earned = replays > engine.captures_made ? (replays - engine.captures_made) / replays_of_a_capture : 0;
  return captures_of_a_slot * static_cast<uint64_t>(engine.spec.slots) * engine.spec.samples.size() + earned;
}

bool Call::state::pauses() {
  const std::lock_guard lock(engine.mutex);
  if (captures->calls_to_wait == 0 || purpose == call_purpose::prepare || is_strict(engine.spec)) {
    return false;
  }
  --captures->calls_to_wait;
  return true;
}

bool Call::state::may_capture() {
  if (pauses()) {
    count_miss(Miss::CaptureFailed);
    return false;
  }
  std::unique_lock lock(engine.mutex);
  const bool has_failed = captures->failures >= attempts_of_a_key;
  const bool is_full = captures->slots.size() >= static_cast<std::size_t>(engine.spec.slots);
  const bool is_at_limit = engine.captures_made >= capture_limit();
  lock.unlock();
  if (has_failed) {
    count_miss(Miss::CaptureFailed);
    if (is_strict(engine.spec)) {
      throw CaptureError(no_more_tries());
    }
  } else if (is_full) {
    turn_away(Miss::Slots, "every slot (" + std::to_string(engine.spec.slots) + ") awaits its backward: `slots = n` gives more",
              pages::calls_in_flight);
  } else if (is_at_limit) {
    turn_away(Miss::CaptureLimit,
              "captured " + std::to_string(capture_limit()) +
                  " times, and no more: its modes, the values of its `key` scalars or the tensors that it closes over "
                  "are others again and again",
              pages::failure);
  }
  return !has_failed && !is_full && !is_at_limit;
}

// Without a warm-up, nobody knows whether autograd goes back.
bool Call::state::needs_originals() const {
  const bool has_warmups = engine.spec.warmup > 0 || purpose == call_purpose::prepare;
  return engine.spec.step || captures->goes_back || !has_warmups;
}

// Again, as long as a try tells of something that the next one can do otherwise.
std::shared_ptr<slot> Call::state::try_capture(c10::function_ref<tensor_list(tensor_list&)> body, std::shared_ptr<recording>& watched) {
  auto known = known_tensors();
  bool branches_allowed = captures->branches_allowed, knows_more = false;
  captured_on tensors = needs_originals() ? captured_on::originals : captured_on::stand_ins;
  input_memory inputs = input_memory::shared;
  while (true) {
    try {
      auto memory = engine.memory ? engine.memory : named_pool(engine.spec.pool, *implementation, device);
      auto made = std::make_shared<slot>(engine.description, sample(), *implementation, std::move(memory), device, engine.counts);
      if (!branches_allowed) {
        made->site().forbid_branches();
      }
      made->capture({arguments, *details, known, captures->leaves_of_replaced_gradients, inputs, tensors, body}, watched);
      return made;
    } catch (const impl::needs_originals&) {
      if (std::exchange(tensors, captured_on::originals) == captured_on::originals) {
        throw;
      }
      captures->goes_back = true;
    } catch (const c10::OutOfMemoryError&) {
      captures->branches_allowed = false;  // the next call's capture takes less
      throw;
    } catch (const unordered_work&) {
      captures->branches_allowed = false;
      if (!std::exchange(branches_allowed, false)) {
        throw;
      }
    } catch (const unseen_tensors& unseen) {
      if (std::exchange(knows_more, true)) {
        throw;
      }
      check_stable(*watched, unseen);
      known = known_tensors();
      std::copy_if(unseen.tensors.begin(), unseen.tensors.end(), std::back_inserter(known), [&](const at::Tensor& each) {
        const auto& leaves = captures->leaves_of_replaced_gradients;
        return std::none_of(leaves.begin(), leaves.end(), [&](const at::Tensor& leaf) { return leaf.grad().is_same(each); });
      });
    } catch (const kept_inputs&) {
      if (std::exchange(inputs, input_memory::own) == input_memory::own) {
        throw;
      }
      knows_more = false;
    }
  }
}

// Right for as long as the learning rate stays.
void Call::state::warn_of_frozen_update(const recording& watched) {
  const std::string update = engine.spec.step ? watched.frozen_update() : "";
  if (!update.empty() && engine.counts->first("frozen update")) {
    warn(message_prefix(engine.spec) + update +
         ", which replays go on with: if it is a learning rate that changes, take an optimizer of graphed::optim" +
         see(pages::frozen_update));
  }
}

// The allocator of host memory throws an error without a type of its own.
static bool is_out_of_memory(const std::exception& error) {
  return dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr || dynamic_cast<const std::bad_alloc*>(&error) != nullptr ||
         message_of(error).find("DefaultCPUAllocator: ") != std::string::npos;
}

// As another thread does that synchronizes the device: CUDA tells this one no more. A call of its own that may not be captured is another
// error.
static bool is_invalidated(const std::exception& error) {
  constexpr int32_t stream_capture_invalidated = 901;
  const auto* on_device = dynamic_cast<const c10::AcceleratorError*>(&error);
  return dynamic_cast<const invalidated_capture*>(&error) != nullptr ||
         (on_device != nullptr && on_device->get_error_code() == stream_capture_invalidated);
}

// No memory, somebody else's capture, another thread that synchronizes the device.
static bool may_pass(const std::exception& error) {
  return is_out_of_memory(error) || dynamic_cast<const foreign_capture*>(&error) != nullptr || is_invalidated(error);
}

static std::string cause_of(const std::exception& error) {
  return message_of(error) + (is_invalidated(error) ? ", as by another thread that synchronized the device" : "");
}

SlotLease Call::state::capture(c10::function_ref<tensor_list(tensor_list&)> body) {
  const bool is_ahead = purpose == call_purpose::prepare;
  if (!may_capture()) {
    if (is_ahead) {
      throw CaptureError(message_prefix(engine.spec) + "captures failed before, or too many were made" + see(pages::failure));
    }
    return {};
  }
  std::optional<capture_lock> one_at_a_time;
  is_ahead ? one_at_a_time.emplace(message_prefix(engine.spec)) : one_at_a_time.emplace(std::try_to_lock);
  if (!*one_at_a_time) {
    return count_miss(Miss::CaptureBusy), SlotLease();
  }
  std::unique_lock lock(engine.mutex);
  const std::string unsteady = unsteady_text();
  lock.unlock();
  if (!unsteady.empty()) {
    return fail(nullptr, unsteady), SlotLease();
  }
  std::shared_ptr<slot> made;
  std::shared_ptr<recording> watched;
  remember_members();
  try {
    made = try_capture(body, watched);
  } catch (const unseen_tensors&) {
    return fail(watched.get(), "it makes tensors on each call that are kept outside: return them, or pass them as arguments"), SlotLease();
  } catch (const std::exception& error) {
    return fail(watched.get(), cause_of(error), may_pass(error) ? cause::passing : cause::lasting), SlotLease();
  } catch (...) {
    return fail(watched.get(), "an exception that is no std::exception"), SlotLease();
  }
  auto lease = made->lease();
  warn_of_frozen_update(*watched);
  note_assigned_members();
  warn_of_assigned_members();
  lock.lock();
  captures->pause = 0;
  captures->refusal.clear();
  ++engine.captures_made;
  captures->slots.push_back({std::move(made), module_tensors});
  captures->seen_outside = watched->held_outside();
  return lease;
}

}  // namespace graphed::impl
