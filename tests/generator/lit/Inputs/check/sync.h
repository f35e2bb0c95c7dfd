// SPDX-License-Identifier: Apache-2.0
//
// What the tests of checks on synchronization, memory and freezing call in a header.
#pragma once

#include <ATen/Functions.h>
#include <torch/cuda.h>
#include <torch/nn.h>
#include <torch/optim.h>

#include <chrono>
#include <cstdlib>

namespace in_header {
inline void wait() { torch::cuda::synchronize(); }
inline void allocate(void** memory) { cudaMalloc(memory, 4); }
inline torch::Tensor invert(const torch::Tensor& x) { return at::linalg_inv(x); }
inline void clear(void* memory) { cudaMemset(memory, 0, 4); }
inline int draw() { return std::rand(); }
inline auto now() { return std::chrono::steady_clock::now(); }
inline const char* path() { return std::getenv("PATH"); }
struct Counter {
  int count = 0;
  void next() { ++count; }
};
inline double rate = 0.5;
inline void decay() { rate *= 0.9; }
inline double current() { return rate; }
inline void step(torch::optim::Adam& adam) { adam.step(); }
struct Averaged {
  torch::nn::BatchNorm1d norm{torch::nn::BatchNorm1dOptions(8).momentum(torch::nullopt)};
  torch::Tensor run(const torch::Tensor& x) { return norm->forward(x); }
};
inline torch::Tensor noise(const torch::Tensor& x) { return at::bernoulli(x, at::cuda::detail::createCUDAGenerator()); }
}  // namespace in_header
