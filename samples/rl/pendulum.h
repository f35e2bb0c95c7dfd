// SPDX-License-Identifier: Apache-2.0
//
// A motor swings a pendulum up and holds it there. It is too weak to lift the pendulum at once.
//
// Dynamics, reward and starts are those of Gymnasium's Pendulum-v1: https://gymnasium.farama.org/environments/classic_control/pendulum
#pragma once

#include <torch/torch.h>

#include <cmath>
#include <cstdint>

namespace rl {

using torch::Tensor;

/// Pendulums side by side, on one device. An episode ends by time alone, for all of them at once.
class Pendulums {
 public:
  static constexpr int64_t observation_size = 3;
  static constexpr int64_t action_size = 1;
  static constexpr int64_t episode_length = 200;
  static constexpr double max_torque = 2;  // newton metres

  /// At random angles and velocities, drawn from the device's default generator.
  Pendulums(int64_t count, torch::Device device) : angles_(uniform(count, M_PI, device)), velocities_(uniform(count, 1, device)) {}

  static Tensor random_torques(int64_t count, torch::Device device) { return uniform(count, max_torque, device); }

  /// f32[count, 3]: the cosine and the sine of the angle, which is 0 upright, and the velocity in radians a second.
  Tensor observe() const { return torch::cat({angles_.cos(), angles_.sin(), velocities_}, 1); }

  /// Applies `torques`, f32[count, 1] in newton metres, for a twentieth of a second. Returns the rewards, f32[count, 1], from -16.3 to 0.
  Tensor step(const Tensor& torques) {
    constexpr double gravity = 10, mass = 1, length = 1, max_velocity = 8, seconds = 0.05;
    const Tensor u = torques.clamp(-max_torque, max_torque);
    const Tensor from_upright = (angles_ + M_PI).remainder(2 * M_PI) - M_PI;  // between -pi and pi
    const Tensor costs = from_upright.square() + 0.1 * velocities_.square() + 0.001 * u.square();
    const Tensor acceleration = 3 * gravity / (2 * length) * angles_.sin() + 3 / (mass * length * length) * u;
    velocities_ = (velocities_ + acceleration * seconds).clamp(-max_velocity, max_velocity);
    angles_ = angles_ + velocities_ * seconds;
    return -costs;
  }

 private:
  static Tensor uniform(int64_t count, double bound, torch::Device device) {
    return torch::empty({count, 1}, device).uniform_(-bound, bound);
  }

  Tensor angles_, velocities_;  // f32[count, 1]
};

}  // namespace rl
