// SPDX-License-Identifier: Apache-2.0
//
// Checks know LibTorch's own declarations, and find nothing in what a capture can hold.
// REQUIRES: torch
// RUN: not graphgen --check --checks=-graphed-host-state %s %libtorch_flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <iostream>

GRAPHED(x: f32[2], n: i64[2]) void reads(const torch::Tensor& x, const torch::Tensor& n) {
  // CHECK: :[[#@LINE+1]]:5: error: {{.*}} [graphed-host-item]
  x.item<float>();
  // CHECK: :[[#@LINE+1]]:9: error: {{.*}} [graphed-host-branch]
  if (x.item().toBool()) {
    // CHECK: :[[#@LINE+1]]:12: warning: {{.*}} [graphed-host-item]
    torch::is_nonzero(x);
  }
  // CHECK: :[[#@LINE+1]]:10: error: {{.*}} [graphed-host-compare]
  torch::equal(x, x);
  // CHECK: :[[#@LINE+1]]:5: error: {{.*}} [graphed-host-compare]
  x.allclose(x);
  // CHECK: :[[#@LINE+1]]:13: error: {{.*}} [graphed-host-print]
  std::cout << x << '\n';
  // CHECK: :[[#@LINE+1]]:3: error: {{.*}} [graphed-host-print]
  TORCH_WARN("x is ", x);
  // CHECK: :[[#@LINE+1]]:5: error: {{.*}} [graphed-host-copy]
  x.cpu();
  // CHECK: :[[#@LINE+1]]:5: error: {{.*}} [graphed-host-copy]
  x.to(torch::kCPU);
  // CHECK: :[[#@LINE+1]]:5: error: {{.*}} [graphed-host-copy]
  x.to(torch::TensorOptions().device(torch::kCPU).dtype(torch::kFloat));
  // CHECK: :[[#@LINE+1]]:5: error: {{.*}} [graphed-host-copy]
  x.to(torch::Device("cpu"), torch::kFloat);
  // CHECK: :[[#@LINE+2]]:10: warning: {{.*}} [graphed-device]
  // CHECK: :[[#@LINE+1]]:49: warning: {{.*}} [graphed-host-copy]
  torch::zeros({2}, torch::device(torch::kCPU)).copy_(x);
  // CHECK: :[[#@LINE+1]]:5: error: {{.*}} [graphed-host-pointer]
  x.accessor<float, 1>();
  // CHECK: :[[#@LINE+1]]:3: error: {{.*}} [graphed-host-pointer]
  x.data_ptr<float>()[0] = 1;
  // CHECK: :[[#@LINE+1]]:5: error: {{.*}} [graphed-dynamic-shape]
  x.nonzero();
  // CHECK: :[[#@LINE+1]]:10: error: {{.*}} [graphed-dynamic-shape]
  torch::where(x > 0);
  // CHECK: :[[#@LINE+1]]:10: error: {{.*}} [graphed-dynamic-shape]
  torch::bincount(n);
  // CHECK: :[[#@LINE+1]]:5: error: {{.*}} [graphed-dynamic-shape]
  x.repeat_interleave(n);
  // CHECK: :[[#@LINE+1]]:10: error: {{.*}} [graphed-dynamic-shape]
  torch::one_hot(n);
  // CHECK: :[[#@LINE+1]]:5: error: {{.*}} [graphed-dynamic-shape]
  x.index({x > 0});
  // CHECK: :[[#@LINE+1]]:5: error: {{.*}} [graphed-dynamic-shape]
  x.index({torch::zeros({2}, x.options().dtype(torch::kBool))});
  // CHECK: :[[#@LINE+1]]:16: error: {{.*}} [graphed-sync]
  torch::cuda::synchronize();
  // CHECK: :[[#@LINE+1]]:10: error: {{.*}} [graphed-linalg-sync]
  torch::linalg_inv(x);
  // CHECK: :[[#@LINE+1]]:5: error: {{.*}} [graphed-linalg-sync]
  x.inverse();
  // CHECK: :[[#@LINE+1]]:5: error: {{.*}} [graphed-linalg-sync]
  x.svd();
  // CHECK: :[[#@LINE+1]]:10: error: {{.*}} [graphed-host-memory]
  torch::tensor(std::vector<float>(2), torch::kCUDA);
  // CHECK: :[[#@LINE+1]]:10: warning: {{.*}} [graphed-host-memory]
  torch::tensor(std::vector<float>(2), x.options());
  float values[2] = {};
  // CHECK: :[[#@LINE+1]]:33: error: {{.*}} [graphed-host-memory]
  torch::from_blob(values, {2}).to(torch::kCUDA);
  torch::arange(8, torch::dtype(torch::kLong)).to(x.device());  // a constant
  torch::tensor({1.0, 2.0}).to(x.device());
  // CHECK: :[[#@LINE+1]]:20: warning: {{.*}} [graphed-host-memory]
  torch::rand({8}).to(x.device());
  // CHECK: :[[#@LINE+1]]:114: warning: {{.*}} [graphed-host-memory]
  (torch::hann_window(8).to(torch::kFloat) * torch::cat({torch::fft::fftfreq(4), torch::normal(0.0, 1.0, {4})})).to(x.device());
  // CHECK: :[[#@LINE+1]]:5: warning: {{.*}} [graphed-host-memory]
  x.pin_memory();
  torch::Tensor y = x.clone();
  // CHECK: :[[#@LINE+1]]:5: error: {{.*}} [graphed-host-memory]
  y.index_put_({torch::indexing::Slice(), n}, 1.0);
  // CHECK: :[[#@LINE+1]]:5: error: {{.*}} [graphed-host-memory]
  y.index_put_({1}, 1.0);
  // CHECK: :[[#@LINE+1]]:5: error: {{.*}} [graphed-host-memory]
  x.index_put({n}, torch::scalar_tensor(1.0));
  // CHECK: :[[#@LINE+1]]:5: error: {{.*}} [graphed-dynamic-shape]
  x.index_put({x > 0}, torch::zeros({1}, x.options().dtype(torch::kFloat)));
  // CHECK: :[[#@LINE+1]]:57: error: {{.*}} [graphed-host-item]
  torch::sparse_coo_tensor(n.expand({2, 2}), x, {8, 8}).coalesce();
}

// Functions, modules and their options as LibTorch declares them.
struct Classifier {
  torch::nn::CrossEntropyLoss smoothed{torch::nn::CrossEntropyLossOptions().weight(torch::ones({8})).label_smoothing(0.1)};
  torch::nn::AdaptiveLogSoftmaxWithLoss adaptive{torch::nn::AdaptiveLogSoftmaxWithLossOptions(8, 20, {5, 10})};
  torch::nn::TransformerEncoder encoder{torch::nn::TransformerEncoderOptions(torch::nn::TransformerEncoderLayer(8, 2), 2)};
  torch::nn::TransformerDecoder decoder{torch::nn::TransformerDecoderOptions(torch::nn::TransformerDecoderLayer(8, 2), 2)};
  torch::nn::MultiheadAttention apart{torch::nn::MultiheadAttentionOptions(8, 2).kdim(6).vdim(6)};
  torch::nn::LSTM lstm{torch::nn::LSTMOptions(8, 8)};

  GRAPHED(x: f32[4, 8], t: i64[4], s: f32[5, 4, 8], m: f32[3, 4, 8], i: i32[4], c: i32[9], b: f32[64, 32, 32], n: i64[4])
  void classify(const torch::Tensor& x, const torch::Tensor& t, const torch::Tensor& s, const torch::Tensor& m, const torch::Tensor& i,
                const torch::Tensor& c, const torch::Tensor& b, const torch::Tensor& n) {
    namespace F = torch::nn::functional;
    // CHECK: :[[#@LINE+1]]:5: error: {{.*}} [graphed-host-item]
    smoothed(x, t);
    // CHECK: :[[#@LINE+1]]:12: error: {{.*}} [graphed-host-item]
    torch::cross_entropy_loss(x, t, x[0], at::Reduction::Mean, -100, 0.1);
    // CHECK: :[[#@LINE+1]]:8: error: {{.*}} [graphed-host-item]
    F::cross_entropy(x, t, F::CrossEntropyFuncOptions().weight(x[0]).label_smoothing(0.1));
    // CHECK: :[[#@LINE+1]]:15: error: {{.*}} [graphed-host-item]
    adaptive->predict(x);
    // CHECK: :[[#@LINE+1]]:5: error: {{.*}} [graphed-host-item]
    adaptive(x, t);
    // CHECK: :[[#@LINE+1]]:8: error: {{.*}} [graphed-host-item]
    F::ctc_loss(s, t, n, n);
    // CHECK: :[[#@LINE+2]]:11: error: {{.*}} [graphed-host-item]
    // CHECK: :[[#@LINE+1]]:60: error: {{.*}} [graphed-host-memory]
    lstm->forward_with_packed_input(torch::nn::utils::rnn::pack_padded_sequence(s, n, false, false));
    // CHECK: :[[#@LINE+1]]:5: error: {{.*}} [graphed-host-compare]
    decoder(s, s);
    // CHECK: :[[#@LINE+1]]:7: warning: {{.*}} [graphed-linalg-sync]
    b.det();
    // CHECK: :[[#@LINE+1]]:12: error: {{.*}} [graphed-linalg-sync]
    torch::linalg_norm(x, 2);
    // CHECK: :[[#@LINE+1]]:12: error: {{.*}} [graphed-linalg-sync]
    torch::linalg_ldl_solve(x, t, x);
    F::cross_entropy(x, t, F::CrossEntropyFuncOptions().label_smoothing(0.1));
    F::ctc_loss(s, c, i, i, F::CTCLossFuncOptions().zero_infinity(true));
    torch::ctc_loss(s, c, i, i);
    adaptive->log_prob(x);
    decoder(s, m);
    apart(s, m, s);
    encoder(s);
    b[0].det();
    torch::linalg_norm(x, 2, 1);
    x.mode();
  }
};

GRAPHED(x: f32[8, 8]; step) void trains(const torch::Tensor& x) {
  static torch::optim::Adam adam(std::vector<torch::Tensor>{x}, torch::optim::AdamOptions(0.1));
  static torch::optim::SGD sgd(std::vector<torch::Tensor>{x}, torch::optim::SGDOptions(0.1));
  static torch::optim::StepLR scheduler(adam, 30);
  // CHECK: :[[#@LINE+1]]:8: error: {{.*}} [graphed-torch-optim]
  adam.step();
  // CHECK: :[[#@LINE+1]]:7: warning: {{.*}} [graphed-torch-optim]
  sgd.step();
  // CHECK: :[[#@LINE+1]]:13: error: {{.*}} [graphed-torch-optim]
  scheduler.step();
  // CHECK: :[[#@LINE+1]]:21: error: {{.*}} [graphed-torch-optim]
  torch::nn::utils::clip_grad_norm_({x}, 1.0);
  static torch::nn::BatchNorm1d norm(torch::nn::BatchNorm1dOptions(8).momentum(std::nullopt));
  // CHECK: :[[#@LINE+2]]:3: warning: {{.*}} [graphed-batchnorm-average]
  // CHECK: :[[#@LINE-2]]:71: note: the average is chosen here
  norm(x);
}

struct NetImpl : torch::nn::Module {
  explicit NetImpl(int64_t width) : first(width, width), batch_norm(width) {
    register_module("first", first);
    register_module("batch_norm", batch_norm);
  }
  torch::Tensor forward(torch::Tensor x) {
    TORCH_CHECK(x.dim() == 2, "expected rows, got ", x);
    x = torch::relu(batch_norm(first->forward(x)));
    if (is_training()) {
      x = torch::dropout(x, 0.5, true);
    }
    // CHECK: :[[#@LINE+2]]:13: error: {{.*}} [graphed-host-item]
    // CHECK: note: called from 'modules' here
    x.sum().item<float>();
    return torch::nn::functional::softmax(x, torch::nn::functional::SoftmaxFuncOptions(1));
  }
  torch::nn::Linear first;
  torch::nn::BatchNorm1d batch_norm;
};
TORCH_MODULE(Net);

GRAPHED(x: f32[2, 8]) torch::Tensor modules(const torch::Tensor& x) {
  static Net net(8);
  return net(x);
}

GRAPHED(x: f32[8, 8] grad, n: i64[8]) torch::Tensor safe(const torch::Tensor& x, const torch::Tensor& n) {
  const auto options = torch::TensorOptions().dtype(torch::kFloat).device(x.device());
  torch::Tensor y = torch::zeros({8, 8}, options) + torch::one_hot(n, 8).to(torch::kFloat);
  y.index_put_({n, torch::indexing::Slice()}, torch::ones({}, x.options()));
  y.index_put_({x > 0}, 1.0);
  y.index_put_({3}, 1.0);
  y[3][3] = 1.0;
  y.index({3, 3}) = 1.0;
  y.index_put_({torch::indexing::Slice(1, 2), 3}, 1.0);
  y = y.index({n, torch::indexing::Slice(0, 4)}).to(x.device(), torch::kHalf).to(x.options());
  std::vector<torch::Tensor> parts = y.chunk(2);
  std::cout << y.sizes() << y.size(0) << y.dtype() << y.device();
  torch::nn::utils::clip_grad_value_({x}, 1.0);
  y = y + torch::tensor(2.0, x.options()) + torch::arange(8, options) + torch::full({8}, 0.5, x.options());
  y = torch::bernoulli(y, at::detail::getDefaultCPUGenerator()) + std::get<0>(torch::linalg_inv_ex(x));
  return torch::where(y > 0, y, y.neg()).sum() + torch::cat(parts).mean();
}
