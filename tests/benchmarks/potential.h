// SPDX-License-Identifier: Apache-2.0
//
// The forces of an interatomic potential in TorchScript, as OpenMM-Torch computes them (https://github.com/openmm/openmm-torch): the
// negative gradient of the energy of a frozen module.
#pragma once

#include <graphed/annotate.h>

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/api/module.h>

#include <cstdint>

namespace benchmarks {

constexpr int64_t particles = 64;

struct Forces {
  torch::Tensor energy, forces;
};

class Potential {
 public:
  explicit Potential(c10::Device device);

  GRAPHED(positions: f32[particles, 3])
  Forces compute(const torch::Tensor& positions);
  /// The same as OpenMM-Torch writes it, where it captures a graph: `positions` is a leaf that stays, whose gradient is cleared each time.
  Forces compute_of_leaf(torch::Tensor& positions);

 private:
  torch::jit::Module model_;
};

}  // namespace benchmarks
