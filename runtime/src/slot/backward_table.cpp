// SPDX-License-Identifier: Apache-2.0
#include "slot/backward_table.h"

#include "backend/staging.h"
#include "backward/gradient_pattern.h"
#include "report/log.h"
#include "report/pages.h"
#include "report/text.h"
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
std::string pattern_words(const captured_forward& forward, const backward_variant& variant) {
  std::string words;
  for (std::size_t i = 0; i < variant.static_gradients.size(); ++i) {
    const at::Tensor& gradient = variant.static_gradients[i];
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

}  // namespace

std::vector<std::string> backward_table::explain() {
  const auto alone = try_lock();
  if (!alone) {
    return {"a backward is under way on another thread"};
  }
  std::vector<std::string> lines;
  for (const auto& [pattern, variant] : variants_) {
    lines.push_back(variant->work
                        ? "backward for gradients of " + pattern_words(forward_, *variant) + "; " + counted(variant->replays, "replay")
                        : "a backward by eager autograd: " + variant->refusal);
  }
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
    one.refusal = variant->refusal;
    one.gradients = pattern_words(forward_, *variant);
    if (variant->work) {
      memory_names with_gradients = names;
      for (const auto& gradient : variant->static_gradients) {
        with_gradients.add(gradient, "gradient");
      }
      one.work = with_gradients.report(*variant->work);
    }
  }
  return true;
}

bool backward_table::shows_results(uint64_t first_capture) const {
  return std::any_of(variants_.begin(), variants_.end(), [&](const auto& each) { return each.second->shows_results(first_capture); });
}

moved_storages backward_table::keep(uint64_t first_capture) {
  moved_storages moved;
  for (const auto& [pattern, variant] : variants_) {
    moved += variant->keep(forward_.site.pool->order(), first_capture);
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
  site.note_moved(leaves ? leaves->make_way(site.pool->order()) : moved_storages());
  if (const auto known = variants_.find(pattern); known != variants_.end()) {
    return {known->second->work ? known->second.get() : nullptr, false, {}};
  }
  if (variants_.size() >= patterns_of_a_slot) {
    warn_of_patterns();
    return {};
  }
  if (!one_at_a_time) {
    one_at_a_time.emplace(std::try_to_lock);
  }
  if (!*one_at_a_time) {
    return {};
  }
  auto made = capture(incoming, gradients, details, leaves.get(), is_first_call, /*required=*/false);
  if (!made) {
    return {nullptr, false, incoming};
  }
  const auto& kept = variants_[pattern] = std::move(made);
  return {kept->work ? kept.get() : nullptr, site.backend.capture_executes(), {}};
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

void backward_table::warn_of_patterns() const {
  const std::string message = message_prefix(forward_.site.spec) + std::to_string(patterns_of_a_slot) +
                              " backwards are captured for other patterns and strides of incoming gradients, and no more: eager autograd "
                              "computes the others";
  if (forward_.site.counts->first(message)) {
    warn(message + see(pages::calls_in_flight));
  }
}

std::unique_ptr<backward_variant> backward_table::capture(const std::string& pattern, const tensor_list& gradients,
                                                          const call_details& details, leaf_gradients* leaves, bool is_first_call,
                                                          bool required) {
  capture_site& site = forward_.site;
  const auto seen = std::make_shared<recording>(recording::purpose::capture, /*host_tensors_allowed=*/true);
  const auto shown = host_results_.find(pattern);
  if (shown != host_results_.end()) {
    seen->host_parts().expect(shown->second);
  }
  const auto try_without_branches = [&] {
    site.forbid_branches();
    return capture(pattern, gradients, details, leaves, is_first_call, required);
  };
  try {
    return capture_backward(forward_, pattern, gradients, details, leaves, seen);
  } catch (const unordered_work&) {
    return try_without_branches();
  } catch (const c10::OutOfMemoryError& error) {
    return site.has_branches() ? try_without_branches() : fail(*seen, message_of(error), required);  // branches take more
  } catch (const random_state_error& error) {
    is_tied_to_a_call_ = true;
    return fail(*seen, message_of(error), required || !is_first_call || !site.backend.capture_executes());
  } catch (const std::exception& error) {
    if (seen->host_parts().lacks_results() && shown == host_results_.end() && !required) {
      site.backend.check_usable(site.device, message_prefix(site.spec));
      return nullptr;
    }
    return fail(*seen, message_of(error), required);
  } catch (...) {
    return fail(*seen, "an exception that is not a std::exception", required);
  }
}

// A variant without work: these gradients are computed by eager autograd from now on.
std::unique_ptr<backward_variant> backward_table::fail(const recording& seen, const std::string& what, bool required) const {
  const capture_site& site = forward_.site;
  site.counts->update([](Statistics& stats) { ++stats.failed_captures; });
  site.backend.check_usable(site.device, message_prefix(site.spec));
  const std::string at = seen.place(), failed = "the capture of the backward failed" + at + ": " + what;
  const std::string message = message_prefix(site.spec) + failed;
  site.counts->note_failure(failed);
  if (required || is_strict(site.spec)) {
    throw CaptureError(message + see(pages::failure));
  }
  if (site.counts->first(message)) {
    warn(message + "; eager autograd computes its gradients instead" + see(pages::failure));
  }
  auto refused = std::make_unique<backward_variant>();
  refused->refusal = "its capture failed" + at + ": " + what;
  return refused;
}

void backward_table::prepare(bool required) {
  if (forward_.callable.outputs.empty()) {
    return;
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
  auto captured = capture(pattern, gradients, {}, /*leaves=*/nullptr, /*is_first_call=*/true, required);
  const auto alone = lock();
  if (captured) {
    variants_.emplace(pattern, std::move(captured));
  }
}

}  // namespace graphed::impl
