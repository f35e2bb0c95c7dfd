// SPDX-License-Identifier: Apache-2.0
//
// State that a program keeps in members of the object: tensors that a call reads and replaces.
#include "explorer.h"
#include "program.h"
#include "support/warnings.h"

#include <graphed/annotate.h>
#include <graphed/optim.h>

#include <torch/nn.h>

#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace members {

using at::Tensor;

constexpr int64_t kRows = 2, kSeen = 4;

/// A network that remembers: its state is made by the first call, and is in no argument.
struct MemoryImpl : torch::nn::Module {
  struct Cell {
    Tensor h, c;
  };

  MemoryImpl() : lstm(register_module("lstm", torch::nn::LSTMCell(kSeen, kSeen))) {}

  GRAPHED(x: f32[kRows, kSeen])
  Tensor act(const Tensor& x) {
    if (!cell_.h.defined()) {
      cell_ = {torch::zeros({kRows, kSeen}, x.options()), torch::zeros({kRows, kSeen}, x.options())};
    }
    std::tie(cell_.h, cell_.c) = lstm(x, std::make_tuple(cell_.h, cell_.c));
    return cell_.h.sum(1);
  }
  /// The history goes back through all calls since the last one of this.
  void forget() { cell_ = {cell_.h.detach(), cell_.c.detach()}; }
  void reset() { cell_ = {}; }
  const Cell& cell() const { return cell_; }

  torch::nn::LSTMCell lstm;

 private:
  Cell cell_;
};
TORCH_MODULE(Memory);

/// Soft actor-critic's temperature, and a report of the last call.
struct Learner {
  struct Report {
    Tensor loss, alpha;
  };

  explicit Learner(const at::TensorOptions& options)
      : weight(torch::ones({kSeen}, options).requires_grad_()),
        log_alpha(torch::zeros({1}, options).requires_grad_()),
        alpha(torch::ones({1}, options)),
        optimizer({weight}, graphed::optim::SGDOptions(0.1)),
        temperature({log_alpha}, graphed::optim::SGDOptions(0.05)) {}

  GRAPHED(x: f32[kRows, kSeen]; step)
  void learn(const Tensor& x) {
    optimizer.zero_grad();
    const Tensor value = (x * weight).tanh();
    const Tensor loss = (alpha * value.square() - value).mean();
    loss.backward();
    optimizer.step();
    temperature.zero_grad();
    (log_alpha * (value.detach() + 0.3)).mean().backward();
    temperature.step();
    alpha = log_alpha.exp().detach();
    report.loss = loss.detach();
    report.alpha = alpha;
  }

  Tensor weight, log_alpha, alpha;
  Report report;
  graphed::optim::SGD optimizer, temperature;
};

/// Two states that take turns, one of which is written in place as well; and what an optional holds from the first call on.
struct Filter {
  GRAPHED(x: f32[kSeen], mask: f32[kSeen])
  Tensor step(const Tensor& x, const Tensor& mask) {
    front.mul_(mask);
    back = back * 0.5 + front + x;
    std::swap(front, back);
    if (sums) {
      sums = std::make_tuple(std::get<0>(*sums) + x, std::get<1>(*sums) + front);
    } else {
      sums = std::make_tuple(x.clone(), front.clone());
    }
    last = x;
    return front - back;
  }

  Tensor front, back, last;
  std::optional<std::tuple<Tensor, Tensor>> sums;
};

/// A table for the length that was met last: the number beside it says which one that is.
struct Table {
  GRAPHED(x: f32[T]; T in {3, 5})
  Tensor scaled(const Tensor& x) {
    if (made_for != x.size(0)) {
      table = torch::arange(x.size(0), x.options()) + 1;
      made_for = x.size(0);
    }
    return x * table;
  }

  Tensor table;
  int64_t made_for = 0;
};

/// Gradients go through the state to the leaf that all calls use.
struct Unrolled {
  GRAPHED(x: f32[kSeen]; slots = 4)
  Tensor step(const Tensor& x) {
    state = torch::tanh(state * weight + x);
    return state.sum();
  }

  Tensor weight, state;
};

/// Double buffers: the method reads neither of the two that it swaps, and passes one on.
struct BuffersImpl : torch::nn::Module {
  GRAPHED(x: f32[kSeen])
  Tensor turn(const Tensor& x) {
    std::swap(front, back);
    last = front;
    front = x + 1;
    return x * 2;
  }

  Tensor front, back, last;
};

/// A model of a world that dreams, and remembers what it has dreamt.
struct World {
  GRAPHED(x: f32[kRows, kSeen])
  Tensor step(const Tensor& x) { return dream(x) - here(x); }

  explorer::Dream dream;
  struct HereImpl : torch::nn::Module {
    Tensor forward(const Tensor& x) {
      sum = sum + x;
      return sum * 0.5;
    }
    Tensor sum = torch::zeros({kRows, kSeen});
  };
  TORCH_MODULE(Here);
  Here here;
};

GRAPHED_FOR(&explorer::Agent::act, x: f32[kRows, kSeen]);
GRAPHED_FOR(&explorer::Agent::learn, x: f32[kRows, kSeen]; step);

/// The program counts between the calls.
struct Counted {
  int64_t position = 0;

  GRAPHED(x: f32[8])
  Tensor shifted(const Tensor& x) { return x + position; }
};

}  // namespace members

#include "members_test.graphed.h"

namespace {

using at::Tensor;
using graphed::testing::scenario;
using programs::program;

GRAPHED_DEVICE_TEST_SUITE(StateInMembers);

// No warm-up says that a member which captures carry keeps them away.
template <class Program>
void expect_no_failure(const Program& program) {
  EXPECT_TRUE(program.stats().capture_failures.empty()) << program.explain();
}

TEST_P(StateInMembers, OfARecurrentNetwork) {
  expect_same([](scenario& run) {
    const torch::NoGradGuard no_grad;
    members::Memory net;
    net->to(run.device());
    program<&members::MemoryImpl::act> act(run, *net);
    std::vector<members::MemoryImpl::Cell> held;
    for (int step = 0; step < 12; ++step) {
      run.see("y", act(run.random({members::kRows, members::kSeen})));
      held.push_back(net->cell());
    }
    for (const auto& cell : held) {
      run.see("held", {cell.h, cell.c});
    }
    act.expect(/*warmups=*/3, /*replays=*/9);
    expect_no_failure(act);
    for (int episode = 0; episode < 5; ++episode) {  // each begins without a state: another key
      net->reset();
      for (int step = 0; step < 3; ++step) {
        run.see("y", act(run.random({members::kRows, members::kSeen})));
      }
    }
    run.see("cell", {net->cell().h, net->cell().c});
    if (run.graphed()) {
      EXPECT_EQ(act.stats().miss_count(), 0U) << act.explain();
      EXPECT_GE(act.stats().replays, 20U) << act.explain();
    }
  });
}

TEST_P(StateInMembers, OfATemperatureInAStep) {
  expect_same([](scenario& run) {
    members::Learner learner(run.options(at::kFloat));
    program<&members::Learner::learn> learn(run, learner);
    std::vector<members::Learner::Report> held;
    for (int step = 0; step < 10; ++step) {
      learn(run.random({members::kRows, members::kSeen}));
      run.see("weight", learner.weight);
      run.see("alpha", {learner.alpha, learner.log_alpha});
      EXPECT_TRUE(learner.report.alpha.is_same(learner.alpha));
      held.push_back(learner.report);
      if (step == 6) {
        learner.alpha = torch::full({1}, 0.25, run.options(at::kFloat));  // the caller's
      }
    }
    for (const auto& report : held) {
      run.see("report", {report.loss, report.alpha});
    }
    learn.expect(/*warmups=*/3, /*replays=*/7);
    expect_no_failure(learn);
  });
}

TEST_P(StateInMembers, ThatTakeTurnsAndAreWrittenInPlace) {
  expect_same([](scenario& run) {
    members::Filter filter{run.random({members::kSeen}), run.random({members::kSeen}), {}, {}};
    program<&members::Filter::step> step(run, filter);
    for (int i = 0; i < 12; ++i) {
      const Tensor before = filter.front, x = run.random({members::kSeen});
      run.see("y", step(x, run.random({members::kSeen}).gt(0).to(at::kFloat)));
      run.see("state", {filter.front, filter.back, std::get<0>(*filter.sums), std::get<1>(*filter.sums)});
      run.see("before", before);
      EXPECT_TRUE(filter.back.is_same(before));
      EXPECT_TRUE(filter.last.is_same(x));
    }
    if (run.graphed()) {
      EXPECT_GE(step.stats().replays, 7U) << step.explain();
      EXPECT_EQ(step.stats().miss_count(), 0U) << step.explain();
      expect_no_failure(step);
    }
  });
}

TEST_P(StateInMembers, ATableBesideANumber) {
  expect_same([](scenario& run) {
    members::Table table;
    program<&members::Table::scaled> scaled(run, table);
    for (const int64_t length : {3, 3, 3, 3, 3, 5, 3, 5, 3, 5, 3, 5, 5, 5, 5, 3, 5, 5, 3, 3, 3}) {
      run.see("y", scaled(run.random({length})));
    }
    const torch::NoGradGuard other_key;
    for (const int64_t length : {5, 3, 3, 5}) {
      run.see("y", scaled(run.random({length})));
    }
  });
}

TEST_P(StateInMembers, WithAHistory) {
  expect_same([](scenario& run) {
    members::Unrolled unrolled{run.leaf({members::kSeen}), run.random({members::kSeen})};
    program<&members::Unrolled::step> step(run, unrolled);
    for (int i = 0; i < 8; ++i) {
      const Tensor first = step(run.random({members::kSeen}));
      const Tensor second = step(run.random({members::kSeen}));
      (first + second).backward();
      run.see("gradient", unrolled.weight.grad());
      unrolled.state = unrolled.state.detach();
    }
    if (run.graphed()) {
      EXPECT_GE(step.stats().replays, 8U) << step.explain();
      EXPECT_GE(step.stats().backward_replays, 6U) << step.explain();
    }
  });
}

// Each value is a key of its own.
TEST_P(StateInMembers, ANumberThatChangesInEachCall) {
  const graphed::testing::collected_warnings warnings;
  expect_same([&](scenario& run) {
    members::Counted counted;
    program<&members::Counted::shifted> shifted(run, counted);
    for (int call = 0; call < 20; ++call) {
      counted.position = call;
      run.see("y", shifted(run.random({8})));
    }
  });
  EXPECT_EQ(warnings.count({"its object changes from call to call, so that none is captured: 'position = 14', then 'position = 15'"}), 1U)
      << warnings.all();
}

TEST_P(StateInMembers, IsAsItWasAfterPrepare) {
  expect_same([](scenario& run) {
    const Tensor front = run.random({members::kSeen}), back = run.random({members::kSeen}), x = run.random({members::kSeen});
    const auto sums = std::make_tuple(run.random({members::kSeen}), run.random({members::kSeen}));
    members::Filter filter{front, back, x, sums};
    program<&members::Filter::step> step(run, filter);
    step.prepare(x, torch::ones_like(x));
    EXPECT_TRUE(filter.front.is_same(front));
    EXPECT_TRUE(filter.back.is_same(back));
    EXPECT_TRUE(std::get<0>(*filter.sums).is_same(std::get<0>(sums)));
    run.see("front", filter.front);
    for (int i = 0; i < 4; ++i) {
      run.see("y", step(x, torch::ones_like(x)));
    }
    step.expect(/*warmups=*/0, /*replays=*/4);
    expect_no_failure(step);
  });
}

TEST_P(StateInMembers, BuffersOfAModuleThatTakeTurns) {
  expect_same([](scenario& run) {
    const auto buffers = std::make_shared<members::BuffersImpl>();
    buffers->front = run.random({members::kSeen});
    buffers->back = run.random({members::kSeen});
    buffers->last = run.random({members::kSeen});
    program<&members::BuffersImpl::turn> turn(run, *buffers);
    for (int step = 0; step < 9; ++step) {
      run.see("y", turn(run.random({members::kSeen})));
      run.see("buffers", {buffers->front, buffers->back, buffers->last});
    }
    EXPECT_TRUE(buffers->last.defined());
    turn.expect(/*warmups=*/3, /*replays=*/6);
  });
}

TEST_P(StateInMembers, OfModulesThatTheObjectHolds) {
  expect_same([](scenario& run) {
    members::World world;
    world.dream->to(run.options().device());
    world.dream->begin(run.random({members::kRows, members::kSeen}));
    world.here->sum = run.random({members::kRows, members::kSeen});
    program<&members::World::step> step(run, world);
    std::vector<Tensor> held;
    for (int i = 0; i < 10; ++i) {
      if (i == 7) {
        world.here->sum = run.random({members::kRows, members::kSeen});
      }
      run.see("y", step(run.random({members::kRows, members::kSeen})));
      run.see("members", {world.dream->hidden(), world.here->sum});
      held.push_back(world.dream->hidden());
    }
    run.see("held", held);
    step.expect(/*warmups=*/3, /*replays=*/7);
  });
}

// What acts replaces a tensor of the object. What learns is captured again each time, since its body, in another file, may use that.
TEST_P(StateInMembers, ReplacedByAnotherCallable) {
  for (const bool in_place : {false, true}) {
    expect_same([&](scenario& run) {
      explorer::Agent agent(run.options());
      agent.noise.is_written_in_place = in_place;
      program<&explorer::Agent::act> act(run, agent);
      program<&explorer::Agent::learn> learn(run, agent);
      const graphed::testing::collected_warnings warnings;
      for (int step = 0; step < 9; ++step) {
        const Tensor x = run.random({explorer::kRows, explorer::kSeen});
        run.see("loss", learn(x));
        run.see("action", act(x));
        run.see("noise", agent.noise.state);
      }
      programs::see_parameters(run, *agent.policy);
      learn.expect(/*warmups=*/3, /*replays=*/6, /*captures=*/in_place ? 1 : 6);
      if (run.graphed()) {
        EXPECT_EQ(warnings.count({"because the member 'noise.state' of its object is another tensor"}), in_place ? 0U : 1U)
            << warnings.all();
      }
    });
  }
}

}  // namespace
