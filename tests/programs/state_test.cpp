// SPDX-License-Identifier: Apache-2.0
//
// State that a callable gets by reference and changes: members that it assigns, and members that it writes in place.
#include "program.h"

#include <graphed/annotate.h>
#include <graphed/scalar.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace state {

using at::Tensor;

constexpr int64_t kRows = 2, kSeen = 4, kPlaces = 8;

struct Cell {
  Tensor h, c;
};
struct State {
  Cell cell;
  Tensor written;
  int64_t layers = 1;
  graphed::Scalar decay{0.5};
};

GRAPHED(x: f32[kRows, kSeen],
        state: {cell: {h: f32[kRows, kSeen], c: f32[kRows, kSeen]}, written: f32[kRows, kSeen] inplace, layers: key, decay: live})
Tensor remember(const Tensor& x, State& state) {
  for (int64_t i = 0; i < state.layers; ++i) {
    state.cell.h = torch::tanh(x + state.cell.h * state.decay.like(x));
    state.cell.c = state.cell.c + state.cell.h;
  }
  state.written.add_(state.cell.c);
  return state.written.sum();
}

using Cache = std::optional<std::tuple<Tensor, Tensor>>;

/// The first call makes the cache, later ones write into it.
GRAPHED(x: f32[1, kSeen], place: i64[1], cache: {f32[kPlaces, kSeen] inplace, f32[kPlaces, kSeen] inplace})
Tensor attend(const Tensor& x, const Tensor& place, Cache& cache) {
  if (!cache) {
    cache.emplace(torch::zeros({kPlaces, kSeen}, x.options()), torch::zeros({kPlaces, kSeen}, x.options()));
  }
  Tensor& keys = std::get<0>(*cache);
  Tensor& values = std::get<1>(*cache);
  keys.index_copy_(0, place, x);
  values.index_copy_(0, place, x * 2);
  return torch::softmax(x.matmul(keys.t()), -1).matmul(values);
}

GRAPHED(x: f32[kSeen], layers: f32[kSeen] * 2)
void turn(const Tensor& x, std::vector<Tensor>& layers) {
  std::swap(layers[0], layers[1]);
  layers[0] = layers[0] + x;
}

GRAPHED(x: f32[kSeen] grad, batch: {x: f32[kSeen], y: f32[kSeen]})
float normalize(const Tensor& x, std::map<std::string, Tensor>& batch) {
  batch["x"] = batch["x"] * x;
  return batch["y"].sum().item<float>();
}

/// A recurrent cell that begins without a state, and a loss with weights (PINNs), as default arguments say.
GRAPHED(x: f32[kRows, kSeen], state: {f32[kRows, kSeen] optional, f32[kRows, kSeen] optional}, rates: {key, key})
std::tuple<Tensor, Tensor> recur(const Tensor& x, std::tuple<Tensor, Tensor> state = {}, const std::pair<double, int>& rates = {0.5, 2}) {
  const auto [h, c] = state;
  const Tensor next = h.defined() ? torch::tanh(x + h * rates.first) + c : torch::tanh(x);
  return {next, next * rates.second};
}

struct Settings {
  Tensor bias;
  double scale = 0.25;
  std::array<int64_t, 2> sizes{1, 1};
};
GRAPHED(x: f32[kRows, kSeen], settings: {bias: f32[kSeen] optional, scale: key, sizes: key * 2})
Tensor shifted(const Tensor& x, const Settings& settings = {{}, 0.125}) {
  const Tensor scaled = x * settings.scale * settings.sizes[1];
  return settings.bias.defined() ? scaled + settings.bias : scaled;
}

}  // namespace state

#include "state_test.graphed.h"

namespace {

using at::Tensor;
using graphed::testing::scenario;
using programs::program;

GRAPHED_DEVICE_TEST_SUITE(StateOfCalls);

TEST_P(StateOfCalls, AssignedMembersAndMembersWrittenInPlace) {
  expect_same([](scenario& run) {
    program<&state::remember> remember(run);
    state::State its{{run.random({state::kRows, state::kSeen}), run.random({state::kRows, state::kSeen})},
                     run.random({state::kRows, state::kSeen})};
    std::vector<state::Cell> held;
    for (int step = 0; step < 12; ++step) {
      its.layers = step < 8 ? 1 : 2;
      its.decay = graphed::Scalar(0.1 * step);
      const Tensor written = its.written;
      run.see("sum", remember(run.random({state::kRows, state::kSeen}), its));
      EXPECT_TRUE(its.written.is_same(written));
      EXPECT_EQ(its.layers, step < 8 ? 1 : 2);
      run.see("written", its.written);
      held.push_back(its.cell);
    }
    for (const auto& cell : held) {
      run.see("held", {cell.h, cell.c});
    }
    remember.expect(/*warmups=*/6, /*replays=*/6, /*captures=*/2);
  });
}

TEST_P(StateOfCalls, ACacheOfKeysAndValues) {
  expect_same([](scenario& run) {
    program<&state::attend> attend(run);
    state::Cache cache;
    for (int64_t step = 0; step < state::kPlaces; ++step) {
      run.see("y", attend(run.random({1, state::kSeen}), at::full({1}, step, run.options(at::kLong)), cache));
      run.see("cache", {std::get<0>(*cache), std::get<1>(*cache)});
    }
    if (run.graphed()) {
      EXPECT_EQ(attend.stats().replays, 4U) << attend.explain();  // the first call has no cache, three are warm-ups
    }
  });
}

TEST_P(StateOfCalls, TensorsThatTakeTurns) {
  expect_same([](scenario& run) {
    program<&state::turn> turn(run);
    std::vector<Tensor> layers = {run.random({state::kSeen}), run.random({state::kSeen})};
    for (int step = 0; step < 9; ++step) {
      const Tensor first = layers[0];
      turn(run.random({state::kSeen}), layers);
      EXPECT_TRUE(layers[1].is_same(first));
      run.see("layers", layers);
    }
    turn.expect(/*warmups=*/3, /*replays=*/6);
  });
}

TEST_P(StateOfCalls, GradientsThroughAssignedTensors) {
  expect_same([](scenario& run) {
    program<&state::normalize> normalize(run);
    const Tensor x = run.leaf({state::kSeen});
    for (int step = 0; step < 8; ++step) {
      std::map<std::string, Tensor> batch = {{"x", run.random({state::kSeen})}, {"y", run.random({state::kSeen})}};
      run.see("sum", normalize(x, batch));
      batch["x"].sum().backward();
      run.see_grad("x.grad", x);
    }
    normalize.expect(/*warmups=*/3, /*replays=*/5);
  });
}

TEST_P(StateOfCalls, DefaultArgumentsOfAggregates) {
  expect_same([](scenario& run) {
    graphed::callable<&state::recur> recur;
    graphed::callable<&state::shifted> shifted;
    std::tuple<Tensor, Tensor> kept;
    for (int step = 0; step < 12; ++step) {
      const Tensor x = run.random({state::kRows, state::kSeen});
      const bool begins = step % 2 == 0;
      if (run.graphed()) {
        kept = begins ? recur(x) : recur(x, kept);
        run.see("shifted", shifted(x));
      } else {
        kept = begins ? state::recur(x) : state::recur(x, kept);
        run.see("shifted", state::shifted(x));
      }
      run.see("kept", {std::get<0>(kept), std::get<1>(kept)});
    }
    if (run.graphed()) {
      EXPECT_EQ(recur.stats().replays, 6U) << recur.explain();  // both with a state and without have three warm-ups
      EXPECT_EQ(recur.stats().miss_count(), 0U) << recur.explain();
      EXPECT_EQ(shifted.stats().replays, 9U) << shifted.explain();
    }
  });
}

}  // namespace
