// SPDX-License-Identifier: Apache-2.0
#include "call/engine_state.h"
#include "report/log.h"
#include "report/pages.h"
#include "report/text.h"

#include <graphed/error.h>
#include <graphed/pool.h>

namespace graphed::impl {

void engine_state::check_constants(const Scalars& scalars) {
  const std::lock_guard lock(mutex);
  if (constants_.empty()) {
    constants_ = scalars.constants();
  }
  for (std::size_t i = 0; i < constants_.size(); ++i) {
    const auto& now = scalars.constants()[i];
    if (now.bytes == constants_[i].bytes) {
      continue;
    }
    throw GuardError(message_prefix(spec) + "parameter '" + now.name + "' is declared 'const': expected " + constants_[i].text + ", got " +
                     now.text + see(pages::guards));
  }
}

std::optional<mismatch> engine_state::check_addresses(std::size_t sample, const Inputs& inputs) {
  const auto tensors = spec.samples[sample].tensors;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if ((tensors[i].flags & flags::static_address) == 0 || !inputs.tensors()[i].defined()) {
      continue;
    }
    const void* const now = inputs.tensors()[i].const_data_ptr();
    const std::lock_guard lock(mutex);
    const void* const first = addresses_.emplace(std::pair(sample, i), now).first->second;
    if (now != first) {
      return mismatch{Miss::Address, tensors[i].name, "the address of the first call, " + text(first), text(now)};
    }
  }
  return std::nullopt;
}

// Most calls have the key of the call before.
std::shared_ptr<entry> engine_state::find(const key_bytes& key, c10::function_ref<std::string()> words) {
  std::shared_ptr<entry> found, forgotten;
  {
    const std::lock_guard lock(mutex);
    if (last_found_.second && key == last_found_.first) {
      return last_found_.second;
    }
    auto& known = entries_[std::string(key.begin(), key.end())];
    if (!known) {
      known = std::make_shared<entry>();
      known->words = words();
      known->number = ++keys_made_;
      known->last_found = finds_;
      forgotten = forget_oldest();
    }
    found = known;
    found->last_found = ++finds_;
    last_found_ = {key, found};
  }
  const char* const why =
      "its modes, the values of its `key` scalars or of its object's members, or the parameters of its module are others again and again";
  if (forgotten && counts->first(why)) {
    warn(message_prefix(spec) + std::to_string(uncaptured_keys) + " kinds of calls came too seldom to be captured: " + why +
         "; the plain callable runs for each new kind until it has come " + std::to_string(spec.warmup + 1) + " times" + see(pages::modes));
  }
  return found;
}

std::shared_ptr<entry> engine_state::forget_oldest() {
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
  ++keys_forgotten_;
  auto forgotten = std::move(oldest->second);
  entries_.erase(oldest);
  return forgotten;
}

std::vector<at::Tensor> engine_state::seen_outside() {
  const std::lock_guard lock(mutex);
  std::vector<at::Tensor> seen;
  for (const auto& [key, entry] : entries_) {
    for (const auto& outside : entry->seen_outside) {
      seen.push_back(outside.tensor);
    }
  }
  return seen;
}

void engine_state::reset() {
  decltype(entries_) dropped;
  decltype(last_found_) last;
  {
    const std::lock_guard lock(mutex);
    dropped.swap(entries_);
    std::swap(last, last_found_);
    constants_.clear();
    addresses_.clear();
    misses_without_key.clear();
    last_mismatches.clear();
    keys_made_ = keys_forgotten_ = 0;
    assigned.clear();
    captures_made = 0;
  }
  last = {};
  dropped.clear();  // hooks are told of each graph's end, and may call here again
  counts->reset();
}

// Static storage needs no owner.
Engine::Engine(const CallableSpec& spec, const torch::nn::Module* module)
    : Engine(std::shared_ptr<const CallableSpec>(std::shared_ptr<void>(), &spec), module, PoolHandle()) {}

Engine::Engine(const CallableSpec& spec, WatchedObject object)
    : Engine(std::shared_ptr<const CallableSpec>(std::shared_ptr<void>(), &spec), nullptr, PoolHandle(), std::move(object)) {}

Engine::Engine(std::shared_ptr<const CallableSpec> spec, const torch::nn::Module* module, const PoolHandle& pool, WatchedObject object)
    : state_(std::make_shared<engine_state>(std::move(spec), module, pool.pool_, std::move(object))) {
  register_engine(state_);
}

Statistics Engine::stats() const { return state_->counts->stats(); }

std::string Engine::explain() const { return state_->explain(); }

void Engine::reset() { state_->reset(); }

}  // namespace graphed::impl
