// SPDX-License-Identifier: Apache-2.0
//
// Losses that read lengths, places and weights on the host.
// RUN: not graphgen --check --diagnostics-format=json %s %flags | %singly | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <ATen/Functions.h>
#include <graphed/annotate.h>
#include <torch/nn.h>

namespace F = torch::nn::functional;

GRAPHED(x: f32[9, 4, 8], t: i64[4], n: i64[4], m: i32[4], s: i32[12], d: f64[9, 4, 8], b: i32[4, 3])
void of_sequences(const torch::Tensor& x, const torch::Tensor& t, const torch::Tensor& n, const torch::Tensor& m, const torch::Tensor& s,
                  const torch::Tensor& d, const torch::Tensor& b) {
  // CHECK: host-reads-losses.cpp:[[#@LINE+1]]:6: error: 'ctc_loss' reads a tensor's value on the host, which a graph cannot do [graphed-host-item]
  F::ctc_loss(x, t, n, n);
  // CHECK: :[[#@LINE+1]]:7: error: 'ctc_loss' reads
  at::ctc_loss(x, s, m, n);
  // CHECK: :[[#@LINE+1]]:7: error: 'ctc_loss' reads
  at::ctc_loss(x, s, m, m, /*blank=*/7);
  // CHECK: :[[#@LINE+1]]:7: error: 'ctc_loss' reads
  at::ctc_loss(d, s, m, m);
  // CHECK: :[[#@LINE+1]]:7: error: 'ctc_loss' reads
  at::ctc_loss(x, b, m, m);
  // CHECK: :[[#@LINE+1]]:6: error: 'ctc_loss' reads
  F::ctc_loss(x, s, m, m, torch::nn::CTCLossOptions().blank(7));
  torch::nn::CTCLoss loss;
  // CHECK: :[[#@LINE+1]]:3: error: 'CTCLoss' reads
  loss(x, t, n, n);
  torch::nn::CTCLoss other(torch::nn::CTCLossOptions().blank(7));
  // CHECK: :[[#@LINE+1]]:3: error: 'CTCLoss' reads
  other(x, s, m, m);
  // As cuDNN takes them.
  at::ctc_loss(x, s, m, m);
  F::ctc_loss(x, s, m, m, torch::nn::CTCLossOptions().blank(0));
  loss(x, s, m, m);
}

struct Classifier {
  torch::nn::AdaptiveLogSoftmaxWithLoss adaptive;
  torch::nn::CrossEntropyLoss smoothed{torch::nn::CrossEntropyLossOptions().weight(weights).label_smoothing(0.1)};
  torch::nn::CrossEntropyLoss summed{torch::nn::CrossEntropyLossOptions().weight(weights).label_smoothing(0.1).reduction(torch::nn::kNone)};
  torch::nn::CrossEntropyLoss plain{torch::nn::CrossEntropyLossOptions().weight(weights)};
  torch::Tensor weights;

  GRAPHED(x: f32[4, 8], t: i64[4], p: f32[4, 8])
  void of_classes(const torch::Tensor& x, const torch::Tensor& t, const torch::Tensor& p) {
    // CHECK: :[[#@LINE+1]]:5: error: 'AdaptiveLogSoftmaxWithLoss' reads
    adaptive(x, t);
    // CHECK: :[[#@LINE+1]]:15: error: 'AdaptiveLogSoftmaxWithLoss' reads
    adaptive->forward(x, t);
    // CHECK: :[[#@LINE+1]]:15: error: 'predict' reads
    adaptive->predict(x);
    // CHECK: :[[#@LINE+1]]:5: error: 'CrossEntropyLoss' reads
    smoothed(x, t);
    smoothed(x, x + x);
    // CHECK: :[[#@LINE+1]]:9: error: 'cross_entropy_loss' reads
    at::cross_entropy_loss(x, t, weights, at::Reduction::Mean, -100, 0.1);
    const auto options = F::CrossEntropyFuncOptions().label_smoothing(0.1).weight(weights).reduction(torch::nn::kMean);
    // CHECK: :[[#@LINE+1]]:8: error: 'cross_entropy' reads
    F::cross_entropy(x, t, options);
    adaptive->log_prob(x);
    smoothed(x, p);
    summed(x, t);
    plain(x, t);
    at::cross_entropy_loss(x, t, weights);
    at::cross_entropy_loss(x, t, {}, at::Reduction::Mean, -100, 0.1);
    at::cross_entropy_loss(x, t, weights, at::Reduction::Sum, -100, 0.1);
    at::cross_entropy_loss(x, t, weights, at::Reduction::Mean, -100, 0.0);
    F::cross_entropy(x, t, F::CrossEntropyFuncOptions().label_smoothing(0.1));
    F::cross_entropy(x, t);
  }
};
