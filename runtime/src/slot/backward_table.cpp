// SPDX-License-Identifier: Apache-2.0
#include "slot/backward_table.h"

#include "backend/staging.h"
#include "backward/gradient_pattern.h"
#include "report/log.h"
#include "report/pages.h"
#include "report/text.h"
#include "torch/modes.h"
#include "watch/operators.h"
#include "watch/recorder.h"

#include <graphed/backward_here.h>
#include <graphed/error.h>

#include <c10/util/strides.h>

#include <algorithm>
#include <optional>

namespace graphed::impl {
namespace {

// Of which operators compute other bits than of zeros in memory.
bool is_zerotensor(const at::Tensor& gradient) { return gradient.defined() && gradient._is_zerotensor(); }

// "result 0 f32[16, 4], argument 'x' f32[4] with strides [0]"
std::string pattern_words(const captured_forward& forward, const tensor_list& gradients) {
  std::string words;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const at::Tensor& gradient = gradients[i];
    if (!gradient.defined()) {
      continue;
    }
    const node_output& output = forward.callable.outputs[i];
    const std::string name = output.is_input ? "argument '" + std::string(forward.site.sample.tensors[output.index].name) + "'"
                                             : "result " + std::to_string(output.index);
    words += (words.empty() ? "" : ", ") + name + " " + annotated(gradient.scalar_type()) + text(gradient.sizes()) +
             (gradient.is_contiguous() ? "" : " with strides " + text(gradient.strides()));
  }
  return words.empty() ? "nothing" : words;
}

std::string no_more_tries(const retry_schedule& tries) { return tries.words_of_rest("backwards of their pattern"); }

// Why eager autograd takes its place, and what comes next.
std::string refusal_words(const retry_schedule& tries) {
  return tries.refusal + "; " +
         (tries.are_over()           ? "no other is tried in the next " + counted(tries.rest - tries.rested, "backward") + " of the pattern"
          : tries.calls_to_wait != 0 ? "the next try comes after " + counted(tries.calls_to_wait, "backward")
                                     : "the next backward tries again");
}

}  // namespace

std::vector<std::string> backward_table::explain() {
  const auto alone = try_lock();
  if (!alone) {
    return {"a backward is under way on another thread"};
  }
  std::vector<std::string> lines;
  for (const auto& [pattern, variant] : variants_) {
    lines.push_back("backward for gradients of " + pattern_words(forward_, variant->static_gradients) + "; " +
                    counted(variant->replays, "replay"));
  }
  for_each_failed([&](const failed_backward& each) { lines.push_back("a backward by eager autograd: " + refusal_words(each)); });
  return lines;
}

bool backward_table::report(std::vector<reported_backward>& to, const memory_names& names) {
  const auto alone = try_lock();
  if (!alone) {
    return false;
  }
  for (const auto& [pattern, variant] : variants_) {
    reported_backward& one = to.emplace_back();
    one.replays = variant->replays;
    one.gradients = pattern_words(forward_, variant->static_gradients);
    memory_names with_gradients = names;
    for (const auto& gradient : variant->static_gradients) {
      with_gradients.add(gradient, "gradient");
    }
    one.work = with_gradients.report(*variant->work);
  }
  for_each_failed([&](const failed_backward& each) {
    reported_backward& one = to.emplace_back();
    one.gradients = each.gradients;
    one.refusal = refusal_words(each);
  });
  return true;
}

bool backward_table::shows_results(uint64_t first_capture) const {
  return std::any_of(variants_.begin(), variants_.end(), [&](const auto& each) { return each.second->shows_results(first_capture); });
}

bool backward_table::can_be_overwritten(const overwrite& next) const {
  return std::all_of(variants_.begin(), variants_.end(), [&](const auto& each) { return each.second->results.can_be_overwritten(next); });
}

moved_storages backward_table::keep(overwrite& next, uint64_t first_capture) {
  moved_storages moved;
  for (const auto& [pattern, variant] : variants_) {
    moved += variant->keep(next, first_capture);
  }
  return moved;
}

void backward_table::give_back(std::vector<saved_tensor>&& saved) {
  const auto alone = lock();  // another thread may be going back through the same node
  saved.clear();
  room_ = std::move(saved);
}

backward_table::found backward_table::find(const tensor_list& gradients, const call_details& details,
                                           std::shared_ptr<leaf_gradients>& leaves, bool is_first_call) {
  const capture_site& site = forward_.site;
  if (inside_capture() || site.backend.capturing(site.device) || std::any_of(gradients.begin(), gradients.end(), is_zerotensor)) {
    return {};
  }
  if (looks_for_nan()) {
    warn_of_anomaly_mode();
    return {};
  }
  if (has_host_parts_) {
    leaves.reset();
  }
  const std::string incoming = choose_pattern(gradients, details);
  std::optional<capture_lock> one_at_a_time;
  if (leaves && variants_.count(incoming + leaves->pattern()) == 0) {
    one_at_a_time.emplace(std::try_to_lock);  // the capturing thread may be waiting for these leaves
    if (!*one_at_a_time || !are_worth_a_graph(incoming + leaves->pattern(), *leaves)) {
      leaves.reset();
      one_at_a_time.reset();
    }
  }
  const std::string pattern = leaves ? incoming + leaves->pattern() : incoming;
  site.note_moved(leaves ? leaves->make_way(site.order) : moved_storages());
  if (const auto known = variants_.find(pattern); known != variants_.end()) {
    return {known->second.get(), false, {}, {}};
  }
  if (variants_.size() >= patterns_of_a_slot) {
    warn_of_patterns();
    return {};
  }
  if (!may_try(gradients, details)) {
    return {};
  }
  if (!one_at_a_time) {
    one_at_a_time.emplace(std::try_to_lock);
  }
  if (!*one_at_a_time) {
    return {};
  }
  attempt now{incoming, gradients, details, leaves.get(), is_first_call, /*required=*/false};
  auto made = capture(now);
  if (now.comes_to_host_part) {
    has_host_parts_ = true;
    one_at_a_time.reset();
    return find(gradients, details, leaves, is_first_call);
  }
  if (!made) {
    return {nullptr, false, now.lacks_host_results ? incoming : std::string(), std::move(now.failed)};
  }
  const auto& kept = variants_[pattern] = std::move(made);
  return {kept.get(), site.backend.capture_executes(), {}, {}};
}

backward_table::failed_backward* backward_table::find_failed(const std::string& pattern) {
  const auto known = failed_.find(pattern);
  return known != failed_.end() ? &known->second : failed_.size() >= patterns_of_a_slot ? &other_failed_ : nullptr;
}

bool backward_table::may_try(const tensor_list& gradients, const call_details& details) {
  failed_backward* const failed = find_failed(pattern_of(gradients, details.is_padded()));
  if (failed == nullptr) {
    return true;
  }
  const CallableSpec& spec = forward_.site.spec;
  if (failed->are_over() && !failed->begins_again()) {
    if (is_strict(spec)) {
      throw CaptureError(message_prefix(spec) + "in its backward " + no_more_tries(*failed) + see(pages::failure));
    }
    return false;
  }
  return is_strict(spec) || !failed->pauses();
}

// A gradient that another graph of the pool has left is read in place, where there is no graph that would read a copy and its address
// seldom changes.
std::string backward_table::choose_pattern(const tensor_list& gradients, const call_details& details) const {
  std::string copied = pattern_of(gradients, details.is_padded());
  if (details.is_padded() || variants_.count(copied) != 0) {
    return copied;
  }
  std::string in_place = pattern_in_place(gradients, forward_.site.pool->number());
  return variants_.count(in_place) != 0 || variants_.size() < patterns_of_a_slot / 2 ? in_place : copied;
}

// Gradients at places where no graph has left them are added to in a graph once they are found there a second time.
bool backward_table::are_worth_a_graph(const std::string& pattern, const leaf_gradients& leaves) {
  const bool is_settled = leaves.are_at_home() || pattern == unsettled_;
  unsettled_ = leaves.are_at_home() ? unsettled_ : pattern;
  return is_settled && variants_.size() < patterns_of_a_slot / 2;
}

// Its error names the node that gave a NaN.
void backward_table::warn_of_anomaly_mode() const {
  const std::string message =
      message_prefix(forward_.site.spec) + "in its backward " + words_of_anomaly_mode + ": eager autograd computes the gradients meanwhile";
  if (forward_.site.counts->first_message(message)) {
    warn(message + see(pages::failure));
  }
}

void backward_table::warn_of_patterns() const {
  const std::string message = message_prefix(forward_.site.spec) + std::to_string(patterns_of_a_slot) +
                              " backwards are captured for other patterns and strides of incoming gradients, and no more: eager autograd "
                              "computes the others";
  if (forward_.site.counts->first_message(message)) {
    warn(message + see(pages::calls_in_flight));
  }
}

std::unique_ptr<backward_variant> backward_table::capture(attempt& now) {
  capture_site& site = forward_.site;
  const auto seen = std::make_shared<recording>(recording::purpose::capture, /*host_tensors_allowed=*/true);
  const auto shown = host_results_.find(now.pattern);
  if (shown != host_results_.end()) {
    seen->host_parts().expect(shown->second);
  }
  if (now.leaves != nullptr) {
    seen->host_parts().refuse("a host part runs while its graph gives gradients to leaves");
  }
  const auto try_without_branches = [&] {
    site.forbid_branches();
    return capture(now);
  };
  try {
    auto made = capture_backward(forward_, now.pattern, now.gradients, now.details, now.leaves, seen);
    const auto alone = lock();
    const std::string pattern = pattern_of(now.gradients, now.details.is_padded());
    if (failed_backward* const failed = find_failed(pattern)) {
      failed->note_success();
    }
    failed_.erase(pattern);
    return made;
  } catch (const unordered_work&) {
    return try_without_branches();
  } catch (const c10::OutOfMemoryError& error) {
    return site.has_branches() ? try_without_branches()  // branches take more
                               : fail(now, *seen, words_of_failure(error), next_try_after(error));
  } catch (const random_state_error& error) {
    is_tied_to_a_call_ = true;
    now.required = now.required || !now.is_first_call || !site.backend.capture_executes();
    return fail(now, *seen, message_of(error), next_try::none);
  } catch (const std::exception& error) {
    now.comes_to_host_part = now.leaves != nullptr && seen->host_parts().is_refused();
    if (now.comes_to_host_part) {
      site.backend.check_usable(site.device, message_prefix(site.spec));
      return nullptr;
    }
    now.lacks_host_results = seen->host_parts().lacks_results() && shown == host_results_.end() && !now.required;
    if (now.lacks_host_results) {
      site.backend.check_usable(site.device, message_prefix(site.spec));
      return nullptr;
    }
    return fail(now, *seen, words_of_failure(error), next_try_after(error));
  } catch (...) {
    return fail(now, *seen, "an exception that is not a std::exception", next_try::next_call);
  }
}

std::unique_ptr<backward_variant> backward_table::fail(attempt& now, const recording& seen, const std::string& what, next_try next) {
  const capture_site& site = forward_.site;
  site.counts->update([](Statistics& stats) { ++stats.failed_captures; });
  site.backend.check_usable(site.device, message_prefix(site.spec));
  const std::string at = seen.place(), failed = "the capture of the backward failed" + at + ": " + what;
  const std::string message = message_prefix(site.spec) + failed;
  site.counts->note_failure(failed);
  // A capture on a CPU has run the host parts, and eager autograd runs them again.
  const bool is_costly = site.backend.capture_executes() && !seen.host_parts().all().empty();
  failed_try& failed_now = now.failed.emplace();
  failed_now.thrown = seen.host_parts().thrown();
  {
    const auto alone = lock();
    const std::string pattern = pattern_of(now.gradients, now.details.is_padded());
    failed_backward* const known = find_failed(pattern);
    failed_backward& tries = known == nullptr ? failed_[pattern] : *known;
    tries.gradients = pattern_words(forward_, now.gradients);
    failed_now.failures_before = tries.failures;
    if (tries.note_failure("its capture failed" + at + ": " + what, is_costly && next == next_try::next_call ? next_try::none : next)) {
      failed_now.last_words = no_more_tries(tries);
    }
  }
  if (now.required || is_strict(site.spec)) {
    throw CaptureError(message + see(pages::failure));
  }
  if (site.counts->first_message(message)) {
    warn(message + "; eager autograd computes its gradients instead" +
         (next == next_try::after_pause ? ", and later backwards try again" : "") + see(pages::failure));
  }
  return nullptr;
}

void backward_table::note_failure_alone(const failed_try& failed) const {
  const capture_site& site = forward_.site;
  if (!failed.last_words.empty() && site.counts->first(failed.last_words)) {
    warn(message_prefix(site.spec) + "in its backward " + failed.last_words + see(pages::failure));
  }
}

void backward_table::note_failure_of_both(const tensor_list& gradients, const call_details& details, const failed_try& failed) {
  if (failed_backward* const tries = find_failed(pattern_of(gradients, details.is_padded()))) {
    tries->take_back(failed);
  }
}

void backward_table::drop(const backward_variant& variant, const tensor_list& gradients, const call_details& details,
                          const std::string& why) {
  const CallableSpec& spec = forward_.site.spec;
  const std::string what = "a replay of the backward was taken back: " + why;
  forward_.site.counts->note_failure(what);
  const std::string pattern = pattern_of(gradients, details.is_padded());
  failed_backward* const known = find_failed(pattern);
  failed_backward& tries = known == nullptr ? failed_[pattern] : *known;
  tries.gradients = pattern_words(forward_, gradients);
  tries.note_failure(what, next_try::none);
  const auto dropped = std::find_if(variants_.begin(), variants_.end(), [&](const auto& each) { return each.second.get() == &variant; });
  variants_.erase(dropped);
  if (is_strict(spec)) {
    throw CaptureError(message_prefix(spec) + what + see(pages::library_operators));
  }
  if (forward_.site.counts->first_message(what)) {
    warn(message_prefix(spec) + what + "; eager autograd computes its gradients instead" + see(pages::library_operators));
  }
}

void backward_table::prepare(bool required) {
  if (forward_.callable.outputs.empty()) {
    return;
  }
  if (looks_for_nan()) {
    if (required || is_strict(forward_.site.spec)) {
      throw CaptureError(message_prefix(forward_.site.spec) + "in its backward " + words_of_anomaly_mode + see(pages::failure));
    }
    return warn_of_anomaly_mode();
  }
  tensor_list gradients;
  for (const auto& output : forward_.callable.outputs) {
    const at::Tensor& like =
        output.is_input ? forward_.arguments.passed()[output.index] : forward_.callable.results.plans()[output.index].captured;
    gradients.push_back(make_static(like.sizes(), c10::contiguous_strides(like.sizes()), like.scalar_type(), like.device()));
    fill_value(gradients.back(), 0);
  }
  const std::string pattern = pattern_of(gradients, /*is_padded=*/false);
  const capture_lock one_at_a_time(message_prefix(forward_.site.spec));
  const BackwardHereGuard no_other_thread;  // that of the device may be waiting for this capture's stream
  const call_details details{};
  attempt now{pattern, gradients, details, /*leaves=*/nullptr, /*is_first_call=*/true, required};
  auto captured = capture(now);
  const auto alone = lock();
  if (captured) {
    variants_.emplace(pattern, std::move(captured));
  }
}

}  // namespace graphed::impl
