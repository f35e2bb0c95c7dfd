// SPDX-License-Identifier: Apache-2.0
#include "capture/restored_state.h"

#include "backend/staging.h"
#include "report/log.h"
#include "torch/random_state.h"

#include <algorithm>

namespace graphed::impl {

restored_state::restored_state(c10::Device device) : draws_(device), random_(random_state(device)) {}

void restored_state::save(const at::Tensor& tensor) { values_.emplace_back(tensor, copy_of(tensor)); }

void restored_state::save(const at::Generator& generator) {
  const bool is_known = std::any_of(generators_.begin(), generators_.end(), [&](const auto& each) { return each.first == generator; });
  if (!is_known) {
    generators_.emplace_back(generator, random_state(generator));
  }
}

void change_watch::before(const operator_call& call) {
  if (const auto generator = generator_given(call.op, call.arguments); generator.defined()) {
    state_.save(generator);
  }
}

// Of a part that is written first: other parts may follow.
void change_watch::before_write(const at::Tensor& tensor) { state_.save(bytes_of(tensor.storage())); }

void restored_state::save_gradient(const at::Tensor& of) {
  const bool is_known = std::any_of(gradients_.begin(), gradients_.end(), [&](const auto& each) { return each.first.is_same(of); });
  if (of.is_leaf() && !is_known) {
    gradients_.emplace_back(of, of.grad());
  }
}

void restored_state::put_back_gradients() const {
  for (const auto& [of, gradient] : gradients_) {
    if (!of.grad().is_same(gradient)) {
      of.mutable_grad() = gradient;
    }
  }
}

static void warn_of(const char* failure) noexcept {
  try {
    warn(std::string("graphed: restoring what a callable changed failed: ") + failure);
  } catch (...) {  // a warning handler of the user's that throws
  }
}

restored_state::~restored_state() {
  try {
    put_back_gradients();
    draws_.set_back(random_);
    for (const auto& [generator, state] : generators_) {
      set_random_state(generator, state);
    }
    for (auto value = values_.rbegin(); value != values_.rend(); ++value) {
      copy_value(value->first, value->second);
    }
  } catch (const std::exception& error) {
    warn_of(error.what());
  }
}

}  // namespace graphed::impl
