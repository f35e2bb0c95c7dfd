// SPDX-License-Identifier: Apache-2.0
//
// The transitions that a learner draws its batches from, in tensors on the device.
#pragma once

#include <graphed/scalar.h>

#include <torch/types.h>

#include <cstdint>

namespace rl {

struct Transitions {
  torch::Tensor observations;       // f32[n, observation size]
  torch::Tensor actions;            // f32[n, action size]
  torch::Tensor rewards;            // f32[n, 1]
  torch::Tensor next_observations;  // f32[n, observation size]
};

/// A ring: the newest transitions take the place of the oldest. Its tensors are written in place and never move, so that a graph may
/// read them.
class ReplayBuffer {
 public:
  ReplayBuffer(int64_t capacity, int64_t observation_size, int64_t action_size, torch::Device device);

  /// Takes over n transitions. Throws c10::Error unless the capacity is a multiple of n.
  void store(const Transitions& newest);
  /// Draws n of the first `stored` transitions, with replacement, from the device's default generator. `stored` is live: a bound that is
  /// a number on the host, as of torch::randint, would freeze in a graph.
  Transitions sample(int64_t n, const graphed::Scalar& stored) const;

  /// How many transitions there are to draw from.
  int64_t size() const;
  /// All that was ever allocated, filled or not.
  const Transitions& contents() const { return contents_; }

 private:
  const int64_t capacity_;
  int64_t stored_ = 0;  // ever
  Transitions contents_;
};

}  // namespace rl
