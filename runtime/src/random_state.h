// SPDX-License-Identifier: Apache-2.0
//
// Where the default generator of a device stands.
#pragma once

#include <ATen/Context.h>
#include <ATen/core/Generator.h>

#include <mutex>

namespace graphed {

inline at::Tensor random_state(c10::Device device) {
  at::Generator generator = at::globalContext().defaultGenerator(device);
  const std::lock_guard lock(generator.mutex());
  return generator.get_state();
}

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
