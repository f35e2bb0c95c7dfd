// SPDX-License-Identifier: Apache-2.0
//
// What callables do to objects that are their arguments: as to the members of a method's object.
// RUN: graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
// RUN: graphgen --explain %s %flags 2>/dev/null | FileCheck %s --check-prefix=EXPLAIN
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <memory>

namespace app {

torch::Tensor times(const torch::Tensor& x, int64_t count);

struct NetImpl : torch::nn::Module {
  torch::Tensor forward(const torch::Tensor& x) { return x + x; }
  int64_t epoch = 0;
};
TORCH_MODULE(Net);

struct Logger {
  int64_t count = 0;
  torch::Tensor last;
};

// Reads, calls and writes in place are right.
GRAPHED(net: module, logger: object, x: f32[2])
torch::Tensor reads(Net net, Logger& logger, const torch::Tensor& x) {
  logger.last.add_(x);
  return net->forward(x) + logger.last;
}
// EXPLAIN: app::reads
// EXPLAIN: writes that outlive a call
// EXPLAIN-NEXT: the argument 'logger.last' {{ *}}add_ {{ *}}kept in place

GRAPHED(logger: object, x: f32[2])
torch::Tensor counts(Logger& logger, const torch::Tensor& x) {
  // CHECK: :[[#@LINE+1]]:{{[0-9]+}}: warning: 'count' changes when the graph is captured, not in replays [graphed-host-state]
  ++logger.count;
  return x + 1;
}

GRAPHED(logger: object, x: f32[2])
torch::Tensor keeps(const std::shared_ptr<Logger>& logger, const torch::Tensor& x) {
  // CHECK: :[[#@LINE+1]]:{{[0-9]+}}: warning: the argument 'logger.last' is assigned at the capture only, and then shows memory that each replay overwrites [graphed-rebound]
  logger->last = x + x;
  return x + 1;
}

GRAPHED(net: module, x: f32[2])
torch::Tensor switches(NetImpl& net, const torch::Tensor& x) {
  // CHECK: :[[#@LINE+1]]:{{[0-9]+}}: warning: 'eval' leaves a mode behind, which a replay does not set; set it outside of the callable [graphed-mode]
  net.eval();
  return net.forward(x);
}

// Each call looks at a number of a module.
GRAPHED(net: module, x: f32[2])
torch::Tensor scaled(NetImpl& net, const torch::Tensor& x) {
  return times(net.forward(x), net.epoch);
}

void train(NetImpl& net) {
  net.train();
  for (int64_t epoch = 0; epoch < 10; ++epoch) {
    net.epoch = epoch;
  }
}

}  // namespace app
