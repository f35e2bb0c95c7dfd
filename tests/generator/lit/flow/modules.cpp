// SPDX-License-Identifier: Apache-2.0
//
// What modules do by the options that they are made with: as members, in a container, of the call itself.
// RUN: not graphgen --check %s %flags -fno-caret-diagnostics 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
#include <graphed/annotate.h>
#include <torch/nn.h>
#include <torch/torch.h>

using torch::Tensor;
using torch::nn::BatchNorm1d;
using torch::nn::BatchNorm1dOptions;
using torch::nn::ReLU;
using torch::nn::ReLUOptions;
using torch::nn::Sequential;

struct Net {
  ReLU inplace{ReLUOptions().inplace(true)}, last_word{ReLUOptions().inplace(true).inplace(false)};
  Sequential flat{torch::nn::Flatten(), inplace}, covered{torch::nn::Linear(), inplace};
  Sequential averaged{torch::nn::Linear(), BatchNorm1d(BatchNorm1dOptions(8).momentum(std::nullopt))};
  torch::nn::MultiheadAttention attention;

  GRAPHED(x: f32[2, 8], y: f32[2, 8], z: f32[3, 8]) Tensor forward(Tensor x, const Tensor& y, const Tensor& z) {
    last_word(x);
    covered->forward(x);
    inplace(x.clone());
    const Tensor same = y;
    attention(y, same, y);
    // CHECK: modules.cpp:[[#@LINE+1]]:5: error: 'ReLU' writes to the argument 'x'
    inplace(x);
    // CHECK: :[[#@LINE+1]]:11: warning: 'ReLU' may write to the argument 'x'
    flat->forward(x);
    const ReLU local(ReLUOptions(true));
    // CHECK: :[[#@LINE+1]]:12: error: 'ReLU' writes to the argument 'x'
    local->forward(x);
    // CHECK: :[[#@LINE+1]]:15: warning: batch normalisation with a cumulative average
    averaged->forward(x);
    attention(y, z, z);
    // CHECK: :[[#@LINE+1]]:5: error: 'torch::nn::MultiheadAttention' compares query, key and value
    attention(y, x, x);
    return x;
  }
};
