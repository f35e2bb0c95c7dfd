// SPDX-License-Identifier: Apache-2.0
#include "call/warm_up.h"

#include "backend/stream_hook.h"
#include "call/agreement.h"
#include "torch/modes.h"

#include <graphed/error.h>

#include <ATen/autocast_mode.h>

namespace graphed::impl {
namespace {

// Of a run of the callable on these arguments.
std::shared_ptr<recording> recording_of_run(const CallableSpec& spec, c10::Device device, c10::ArrayRef<at::Tensor> arguments) {
  auto seen = std::make_shared<recording>(recording::purpose::warmup, /*host_tensors_allowed=*/true);
  if (spec.host_values) {
    seen->take_host_reads(placeholders::none);
  }
  if (!device.is_cpu()) {  // there, the capture itself notices
    seen->watch_random_numbers(device);
  }
  seen->host_parts().guard(arguments, device);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].defined()) {
      seen->tensors()->add_input(arguments[i], "", /*writable=*/true);
      seen->note_argument(arguments[i], i);
    }
  }
  return seen;
}

// An argument for a run that must not change it. It is a copy where the callable may write it. Else it is another handle, with a history
// and versions of its own for what the callable does all the same.
at::Tensor stand_in(const at::Tensor& argument, bool is_written, c10::Device device) {
  if (!argument.defined()) {
    return argument;
  }
  if (argument.device() != device) {  // one that is marked `host`
    return argument.detach().to(device);
  }
  return is_written ? argument.detach().clone() : argument.variable_data().set_requires_grad(argument.requires_grad());
}

// After the original function has run.
bool writes_have_history(const admission& call) {
  const auto tensors = call.arguments().tensors();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if ((call.sample().tensors[i].flags & flags::inplace) != 0 && tensors[i].defined() && tensors[i].requires_grad()) {
      return true;
    }
  }
  return call.details->is_padded();  // it has run on copies
}

}  // namespace

warm_up::warm_up(admission& call) : call_(call) {
  call.engine.counts->update([](Statistics& stats) { ++stats.warmups; });
  call.members.remember();
  at::autocast::clear_cache();  // a cast that is there already would hide the weight that it is made of
  seen_ = recording_of_run(call.engine.spec, call.device, call.arguments().tensors());
  if (call.engine.spec.step) {
    look_at_gradients();
  }
  compiled_ = compiled_work::watch(*seen_, call.device, call.arguments().tensors());
  watching_.emplace(seen_);
  tell_use(StreamUse::WarmUp, call.device);
}

void warm_up::look_at_gradients() {
  const auto known = call_.known_tensors();
  seen_->watch_gradients(known);
  for (const auto& tensor : known) {
    if (tensor.is_leaf() && tensor.requires_grad() &&
        had_gradients_.emplace(tensor.unsafeGetTensorImpl(), tensor.grad().defined()).second) {
      leaves_.push_back(tensor);
    }
  }
}

bool warm_up::note_gradients() {
  seen_in_runs& seen = call_.key->seen;
  seen.note_gradients(std::move(had_gradients_));
  if (seen.changes_of_gradients < changes_of_warmups) {
    return false;
  }
  call_.engine.past.leaves_with_gradients.swap(leaves_);
  call_.engine.has_keys_by_gradients = true;
  return true;
}

void warm_up::add_argument(const at::Tensor& argument) { seen_->tensors()->add_input(argument, "", /*writable=*/true); }

void warm_up::end(const tensor_list& results) {
  watching_.reset();
  tell_use(StreamUse::WarmedUp, call_.device);
  seen_->note_results(results);
  const bool has_members = call_.carried.has_value();
  const bool is_news = call_.note_assigned_members(*seen_);
  if (is_news) {
    call_.learn_members();
  }
  objection_ = call_.members.objection_to_models();
  call_.members.forget();
  std::vector<outside_tensor> known_before;
  bool has_other_keys = false;
  {
    const std::lock_guard lock(call_.engine.mutex);
    known_before = call_.key->seen.note_warmup(*seen_, call_.details->is_padded(), call_.padded_sizes());
    has_other_keys = note_gradients();
    call_.key->seen.writes_have_history = writes_have_history(call_);
    if (call_.details->is_padded()) {
      call_.key->seen.results[call_.padded_form()] = layouts_of(has_members ? with_carried(results) : results);
    }
  }
  note_groups(call_, *seen_);
  if (!is_news && !has_other_keys) {  // else captures take as inputs what was not steady, or there is one for each of the runs
    refuse_unstable(results);
  }
  learn_device(results);
}

// The results and, after them, the members that a replay returns as well.
tensor_list warm_up::with_carried(tensor_list results) const {
  for (const auto& member : call_.carried->tensors()) {
    results.push_back(*member.place);
  }
  return results;
}

void warm_up::refuse_unstable(const tensor_list& results) {
  std::string reason = objection_;
  if (reason.empty() && compiled_) {
    reason = compiled_->objection(results);
  }
  if (reason.empty()) {
    reason = seen_->tensors()->abandoned();
  }
  if (seen_->sets_random_state()) {
    reason = random_state_error().what();
  }
  if (const std::string& objection = seen_->host_parts().objection(); !objection.empty()) {
    reason = objection;
  }
  if (const std::string member = call_.assigned_by_host_part(*seen_); !member.empty()) {
    reason = "a host part gives the member '" + member +
             "' another tensor, which the graph reads: return the tensor from it, and assign it then";
  }
  {
    const std::lock_guard lock(call_.engine.mutex);
    capture_tries& tries = call_.key->tries;
    if (reason.empty() && tries.warmups >= call_.warmups_due() + attempts_of_a_key) {
      reason = call_.key->seen.unsteady_text(call_.engine.spec.step);
    }
    if (reason.empty() || tries.are_over()) {
      return;
    }
    reason = "no capture is tried: " + reason;
    tries.end(reason);
  }
  call_.engine.counts->note_failure(reason);
  call_.engine.object_to<CaptureError>(reason, call_.engine.counts->first_message(reason), "the original function runs", pages::failure);
}

void warm_up::learn_device(const tensor_list& results) {
  std::optional<c10::Device> found;
  if (!results.empty() && results.front().defined()) {
    found = results.front().device();
  }
  std::vector<outside_tensor> outside;  // what it gets instead dies after the lock
  std::unique_lock lock(call_.engine.mutex);
  const seen_in_runs& seen = call_.key->seen;
  if (!found && !seen.outside.empty()) {
    found = seen.outside.front().tensor.device();
  }
  if (!found) {
    return;
  }
  call_.engine.past.result_device = *found;
  lock.unlock();
  if (!call_.guesses_device() || *found == call_.device) {
    return;
  }
  const auto right = call_.entry_on(*found);
  lock.lock();
  ++right->tries.warmups;
  right->seen.is_known = true;
  right->seen.truth_values = seen.truth_values;
  outside = seen.outside;
  right->seen.outside.swap(outside);
  right->seen.goes_back = seen.goes_back.load();
}

std::vector<tensor_layout> run_tracelessly(admission& call, c10::function_ref<tensor_list(tensor_list&)> body, restored_state& before,
                                           collectives ranks) {
  engine_state& engine = call.engine;
  closure known;
  std::vector<at::Tensor> outside = call.known_tensors();
  {
    const std::lock_guard lock(engine.mutex);
    for (const auto& key : engine.past.keys.by_number()) {
      for (const auto& seen : key->seen.outside) {
        outside.push_back(seen.tensor);
      }
    }
  }
  for (const auto& tensor : outside) {
    before.save_gradient(tensor);
    known.add(tensor);
  }
  const no_cached_casts forget;
  tensor_list copies;
  for (std::size_t i = 0; i < call.arguments().tensors().size(); ++i) {
    copies.push_back(stand_in(call.arguments().tensors()[i], (call.sample().tensors[i].flags & flags::inplace) != 0, call.device));
  }
  for (const auto& live : call.details->live) {
    copies.push_back(live.value.tensor(call.device));
  }
  const auto watched = recording_of_run(engine.spec, call.device, copies);
  watched->add(std::make_shared<change_watch>(before));
  if (ranks == collectives::left_out) {
    watched->leave_out_collectives();
  }
  if (engine.spec.step) {
    watched->watch_gradients(outside);
  }
  const auto compiled = compiled_work::watch(*watched, call.device, copies);
  call.members.remember();
  std::string objection;
  std::vector<tensor_layout> results;
  {
    const original_in_hand with_ranks(call, /*warms_up=*/true);
    const private_autograd_state unseen_by_the_caller(known, engine.spec.step ? leaf_hooks::run : leaf_hooks::set_aside);
    const recording_scope scope(watched);
    tell_use(StreamUse::WarmUp, call.device);
    const tensor_list given = call.run(body, copies);
    tell_use(StreamUse::WarmedUp, call.device);
    watched->note_results(given);
    objection = compiled ? compiled->objection(given) : "";
    results = layouts_of(given);
  }
  if (watched->sets_random_state()) {
    objection = random_state_error().what();
  }
  note_groups(call, *watched);
  bool is_news = false;
  if (call.members) {
    is_news = call.note_assigned_members(*watched);
    const std::string of_models = call.members.objection_to_models();
    if (!of_models.empty()) {
      objection = of_models;
      call.members.put_back();
    }
    call.put_back_members();
    call.members.forget();
  }
  if (!objection.empty()) {
    throw CaptureError(message_prefix(engine.spec) + "no capture is tried: " + objection + see(pages::failure));
  }
  if (ranks == collectives::left_out) {
    return results;
  }
  if (is_news) {
    call.learn_members();
  }
  if (call.members) {
    call.key = call.entry_on(call.device);  // that of the next call
  }
  std::vector<outside_tensor> known_before;
  const std::lock_guard lock(engine.mutex);
  known_before = call.key->seen.note_warmup(*watched, call.details->is_padded(), call.padded_sizes());
  return results;
}

void learn_padded_form(admission& call, c10::function_ref<tensor_list(tensor_list&)> body) {
  std::vector<tensor_layout> results;
  {
    restored_state before(call.device);
    results = run_tracelessly(call, body, before, collectives::left_out);
  }
  call.own_details().results = results;
  const std::lock_guard lock(call.engine.mutex);
  call.key->seen.results[call.padded_form()] = std::move(results);
}

void end_warmups(const admission& call) {
  const std::lock_guard lock(call.engine.mutex);
  int& warmups = call.key->tries.warmups;
  warmups = std::max(warmups, call.engine.spec.warmup);
}

void turn_away_new_key(admission& call, const std::string& value, const std::string& warning) {
  call.count_miss(Miss::NewKey, value, warning);
  agreement(call).object("its key is a new one, as those before it were");
  if (!warning.empty()) {
    call.engine.object_to<GuardError>(warning, call.engine.counts->first_message(warning), "the original function runs for such calls",
                                      pages::modes);
  }
}

}  // namespace graphed::impl
