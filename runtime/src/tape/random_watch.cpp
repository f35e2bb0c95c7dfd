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
  const auto index = op.schema().argumentIndexWithName("generator");
  const bool is_given = index && !arguments[static_cast<std::size_t>(*index)].isNone();
  return is_given ? arguments[static_cast<std::size_t>(*index)].toGenerator() : at::globalContext().defaultGenerator(cpu);
}

bool same_bytes(const at::Tensor& one, const at::Tensor& other) {
  return one.nbytes() == other.nbytes() && std::memcmp(one.const_data_ptr(), other.const_data_ptr(), one.nbytes()) == 0;
}

}  // namespace

random_watch::random_watch() : seed_(random_seed(cpu)), generators_{{at::globalContext().defaultGenerator(cpu), random_state(cpu)}} {}

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
  if (known != nullptr && !same_bytes(known->state, random_state(generator))) {
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
  if (watched* known = find(generator)) {
    known->state = random_state(generator);
  } else {
    generators_.push_back({generator, random_state(generator)});
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
