// SPDX-License-Identifier: Apache-2.0
#include "pendulum.h"

#include <cmath>

namespace rl {
namespace {

using torch::Tensor;

constexpr double gravity = 10, mass = 1, length = 1;
constexpr double max_velocity = 8;
constexpr double seconds = 0.05;

Tensor uniform(int64_t count, double bound, torch::Device device) { return torch::empty({count, 1}, device).uniform_(-bound, bound); }

/// The same angle between -pi and pi.
Tensor normalised(const Tensor& angles) { return (angles + M_PI).remainder(2 * M_PI) - M_PI; }

}  // namespace

Pendulums::Pendulums(int64_t count, torch::Device device) : angles_(uniform(count, M_PI, device)), velocities_(uniform(count, 1, device)) {}

Tensor Pendulums::observe() const { return torch::cat({angles_.cos(), angles_.sin(), velocities_}, 1); }

Tensor Pendulums::step(const Tensor& torques) {
  const Tensor u = torques.clamp(-max_torque, max_torque);
  const Tensor costs = normalised(angles_).square() + 0.1 * velocities_.square() + 0.001 * u.square();
  const Tensor acceleration = 3 * gravity / (2 * length) * angles_.sin() + 3 / (mass * length * length) * u;
  velocities_ = (velocities_ + acceleration * seconds).clamp(-max_velocity, max_velocity);
  angles_ = angles_ + velocities_ * seconds;
  return -costs;
}

}  // namespace rl
