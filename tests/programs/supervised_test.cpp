// SPDX-License-Identifier: Apache-2.0
//
// Training loops of free functions that are given the network, the optimizer and the settings.
#include "program.h"

#include <graphed/annotate.h>
#include <graphed/clip_grad.h>
#include <graphed/optim/sgd.h>

#include <cstdint>

namespace supervised {

using at::Tensor;

constexpr int64_t kBatch = 8, kSeen = 4, kClasses = 3;

struct NetImpl : torch::nn::Module {
  NetImpl() {
    register_module("hidden", hidden);
    register_module("dropout", dropout);
    register_module("out", out);
  }
  Tensor forward(const Tensor& x) { return torch::log_softmax(out(dropout(torch::relu(hidden(x)))), 1); }

  torch::nn::Linear hidden{kSeen, 16}, out{16, kClasses};
  torch::nn::Dropout dropout{0.3};
};
TORCH_MODULE(Net);

struct Settings {
  double clip = 0.5;
  double smoothing = 0;
};

GRAPHED(net: module, optimizer: object, settings: object, x: f32[kBatch, kSeen], y: i64[kBatch]; step)
Tensor train(Net& net, graphed::optim::SGD& optimizer, const Settings& settings, const Tensor& x, const Tensor& y) {
  const Tensor log_probabilities = net->forward(x);
  const Tensor loss = torch::nll_loss(log_probabilities, y) - settings.smoothing * log_probabilities.mean();
  optimizer.zero_grad();
  loss.backward();
  graphed::clip_grad_norm_(net->parameters(), settings.clip);
  optimizer.step();
  return loss.detach();
}

GRAPHED(net: module, x: f32[kBatch, kSeen], y: i64[kBatch])
Tensor count_right(Net net, const Tensor& x, const Tensor& y) {
  const torch::NoGradGuard no_grad;
  return net->forward(x).argmax(1).eq(y).sum();
}

}  // namespace supervised

#include "supervised_test.graphed.h"

namespace supervised {

using programs::program;
using programs::scenario;

GRAPHED_DEVICE_TEST_SUITE(Supervised);

Tensor labels(const scenario& run) { return torch::randint(kClasses, {kBatch}, run.options(torch::kLong)); }

// Each network has captures of its own, and so has each value of a setting.
TEST_P(Supervised, TrainsTwoNetworksInTurn) {
  expect_same([](scenario& run) {
    Net first, second;
    first->to(run.device());
    second->to(run.device());
    graphed::optim::SGD of_first(first->parameters(), graphed::optim::SGDOptions(0.1));
    graphed::optim::SGD of_second(second->parameters(), graphed::optim::SGDOptions(0.1));
    Settings settings;
    program<&train> learn(run);
    for (int step = 0; step < 12; ++step) {
      settings.smoothing = step < 6 ? 0 : 0.1;
      run.see("loss of the first", learn(first, of_first, settings, run.random({kBatch, kSeen}), labels(run)));
      run.see("loss of the second", learn(second, of_second, settings, run.random({kBatch, kSeen}), labels(run)));
    }
    programs::see_parameters(run, *first);
    programs::see_parameters(run, *second);
    learn.expect(4 * 3, 4 * 3, 4);
  });
}

TEST_P(Supervised, EvaluatesInBothModes) {
  expect_same([](scenario& run) {
    Net net;
    net->to(run.device());
    program<&count_right> right(run);
    for (int call = 0; call < 10; ++call) {
      net->train(call % 2 == 0);
      run.see("right", right(net, run.random({kBatch, kSeen}), labels(run)));
    }
    right.expect(2 * 3, 2 * 2, 2);
  });
}

}  // namespace supervised
