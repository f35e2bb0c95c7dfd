// SPDX-License-Identifier: Apache-2.0
//
// An annotated callable for every aggregate that a callable may take or return; aggregates.cpp defines them.
#pragma once

#include <graphed/annotate.h>
#include <graphed/scalar.h>

#include <ATen/core/Dict.h>
#include <ATen/core/List.h>
#include <torch/ordered_dict.h>
#include <torch/types.h>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace aggregates {

using torch::Tensor;

constexpr int64_t kLayers = 2;

struct Layer {
  Tensor weight;
  Tensor bias;
};

struct Config {
  bool twice;
  double eps;
};

struct Identified {
  Tensor id;
};

struct Batch : Identified {
  Config config;
  Tensor obs;
  std::vector<Layer> layers;
};

template <class T>
struct Transition {
  T before;
  T after;
};

// Arguments.
GRAPHED(batch: {
  id: i64[3],
  obs: f32[3, 4] grad,
  layers: {weight: f32[4, 4] grad, bias: f32[4]} * kLayers,
  config: {twice: key, eps: const}
})
Tensor nested(const Batch& batch);

GRAPHED(x: f32[2], step: {before: f32[2], after: f32[2] grad}, scale: key, more: f32[2] * 2)
Tensor mixed(const Tensor& x, Transition<Tensor> step, int scale, at::TensorList more);

GRAPHED(pair: {f32[2], key}, triple: {f32[2], {f32[2], f32[2]}, f32[2] * 2})
Tensor by_position(const std::pair<Tensor, int>& pair, std::tuple<Tensor, std::pair<Tensor, Tensor>, std::array<Tensor, 2>> triple);

GRAPHED(xs: f32[2] grad * 3, flags: {f32[2], key} * 2)
Tensor of_arrays(const std::array<Tensor, 3>& xs, const std::array<std::pair<Tensor, bool>, 2>& flags);

GRAPHED(layers: {weight: f32[2, 2], bias: f32[2]} * 2, grid: {f32[2] * 3} * 2)
Tensor of_vectors(const std::vector<Layer>& layers, const std::vector<std::vector<Tensor>>& grid);

// Lists whose elements the annotation says one by one.
GRAPHED(xs: {f32[2, 3] grad, f32[5], i64[2]}, more: {f32[3], f32[] grad},
        layers: {{weight: f32[2, 3], bias: f32[2] grad}, {weight: f32[4], bias: f32[]}},
        ends: {f32[3], f64[2]}, ragged: {f32[2] * 1, f32[3] * 2}, sizes: {key, const})
Tensor of_shapes(const std::vector<Tensor>& xs, const c10::List<Tensor>& more, const std::vector<Layer>& layers,
                 const std::array<Tensor, 2>& ends, const std::vector<std::vector<Tensor>>& ragged, std::array<int, 2> sizes);

GRAPHED(xs: {f32[B, 2] grad, f32[B]}; B in {2, 3})
GRAPHED(xs: f32[B, 2] grad * 3; B in {2, 3})
Tensor of_flat_shapes(at::TensorList xs);

GRAPHED(xs: f32[2] * 2, inner: {hs: f32[2] * 3})
Tensor of_lists(const c10::List<Tensor>& xs, const c10::Dict<std::string, c10::List<Tensor>>& inner);

GRAPHED(layer: {weight: f32[2], bias: f32[2]}, x: f32[2], y: f32[2])
Tensor of_optionals(const std::optional<Layer>& layer, const Tensor& x, const std::optional<Tensor>& y);

GRAPHED(a: {y: f32[2], x: f32[3]}, b: {x: {weight: f32[2], bias: f32[2]}}, c: {x: f32[2], y: f32[2]},
        d: {x: f32[2], y: f32[2]})
Tensor of_maps(const std::map<std::string, Tensor>& a, const std::unordered_map<std::string, Layer>& b,
               const c10::Dict<std::string, Tensor>& c, torch::OrderedDict<std::string, Tensor> d);

GRAPHED(layer: {weight: f32[2] inplace, bias: f32[2]}, xs: f32[2] inplace * 2)
void written(const Layer& layer, const std::vector<Tensor>& xs);

struct Hyper {
  graphed::Scalar lr;
  std::pair<graphed::Scalar, bool> decay;
};

GRAPHED(w: f32[2] inplace, hyper: {lr: live, decay: {live, key}}, scale: live)
void descend(Tensor& w, const Hyper& hyper, const graphed::Scalar& scale);

GRAPHED(layers: {weight: f32[2] grad, bias: f32[2]} * 1, state: f32[2] inplace, grid: {f32[2] * 2} * 1, y: f32[2] optional,
        hyper: {lr: live, decay: {live, key}})
GRAPHED(layers: {weight: f32[2] grad, bias: f32[2]} * 3, state: f32[2] inplace, grid: {f32[2] * 1} * 2, y: f32[2] optional,
        hyper: {lr: live, decay: {live, key}})
Tensor of_lengths(const std::vector<Layer>& layers, Tensor& state, const std::vector<std::vector<Tensor>>& grid,
                  const std::optional<Tensor>& y, const Hyper& hyper);

GRAPHED(x: f32[4], dims: key * 2, weights: const * 2, rates: live * 3, options: {{key * 2} * 2, f32[4]})
Tensor of_scalars(const Tensor& x, const std::array<int64_t, 2>& dims, const std::array<double, 2>& weights,
                  std::array<graphed::Scalar, 3> rates, const std::pair<std::array<std::array<bool, 2>, 2>, Tensor>& options);

GRAPHED(batch: {before: f32[B, 3], after: f32[B, 3] optional}; B in {2, 4} pad)
Tensor padded(const Transition<Tensor>& batch);

// The generated code's own names.
GRAPHED(visit: {weight: f32[2], bias: f32[2]}, element: f32[2] * 2, refill: f32[2], form: f32[2], static_visit: key)
std::vector<Layer> clashing(const Layer& visit, const std::vector<Tensor>& element, const Tensor& refill, const Tensor& form,
                            int static_visit);

// Results.
struct Output {
  Tensor mean;
  std::vector<Tensor> rows;
  std::optional<Tensor> present;
  std::optional<Layer> absent;
  std::pair<Tensor, std::array<Tensor, 2>> rest;
};

GRAPHED(x: f32[3, 2] grad, rows: key)
Output structured(const Tensor& x, int rows);

GRAPHED(x: f32[2] grad)
std::map<std::string, Layer> to_map(const Tensor& x);

GRAPHED(x: f32[2] grad)
std::unordered_map<std::string, Tensor> to_unordered_map(const Tensor& x);

GRAPHED(x: f32[2] grad)
c10::Dict<std::string, c10::List<Tensor>> to_dict(const Tensor& x);

GRAPHED(x: f32[2] grad)
torch::OrderedDict<std::string, Tensor> to_ordered_dict(const Tensor& x);

GRAPHED(x: f32[2] grad, present: key)
std::optional<Tensor> to_optional(const Tensor& x, bool present);

struct Changing {
  Tensor h;
  std::pair<Tensor, std::vector<Tensor>> rest;
  int count = 1;
};

GRAPHED(x: f32[2] grad, state: {h: f32[2], rest: {f32[2] inplace, f32[2] * 2}, count: key})
Tensor changed(const Tensor& x, Changing& state);

// Names of the generated code's own.
GRAPHED(result: {weight: f32[2], bias: f32[2]}, outcome: f32[2] * 2)
void clashing_changes(Layer& result, std::array<Tensor, 2>& outcome);

// Names that are the second half of a keyword.
GRAPHED(cast: {weight: f32[2], bias: f32[2]}, assert: f32[2] * 2)
Tensor of_halves_of_keywords(const Layer& cast, const std::array<Tensor, 2>& assert);

struct Measured {
  Tensor twice;
  double sum = 0;
  std::vector<float> each;
  std::array<std::optional<int64_t>, 2> places;
};

GRAPHED(x: f32[2] grad)
std::pair<float, Measured> measured(const Tensor& x);

GRAPHED(x: f32[2])
bool is_small(const Tensor& x);

}  // namespace aggregates
