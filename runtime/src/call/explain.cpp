// SPDX-License-Identifier: Apache-2.0
//
// Which captures an engine has, and why calls run plainly, in words.
#include "call/call_state.h"
#include "call/engine_state.h"
#include "report/annotated.h"
#include "report/log.h"
#include "report/units.h"
#include "slot/static_arguments.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <sstream>

namespace graphed::impl {
namespace {

std::string state_of(const entry& key) {
  if (!key.slots.empty()) {
    return "captured";
  }
  if (key.failures >= attempts_of_a_key) {
    return "refused";
  }
  if (key.warmups < key.warmups_due) {
    return "warming up, " + std::to_string(key.warmups) + " of " + std::to_string(key.warmups_due);
  }
  return key.unsteady.empty() ? "to be captured by its next call"
                              : "still warming up after " + counted(static_cast<uint64_t>(key.warmups), "call") + ": " + key.unsteady;
}

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
  out << "\nkey " << key.number << ": " << key.words << "\n  " << state_of(key);
  if (!key.refusal.empty()) {
    out << ": " << key.refusal;
  }
  if (!key.slots.empty()) {
    out << "; " << counted(key.slots.size(), "slot") << ", " << counted(key.replays, "replay");
  }
  out << '\n';
  for (std::size_t i = 0; i < key.slots.size(); ++i) {
    const auto lines = impl::explain(*key.slots[i].serving);
    for (const auto& line : lines) {
      out << (&line == &lines.front() ? "  slot " + std::to_string(i + 1) + ": " : "    ") << line << '\n';
    }
  }
  write_times(out, key.times);
  write_misses(out, key.misses);
}

void add(std::string& words, const std::string& more, const char* separator) {
  if (!more.empty()) {
    words += (words.empty() ? "" : separator) + more;
  }
}

std::string sample_words(const SampleSpec& sample, const Inputs& inputs) {
  std::string words;
  for (std::size_t i = 0; i < sample.tensors.size(); ++i) {
    const std::size_t first = first_of_same(sample, inputs, i);
    const std::string same = first == i ? "" : std::string(" (the same tensor as ") + sample.tensors[first].name + ")";
    add(words, annotated(sample.tensors[i]) + (inputs.tensors()[i].defined() ? same : " (absent)"), ", ");
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

// "scale = 0.5, layers = 2, 3"
std::string member_words(const WatchedMembers& members, const assigned_members& assigned, c10::ArrayRef<const char*> names) {
  const std::string_view bytes(members.bytes().data(), members.bytes().size());
  std::string words;
  for (std::size_t i = 0; i < members.size(); ++i) {
    std::string held;
    if (i >= assigned.size() || assigned[i] == assignment::none) {
      const auto part = members[i];
      for (const auto& value : part.values) {
        add(held, value.text(bytes), ", ");
      }
      for (const auto* module : part.modules) {
        add(held, watched_module(module).training_words(), ", ");
      }
    }
    add(words, held.empty() ? "" : std::string(names[i]) + " = " + held, ", ");
  }
  return words;
}

}  // namespace

std::string Call::state::words_on(c10::Device device) const {
  std::string words = sample_words(sample(), arguments);
  for (const auto& each : values.key_values()) {
    words += std::string("; ") + each.name + " = " + each.value.text(values.key_bytes());
  }
  words += "; " + mode_words(device);
  add(words, engine.module.training_words(), "; ");
  add(words, members ? member_words(*members, engine.assigned, engine.object.names()) : "", "; ");
  return words;
}

std::vector<std::shared_ptr<entry>> engine_state::entries_by_number() const {
  std::vector<std::shared_ptr<entry>> sorted;
  for (const auto& [key, entry] : entries_) {
    sorted.push_back(entry);
  }
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a->number < b->number; });
  return sorted;
}

std::string engine_state::explain() {
  const Statistics stats = counts->stats();
  std::ostringstream out;
  out << message_prefix(spec) << counted(stats.calls, "call") << ": " << counted(stats.warmups, "warm-up") << ", "
      << counted(stats.replays, "replay") << ", " << stats.miss_count() << (stats.miss_count() == 1 ? " miss" : " misses") << "; holds "
      << human_bytes(stats.bytes_held) << '\n';
  const std::lock_guard lock(mutex);
  for (const auto& key : entries_by_number()) {
    write(out, *key);
  }
  if (keys_forgotten_ != 0) {
    out << '\n' << counted(keys_forgotten_, "key") << " forgotten, whose calls came too seldom to be captured\n";
  }
  if (!misses_without_key.empty()) {
    out << "\ncalls without a key\n";
    write_misses(out, misses_without_key);
  }
  if (!last_mismatches.empty()) {
    out << "\nthe last arguments that did not match\n";
    for (const auto& [what, values] : last_mismatches) {
      out << "  " << what << ": " << values << '\n';
    }
  }
  return out.str();
}

}  // namespace graphed::impl
