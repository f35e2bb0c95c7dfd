// SPDX-License-Identifier: Apache-2.0
//
// What the tests of checks call in a header: writes, and what is lost.
#pragma once

#include <torch/torch.h>

#include <thread>

namespace writes {
inline torch::Tensor last;

inline void keep(const torch::Tensor& x) { last = x.tanh(); }
inline void add(torch::Tensor x) { x.add_(x); }
inline void turn(const torch::Tensor& x) { x.t_(); }
inline void watch() { last.register_hook([](const torch::Tensor& gradient) { return gradient; }); }
inline void half() { at::autocast::set_autocast_enabled(torch::kCUDA, true); }
inline void seed() { torch::manual_seed(1); }
inline void fork() { std::thread([] {}).join(); }
inline void side() { const c10::cuda::CUDAStreamGuard guard(c10::cuda::getStreamFromPool()); }
inline torch::Tensor host() { return torch::zeros({2}, torch::kCPU); }
inline void back(const torch::Tensor& x) { x.sum().backward(); }
}  // namespace writes
