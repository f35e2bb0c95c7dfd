// SPDX-License-Identifier: Apache-2.0
//
// What is read behind a call that is not seen, and of objects that functions of other files give. The generated code cannot look at it.
// RUN: graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <memory>
#include <utility>
#include <vector>

struct Part {
  double rate = 1;
  std::pair<double, int> range{1, 2};
  const double fixed = 3;
};

struct Settings {
  torch::Tensor unseen(const torch::Tensor& x);
  std::unique_ptr<Part> part = std::make_unique<Part>();
};

inline Settings& settings() {
  static Settings made;
  return made;
}

Part& far();
const Part* farther();
Part made_anew();

GRAPHED(x: f32[4])
inline torch::Tensor behind_a_call(const torch::Tensor& x) {
  torch::Tensor y = settings().unseen(x);
  // CHECK: frozen-unseen.h:[[#@LINE+1]]:{{[0-9]+}}: warning: 'part' is read when the graph is captured: replays use what it holds then, and no call notices when that is replaced [graphed-frozen]
  y = y * settings().part->rate;
  y = y * settings().part->range.first;
  return y * settings().part->fixed;
}

GRAPHED(x: f32[4])
inline torch::Tensor of_another_file(const torch::Tensor& x) {
  // CHECK: frozen-unseen.h:[[#@LINE+1]]:{{[0-9]+}}: warning: 'rate' is read when the graph is captured: replays keep that value, and no call notices a change [graphed-frozen]
  torch::Tensor y = x * far().rate;
  // CHECK: frozen-unseen.h:[[#@LINE+1]]:{{[0-9]+}}: warning: 'range' is read when the graph is captured
  y = y * farther()->range.first;
  return y * far().fixed * made_anew().rate;
}
