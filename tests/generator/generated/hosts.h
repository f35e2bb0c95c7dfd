// SPDX-License-Identifier: Apache-2.0
//
// Callables whose arguments or results are in the memory of the host; hosts.cpp defines them.
#pragma once

#include <graphed/annotate.h>
#include <graphed/scalar.h>

#include <torch/types.h>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace hosts {

using torch::Tensor;

GRAPHED(obs: f32[1, 6] host, w: f32[6, 3]; outputs = host)
Tensor act(const Tensor& obs, const Tensor& w);

GRAPHED(obs: f32[4] host, mask: bool[4] host optional, scale: live)
Tensor masked(Tensor obs, const std::optional<Tensor>& mask, const graphed::Scalar& scale);

struct Decision {
  Tensor action;
  std::vector<Tensor> scores;
  double best = 0;
};

GRAPHED(obs: f32[6] host, hs: f32[6] * N, config: {key}; N in {1, 2}; outputs = host)
Decision decide(const Tensor& obs, const std::vector<Tensor>& hs, std::tuple<bool> config);

GRAPHED(obs: f32[B, 6] host, w: f32[6, 3]; B in {4, 8} pad, outputs = host)
std::tuple<Tensor, Tensor> rows(const Tensor& obs, const Tensor& w);

GRAPHED(x: f32[3] host, w: f32[3] grad)
Tensor weighed(const Tensor& x, const Tensor& w);

GRAPHED(w: f32[2] grad, x: f32[2] host; step, outputs = host)
Tensor learn(const Tensor& w, const Tensor& x);

struct Batch {
  Tensor rows;
  std::optional<Tensor> mask;
  Tensor scale;
};

GRAPHED(batch: {rows: f32[4, 3] host, mask: f32[4] host optional, scale: f32[]}, w: f32[3] grad)
Tensor of_batch(const Batch& batch, const Tensor& w);

GRAPHED(xs: f32[3] host * N, ys: f32[3] * 2, zs: f32[3] host * 2; N in {1, 2}, outputs = host)
std::vector<Tensor> of_lists(const std::vector<Tensor>& xs, at::TensorList ys, std::array<Tensor, 2> zs);

GRAPHED(named: {a: f32[2] host, b: f32[2]}, pairs: {{f32[2] host, f32[2]}, {f32[2] host, f32[2]}}, x: f32[2] host; outputs = host)
Tensor of_maps(const std::map<std::string, Tensor>& named, const std::vector<std::pair<Tensor, Tensor>>& pairs, Tensor x);

class Counter {
 public:
  GRAPHED(x: f32[3] host; outputs = host)
  void add(const Tensor& x);

  Tensor total = torch::zeros({3});
};

}  // namespace hosts
