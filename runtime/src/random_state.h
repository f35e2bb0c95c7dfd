// SPDX-License-Identifier: Apache-2.0
//
// Where a generator of random numbers stands.
#pragma once

#include <ATen/Context.h>
#include <ATen/core/Generator.h>

#include <mutex>

namespace graphed {

inline at::Tensor random_state(at::Generator generator) {
  const std::lock_guard lock(generator.mutex());
  return generator.get_state();
}

/// Of the default generator, as the others here.
inline at::Tensor random_state(c10::Device device) { return random_state(at::globalContext().defaultGenerator(device)); }

inline uint64_t random_seed(c10::Device device) {
  at::Generator generator = at::globalContext().defaultGenerator(device);
  const std::lock_guard lock(generator.mutex());
  return generator.current_seed();
}

inline void set_random_state(c10::Device device, const at::Tensor& state) {
  at::Generator generator = at::globalContext().defaultGenerator(device);
  const std::lock_guard lock(generator.mutex());
  generator.set_state(state);
}

}  // namespace graphed
