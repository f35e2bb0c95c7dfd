// SPDX-License-Identifier: Apache-2.0
//
// Results that are numbers of the host, which a program reads of tensors as its last act.
#include "metrics.h"
#include "program.h"

#include <graphed/annotate.h>
#include <graphed/optim/sgd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace results {

using at::Tensor;

constexpr int64_t kBatch = 8, kSeen = 4, kClasses = 3;

struct Report {
  Tensor logits;
  double loss = 0;
  std::vector<float> each;
  std::optional<int64_t> right;
};

struct Output {
  Tensor logits, loss;
  bool has_loss = false;
};

class Classifier {
 public:
  explicit Classifier(c10::Device device) { net->to(device); }

  GRAPHED(x: f32[kBatch, kSeen], y: i64[kBatch]; step)
  float learn(const Tensor& x, const Tensor& y) {
    optimizer.zero_grad();
    const Tensor loss = torch::nll_loss(torch::log_softmax(net->forward(x), 1), y);
    loss.backward();
    optimizer.step();
    return loss.item<float>();
  }

  GRAPHED(x: f32[kBatch, kSeen], y: i64[kBatch] optional)
  Output forward(const Tensor& x, const std::optional<Tensor>& y) {
    Output output;
    output.logits = torch::log_softmax(net->forward(x), 1);
    if (y) {
      output.loss = torch::nll_loss(output.logits, *y);
      output.has_loss = true;
    }
    return output;
  }

  GRAPHED(x: f32[kBatch, kSeen], y: i64[kBatch])
  Report evaluate(const Tensor& x, const Tensor& y) {
    const torch::NoGradGuard no_grad;
    Report report;
    report.logits = net->forward(x);
    const Tensor losses = torch::nll_loss(torch::log_softmax(report.logits, 1), y, {}, at::Reduction::None);
    report.loss = losses.mean().item<float>();
    for (int64_t i = 0; i < 3; ++i) {
      report.each.push_back(losses[i].item<float>());
    }
    report.right = report.logits.argmax(1).eq(y).sum().item<int64_t>();
    return report;
  }

  /// The norm, which LibTorch reads as well, is dropped.
  GRAPHED(x: f32[kBatch, kSeen], y: i64[kBatch]; step)
  float learn_with_small_gradients(const Tensor& x, const Tensor& y) {
    optimizer.zero_grad();
    const Tensor loss = torch::nll_loss(torch::log_softmax(net->forward(x), 1), y);
    loss.backward();
    torch::nn::utils::clip_grad_norm_(net->parameters(), 0.01);
    optimizer.step();
    return loss.item<float>();
  }

  /// The loss and a metric of another source.
  GRAPHED(x: f32[kBatch, kSeen], y: i64[kBatch]; step)
  std::pair<float, float> learn_and_measure(const Tensor& x, const Tensor& y) {
    const Tensor logits = net->forward(x);
    const Tensor loss = torch::nll_loss(torch::log_softmax(logits, 1), y);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    const float accuracy = metrics::accuracy(logits, y);
    return {loss.item<float>(), accuracy};
  }

  torch::nn::Linear net{kSeen, kClasses};
  graphed::optim::SGD optimizer{net->parameters(), 0.1};
};

GRAPHED(x: f32[kSeen])
bool converged(const Tensor& x) { return x.abs().max().lt(1).item<bool>(); }

/// In double precision, and after the read the tensor is overwritten.
GRAPHED(x: f64[kSeen])
std::pair<Tensor, double> overwritten(const Tensor& x) {
  Tensor sum = x.sum();
  const double before = sum.item().toDouble();
  sum.zero_();
  return {sum, before};
}

/// Each number comes from one of two, maybe of another type.
GRAPHED(x: f32[kSeen] grad, y: i32[kSeen])
std::tuple<int, double, Tensor, float> mixed(const Tensor& x, const Tensor& y) {
  const int largest = y.max().item<int>();
  const float mean = x.mean().item<float>();
  return {largest, mean, x * 2, mean};
}

GRAPHED(x: f32[B, kSeen]; B in {4} pad)
std::pair<Tensor, float> largest(const Tensor& x) { return {x * 2, x.relu().max().item<float>()}; }

// What differs from what item() gives is found by the capture where the checks do not see it, as here, where they are silent.

GRAPHED(x: f32[kSeen]; allow = graphed-host-item)
float scaled(const Tensor& x) { return x.sum().item<float>() * 2; }

GRAPHED(x: f32[kSeen]; allow = graphed-host-item)
float bounded(const Tensor& x) { return std::min(x.sum().item<float>(), 1e30F); }

GRAPHED(x: f32[kSeen]; allow = graphed-host-item)
float positive(const Tensor& x) { return std::max(x.sum().item<float>(), 0.0F); }

GRAPHED(x: f32[kSeen]; allow = graphed-host-branch)
float finite(const Tensor& x) {
  const auto sum = x.sum().item<float>();
  return std::isnan(sum) ? 0 : sum;
}

GRAPHED(x: f32[kSeen]; allow = graphed-host-item)
std::pair<Tensor, float> normalized(const Tensor& x) {
  const auto norm = x.norm().item<float>();
  return {x / norm, norm};
}

GRAPHED(x: f32[kSeen]; allow = graphed-host-branch)
std::pair<Tensor, float> repeated(const Tensor& x) {
  Tensor sum = x.sum();
  const auto first = sum.item<float>();
  while (sum.item<float>() < 100) {
    sum = sum + 10;
  }
  return {sum, first};
}

GRAPHED(x: f32[kSeen]; allow = graphed-host-branch)
std::pair<Tensor, float> chosen(const Tensor& x) {
  const auto sum = x.sum().item<float>();
  return {sum < 1e5F ? x * 2 : x + x, sum};
}

GRAPHED(x: f32[kSeen])
std::pair<bool, float> decided(const Tensor& x) { return {x.sum().gt(0).item<bool>(), x.sum().item<float>()}; }

GRAPHED(x: f32[kSeen]; allow = graphed-host-item)
std::pair<float, bool> compared(const Tensor& x) {
  const auto sum = x.sum().item<float>();
  return {sum, sum < 1e9F};
}

bool& is_odd() {
  static bool value = false;  // changes between the calls, which do not compare it
  return value;
}
const std::function<bool()> asks = [] { return is_odd(); };  // graphgen: allow(graphed-frozen)

GRAPHED(x: f32[kSeen])
std::pair<Tensor, bool> alternating(const Tensor& x) { return {x * 2, asks()}; }

GRAPHED(x: f32[kSeen]; warmup = 0)
std::pair<Tensor, bool> unwarmed(const Tensor& x) { return {x * 2, true}; }

GRAPHED(x: f32[kSeen])
std::pair<Tensor, int> counted(const Tensor& x) { return {x * 2, 7}; }

}  // namespace results

#include "results_test.graphed.h"

namespace {

using at::Tensor;
using graphed::testing::scenario;
using programs::program;

GRAPHED_DEVICE_TEST_SUITE(Results);

TEST_P(Results, TheLossAsAFloat) {
  expect_same([](scenario& run) {
    results::Classifier classifier(run.device());
    program<&results::Classifier::learn> learn(run, classifier);
    for (int step = 0; step < 9; ++step) {
      const Tensor y = at::randint(results::kClasses, {results::kBatch}, run.options(at::kLong));
      run.see("loss", std::to_string(learn(run.random({results::kBatch, results::kSeen}), y)));
    }
    programs::see_parameters(run, *classifier.net);
    learn.expect(/*warmups=*/3, /*replays=*/6);
  });
}

void see(scenario& run, const results::Report& report) {
  run.see("logits", report.logits);
  run.see("loss", report.loss);
  run.see("right", *report.right);
  for (const float each : report.each) {
    run.see("each", each);
  }
}

TEST_P(Results, NumbersBesideTensors) {
  expect_same([](scenario& run) {
    results::Classifier classifier(run.device());
    program<&results::Classifier::evaluate> evaluate(run, classifier);
    results::Report held;
    for (int step = 0; step < 8; ++step) {
      const Tensor y = at::randint(results::kClasses, {results::kBatch}, run.options(at::kLong));
      results::Report report = evaluate(run.random({results::kBatch, results::kSeen}), y);
      see(run, report);
      held = step == 5 ? std::move(report) : std::move(held);
    }
    see(run, held);
    evaluate.expect(/*warmups=*/3, /*replays=*/5);
  });
}

TEST_P(Results, AMetricOfAnotherFile) {
  expect_same([](scenario& run) {
    results::Classifier classifier(run.device());
    program<&results::Classifier::learn_and_measure> learn(run, classifier);
    for (int step = 0; step < 8; ++step) {
      const Tensor y = at::randint(results::kClasses, {results::kBatch}, run.options(at::kLong));
      const auto [loss, accuracy] = learn(run.random({results::kBatch, results::kSeen}), y);
      run.see("loss", loss);
      run.see("accuracy", accuracy);
    }
    programs::see_parameters(run, *classifier.net);
    learn.expect(/*warmups=*/3, /*replays=*/5);
  });
}

TEST_P(Results, TheNormOfClippingIsDropped) {
  expect_same([](scenario& run) {
    results::Classifier classifier(run.device());
    program<&results::Classifier::learn_with_small_gradients> learn(run, classifier);
    for (int step = 0; step < 8; ++step) {
      const Tensor y = at::randint(results::kClasses, {results::kBatch}, run.options(at::kLong));
      run.see("loss", learn(run.random({results::kBatch, results::kSeen}), y));
      programs::see_parameters(run, *classifier.net);
    }
    learn.expect(/*warmups=*/3, /*replays=*/5);
  });
}

TEST_P(Results, TruthValues) {
  expect_same([](scenario& run) {
    program<&results::converged> converged(run);
    for (int step = 0; step < 8; ++step) {
      run.see("converged", converged(run.random({results::kSeen}) * (step % 2 == 0 ? 0.01 : 100)));
    }
    converged.expect(/*warmups=*/3, /*replays=*/5);
  });
}

TEST_P(Results, ATruthValueThatNoTensorGives) {
  expect_same([](scenario& run) {
    results::Classifier classifier(run.device());
    program<&results::Classifier::forward> forward(run, classifier);
    for (int step = 0; step < 16; ++step) {
      const Tensor y = at::randint(results::kClasses, {results::kBatch}, run.options(at::kLong));
      const results::Output output =
          forward(run.random({results::kBatch, results::kSeen}), step % 2 == 0 ? std::optional<Tensor>(y) : std::nullopt);
      EXPECT_EQ(output.has_loss, step % 2 == 0);
      EXPECT_EQ(output.loss.defined(), output.has_loss);
      run.see("logits", output.logits);
      if (output.has_loss) {
        output.loss.backward();
        run.see("loss", output.loss);
      }
    }
    forward.expect(/*warmups=*/6, /*replays=*/10, /*captures=*/2);
  });
}

TEST_P(Results, EveryValueOfANumber) {
  expect_same([](scenario& run) {
    program<&results::overwritten> overwritten(run);
    const double infinity = std::numeric_limits<double>::infinity();
    for (const double value : {1.0, 0.1, -3.0, 0.0, -0.0, 1e-310, infinity, -infinity, std::nan(""), 1e300}) {
      const auto [sum, before] = overwritten(at::full({results::kSeen}, value, run.options(at::kDouble)));
      run.see("sum", sum);
      run.see("before", at::scalar_tensor(before, at::kDouble));
    }
    overwritten.expect(/*warmups=*/3, /*replays=*/7);
  });
}

TEST_P(Results, NumbersOfSeveralTypesBesideAGradient) {
  expect_same([](scenario& run) {
    program<&results::mixed> mixed(run);
    const Tensor x = run.leaf({results::kSeen});
    for (int step = 0; step < 8; ++step) {
      const auto [largest, mean, twice, same] = mixed(x, at::randint(1000, {results::kSeen}, run.options(at::kInt)));
      run.see("largest", largest);
      run.see("mean", mean);
      run.see("same", same);
      run.see("twice", twice);
      twice.sum().backward();
      run.see_grad("x.grad", x);
    }
    mixed.expect(/*warmups=*/3, /*replays=*/5);
  });
}

TEST_P(Results, NumbersOfAPaddedBatch) {
  expect_same([](scenario& run) {
    program<&results::largest> largest(run);
    for (int step = 0; step < 10; ++step) {
      const auto [twice, number] = largest(run.random({step % 2 == 0 ? 4 : 3, results::kSeen}));
      run.see("twice", twice);
      run.see("number", number);
    }
    if (run.graphed()) {
      EXPECT_GT(largest.stats().replays, 3U) << largest.stats();
    }
  });
}

TEST_P(Results, OneIsReadAheadOfTheFirstCall) {
  expect_same([](scenario& run) {
    program<&results::mixed> mixed(run);
    const Tensor x = run.leaf({results::kSeen});
    const Tensor y = at::randint(1000, {results::kSeen}, run.options(at::kInt));
    mixed.prepare(x, y);
    for (int step = 0; step < 3; ++step) {
      const auto [largest, mean, twice, same] = mixed(x + step, y + step);
      run.see("largest", largest);
      run.see("mean", mean);
    }
    if (run.graphed()) {
      EXPECT_EQ(mixed.stats().replays, 3U) << mixed.stats();
    }
  });
}

/// Runs eagerly, since the capture finds what `reason` says.
template <auto Callable>
void expect_refused(c10::Device device, const char* reason) {
  graphed::testing::expect_same(device, [&](scenario& run) {
    program<Callable> refused(run);
    for (int step = 0; step < 5; ++step) {
      results::is_odd() = step % 2 != 0;
      const auto result = refused(run.random({results::kSeen}));
      if constexpr (std::is_arithmetic_v<std::decay_t<decltype(result)>>) {
        run.see("number", result);
      } else {
        run.see("first", result.first);
        run.see("second", result.second);
      }
    }
    if (run.graphed()) {
      EXPECT_EQ(refused.stats().replays, 0U) << refused.explain();
      EXPECT_NE(refused.explain().find(reason), std::string::npos) << refused.explain();
    }
  });
}

constexpr const char* kComputed = "a number in its result is computed on the host from what item() gave";
constexpr const char* kDecides = "a number that it reads of a tensor decides what it does";

TEST_P(Results, NumbersThatAreComputedWithAreRefused) {
  expect_refused<&results::scaled>(device(), kComputed);
  expect_refused<&results::bounded>(device(), kComputed);
  expect_refused<&results::positive>(device(), kComputed);
  expect_refused<&results::finite>(device(), kComputed);
  expect_refused<&results::counted>(device(), kComputed);
}

TEST_P(Results, TruthValuesThatMayChangeAreRefused) {
  expect_refused<&results::compared>(device(), "decides a truth value of its result");
  expect_refused<&results::alternating>(device(), "nor the same in each warm-up");
  expect_refused<&results::unwarmed>(device(), "nor the same in each warm-up");
}

TEST_P(Results, NumbersThatOperatorsUseAreRefused) {
  expect_refused<&results::normalized>(device(), "operator aten::div");
  expect_refused<&results::repeated>(device(), "");
  expect_refused<&results::chosen>(device(), kDecides);
  expect_refused<&results::decided>(device(), "it reads a truth value of a tensor beside other numbers");
}

}  // namespace
