// SPDX-License-Identifier: Apache-2.0
#include "tape/random_watch.h"

#include "random_state.h"
#include "recording.h"

#include <algorithm>
#include <cstring>

namespace graphed {
namespace {

const c10::Device cpu(c10::kCPU);

bool draws(const c10::OperatorHandle& op) { return op.hasTag(at::Tag::nondeterministic_seeded); }

at::Generator generator_of(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments) {
  const auto given = generator_given(op, arguments);
  return given.defined() ? given : at::globalContext().defaultGenerator(cpu);
}

bool same_bytes(const at::Tensor& one, const at::Tensor& other) {
  return one.nbytes() == other.nbytes() && std::memcmp(one.const_data_ptr(), other.const_data_ptr(), one.nbytes()) == 0;
}

}  // namespace

random_watch::random_watch() : seed_(random_seed(cpu)) { watch(at::globalContext().defaultGenerator(cpu)); }

void random_watch::watch(const at::Generator& generator) {
  const at::Tensor state = random_state(generator);
  generators_.push_back({generator, state, state});
}

random_watch::watched* random_watch::find(const at::Generator& generator) {
  const auto found = std::find_if(generators_.begin(), generators_.end(), [&](const watched& each) { return each.generator == generator; });
  return found == generators_.end() ? nullptr : &*found;
}

void random_watch::before(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments) {
  if (!draws(op)) {
    return;
  }
  const auto generator = generator_of(op, arguments);
  const std::lock_guard lock(mutex_);
  const watched* known = find(generator);
  if (known == nullptr) {
    watch(generator);
  } else if (!same_bytes(known->state, random_state(generator))) {
    throw random_state_error();
  }
}

void random_watch::after(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments) {
  if (!draws(op)) {
    return;
  }
  const auto generator = generator_of(op, arguments);
  const std::lock_guard lock(mutex_);
  has_drawn_ = true;
  find(generator)->state = random_state(generator);
}

void random_watch::put_back() const {
  const std::lock_guard lock(mutex_);
  for (const auto& each : generators_) {
    set_random_state(each.generator, each.first);
  }
}

void random_watch::check_end() const {
  const std::lock_guard lock(mutex_);
  const bool is_set = has_drawn_ && std::any_of(generators_.begin(), generators_.end(),
                                                [](const watched& each) { return !same_bytes(each.state, random_state(each.generator)); });
  if (is_set || random_seed(cpu) != seed_) {
    throw random_state_error();
  }
}

}  // namespace graphed
