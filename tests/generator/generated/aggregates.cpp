// SPDX-License-Identifier: Apache-2.0
//
// Small definitions whose results show every tensor of their arguments.
#include "aggregates.h"

#include <ATen/ATen.h>

namespace aggregates {

Tensor nested(const Batch& batch) {
  Tensor x = batch.obs + batch.id.unsqueeze(1) * batch.config.eps;
  for (const Layer& layer : batch.layers) {
    x = at::relu(x.matmul(layer.weight) + layer.bias);
  }
  return batch.config.twice ? x * 2 : x;
}

Tensor mixed(const Tensor& x, Transition<Tensor> step, int scale, at::TensorList more) {
  return at::cat({x + step.before, step.after * scale, at::cat(more)});
}

Tensor by_position(const std::pair<Tensor, int>& pair, std::tuple<Tensor, std::pair<Tensor, Tensor>, std::array<Tensor, 2>> triple) {
  const auto& [first, second, third] = triple;
  return at::cat({pair.first * pair.second, first * 2, second.first * 3, second.second * 4, third[0] * 5, third[1] * 6});
}

Tensor of_arrays(const std::array<Tensor, 3>& xs, const std::array<std::pair<Tensor, bool>, 2>& flags) {
  Tensor sum = xs[0] + xs[1] * 2 + xs[2] * 3;
  for (const auto& [x, subtract] : flags) {
    sum = subtract ? sum - x : sum * x;
  }
  return sum;
}

Tensor of_vectors(const std::vector<Layer>& layers, const std::vector<std::vector<Tensor>>& grid) {
  Tensor x = at::cat({at::stack(grid.at(0)), at::stack(grid.at(1)) * 2});
  for (const Layer& layer : layers) {
    x = x.matmul(layer.weight) + layer.bias;
  }
  return x;
}

Tensor sum_of(const Tensor& x) { return x.to(at::kFloat).cos().sum(); }

Tensor of_shapes(const std::vector<Tensor>& xs, const c10::List<Tensor>& more, const std::vector<Layer>& layers,
                 const std::array<Tensor, 2>& ends, const std::vector<std::vector<Tensor>>& ragged, std::array<int, 2> sizes) {
  Tensor sum = sum_of(ends[0]) * sizes[0] + sum_of(ends[1]) * sizes[1];
  for (const Tensor& x : xs) {
    sum = sum * 2 + sum_of(x);
  }
  for (std::size_t i = 0; i < more.size(); ++i) {
    sum = sum * 3 + sum_of(more.get(i));
  }
  for (const Layer& layer : layers) {
    sum = sum * 5 + sum_of(layer.weight) * sum_of(layer.bias);
  }
  for (const std::vector<Tensor>& row : ragged) {
    sum = sum * 7 + sum_of(at::stack(row));
  }
  return sum;
}

Tensor of_flat_shapes(at::TensorList xs) {
  Tensor sum = sum_of(xs[0]);
  for (const Tensor& x : xs.slice(1)) {
    sum = sum * 2 + sum_of(x);
  }
  return sum;
}

Tensor of_lists(const c10::List<Tensor>& xs, const c10::Dict<std::string, c10::List<Tensor>>& inner) {
  return at::cat(xs.vec()) - at::cat(inner.at("hs").vec()).sum();
}

Tensor of_optionals(const std::optional<Layer>& layer, const Tensor& x, const std::optional<Tensor>& y) {
  return (layer ? x * layer->weight + layer->bias : x.cos()) - (y ? *y : x);
}

Tensor of_maps(const std::map<std::string, Tensor>& a, const std::unordered_map<std::string, Layer>& b,
               const c10::Dict<std::string, Tensor>& c, torch::OrderedDict<std::string, Tensor> d) {
  const Layer& layer = b.at("x");
  return at::cat({a.at("x"), a.at("y") * 2, layer.weight * 3, layer.bias * 4, c.at("x") * 5, c.at("y") * 6, d["x"] * 7, d["y"] * 8});
}

void written(const Layer& layer, const std::vector<Tensor>& xs) {
  layer.weight.add_(layer.bias);
  xs.at(0).mul_(2);
  xs.at(1).add_(xs[0]);
}

void descend(Tensor& w, const Hyper& hyper, const graphed::Scalar& scale) {
  const Tensor change = w * hyper.decay.first.like(w) + hyper.lr.like(w);
  w.sub_((hyper.decay.second ? change * 2 : change) * scale.like(w));
}

Tensor of_lengths(const std::vector<Layer>& layers, Tensor& state, const std::vector<std::vector<Tensor>>& grid,
                  const std::optional<Tensor>& y, const Hyper& hyper) {
  Tensor sum = y ? *y * 5 : state * 2;
  for (const Layer& layer : layers) {
    sum = sum * layer.weight + layer.bias;
  }
  for (const std::vector<Tensor>& row : grid) {
    sum = sum * 3 + at::stack(row).cos().sum(0);
  }
  state.mul_(hyper.lr.like(state));
  return hyper.decay.second ? sum * hyper.decay.first.like(sum) : sum;
}

Tensor of_scalars(const Tensor& x, const std::array<int64_t, 2>& dims, const std::array<double, 2>& weights,
                  std::array<graphed::Scalar, 3> rates, const std::pair<std::array<std::array<bool, 2>, 2>, Tensor>& options) {
  Tensor sum = x.reshape({dims[0], dims[1]}).cumsum(0).flatten() * weights[0] + options.second * weights[1];
  for (const graphed::Scalar& rate : rates) {
    sum = sum * 2 + rate.like(x);
  }
  return options.first[0][1] ? sum.exp() : options.first[1][0] ? sum.sin() : sum;
}

Tensor padded(const Transition<Tensor>& batch) { return batch.after.defined() ? batch.before + batch.after : batch.before * 2; }

std::vector<Layer> clashing(const Layer& visit, const std::vector<Tensor>& element, const Tensor& refill, const Tensor& form,
                            int static_visit) {
  return {{visit.weight * static_visit, visit.bias + element.at(0)}, {refill - element.at(1), form}};
}

Output structured(const Tensor& x, int rows) {
  Output output;
  output.mean = x.mean();
  for (int64_t row = 0; row < rows; ++row) {
    output.rows.push_back(x[row] * 2);
  }
  output.present = x.exp();
  output.rest = {x.sin(), {x.cos(), x.tan()}};
  return output;
}

std::map<std::string, Layer> to_map(const Tensor& x) { return {{"b", {x * 2, x * 3}}, {"a", {x.exp(), x.sum()}}}; }

std::unordered_map<std::string, Tensor> to_unordered_map(const Tensor& x) {
  std::unordered_map<std::string, Tensor> map;
  for (int i = 0; i < 20; ++i) {
    map["key" + std::to_string(i)] = x * i;
  }
  return map;
}

c10::Dict<std::string, c10::List<Tensor>> to_dict(const Tensor& x) {
  c10::Dict<std::string, c10::List<Tensor>> dict;
  dict.insert("two", c10::List<Tensor>({x * 2, x * 3}));
  dict.insert("one", c10::List<Tensor>({x.exp()}));
  return dict;
}

torch::OrderedDict<std::string, Tensor> to_ordered_dict(const Tensor& x) {
  torch::OrderedDict<std::string, Tensor> dict;
  dict.insert("b", x * 2);
  dict.insert("a", x * 3);
  return dict;
}

std::optional<Tensor> to_optional(const Tensor& x, bool present) { return present ? std::optional(x * 2) : std::nullopt; }

Tensor changed(const Tensor& x, Changing& state) {
  state.h = torch::tanh(x + state.h) * state.count;
  state.rest.first.add_(1);
  std::swap(state.rest.second[0], state.rest.second[1]);
  state.rest.second[0] = state.rest.second[0] + state.h.detach();
  return state.h.sum();
}

void clashing_changes(Layer& result, std::array<Tensor, 2>& outcome) {
  result.weight = result.weight * 2;
  outcome[1] = result.bias;
}

Tensor of_halves_of_keywords(const Layer& cast, const std::array<Tensor, 2>& assert) {
  return cast.weight * assert[0] + cast.bias * assert[1];
}

std::pair<float, Measured> measured(const Tensor& x) {
  Measured result;
  result.twice = x * 2;
  result.sum = x.sum().item<float>();
  for (int64_t i = 0; i < 2; ++i) {
    result.each.push_back(x[i].item<float>());
  }
  result.places[1] = x.argmax().item<int64_t>();
  return {result.twice.max().item<float>(), result};
}

bool is_small(const Tensor& x) { return x.abs().max().lt(3).item<bool>(); }

}  // namespace aggregates
