// SPDX-License-Identifier: Apache-2.0
#include "watch/random_watch.h"

#include "torch/random_state.h"

#include <algorithm>

namespace graphed::impl {
namespace {

bool draws(const c10::OperatorHandle& op) { return op.hasTag(at::Tag::nondeterministic_seeded); }

}  // namespace

random_watch::random_watch(c10::Device device, others others) : device_(device), others_(others) {
  if (device.is_cpu()) {
    meanwhile_.emplace(device);
  }
  generators_.push_back(now(at::globalContext().defaultGenerator(device)));
}

random_watch::watched random_watch::now(const at::Generator& generator) const {
  const at::Tensor state = random_state(generator);
  const bool has_offset = others_ == others::draw && state.defined();
  return {generator, state, state, generator.current_seed(), has_offset ? offset_in(state) : 0};
}

bool random_watch::is_set(const watched& known) const {
  const watched found = now(known.generator);
  const bool are_known = known.state.defined() && found.state.defined();
  return others_ == others::wait ? !are_known || !same_bytes(known.state, found.state)
                                 : known.seed != found.seed || (are_known && found.offset < known.offset);
}

random_watch::watched& random_watch::generator_of(const operator_call& call) {
  const auto given = generator_given(call.op, call.arguments);
  const auto generator = given.defined() ? given : at::globalContext().defaultGenerator(device_);
  const auto found = std::find_if(generators_.begin(), generators_.end(), [&](const watched& each) { return each.generator == generator; });
  return found == generators_.end() ? generators_.emplace_back(now(generator)) : *found;
}

void random_watch::before(const operator_call& call) {
  if (!draws(call.op) || !is_set(generator_of(call))) {
    return;
  }
  is_set_before_a_draw_ = true;
  if (others_ == others::wait) {
    throw random_state_error();
  }
}

void random_watch::after(const operator_call& call, c10::ArrayRef<c10::IValue> /*results*/) {
  const auto& name = call.op.operator_name();
  const bool is_called_again = is_host_part(name) || (device_.is_cpu() && is_of_another_library(name));
  if (is_called_again) {  // with what it does to generators
    std::for_each(generators_.begin(), generators_.end(), [this](watched& each) { look_again(each); });
  }
  if (draws(call.op)) {
    has_drawn_ = true;
    look_again(generator_of(call));
  }
}

void random_watch::look_again(watched& known) const {
  const at::Tensor first = known.first;
  known = now(known.generator);
  known.first = first;
}

bool random_watch::is_set_at_the_end() const {
  const auto& standard = generators_.front();
  return standard.generator.current_seed() != standard.seed ||
         (has_drawn_ && std::any_of(generators_.begin(), generators_.end(), [this](const watched& each) { return is_set(each); }));
}

void random_watch::put_back() const {
  meanwhile_->set_back(generators_.front().first);
  for (auto each = generators_.begin() + 1; each != generators_.end(); ++each) {
    set_random_state(each->generator, each->first);
  }
}

}  // namespace graphed::impl
