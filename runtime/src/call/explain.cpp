// SPDX-License-Identifier: Apache-2.0
//
// Which captures an engine has, and why calls run eagerly, in words.
#include "call/admission.h"
#include "report/text.h"
#include "slot/input_layout.h"
#include "slot/static_arguments.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <sstream>
#include <utility>

namespace graphed::impl {
namespace {

void write_times(std::ostream& out, const call_times& times) {
  const auto warmups = times.known(timed_kind::warmup), replays = times.known(timed_kind::replay);
  if (warmups.calls != 0 && replays.calls != 0) {
    out << "  times: " << human_time(warmups.least) << " of " << counted(static_cast<uint64_t>(warmups.calls), "warm-up") << ", "
        << human_time(replays.least) << " of " << counted(static_cast<uint64_t>(replays.calls), "replay") << ", the fastest of each\n";
  }
}

void write_misses(std::ostream& out, const misses_by_reason& misses) {
  for (const auto& [reason, counted_ones] : misses) {
    out << "  miss " << to_string(reason) << ": " << counted(counted_ones.calls, "call")
        << (counted_ones.why.empty() ? "" : "; " + counted_ones.why) << '\n';
  }
}

void write(std::ostream& out, const entry& key) {
  out << "\nkey " << key.number << ": " << key.words.all << "\n  " << state_of(key);
  if (!key.tries.refusal.empty()) {
    out << ": " << key.tries.refusal;
  }
  if (!key.slots.empty()) {
    out << "; " << counted(key.slots.size(), "slot") << ", " << counted(key.service.replays, "replay");
  }
  out << '\n';
  for (std::size_t i = 0; i < key.slots.size(); ++i) {
    const auto lines = impl::explain(*key.slots[i].serving);
    for (const auto& line : lines) {
      out << (&line == &lines.front() ? "  slot " + std::to_string(i + 1) + ": " : "    ") << line << '\n';
    }
  }
  write_times(out, key.service.times);
  write_misses(out, key.service.misses);
}

std::string sample_words(const SampleSpec& sample, const Inputs& inputs) {
  std::string words;
  for (std::size_t i = 0; i < sample.tensors.size(); ++i) {
    const std::size_t first = first_of_same(sample, inputs, i);
    const std::string same = first == i ? "" : std::string(" (the same tensor as ") + sample.tensors[first].name + ")";
    const at::Tensor& given = inputs.tensors()[i];
    words += (i == 0 ? "" : ", ") + annotated(sample.tensors[i]) + (given.defined() ? same : " (absent)");
    if (given.defined() && given.sizes() == sample.tensors[i].shape && !has_declared_strides(sample.tensors[i], given)) {
      words += " with strides " + text(*input_strides(sample.tensors[i], given));
    }
  }
  return words.empty() ? "no tensors" : words;
}

std::string mode_words(c10::Device device) {
  std::string words = device.str();
  if (c10::InferenceMode::is_enabled()) {
    words += ", inference mode";
  } else if (!c10::GradMode::is_enabled()) {
    words += ", no grad";
  }
  if (at::autocast::is_autocast_enabled(device.type())) {
    words += ", autocast " + annotated(at::autocast::get_autocast_dtype(device.type()));
  }
  if (const auto dtype = c10::get_default_dtype().toScalarType(); dtype != at::kFloat) {
    words += ", default dtype " + annotated(dtype);
  }
  if (at::globalContext().deterministicAlgorithms()) {
    words += ", deterministic algorithms";
  }
  return words;
}

}  // namespace

std::string state_of(const entry& key) {
  if (!key.slots.empty()) {
    return "captured";
  }
  const capture_tries& tries = key.tries;
  if (tries.are_over()) {
    return "refused";
  }
  if (tries.warmups < tries.warmups_due) {
    return "warming up, " + std::to_string(tries.warmups) + " of " + std::to_string(tries.warmups_due);
  }
  const std::string& unsteady = key.seen.unsteady;
  return unsteady.empty() ? "to be captured by its next call"
                          : "still warming up after " + counted(static_cast<uint64_t>(tries.warmups), "call") + ": " + unsteady;
}

key_words words_on(c10::Device device, const admission& call) {
  key_words words;
  words.all = sample_words(call.sample(), call.arguments());
  if (call.sized) {
    words.all += "; " + words_of(call.engine.spec.samples[call.sample_index], call.sized->values);
  }
  for (const auto& each : call.values.key_values()) {
    words.scalars.emplace_back(each.name, each.value.text(call.values.key_bytes()));
    words.all += "; " + words.scalars.back().first + " = " + words.scalars.back().second;
  }
  words.all += "; " + mode_words(device);
  if (const std::string training = call.engine.module.training_words(); !training.empty()) {
    words.all += "; " + training;
  }
  std::unique_lock lock(call.engine.mutex);
  const assigned_members assigned = call.engine.past.assigned;
  const std::vector<at::Tensor> leaves = call.engine.past.leaves_with_gradients;
  lock.unlock();
  if (!leaves.empty()) {
    const auto has_one = [](const at::Tensor& leaf) { return leaf.grad().defined(); };
    words.all += "; " + std::to_string(std::count_if(leaves.begin(), leaves.end(), has_one)) + " of " +
                 counted(leaves.size(), "parameter") + " with a .grad";
  }
  words.held = call.members.words(assigned);
  words.functions = call.members.functions();
  const char* between = "; ";
  for (const auto& [name, value] : words.held) {
    words.all += std::exchange(between, ", ") + (name + " = " + value);
  }
  return words;
}

std::string engine_state::explain() {
  const Statistics stats = counts->stats();
  std::ostringstream out;
  out << message_prefix(spec) << counted(stats.calls, "call") << ": " << counted(stats.warmups, "warm-up") << ", "
      << counted(stats.replays, "replay") << ", " << stats.miss_count() << (stats.miss_count() == 1 ? " miss" : " misses") << "; holds "
      << human_bytes(stats.bytes_held) << '\n';
  const std::lock_guard lock(mutex);
  for (const auto& key : past.keys.by_number()) {
    write(out, *key);
  }
  if (const uint64_t forgotten = past.keys.count_of_forgotten(); forgotten != 0) {
    out << '\n' << counted(forgotten, "key") << " forgotten, whose calls came too seldom to be captured\n";
  }
  for (const auto& [variable, values] : stats.sizes) {
    out << "\nsizes " << variable << ": " << listed(values) << '\n';
  }
  if (!past.misses_without_key.empty()) {
    out << "\ncalls without a key\n";
    write_misses(out, past.misses_without_key);
  }
  if (!past.last_mismatches.empty()) {
    out << "\nthe last arguments that did not match\n";
    for (const auto& [what, values] : past.last_mismatches) {
      out << "  " << what << ": " << values << '\n';
    }
  }
  return out.str();
}

}  // namespace graphed::impl
