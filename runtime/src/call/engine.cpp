// SPDX-License-Identifier: Apache-2.0
#include "call/engine_state.h"
#include "call/owned_spec.h"
#include "report/text.h"

#include <graphed/error.h>
#include <graphed/pool.h>

#include <algorithm>
#include <iterator>

namespace graphed::impl {

void engine_state::check_constants(const Scalars& scalars) {
  const std::lock_guard lock(mutex);
  if (past.constants.empty()) {
    past.constants = scalars.constants();
  }
  for (std::size_t i = 0; i < past.constants.size(); ++i) {
    const auto& now = scalars.constants()[i];
    if (now.bytes == past.constants[i].bytes) {
      continue;
    }
    throw GuardError(message_prefix(spec) + "parameter '" + now.name + "' is declared 'const': expected " +
                     past.constants[i].value.text(past.constants[i].bytes) + ", got " + now.value.text(now.bytes) + see(pages::guards));
  }
}

std::optional<mismatch> engine_state::check_addresses(const SampleSpec& sample, std::size_t index, const Inputs& inputs) {
  const auto tensors = sample.tensors;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if ((tensors[i].flags & flags::static_address) == 0 || !inputs.tensors()[i].defined()) {
      continue;
    }
    const void* const now = inputs.tensors()[i].const_data_ptr();
    const std::lock_guard lock(mutex);
    const void* const first = past.addresses.emplace(std::pair(index, i), now).first->second;
    if (now != first) {
      return mismatch{Miss::Address, tensors[i].name, "the address of the first call, " + text(first), text(now)};
    }
  }
  return std::nullopt;
}

std::shared_ptr<const sized_sample> engine_state::size_sample(std::size_t open_index, const open_values& values) {
  std::unique_lock lock(mutex);
  if (auto known = past.sized.find(open_index, values)) {
    return known;
  }
  auto made = past.sized.add(spec, open_index, values);
  std::map<std::string, std::vector<int64_t>> sizes;
  for (const auto& sample : spec.samples) {
    for (const auto& variable : sample.open) {
      auto& named = sizes[variable.name];
      for (const int64_t value : past.sized.values_of(variable)) {
        if (std::find(named.begin(), named.end(), value) == named.end()) {
          named.push_back(value);
        }
      }
    }
  }
  lock.unlock();
  counts->update([&](Statistics& stats) { stats.sizes = std::move(sizes); });
  return made;
}

mismatch engine_state::too_many_sizes(std::size_t open_index, const open_values& values) {
  const auto& sample = spec.samples[open_index];
  const std::lock_guard lock(mutex);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const OpenVariable& variable = sample.open[i];
    if (!past.sized.refuses(variable, values[i])) {
      continue;
    }
    const std::string name = variable.name, most = std::to_string(variable.at_most), got = std::to_string(values[i]);
    const std::string known = listed(past.sized.values_of(variable));
    return {
        Miss::Sizes, sample.tensors[static_cast<std::size_t>(variable.tensor)].name,
        "a value of " + name + " among " + known + ", the first of 'in any " + most + "'",
        name + " = " + got + ": write a larger number than " + most + ", or the values, '" + name + " in {" + known + ", " + got + "}'"};
  }
  return {Miss::Sizes, "", "fewer sizes", words_of(sample, values)};
}

std::shared_ptr<entry> engine_state::find(const key_bytes& key, c10::ArrayRef<Owner> owners, c10::function_ref<key_words()> words) {
  std::shared_ptr<entry> forgotten;
  std::vector<std::shared_ptr<entry>> of_the_dead;  // they end when no lock is held: hooks are called
  std::unique_lock lock(mutex);
  auto found = past.keys.find(key, owners, {forgotten, of_the_dead});
  if (!found->words.all.empty()) {
    return found;
  }
  lock.unlock();
  key_words made = words();
  lock.lock();
  if (found->words.all.empty()) {  // another thread may have found it meanwhile
    found->words = std::move(made);
    note_new(*found);
  }
  const auto before = forgotten ? past.keys.made_before(*found) : nullptr;
  const std::string change = before ? first_change(before->words.scalars, found->words.scalars).second : std::string();
  lock.unlock();
  const char* const why =
      "its modes, the values of its `key` scalars, the objects among its arguments, what it or they hold, or the parameters of a module "
      "keep changing";
  if (forgotten && counts->first(why)) {
    warn(message_prefix(spec) + std::to_string(uncaptured_keys) + " different keys were each used too rarely to be captured: " + why +
         (change.empty() ? "" : ", for example " + change) +
         "; mark a number that changes in each call as `live`. Until a key has been used " + std::to_string(spec.warmup) +
         " times, its calls run the original function" + see(pages::modes));
  }
  return found;
}

void engine_state::note_new(entry& made) {
  const uint64_t count = past.keys.made_since_capture();
  if (count < keys_of_a_change) {
    return;
  }
  const auto before = past.keys.made_before(made);
  const auto [name, change] = before ? first_change(before->words.held, made.words.held) : std::pair<std::string, std::string>();
  if (!name.empty()) {
    const bool is_variable = name.find("::") != std::string::npos;
    const std::string whose = is_variable ? "a variable changes" : "its object changes";
    made.changing = *past.changes
                         .try_emplace(name, whose + " from call to call, so that none is captured: " + change +
                                                ": pass it as an argument marked 'live', or read it in graphed::host")
                         .first;
  }
  made.is_one_of_many = !name.empty() || count > uncaptured_keys;
}

void engine_state::reset() {
  past_calls dropped;  // it ends when no lock is held: hooks are called at each graph's end, and may call here again
  {
    const std::lock_guard lock(mutex);
    std::swap(dropped, past);
    // The other ranks may not have been reset: the next call asks them.
    std::copy_if(dropped.groups.begin(), dropped.groups.end(), std::back_inserter(past.groups),
                 [](const auto& group) { return group->is_open(); });
    past.is_reset = dropped.has_captured_collectives || dropped.is_reset;
    counts->reset();
  }
  dropped = {};
  first_calls.clear();
}

void engine_state::drop_captures() {
  std::vector<captured_slot> dropped;  // the same
  const std::lock_guard lock(mutex);
  for (const auto& key : past.keys.by_number()) {
    std::move(key->slots.begin(), key->slots.end(), std::back_inserter(dropped));
    key->slots.clear();
  }
  past.has_captured_collectives = false;
}

Error moved_from() { return Error("graphed: this callable was moved from: use the one that it was moved to"); }

engine_state& require_state(const std::shared_ptr<engine_state>& state) {
  if (!state) {
    throw moved_from();
  }
  return *state;
}

Engine::Engine(const CallableSpec& spec, const torch::nn::Module* module) : Engine(owned_copy(spec), module, PoolHandle()) {}

Engine::Engine(const CallableSpec& spec, WatchedObject object) : Engine(spec, nullptr, std::move(object)) {}

Engine::Engine(const CallableSpec& spec, const torch::nn::Module* module, WatchedObject object)
    : Engine(owned_copy(spec), module, PoolHandle(), std::move(object)) {}

Engine::Engine(std::shared_ptr<const CallableSpec> spec, const torch::nn::Module* module, const PoolHandle& pool, WatchedObject object)
    : state_(std::make_shared<engine_state>(std::move(spec), watched_module(module), pool.pool_, std::move(object))) {
  register_engine(state_);
}

Engine::Engine(std::shared_ptr<engine_state> state) : state_(std::move(state)) {}

Statistics Engine::stats() const { return require_state(state_).counts->stats(); }

std::string Engine::explain() const { return require_state(state_).explain(); }

void Engine::reset() { require_state(state_).reset(); }

}  // namespace graphed::impl
