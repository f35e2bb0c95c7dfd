// SPDX-License-Identifier: Apache-2.0
#include "draws.h"

#include <ATen/ATen.h>

#include <mutex>
#include <optional>
#include <vector>

namespace graphed::fuzz {
namespace {

thread_local std::vector<at::Generator> own_generators;  ///< empty: the default ones

at::Generator copy_of_default(c10::Device device) {
  at::Generator original = at::globalContext().defaultGenerator(device);
  const std::lock_guard lock(original.mutex());
  return original.clone();
}

std::optional<at::Generator> generator_for(const at::TensorOptions& options) {
  for (const auto& each : own_generators) {
    if (each.device().type() == options.device().type()) {
      return each;
    }
  }
  return std::nullopt;
}

}  // namespace

void draw_apart(c10::Device device) {
  own_generators = {copy_of_default(at::kCPU)};
  if (!device.is_cpu()) {
    own_generators.push_back(copy_of_default(device));
  }
}

bool draws_are_apart() { return !own_generators.empty(); }

void seed_draws(uint64_t seed) {
  if (!draws_are_apart()) {
    at::manual_seed(seed);
  }
  for (auto& each : own_generators) {
    each.set_current_seed(seed);
  }
}

at::Tensor draw_normal(at::IntArrayRef sizes, const at::TensorOptions& options) {
  return at::randn(sizes, generator_for(options), options);
}

at::Tensor draw_uniform(at::IntArrayRef sizes, const at::TensorOptions& options) {
  return at::rand(sizes, generator_for(options), options);
}

at::Tensor draw_integers(int64_t below, at::IntArrayRef sizes, const at::TensorOptions& options) {
  return at::randint(below, sizes, generator_for(options), options);
}

at::Tensor draw_normal_like(const at::Tensor& tensor) { return at::empty_like(tensor).normal_(0, 1, generator_for(tensor.options())); }

}  // namespace graphed::fuzz
