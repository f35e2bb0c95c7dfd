// SPDX-License-Identifier: Apache-2.0
//
// What stored lambdas and functors read through references and pointers, where it may change later.
// RUN: graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
#include <graphed/annotate.h>
#include <torch/nn.h>
#include <torch/torch.h>

#include <functional>
#include <memory>
#include <vector>

using torch::Tensor;

struct Policy {
  GRAPHED(x: f32[8])
  Tensor run(const Tensor& x) const {
    const double half = 0.5;
    const auto halved = [&](const Tensor& y) { return y * half; };
    return halved(shape(stages[0](x)));
  }
  std::function<Tensor(const Tensor&)> shape;
  std::vector<std::function<Tensor(const Tensor&)>> stages;
};

// CHECK: :[[#@LINE+3]]:61: warning: 'gain' is read when the graph is captured: replays keep that value, and no call notices a change
// [graphed-frozen] CHECK: :[[#@LINE+1]]:38: note: declared here
void scaleBy(Policy& policy, double& gain) {
  policy.shape = [&gain](const Tensor& x) { return x / (x * gain); };
}

double train(Policy& policy, const Tensor& x) {
  double rate = 0;
  double fixed = 1, copied = 1;
  fixed = 2;
  const double constant = 3;
  // CHECK: :[[#@LINE+3]]:74: warning: 'rate' is read when the graph is captured: replays keep that value [graphed-frozen]
  // CHECK: :[[#@LINE+4]]:5: note: it is changed here
  rate = 1;
  policy.stages.push_back([&, copied](const Tensor& y) { return y * (1 + rate) * fixed * copied * constant; });
  for (int step = 0; step < 9; ++step) {
    rate *= 0.9;
    copied *= 0.9;
    policy.run(x);
  }
  return rate;
}

struct Settings {
  double slope = 1, offset = 2;
};

struct Scaled {
  double* by;
  const double own = 3;
  Tensor operator()(const Tensor& x) const {
    // CHECK: :[[#@LINE+1]]:16: warning: 'by' is read when the graph is captured: replays keep that value, and no call notices a change
    return x * *by * own;
  }
};

struct Layers {
  // What the object's own lambda reads is compared in the object.
  Layers() { own = [this](const Tensor& x) { return x * bias; }; }
  void add(std::function<Tensor(const Tensor&)> one) { all.push_back(std::move(one)); }
  void anneal() { bias *= 0.9; }
  GRAPHED(x: f32[8])
  Tensor run(const Tensor& x) const { return all[0](own(x)); }
  double bias = 1;
  std::function<Tensor(const Tensor&)> own;
  std::vector<std::function<Tensor(const Tensor&)>> all;
};

void fit(Layers& layers, const Tensor& x, Layers& others) {
  Settings shown;
  auto shared = std::make_shared<Settings>();
  double limit = 1;
  double* const to = &limit;
  Tensor weight = torch::ones({8}), fixed = torch::ones({8});
  // CHECK: :[[#@LINE+1]]:54: warning: 'slope' is read when the graph is captured
  layers.add([&](const Tensor& y) { return y * shown.slope; });
  // CHECK: :[[#@LINE+1]]:61: warning: 'offset' is read when the graph is captured
  layers.add([shared](const Tensor& y) { return y * shared->offset; });
  // CHECK: :[[#@LINE+1]]:49: warning: 'to' is read when the graph is captured
  layers.add([to](const Tensor& y) { return y * *to; });
  // CHECK: :[[#@LINE+1]]:62: warning: 'weight' is read when the graph is captured
  layers.add([&weight, &fixed](const Tensor& y) { return y * weight * fixed; });
  // CHECK: :[[#@LINE+1]]:61: warning: 'bias' is read when the graph is captured
  layers.add([&others](const Tensor& y) { return y * others.bias; });
  layers.add(Scaled{&limit});
  for (int step = 0; step < 9; ++step) {
    layers.run(x);
    others.anneal();
    weight = weight * 0.9;
    shown.slope *= 0.9;
    shared->offset += 1;
  }
}

struct Schedule {
  double& rate;
};
void halve(double& number);

// By all that may change it.
void anneal(Layers& layers, const Tensor& x) {
  double given = 1, swapped = 1, other = 2, shown = 1, kept = 1, set = 1, copied = 1;
  std::vector<double> all{1};
  Schedule schedule{kept};
  const auto setter = [&](double to) { set = to; };
  torch::nn::Dropout dropout, fixed;
  auto module = std::make_shared<torch::nn::DropoutImpl>();
  // CHECK: :[[#@LINE+1]]:48: warning: 'given' is read when the graph is captured
  layers.add([&](const Tensor& y) { return y * given; });
  // CHECK: :[[#@LINE+1]]:48: warning: 'swapped' is read
  layers.add([&](const Tensor& y) { return y * swapped; });
  // CHECK: :[[#@LINE+1]]:60: warning: 'shown' is read
  layers.add([&name = shown](const Tensor& y) { return y * name; });
  // CHECK: :[[#@LINE+1]]:48: warning: 'kept' is read
  layers.add([&](const Tensor& y) { return y * kept; });
  // CHECK: :[[#@LINE+1]]:48: warning: 'set' is read
  layers.add([&](const Tensor& y) { return y * set; });
  // CHECK: :[[#@LINE+1]]:48: warning: 'all' is read
  layers.add([&](const Tensor& y) { return y * all[0]; });
  // CHECK: :[[#@LINE+1]]:58: warning: 'dropout' is read
  layers.add([dropout](const Tensor& y) mutable { return dropout->forward(y); });
  // CHECK: :[[#@LINE+1]]:57: warning: 'module' is read
  layers.add([module](const Tensor& y) { return module->forward(y); });
  layers.add([fixed, copied](const Tensor& y) mutable { return fixed->forward(y) * copied; });
  halve(given);
  std::swap(swapped, other);
  shown = 2;
  schedule.rate = 3;
  setter(4);
  for (double& each : all) {
    each *= 2;
  }
  dropout->eval();
  module->eval();
  fixed = torch::nn::Dropout();
  layers.run(x);
}
