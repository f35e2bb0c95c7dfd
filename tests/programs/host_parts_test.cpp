// SPDX-License-Identifier: Apache-2.0
//
// Programs with host code in the middle of a callable: sampling of tokens on the host, an ODE whose step adapts, a step that logs.
#include "program.h"

#include <graphed/annotate.h>
#include <graphed/host.h>
#include <graphed/optim.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <set>
#include <vector>

namespace host_parts {

using at::Tensor;

constexpr int64_t kWords = 16, kWidth = 8, kPlaces = 12;

/// One token of a language model: the host draws it, and the model goes on with it at once.
struct Decoder : torch::nn::Module {
  Decoder() {
    words = register_module("words", torch::nn::Embedding(kWords, kWidth));
    cell = register_module("cell", torch::nn::GRUCell(kWidth, kWidth));
    head = register_module("head", torch::nn::Linear(kWidth, kWords));
  }

  GRAPHED(token: i64[1], hidden: f32[1, kWidth])
  std::tuple<Tensor, Tensor> next(const Tensor& token, const Tensor& hidden) {
    const Tensor now = cell(words(token), hidden);
    const Tensor probabilities = head(now).softmax(-1);
    const Tensor drawn = graphed::host([this, probabilities] {
      const Tensor on_host = probabilities.cpu();
      const float* const begin = on_host.data_ptr<float>();
      std::discrete_distribution<int64_t> draw(begin, begin + kWords);
      told.push_back(draw(engine));
      return torch::full({1}, told.back(), torch::kLong).to(probabilities.device());
    });
    return {drawn, now + words(drawn)};
  }

  torch::nn::Embedding words{nullptr};
  torch::nn::GRUCell cell{nullptr};
  torch::nn::Linear head{nullptr};
  std::mt19937 engine{7};
  std::vector<int64_t> told;
};

/// A step of Heun's method: the host decides how far, by the error of the step.
struct Solver {
  Tensor matrix;
  double length = 0.1;
  std::vector<double> lengths = {};

  GRAPHED(y: f32[kWidth])
  Tensor advance(const Tensor& y) {
    const Tensor slope = matrix.mv(y).tanh();
    const graphed::Scalar given = graphed::host([this] { return length; });
    const Tensor euler = y + slope * given.like(y);
    const Tensor heun = y + (slope + matrix.mv(euler).tanh()) * given.like(y) * 0.5;
    const Tensor error = (heun - euler).abs().max();
    graphed::host([this, error] {
      const double scale = std::sqrt(1e-3 / std::max(error.item<double>(), 1e-9));
      lengths.push_back(length);
      length *= std::min(std::max(scale, 0.5), 2.0);
    });
    return heun;
  }
};

/// Logs the loss in the middle of the step.
struct Trainer {
  torch::nn::Linear net{4, 1};
  graphed::optim::SGD optimizer{net->parameters(), torch::optim::SGDOptions(0.1)};
  std::vector<float> losses;

  GRAPHED(x: f32[8, 4], y: f32[8, 1]; step)
  Tensor step(const Tensor& x, const Tensor& y) {
    optimizer.zero_grad();
    const Tensor loss = torch::mse_loss(net(x), y);
    graphed::host([this, loss] { losses.push_back(loss.item<float>()); });
    loss.backward();
    optimizer.step();
    return loss.detach();
  }
};

/// Logs in the middle, and returns a number.
struct Logger {
  std::vector<float> losses;

  GRAPHED(x: f32[8])
  float loss(const Tensor& x) {
    const Tensor y = (x * x).mean();
    graphed::host([this, y] { losses.push_back(y.item<float>()); });
    return (y + 1).item<float>();
  }
};

/// The host part returns what the result is computed of, and reads nothing where it is not asked to.
struct Measurer {
  std::mt19937 engine{3};

  GRAPHED(x: f32[8], reads: key)
  std::pair<bool, Tensor> measure(const Tensor& x, bool reads) {
    const Tensor y = x.exp();
    const Tensor other = graphed::host([this, y] { return y.cpu().roll(static_cast<int64_t>(engine() % 8)).to(y.device()); });
    const graphed::Scalar largest = graphed::host([y] { return y.max().item<float>(); });
    const Tensor z = other / largest.like(y);
    return {reads ? z.sum().gt(4).item<bool>() : true, z};
  }
};

/// So many steps of a relaxation: a graph for each number.
GRAPHED(y: f32[8], steps: key)
Tensor relaxed(const Tensor& y, int64_t steps) {
  Tensor now = y.narrow(0, 0, 8 - steps);
  for (int64_t step = 0; step < steps; ++step) {
    now = (now + now.flip(0)).tanh();
  }
  return at::constant_pad_nd(now, {0, steps});
}

/// The host decides which of the other callable's graphs comes next.
struct Chooser {
  std::function<Tensor(const Tensor&, int64_t)> relax;
  std::vector<int64_t> chosen = {};

  GRAPHED(x: f32[8])
  Tensor choose(const Tensor& x) {
    const Tensor y = x.sin();
    const Tensor next = graphed::host([this, y] {
      chosen.push_back(1 + y.argmax().item<int64_t>() % 3);
      return relax(y, chosen.back());
    });
    return next * y;
  }
};

/// The host part keeps a tensor in a member that nothing else of the callable names.
struct Keeper {
  Tensor last = {};

  GRAPHED(x: f32[8])
  Tensor keep(const Tensor& x) {
    const Tensor y = x * 2;
    graphed::host([this, y] { last = y.cpu() + 1; });
    return y.sin();
  }
};

/// The host part gives a member another tensor, which the graph reads in the next call.
struct Rebinder {
  Tensor shift;

  GRAPHED(x: f32[8])
  Tensor turn(const Tensor& x) {
    const Tensor y = x + shift;
    graphed::host([this, y] { shift = y.cpu().flip(0).to(y.device()); });
    return y.sin();
  }
};

/// The host part writes a member that the graph reads before and after it.
struct Writer {
  Tensor shift;

  GRAPHED(x: f32[8])
  Tensor write(const Tensor& x) {
    const Tensor y = x + shift;
    graphed::host([this, y] { shift.copy_(y.cpu().flip(0)); });
    return y.sin() * shift;
  }
};

}  // namespace host_parts

#include "host_parts_test.graphed.h"

namespace {

using at::Tensor;
using graphed::testing::scenario;
using programs::program;

GRAPHED_DEVICE_TEST_SUITE(HostParts);

TEST_P(HostParts, TokensAreDrawnOnTheHost) {
  expect_same([](scenario& run) {
    const c10::NoGradGuard no_grad;
    host_parts::Decoder decoder;
    decoder.to(run.device());
    program<&host_parts::Decoder::next> next(run, decoder);
    Tensor token = at::zeros({1}, run.options(at::kLong)), hidden = at::zeros({1, host_parts::kWidth}, run.options());
    for (int place = 0; place < host_parts::kPlaces; ++place) {
      std::tie(token, hidden) = next(token, hidden);
      run.see("token", token);
      run.see("hidden", hidden);
    }
    for (const int64_t each : decoder.told) {
      run.see("told", each);
    }
    next.expect(/*warmups=*/3, /*replays=*/host_parts::kPlaces - 3);
  });
}

TEST_P(HostParts, TheHostAdaptsTheLengthOfAStep) {
  expect_same([](scenario& run) {
    host_parts::Solver solver{run.random({host_parts::kWidth, host_parts::kWidth})};
    program<&host_parts::Solver::advance> advance(run, solver);
    Tensor y = run.random({host_parts::kWidth});
    for (int step = 0; step < 16; ++step) {
      y = advance(y);
      run.see("y", y);
    }
    for (const double each : solver.lengths) {
      run.see("length", each);
    }
    advance.expect(/*warmups=*/3, /*replays=*/13);
  });
}

TEST_P(HostParts, KeepsATensorInAMember) {
  expect_same([](scenario& run) {
    host_parts::Keeper keeper;
    program<&host_parts::Keeper::keep> keep(run, keeper);
    for (int call = 0; call < 8; ++call) {
      run.see("y", keep(run.random({8})));
      run.see("last", keeper.last);
    }
    keep.expect(/*warmups=*/3, /*replays=*/5);
  });
}

TEST_P(HostParts, GivesAMemberAnotherTensor) {
  expect_same([](scenario& run) {
    host_parts::Rebinder rebinder{run.random({8})};
    program<&host_parts::Rebinder::turn> turn(run, rebinder);
    for (int call = 0; call < 10; ++call) {
      run.see("y", turn(run.random({8})));
      run.see("shift", rebinder.shift);
    }
    if (run.graphed()) {
      EXPECT_EQ(turn.stats().replays, 0U);
      EXPECT_NE(turn.explain().find("a host part gives the member 'shift' another tensor, which the graph reads"), std::string::npos)
          << turn.explain();
    }
  });
}

TEST_P(HostParts, WritesAMember) {
  expect_same([](scenario& run) {
    host_parts::Writer writer{run.random({8})};
    program<&host_parts::Writer::write> write(run, writer);
    for (int call = 0; call < 10; ++call) {
      run.see("y", write(run.random({8})));
      run.see("shift", writer.shift);
    }
    write.expect(/*warmups=*/3, /*replays=*/7);
  });
}

TEST_P(HostParts, ANumberChoosesAGraph) {
  expect_same([](scenario& run) {
    constexpr int calls = 48;
    program<&host_parts::relaxed> relax(run);
    host_parts::Chooser chooser{[&](const Tensor& y, int64_t steps) { return relax(y, steps); }};
    program<&host_parts::Chooser::choose> choose(run, chooser);
    for (int call = 0; call < calls; ++call) {
      run.see("y", choose(run.random({8})));
    }
    for (const int64_t each : chooser.chosen) {
      run.see("chosen", each);
    }
    choose.expect(/*warmups=*/3, /*replays=*/calls - 3);
    if (run.graphed()) {
      EXPECT_EQ(std::set<int64_t>(chooser.chosen.begin(), chooser.chosen.end()).size(), 3U);
      EXPECT_EQ(relax.stats().captures, 3U) << relax.explain();
      EXPECT_GE(relax.stats().replays, static_cast<uint64_t>(calls / 2)) << relax.explain();
    }
  });
}

// A capture on a CPU runs the callable once for each placeholder, and the host part with the last one.
TEST_P(HostParts, BesideANumberInTheResult) {
  expect_same([](scenario& run) {
    host_parts::Logger logger;
    program<&host_parts::Logger::loss> loss(run, logger);
    for (int call = 0; call < 8; ++call) {
      run.see("loss", loss(run.random({8})));
    }
    for (const float each : logger.losses) {
      run.see("logged", each);
    }
    loss.expect(/*warmups=*/3, /*replays=*/5);
  });
}

TEST_P(HostParts, ReturningWhatANumberIsComputedOf) {
  expect_same([](scenario& run) {
    host_parts::Measurer measurer;
    program<&host_parts::Measurer::measure> measure(run, measurer);
    for (int call = 0; call < 20; ++call) {
      const auto [is_large, tensor] = measure(run.random({8}), call % 2 == 0);
      run.see("is_large", is_large);
      run.see("tensor", tensor);
    }
    measure.expect(/*warmups=*/6, /*replays=*/14, /*captures=*/2);
  });
}

TEST_P(HostParts, AStepLogsItsLoss) {
  expect_same([](scenario& run) {
    host_parts::Trainer trainer;
    trainer.net->to(run.device());
    program<&host_parts::Trainer::step> step(run, trainer);
    for (int call = 0; call < 10; ++call) {
      run.see("loss", step(run.random({8, 4}), run.random({8, 1})));
      programs::see_parameters(run, *trainer.net);
    }
    for (const float each : trainer.losses) {
      run.see("logged", each);
    }
    step.expect(/*warmups=*/3, /*replays=*/7);
  });
}

}  // namespace
