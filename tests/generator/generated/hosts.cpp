// SPDX-License-Identifier: Apache-2.0
#include "hosts.h"

#include <ATen/ATen.h>

namespace hosts {

Tensor act(const Tensor& obs, const Tensor& w) { return obs.matmul(w).tanh(); }

Tensor masked(Tensor obs, const std::optional<Tensor>& mask, const graphed::Scalar& scale) {
  const Tensor scaled = obs * scale.like(obs);
  return mask ? scaled.masked_fill(*mask, 0) : scaled;
}

Decision decide(const Tensor& obs, const std::vector<Tensor>& hs, std::tuple<bool> config) {
  Decision made;
  made.action = std::get<0>(config) ? obs.sum() : obs.max();
  for (const Tensor& each : hs) {
    made.scores.push_back(obs * each);
  }
  made.best = made.scores.front().max().item<double>();
  return made;
}

std::tuple<Tensor, Tensor> rows(const Tensor& obs, const Tensor& w) { return {obs.matmul(w), obs.sum(1)}; }

Tensor weighed(const Tensor& x, const Tensor& w) { return (x * w).sum(); }

Tensor learn(const Tensor& w, const Tensor& x) {
  w.mutable_grad().reset();
  const Tensor loss = (w * x).pow(2).sum();
  loss.backward();
  return loss.detach();
}

Tensor of_batch(const Batch& batch, const Tensor& w) {
  const Tensor product = batch.rows.matmul(w) * batch.scale;
  return batch.mask ? (product * *batch.mask).sum() : product.sum();
}

std::vector<Tensor> of_lists(const std::vector<Tensor>& xs, at::TensorList ys, std::array<Tensor, 2> zs) {
  return {xs.back() * ys[0] + zs[1], xs.front() * ys[1] - zs[0]};
}

Tensor of_maps(const std::map<std::string, Tensor>& named, const std::vector<std::pair<Tensor, Tensor>>& pairs, Tensor x) {
  Tensor sum = named.at("a") * named.at("b") + x;
  for (const auto& [first, second] : pairs) {
    sum = sum * first + second;
  }
  return sum;
}

void Counter::add(const Tensor& x) { total.add_(x); }

}  // namespace hosts
