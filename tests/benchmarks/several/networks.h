// SPDX-License-Identifier: Apache-2.0
//
// Networks with 100 MB of parameters.
#pragma once

#include <torch/nn.h>

#include <array>
#include <cstdint>
#include <string>

namespace several {

struct Network {
  torch::nn::Sequential layers;
  int64_t rows, width;  ///< of a rank's batch, in and out
};

constexpr std::array<const char*, 3> names{"wide", "deep", "encoder"};

/// - wide: six linear layers of 2,048 and a batch of 256: few large products, which fill a GPU
/// - deep: 48 residual blocks of two linear layers of 512 and a batch of 64: many small products, as in deep value networks and surrogates
/// - encoder: eight layers of a transformer of 512, and eight sequences of 32
///
/// On a CPU, where programs are only tried, each has one layer.
Network make_network(const std::string& name, torch::Device device);

}  // namespace several
