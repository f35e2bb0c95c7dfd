// SPDX-License-Identifier: Apache-2.0
//
// A solver that iterates until its residual is small: by a loop in the graph, or by one on the host.
#pragma once

#include <graphed/annotate.h>

#include <torch/nn.h>

#include <cstdint>

namespace benchmarks {

constexpr int64_t unknowns = 512;

/// Conjugate gradients (https://doi.org/10.6028/jres.049.044) for a positive definite matrix.
class SolverImpl : public torch::nn::Module {
 public:
  SolverImpl();

  GRAPHED(b: f32[unknowns])
  torch::Tensor solve(const torch::Tensor& b);
  /// The same by a loop on the host, which reads after each `step` whether to go on.
  template <class Step>
  torch::Tensor solve_by(Step&& step, const torch::Tensor& b) const {
    torch::Tensor x = torch::zeros_like(b), r = b.clone(), p = b.clone(), rr = b.dot(b);
    for (int64_t times = 0; times < most && is_far(rr).item<bool>(); ++times) {
      step(x, r, p, rr);
    }
    return x;
  }

  /// One iteration: the solution, the residual, the direction, the residual's square.
  GRAPHED(x: f32[unknowns] inplace, r: f32[unknowns] inplace, p: f32[unknowns] inplace, rr: f32[] inplace)
  void advance(torch::Tensor x, torch::Tensor r, torch::Tensor p, torch::Tensor rr);

 private:
  static constexpr int64_t most = 200;
  static torch::Tensor is_far(const torch::Tensor& rr) { return rr > 1e-6; }

  torch::Tensor matrix_;
};
TORCH_MODULE(Solver);

}  // namespace benchmarks
