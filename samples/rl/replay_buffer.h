// SPDX-License-Identifier: Apache-2.0
//
// The transitions that a learner draws its batches from, in tensors on the device.
#pragma once

#include <torch/torch.h>

#include <graphed/scalar.h>

#include <algorithm>
#include <cstdint>

namespace rl {

using torch::Tensor;

struct Transitions {
  Tensor observations;       // f32[n, observation size]
  Tensor actions;            // f32[n, action size]
  Tensor rewards;            // f32[n, 1]
  Tensor next_observations;  // f32[n, observation size]
};

/// A ring: the newest transitions take the place of the oldest. Its tensors are written in place and never move, so that a graph may
/// read them.
class ReplayBuffer {
 public:
  ReplayBuffer(int64_t capacity, int64_t observation_size, int64_t action_size, torch::Device device)
      : capacity_(capacity),
        contents_{torch::zeros({capacity, observation_size}, device), torch::zeros({capacity, action_size}, device),
                  torch::zeros({capacity, 1}, device), torch::zeros({capacity, observation_size}, device)} {}

  /// Takes over n transitions. Throws c10::Error unless the capacity is a multiple of n.
  void store(const Transitions& newest) {
    const int64_t n = newest.rewards.size(0);
    TORCH_CHECK(capacity_ % n == 0, "a replay buffer of ", capacity_, " transitions cannot take over ", n, " at a time");
    const int64_t row = stored_ % capacity_;
    contents_.observations.narrow(0, row, n).copy_(newest.observations);
    contents_.actions.narrow(0, row, n).copy_(newest.actions);
    contents_.rewards.narrow(0, row, n).copy_(newest.rewards);
    contents_.next_observations.narrow(0, row, n).copy_(newest.next_observations);
    stored_ += n;
  }

  /// Draws n of the first `stored` transitions, with replacement, from the device's default generator. `stored` is live: a bound that is
  /// a number on the host, as of torch::randint, would freeze in a graph.
  Transitions sample(int64_t n, const graphed::Scalar& stored) const {
    const Tensor fractions = torch::rand({n}, contents_.rewards.options().dtype(torch::kDouble));
    const Tensor rows = (fractions * stored.like(fractions)).to(torch::kLong);
    return {contents_.observations.index_select(0, rows), contents_.actions.index_select(0, rows), contents_.rewards.index_select(0, rows),
            contents_.next_observations.index_select(0, rows)};
  }

  /// How many transitions there are to draw from.
  int64_t size() const { return std::min(stored_, capacity_); }

  /// All that was ever allocated, filled or not.
  const Transitions& contents() const { return contents_; }

 private:
  const int64_t capacity_;
  int64_t stored_ = 0;  // ever
  Transitions contents_;
};

}  // namespace rl
