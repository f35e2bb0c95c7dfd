// SPDX-License-Identifier: Apache-2.0
//
// The picture before a capture: what a body and its callees call, and which call uses the result of which.
// RUN: graphgen --explain --format=json --checks=-* %s %flags \
// RUN:   | %python %S/../Inputs/report/outline.py | FileCheck %s --match-full-lines --strict-whitespace
#include <graphed/annotate.h>
#include <torch/nn.h>
#include <torch/optim.h>

#include <functional>
#include <utility>
#include <vector>

using torch::Tensor;

Tensor other(const Tensor& x);
void fill(Tensor& x);

struct BlockImpl : torch::nn::Module {
  Tensor forward(const Tensor& x) { return x + fc->forward(x).tanh(); }
  torch::nn::Linear fc;
};
TORCH_MODULE(Block);

struct NetImpl : torch::nn::Module {
  // CHECK:NetImpl::layers
  // CHECK-NEXT:  0: line [[#@LINE+6]] torch::nn::Linear module net reads ['x']
  // CHECK-NEXT:  1: line [[#@LINE+5]] torch::nn::ReLU module net after [0]
  // CHECK-NEXT:  2: line 20 torch::nn::Linear module block.fc after [1]
  // CHECK-NEXT:  3: line 20 aten::tanh after [2]
  // CHECK-NEXT:  4: line 20 aten::add after [1, 3]
  // CHECK-NEXT:  5: line [[#@LINE+1]] aten::mul after [4] reads ['scale']
  GRAPHED(x: f32[4, 4]) Tensor layers(const Tensor& x) { return block->forward(net->forward(x)) * scale; }

  // A view is not a node; what writes through it is one that later uses come after.
  // CHECK-NEXT:NetImpl::memory
  // CHECK-NEXT:  0: line [[#@LINE+8]] aten::tanh reads ['x']
  // CHECK-NEXT:  1: line [[#@LINE+11]] aten::copy_ after [0] reads ['y']
  // CHECK-NEXT:  2: line [[#@LINE+11]] aten::copy_ after [1] reads ['y']
  // CHECK-NEXT:  3: line [[#@LINE+11]] aten::add_ after [2] reads ['scale']
  // CHECK-NEXT:  4: line [[#@LINE+11]] aten::add after [3] reads ['x']
  // CHECK-NEXT:  5: line [[#@LINE+10]] aten::mul after [3, 4]
  GRAPHED(x: f32[4, 4], y: f32[16])
  Tensor memory(const Tensor& x, const Tensor& y) {
    Tensor made = x.tanh();
    const Tensor flat = made.view({16});
    std::vector<Tensor> all;
    all.push_back(flat);
    flat.copy_(y);
    made[0] = y;
    all[0].add_(scale);
    return (made + x) * flat;
  }

  // CHECK-NEXT:NetImpl::ways
  // CHECK-NEXT:  0: line [[#@LINE+11]] aten::tanh perhaps reads ['x']
  // CHECK-NEXT:  1: line [[#@LINE+12]] other perhaps elsewhere reads ['x']
  // CHECK-NEXT:  2: line [[#@LINE+14]] aten::add repeated after [0, 1]
  // CHECK-NEXT:  3: line [[#@LINE+14]] aten::mul perhaps repeated after [2]
  // CHECK-NEXT:  4: line [[#@LINE+16]] torch::nn::Linear repeated module several[...] after [0, 1, 2, 3]
  // CHECK-NEXT:  5: line [[#@LINE+18]] aten::reshape perhaps after [0, 1, 2, 3, 4]
  // CHECK-NEXT:  6: line [[#@LINE+16]] aten::tanh after [0, 1, 2, 3, 4, 5]
  GRAPHED(x: f32[4, 4], k: key)
  Tensor ways(const Tensor& x, int k) {
    Tensor y;
    if (k > 3) {
      y = x.tanh();
    } else {
      y = other(x);
    }
    for (int i = 0; i < k; ++i) {
      y = y + y;
      y = i == 2 ? y * y : y;
    }
    for (auto& each : several) {
      y = each->forward(y);
    }
    auto last = [&](const Tensor& t) { return t.tanh(); };
    const auto z = y.reshape({2, 8});
    return last(z);
  }

  // CHECK-NEXT:NetImpl::unseen
  // CHECK-NEXT:  0: line [[#@LINE+6]] fill elsewhere reads ['x']
  // CHECK-NEXT:  1: line [[#@LINE+6]] given(x) elsewhere after [0]
  // CHECK-NEXT:  2: line [[#@LINE+6]] aten::mul after [1]
  // CHECK-NEXT:  3: line [[#@LINE+6]] aten::add after [2] reads ['own.part']
  GRAPHED(x: f32[4, 4] inplace)
  Tensor unseen(Tensor& x) {
    fill(x);
    Tensor y = given(x);
    state = y * y;
    return state + own.part;
  }
  // A number of the host is none, nor is what sets one.
  // CHECK-NEXT:NetImpl::nothing
  GRAPHED(x: f32[4, 4]) std::int64_t nothing(const Tensor& x) { return x.size(0); }

  // CHECK-NEXT:NetImpl::library
  // CHECK-NEXT:  0: line [[#@LINE+2]] torch::nn::functional::relu reads ['x']
  // CHECK-NEXT:  1: line [[#@LINE+1]] torch::nn::CrossEntropyLoss module criterion after [0] reads ['y']
  GRAPHED(x: f32[4, 4], y: i64[4]) Tensor library(const Tensor& x, const Tensor& y) { return criterion(torch::nn::functional::relu(x), y); }

  struct Parts {
    Tensor part;
  };
  torch::nn::Sequential net{torch::nn::Linear(), torch::nn::ReLU()};
  Block block;
  std::vector<torch::nn::Linear> several;
  std::function<Tensor(Tensor)> given;
  torch::nn::CrossEntropyLoss criterion;
  Tensor scale, state;
  Parts own;
};

struct Trainer {
  // CHECK-NEXT:Trainer::train
  // CHECK-NEXT:  0: line [[#@LINE+6]] aten::mul reads ['x', 'w']
  // CHECK-NEXT:  1: line [[#@LINE+6]] torch::Tensor::backward after [0]
  // CHECK-NEXT:  2: line [[#@LINE+6]] torch::optim::SGD::step module optimizer after [1]
  // CHECK-NEXT:  3: line [[#@LINE+6]] torch::optim::Optimizer::zero_grad module optimizer after [2]
  GRAPHED(x: f32[4, 4]; step)
  void train(const Tensor& x) {
    Tensor loss = w * x;
    loss.backward();
    optimizer.step();
    optimizer.zero_grad();
  }
  Tensor w;
  torch::optim::SGD optimizer;
};
