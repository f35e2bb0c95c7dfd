// SPDX-License-Identifier: Apache-2.0
//
// Numbers of other functions that stored lambdas read by reference, where they may change later.
// RUN: graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <functional>
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
  // CHECK: :[[#@LINE+4]]:10: note: it is changed here
  rate = 1;
  policy.stages.push_back([&, copied](const Tensor& y) { return y * (1 + rate) * fixed * copied * constant; });
  for (int step = 0; step < 9; ++step) {
    rate *= 0.9;
    copied *= 0.9;
    policy.run(x);
  }
  return rate;
}
