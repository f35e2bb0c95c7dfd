// SPDX-License-Identifier: Apache-2.0
#include "backend/tape/replay_undo.h"

#include "backend/staging.h"
#include "torch/random_state.h"

#include <utility>

namespace graphed::impl {

replay_undo::replay_undo(std::vector<at::Tensor> written, std::vector<at::Generator> generators, bool draws_from_default)
    : draws_from_default_(draws_from_default) {
  for (auto& memory : written) {
    at::Tensor bytes = static_like(memory);
    memories_.emplace_back(std::move(memory), std::move(bytes));
  }
  for (auto& generator : generators) {
    generators_.emplace_back(std::move(generator), at::Tensor());
  }
}

uint64_t replay_undo::bytes() const {
  uint64_t total = 0;
  for (const auto& [memory, bytes] : memories_) {
    total += bytes.nbytes();
  }
  return total;
}

void replay_undo::begin() {
  for (const auto& [memory, bytes] : memories_) {
    copy_value(bytes, memory);
  }
  for (auto& [generator, state] : generators_) {
    state = random_state(generator);
  }
  if (draws_from_default_) {
    draws_.emplace(c10::kCPU);
    random_ = random_state(c10::kCPU);
  }
}

void replay_undo::take_back() {
  for (const auto& [memory, bytes] : memories_) {
    copy_value(memory, bytes);
  }
  for (const auto& [generator, state] : generators_) {
    set_random_state(generator, state);
  }
  if (draws_) {
    draws_->set_back(random_);
  }
  end();
}

}  // namespace graphed::impl
