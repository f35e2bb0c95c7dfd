// SPDX-License-Identifier: Apache-2.0
#include "call/keys.h"

#include "report/thread_number.h"
#include "watch/recording.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace graphed::impl {

// What differs between two warm-ups changes from call to call, and a graph would freeze it. Where a value is read on the host, the capture
// says that, which is the cause.
std::vector<outside_tensor> seen_in_runs::note_warmup(const recording& watched, bool is_padded, const shown_host_results::sizes& sizes) {
  if (const auto* const reads = watched.host_reads()) {
    truth_values_change = truth_values_change || (is_known && truth_values != reads->truth_values());
    truth_values = reads->truth_values();
  }
  const bool are_others = host_parts.add(sizes, watched.host_parts().all());
  has_choices = has_choices || watched.has_choices();
  is_known = true;
  auto known_before = std::exchange(outside, watched.held_outside());
  goes_back = goes_back || watched.goes_back();
  if (is_padded || watched.reads_on_host()) {
    return known_before;
  }
  operator_trace now = watched.trace();
  const trace_difference found = trace.empty() ? trace_difference() : trace.first_difference(now);
  unsteady = are_others ? "a host part returns tensors of other shapes in each call, or does not run in each" : found.text;
  is_other_outside = found.is_of_outside;
  is_other_number = found.is_of_number;
  now.add_bodies_of(trace);
  trace = std::move(now);
  unsteady = unsteady.empty() ? trace.changes_in_loop() : unsteady;
  bodies_run = watched.bodies_run();
  return known_before;
}

void seen_in_runs::note_gradients(std::unordered_map<const c10::TensorImpl*, bool> had) {
  const bool are_others = std::any_of(had.begin(), had.end(), [this](const auto& each) {
    const auto before = had_gradients.find(each.first);
    return before != had_gradients.end() && before->second != each.second;
  });
  changes_of_gradients += are_others && !unsteady.empty() ? 1 : 0;
  had_gradients = std::move(had);
}

static std::string with_remedy(const std::string& change, bool is_number_of_step, const char* otherwise = "") {
  return change + ": what changes from call to call is an argument, and a number marked `live` or `key`" +
         (is_number_of_step ? "; torch::optim's optimizers count steps on the host, those of graphed::optim on the device" : otherwise);
}

void seen_in_runs::check_bodies(const recording& of_capture, bool is_step) const {
  if (!of_capture.has_choices()) {
    return;
  }
  const operator_trace captured = of_capture.trace();
  if (const std::string found = trace.other_number_in_body(captured); !found.empty()) {
    throw unlike_runs(with_remedy(found, is_step));
  }
  if (const std::string found = trace.difference_by_bodies(captured); !found.empty()) {
    throw unlike_runs(
        found +
        ": a body of graphed::if_else or graphed::while_loop leaves something in a variable, which each replay would have from "
        "the last body: return it from the body");
  }
}

void seen_in_runs::forget_runs_of_bodies() {
  if (has_choices) {
    trace = operator_trace();
  }
}

void seen_in_runs::check_truth_values(const recording& of_capture) const {
  const auto* const reads = of_capture.host_reads();
  if (reads != nullptr && !reads->truth_values().empty() && (truth_values_change || truth_values != reads->truth_values())) {
    throw CaptureError(
        "a truth value of its result is neither what item() gives nor the same in each warm-up: return a tensor, or find it out after the "
        "call");
  }
}

void seen_in_runs::note_replaced(const tensor_identities& were, const tensor_identities& are) {
  const auto [was, is] = std::mismatch(were.begin(), were.end(), are.begin(), are.end());
  if (were.size() == are.size() && was != were.end()) {
    ++replacements;
    replaced_by = *is;
  }
}

std::string seen_in_runs::unsteady_text(bool is_step) const {
  if (unsteady.empty()) {
    return unsteady;
  }
  if (unsteady == trace.changes_in_loop()) {
    return unsteady + ": what an iteration leaves for the next one is part of the loop's state";
  }
  const char* const of_a_gradient =
      is_other_outside ? "; a .grad that is another tensor after each zero_grad() is read by a callable that is marked `step`" : "";
  return with_remedy(unsteady, is_step && is_other_number, is_step ? "" : of_a_gradient);
}

bool entry::drop_outdated(std::vector<captured_slot>& dropped) {
  const auto outdated = [](const captured_slot& each) { return !each.serving->callable().sources.unchanged(); };
  const auto first = std::find_if(slots.begin(), slots.end(), outdated);
  if (first == slots.end()) {
    return false;
  }
  first->serving->callable().sources.outdated();
  seen.forget_runs_of_bodies();
  const auto kept = std::stable_partition(first, slots.end(), [&](const captured_slot& each) { return !outdated(each); });
  std::move(kept, slots.end(), std::back_inserter(dropped));
  slots.erase(kept, slots.end());
  return true;
}

SlotLease entry::free_slot(const tensor_identities& module_tensors, std::vector<captured_slot>& dropped) {
  // A slot of this thread's first: one of another thread, once taken on a stream that only this thread can wait for, is lost to that
  // thread.
  auto lease = free_slot(/*is_own=*/true, module_tensors, dropped);
  return lease ? std::move(lease) : free_slot(/*is_own=*/false, module_tensors, dropped);
}

SlotLease entry::free_slot(bool is_own, const tensor_identities& module_tensors, std::vector<captured_slot>& dropped) {
  const uint64_t thread = thread_number();
  for (auto candidate = slots.begin(); candidate != slots.end();) {
    if ((candidate->serving->user() == thread) != is_own) {
      ++candidate;
      continue;
    }
    if (candidate->serving->backwards().is_tied_to_a_call()) {
      tries.end("its backward sets the random state back");
    }
    auto lease = candidate->serving->lease();
    if (!lease) {
      ++candidate;
    } else if (lease->callable().is_valid() && !lease->backwards().is_tied_to_a_call() && candidate->module_tensors == module_tensors) {
      return lease;
    } else {
      seen.note_replaced(candidate->module_tensors, module_tensors);
      seen.forget_runs_of_bodies();
      seen.gradients_move |= lease->callable().gradients.left_place();
      seen.changes_of_gradients += lease->callable().gradients.came_or_went() ? 1 : 0;
      dropped.push_back(std::move(*candidate));
      candidate = slots.erase(candidate);
    }
  }
  return {};
}

bool are_same(c10::ArrayRef<Owner> owners, c10::ArrayRef<Owner> others) {
  return std::equal(owners.begin(), owners.end(), others.begin(), others.end(),
                    [](const Owner& a, const Owner& b) { return !a.owner_before(b) && !b.owner_before(a); });
}

std::shared_ptr<entry> key_table::find_other(const key_bytes& key, c10::ArrayRef<Owner> owners, dropped_entries dropped) {
  auto& known = entries_[std::string(key.begin(), key.end())];
  if (known && !are_same(owners, known->owners)) {
    dropped.of_the_dead.push_back(std::move(known));
  }
  const bool is_new = !known;
  if (is_new) {
    known = std::make_shared<entry>();
    known->owners = owners.vec();
    known->number = ++made_;
    ++made_since_capture_;
  }
  known->last_found = ++finds_;
  last_found_ = {key, known};
  if (is_new) {
    drop_the_dead(dropped.of_the_dead);
    dropped.forgotten = forget_oldest();
  }
  return last_found_.second;
}

void key_table::drop_the_dead(std::vector<std::shared_ptr<entry>>& dropped) {
  const Owner nobody;
  const auto is_gone = [&](const Owner& each) { return each.expired() && !are_same(each, nobody); };
  for (auto each = entries_.begin(); each != entries_.end();) {
    const auto& owners = each->second->owners;
    if (std::any_of(owners.begin(), owners.end(), is_gone)) {
      dropped.push_back(std::move(each->second));
      each = entries_.erase(each);
    } else {
      ++each;
    }
  }
}

std::shared_ptr<entry> key_table::forget_oldest() {
  std::size_t uncaptured = 0;
  auto oldest = entries_.end();
  for (auto each = entries_.begin(); each != entries_.end(); ++each) {
    if (!each->second->slots.empty()) {
      continue;
    }
    ++uncaptured;
    if (oldest == entries_.end() || each->second->last_found < oldest->second->last_found) {
      oldest = each;
    }
  }
  if (uncaptured <= uncaptured_keys) {
    return nullptr;
  }
  ++forgotten_;
  auto forgotten = std::move(oldest->second);
  entries_.erase(oldest);
  return forgotten;
}

std::pair<std::string, std::string> first_change(const named_words& before, const named_words& now) {
  for (const auto& [name, value] : now) {
    const auto was = std::find_if(before.begin(), before.end(), [&, &name = name](const auto& each) { return each.first == name; });
    if (was != before.end() && was->second != value) {
      return {name, "'" + name + " = " + was->second + "', then '" + name + " = " + value + "'"};
    }
  }
  return {};
}

std::shared_ptr<entry> key_table::made_before(const entry& key) const {
  std::shared_ptr<entry> found;
  for (const auto& [bytes, each] : entries_) {
    if (each->number < key.number && (!found || each->number > found->number)) {
      found = each;
    }
  }
  return found;
}

std::vector<std::shared_ptr<entry>> key_table::by_number() const {
  std::vector<std::shared_ptr<entry>> sorted;
  for (const auto& [key, entry] : entries_) {
    sorted.push_back(entry);
  }
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a->number < b->number; });
  return sorted;
}

}  // namespace graphed::impl
