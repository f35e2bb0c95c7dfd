// SPDX-License-Identifier: Apache-2.0
//
// How long a step takes, and whether two steps compute the same bits.
#pragma once

#include <torch/torch.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <vector>

inline void synchronize() {
  if (torch::cuda::is_available()) {
    torch::cuda::synchronize();
  }
}

/// The median of 25 batches of steps. Steps of a batch follow one another; only its ends wait for the GPU.
template <class Step>
double microseconds(const Step& step) {
  constexpr int steps = 40;
  const auto batch = [&] {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < steps; ++i) {
      step();
    }
    synchronize();
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / steps;
  };
  batch();  // loads kernels, and captures
  std::array<double, 25> times{};
  std::generate(times.begin(), times.end(), batch);
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}

/// Whether both steps give the same loss and the same gradients of `parameters`, for ten random contents of `input`.
template <class Step, class OtherStep>
bool bits_equal(const Step& step, const OtherStep& other, torch::Tensor input, const std::vector<torch::Tensor>& parameters) {
  const auto results = [&](const auto& each) {
    std::vector<torch::Tensor> bits{each().detach().view(torch::kInt32)};
    for (const torch::Tensor& parameter : parameters) {
      bits.push_back(parameter.grad().view(torch::kInt32));
    }
    return bits;
  };
  for (int i = 0; i < 10; ++i) {
    input.normal_();
    const std::vector<torch::Tensor> expected = results(step), found = results(other);
    if (!std::equal(expected.begin(), expected.end(), found.begin(), torch::equal)) {
      return false;
    }
  }
  return true;
}
