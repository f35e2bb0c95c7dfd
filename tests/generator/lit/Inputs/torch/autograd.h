// SPDX-License-Identifier: Apache-2.0
//
// What the checks know of LibTorch's autograd, modes and random generators. Included by torch.h.
#pragma once

namespace c10 {
struct GeneratorImpl {
  virtual void set_current_seed(std::uint64_t seed);
  virtual std::uint64_t current_seed() const;
};
struct GradMode {
  static void set_enabled(bool enabled);
};
}  // namespace c10

namespace at {
struct Generator {
  Generator clone() const;
  void set_current_seed(std::uint64_t seed);
  std::uint64_t current_seed() const;
  c10::GeneratorImpl* operator->() const;
};
void manual_seed(std::uint64_t seed);

struct NoGradGuard {
  NoGradGuard();
  ~NoGradGuard();
};

namespace autocast {
bool is_autocast_enabled(c10::DeviceType device);
void set_autocast_enabled(c10::DeviceType device, bool enabled);
}  // namespace autocast
}  // namespace at

namespace torch {
using at::NoGradGuard;
void manual_seed(std::uint64_t seed);

namespace autograd {
struct DetectAnomalyGuard {
  DetectAnomalyGuard(bool check_nan = true);
  ~DetectAnomalyGuard();
};
using at::Tensor;
using variable_list = std::vector<Tensor>;
struct AutogradContext {};

template <class T>
struct Function {
  template <class X = T, class... Args>
  static auto apply(Args&&... args) {
    AutogradContext context;
    return X::forward(&context, std::forward<Args>(args)...);
  }
};

variable_list grad(const variable_list& outputs, const variable_list& inputs, const variable_list& gradients = {},
                   std::optional<bool> retain_graph = std::nullopt, bool create_graph = false);
}  // namespace autograd

namespace nn::init {
Tensor zeros_(Tensor tensor);
}  // namespace nn::init
}  // namespace torch
