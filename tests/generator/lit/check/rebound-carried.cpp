// SPDX-License-Identifier: Apache-2.0
//
// Members that a call reads and replaces, which calls carry on: parts of pairs, and the states of LibTorch's recurrent modules.
// RUN: graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --allow-empty --implicit-check-not=note:
#include <graphed/annotate.h>
#include <torch/nn.h>

#include <tuple>
#include <utility>

using torch::Tensor;

struct Filter {
  GRAPHED(x: f32[2]) Tensor next(const Tensor& x) {
    state.first = state.first + x;
    state.second = state.first * state.second;
    return state.second;
  }
  std::pair<Tensor, Tensor> state;
};

struct Actor : torch::nn::Module {
  // By an operator between the assignments, by the module itself, and in a function that is called.
  GRAPHED(x: f32[1, 64]) Tensor act(const Tensor& x) {
    std::tie(h_, c_) = cell_(x, std::make_tuple(h_, c_));
    return h_;
  }
  GRAPHED(x: f32[1, 64]) Tensor act_by_calls(const Tensor& x) {
    advance(x);
    return hidden_.first;
  }
  void advance(const Tensor& x) {
    const auto next = cell_(x, std::make_tuple(hidden_.first, hidden_.second));
    hidden_ = std::make_pair(std::get<0>(next), std::get<1>(next));
  }

  torch::nn::LSTMCell cell_;
  Tensor h_, c_;
  std::pair<Tensor, Tensor> hidden_;
};

struct Keeps : torch::nn::Module {
  // Nothing reads it.
  GRAPHED(x: f32[1, 64]) Tensor act(const Tensor& x) {
    // CHECK: rebound-carried.cpp:[[#@LINE+1]]:10: warning: the member 'last' is assigned at the capture only
    last = linear_(x);
    return x.tanh();
  }
  torch::nn::Linear linear_;
  Tensor last;
};
