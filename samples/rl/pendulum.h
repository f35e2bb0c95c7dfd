// SPDX-License-Identifier: Apache-2.0
//
// A motor swings a pendulum up and holds it there. It is too weak to lift the pendulum at once.
//
// Dynamics, reward and starts are those of Gymnasium's Pendulum-v1: https://gymnasium.farama.org/environments/classic_control/pendulum
#pragma once

#include <torch/types.h>

#include <cstdint>

namespace rl {

/// Pendulums side by side, on one device. An episode ends by time alone, for all of them at once.
class Pendulums {
 public:
  static constexpr int64_t observation_size = 3;
  static constexpr int64_t action_size = 1;
  static constexpr int64_t episode_length = 200;
  static constexpr double max_torque = 2;  // newton metres

  /// At random angles and velocities, drawn from the device's default generator.
  Pendulums(int64_t count, torch::Device device);

  /// f32[count, 3]: the cosine and the sine of the angle, which is 0 upright, and the velocity in radians a second.
  torch::Tensor observe() const;
  /// Applies `torques`, f32[count, 1] in newton metres, for a twentieth of a second. Returns the rewards, f32[count, 1], from -16.3 to 0.
  torch::Tensor step(const torch::Tensor& torques);

 private:
  torch::Tensor angles_, velocities_;  // f32[count, 1]
};

}  // namespace rl
