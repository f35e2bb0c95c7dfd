// SPDX-License-Identifier: Apache-2.0
#include "replay_buffer.h"

#include <algorithm>

namespace rl {

using torch::Tensor;

ReplayBuffer::ReplayBuffer(int64_t capacity, int64_t observation_size, int64_t action_size, torch::Device device)
    : capacity_(capacity),
      contents_{torch::zeros({capacity, observation_size}, device), torch::zeros({capacity, action_size}, device),
                torch::zeros({capacity, 1}, device), torch::zeros({capacity, observation_size}, device)} {}

void ReplayBuffer::store(const Transitions& newest) {
  const int64_t n = newest.rewards.size(0);
  TORCH_CHECK(capacity_ % n == 0, "a replay buffer of ", capacity_, " transitions cannot take over ", n, " at a time");
  const int64_t row = stored_ % capacity_;
  const auto write = [&](const Tensor& target, const Tensor& source) { target.narrow(0, row, n).copy_(source); };
  write(contents_.observations, newest.observations);
  write(contents_.actions, newest.actions);
  write(contents_.rewards, newest.rewards);
  write(contents_.next_observations, newest.next_observations);
  stored_ += n;
}

Transitions ReplayBuffer::sample(int64_t n, const graphed::Scalar& stored) const {
  const Tensor fractions = torch::rand({n}, contents_.rewards.options().dtype(torch::kDouble));
  const Tensor rows = (fractions * stored.like(fractions)).to(torch::kLong);
  return {contents_.observations.index_select(0, rows), contents_.actions.index_select(0, rows), contents_.rewards.index_select(0, rows),
          contents_.next_observations.index_select(0, rows)};
}

int64_t ReplayBuffer::size() const { return std::min(stored_, capacity_); }

}  // namespace rl
