// SPDX-License-Identifier: Apache-2.0
//
// Every type of result.
// RUN: graphgen --check %s %flags
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>
#include <unordered_map>
#include <map>

using Pair = std::pair<torch::Tensor, at::Tensor>;

GRAPHED(x: f32[2]) void nothing(torch::Tensor x);
GRAPHED(x: f32[2]) at::Tensor tensor(torch::Tensor x);
GRAPHED(x: f32[2]) std::vector<torch::Tensor> vector(torch::Tensor x);
GRAPHED(x: f32[2]) std::tuple<torch::Tensor, at::Tensor, torch::Tensor> tuple(torch::Tensor x);
GRAPHED(x: f32[2]) Pair pair(torch::Tensor x);
GRAPHED(x: f32[2]) std::array<torch::Tensor, 4> array(torch::Tensor x);

struct Layer {
  torch::Tensor weight, bias;
};
struct Output : Layer {
  std::vector<Layer> layers;
  std::optional<torch::Tensor> mask;
  std::pair<torch::Tensor, std::array<Layer, 2>> rest;
};
GRAPHED(x: f32[2]) Output structure(torch::Tensor x);
GRAPHED(x: f32[2]) std::optional<Layer> optional(torch::Tensor x);
GRAPHED(x: f32[2]) std::map<std::string, std::vector<torch::Tensor>> map(torch::Tensor x);
GRAPHED(x: f32[2]) std::unordered_map<std::string, Layer> unordered_map(torch::Tensor x);
GRAPHED(x: f32[2]) c10::Dict<std::string, c10::List<torch::Tensor>> dict(torch::Tensor x);
GRAPHED(x: f32[2]) torch::OrderedDict<std::string, torch::Tensor> ordered_dict(torch::Tensor x);
