// SPDX-License-Identifier: Apache-2.0
//
// graphed::if_else and graphed::while_loop: a tensor's value decides, in a graph on the device.
#include "support/device_test.h"

#include <graphed/capture.h>
#include <graphed/control_flow.h>
#include <graphed/host.h>

#include <array>
#include <filesystem>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace control_flow_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(ControlFlow);

constexpr int calls = 10;

Tensor number(const scenario& run, double value) { return at::full({}, value, run.options()); }

TEST_P(ControlFlow, BothResultsInTurn) {
  expect_same([](scenario& run) {
    const Tensor weight = run.random({4, 4});
    subject callable(run, {{"x", {2, 4}}}, [&weight](tensor_list& in) {
      const Tensor y = in[0].mm(weight);
      const Tensor chosen = if_else(y.sum() > 0, [&] { return y.exp() + weight[0]; }, [&] { return (y * weight[1]).sin(); });
      return tensor_list{chosen * 2, y};
    });
    for (int call = 0; call < 1003; ++call) {
      run.see("results", callable({run.random({2, 4})}));
    }
    callable.expect_replays(1001);
    callable.expect_captures(1);
  });
}

TEST_P(ControlFlow, ResultsOfEachForm) {
  expect_same([](scenario& run) {
    subject callable(run, {{"x", {3}}, {"count", {}, at::kLong}}, [](tensor_list& in) {
      const Tensor x = in[0];
      const auto [low, high] =
          if_else(in[1], [&] { return std::tuple(x.min(), x.max()); }, [&] { return std::tuple(x[0] * 1, x[1] - x[2]); });
      const auto list = if_else(
          x[0] > x[1], [&] { return tensor_list{x, x.expand({2, 3})}; }, [&] { return tensor_list{x.flip(0), x.new_ones({2, 3})}; });
      const auto pair = if_else(
          low, [low = low, high = high] { return std::array<Tensor, 2>{low, high}; },
          [low = low, high = high] { return std::array<Tensor, 2>{high, low}; });
      return tensor_list{pair[0], pair[1], list[0], list[1]};
    });
    for (int call = 0; call < calls; ++call) {
      run.see("results", callable({run.random({3}), at::full({}, call % 3, run.options(at::kLong))}));
    }
    callable.expect_replays(calls - 2);
  });
}

// What the body that does not run would write is left as it is.
TEST_P(ControlFlow, BodiesWriteTensorsFromOutside) {
  expect_same([](scenario& run) {
    const Tensor ups = at::zeros({}, run.options(at::kLong)), downs = at::zeros({2}, run.options());
    subject callable(run, {{"x", {2}}, {"y", {2}, at::kFloat, /*grad=*/false, /*inplace=*/true}}, [&](tensor_list& in) {
      const Tensor inner = in[0] * 2;
      if_else(
          in[0].sum() > 0,
          [&] {
            ups.add_(1);
            in[1].add_(1);
            inner.mul_(3);
          },
          [&] {
            downs.sub_(in[0]);
            in[1].fill_(5);
          });
      return tensor_list{inner + ups};
    });
    for (int call = 0; call < calls; ++call) {
      const Tensor y = run.random({2});
      run.see("results", callable({run.random({2}), y}));
      run.see("y", y);
      run.see("ups", ups);
      run.see("downs", downs);
    }
    callable.expect_replays(calls - 2);
  });
}

Tensor of_four(const Tensor& x, const Tensor& y) {
  return if_else(
      x[0] > 0,
      [&] {
        const Tensor z = y + 1;
        return if_else(x[1] > 0, [&] { return z * 2; }, [&] { return z.sin(); }) - 1;
      },
      [&] { return if_else(x[1] > 0, [&] { return y.cos() + x; }, [&] { return y.mm(y); }) * 3; });
}

TEST_P(ControlFlow, TwoInEachOfTwo) {
  expect_same([](scenario& run) {
    subject callable(run, {{"x", {2}}, {"y", {2, 2}}},
                     [](tensor_list& in) { return tensor_list{of_four(in[0], in[1]), of_four(in[0], in[1].neg())}; });
    for (int call = 0; call < 4 * calls; ++call) {
      run.see("results", callable({run.random({2}), run.random({2, 2})}));
    }
    callable.expect_replays(4 * calls - 2);
    callable.expect_captures(1);
  });
}

TEST_P(ControlFlow, LoopsOfAnotherCountInEachCall) {
  expect_same([](scenario& run) {
    const Tensor matrix = run.random({4, 4}) * 0.1 + at::eye(4, run.options());
    subject callable(run, {{"x", {4}}, {"limit", {}}}, [&matrix](tensor_list& in) {
      const auto [x, count] = while_loop([&](const std::tuple<Tensor, Tensor>& now) { return std::get<0>(now).norm() < in[1]; },
                                         [&](const std::tuple<Tensor, Tensor>& now) {
                                           const auto& [x, count] = now;
                                           return std::tuple(matrix.mv(x) + x * 0.5, count + 1);
                                         },
                                         std::tuple(in[0] * 1, at::zeros({}, in[0].options().dtype(at::kLong))), 40);
      return tensor_list{x + 1, count};
    });
    for (int call = 0; call < 3 * calls; ++call) {
      run.see("results", callable({run.random({4}), number(run, call * call)}));
    }
    callable.expect_replays(3 * calls - 2);
  });
}

TEST_P(ControlFlow, LoopsStopAtTheirMost) {
  expect_same([](scenario& run) {
    for (const int64_t most : {0, 1, 3}) {
      subject callable(run, {{"x", {2}}}, [most](tensor_list& in) {
        return tensor_list{
            while_loop([](const Tensor& x) { return x.sum() < 1e6; }, [](const Tensor& x) { return x * 2 + 1; }, in[0], most)};
      });
      for (int call = 0; call < calls; ++call) {
        run.see("results", callable({run.random({2})}));
      }
      callable.expect_replays(calls - 2);
    }
  });
}

// The state is a copy; what a body returns may be the state, in another order, a part of it, or a tensor from outside.
TEST_P(ControlFlow, ABodyReturnsAndWritesWhatItLikes) {
  expect_same([](scenario& run) {
    const Tensor outside = run.random({2});
    subject callable(run, {{"x", {2}}}, [&outside](tensor_list& in) {
      const Tensor given = in[0] * 1;
      const tensor_list last = while_loop([](const tensor_list& now) { return now[2] < 5; },
                                          [&](const tensor_list& now) {
                                            now[2].add_(1);
                                            return tensor_list{now[1], now[0], now[2], outside, now[3].add_(now[0])};
                                          },
                                          tensor_list{given, given + 1, at::zeros({}, given.options()), given, given}, 100);
      tensor_list all = last;
      all.push_back(given);
      return all;
    });
    for (int call = 0; call < calls; ++call) {
      run.see("results", callable({run.random({2})}));
      run.see("outside", outside);
    }
    callable.expect_replays(calls - 2);
  });
}

TEST_P(ControlFlow, BranchesInALoopAndLoopsInABranch) {
  expect_same([](scenario& run) {
    subject callable(run, {{"x", {2}}}, [](tensor_list& in) {
      const Tensor x = in[0];
      const auto halve = [](const Tensor& y) {
        return while_loop([](const Tensor& now) { return now.abs().sum() > 0.25; }, [](const Tensor& now) { return now * 0.5; }, y, 50);
      };
      const Tensor y = while_loop([](const std::pair<Tensor, Tensor>& now) { return now.second < 6; },
                                  [&](const std::pair<Tensor, Tensor>& now) {
                                    const Tensor z = if_else(
                                        now.first.sum() > 0, [&] { return now.first - x.abs(); }, [&] { return halve(now.first) + 1; });
                                    return std::pair(z, now.second + 1);
                                  },
                                  std::pair(x.exp(), at::zeros({}, x.options())), 100)
                           .first;
      return tensor_list{if_else(y[0] > y[1], [&] { return halve(y); }, [&] { return halve(y - 1) - 1; })};
    });
    for (int call = 0; call < 2 * calls; ++call) {
      run.see("results", callable({run.random({2})}));
    }
    callable.expect_replays(2 * calls - 2);
  });
}

TEST_P(ControlFlow, SeveralOneAfterAnother) {
  expect_same([](scenario& run) {
    const Tensor weight = run.random({8, 8});
    subject callable(run, {{"x", {8, 8}}}, [&weight](tensor_list& in) {
      Tensor y = in[0];
      for (int i = 0; i < 6; ++i) {
        const Tensor other = y.mm(weight);
        y = if_else(y[i][0] > 0, [&] { return (y + other).tanh(); }, [&] { return y.mm(other).tanh() - weight; });
      }
      return tensor_list{y};
    });
    for (int call = 0; call < 4 * calls; ++call) {
      run.see("results", callable({run.random({8, 8})}));
    }
    callable.expect_replays(4 * calls - 2);
  });
}

TEST_P(ControlFlow, InAStep) {
  expect_same([](scenario& run) {
    const Tensor weight = run.leaf({2});
    settings of_a_step;
    of_a_step.step = true;
    subject step(
        run, {{"x", {2}}},
        [&weight](tensor_list& in) {
          const Tensor loss = (in[0] * weight).pow(2).sum();
          weight.mutable_grad().reset();
          loss.backward();
          const c10::NoGradGuard no_grad;
          if_else(weight.grad().norm() < 2, [&] { weight.sub_(weight.grad() * 0.1); }, [] {});
          return tensor_list{loss.detach()};
        },
        of_a_step);
    for (int call = 0; call < calls; ++call) {
      run.see("loss", step({run.random({2})}));
      run.see("weight", weight);
    }
    step.expect_replays(calls - 2);
  });
}

TEST_P(ControlFlow, InInferenceMode) {
  expect_same([](scenario& run) {
    const Tensor weight = run.random({4, 4});
    subject callable(run, {{"x", {4, 4}}}, [&weight](tensor_list& in) {
      return tensor_list{if_else(in[0][0][0] > 0, [&] { return in[0].mm(weight); }, [&] { return weight.mm(in[0]); })};
    });
    for (int call = 0; call < calls; ++call) {
      const Tensor x = run.random({4, 4});
      const c10::InferenceMode inference;
      run.see("results", callable({x}));
    }
    callable.expect_replays(calls - 2);
  });
}

TEST_P(ControlFlow, AttentionThatDropsNothing) {
  expect_same([](scenario& run) {
    subject callable(run, {{"x", {1, 2, 16, 32}}}, [](tensor_list& in) {
      const Tensor x = in[0];
      return tensor_list{if_else(
          x.sum() > 0, [&] { return at::scaled_dot_product_attention(x, x * 2, x + 1).contiguous(); }, [&] { return x.softmax(-1); })};
    });
    const c10::NoGradGuard no_grad;
    for (int call = 0; call < 2 * calls; ++call) {
      run.see("results", callable({run.random({1, 2, 16, 32})}));
    }
    callable.expect_replays(2 * calls - 2);
  });
}

TEST_P(ControlFlow, BesideAHostPart) {
  expect_same([](scenario& run) {
    subject callable(run, {{"x", {2}}}, [](tensor_list& in) {
      const Tensor y = if_else(in[0].sum() > 0, [&] { return in[0] * 3; }, [&] { return in[0] - 1; });
      const Scalar sum = host([y] { return y.sum().item<double>(); });
      return tensor_list{
          while_loop([&](const Tensor& z) { return z.norm() < 9; }, [&](const Tensor& z) { return z * 2 + y; }, y + sum.like(y), 9)};
    });
    for (int call = 0; call < 2 * calls; ++call) {
      run.see("results", callable({run.random({2})}));
    }
    callable.expect_replays(2 * calls - 2);
    if (run.graphed()) {
      EXPECT_NE(callable.explain().find("in 2 pieces"), std::string::npos) << callable.explain();
    }
  });
}

TEST_P(ControlFlow, CapturedAhead) {
  expect_same([](scenario& run) {
    const Tensor sum = at::zeros({2}, run.options());
    subject callable(run, {{"x", {2}}}, [&sum](tensor_list& in) {
      if_else(in[0].sum() > 0, [&] { sum.add_(in[0]); }, [&] { sum.mul_(0.5); });
      return tensor_list{while_loop([](const Tensor& y) { return y.norm() < 4; }, [&](const Tensor& y) { return y * 2 + sum; }, in[0], 9)};
    });
    const Tensor x = run.random({2});
    callable.prepare({x});
    run.see("sum", sum);
    for (int call = 0; call < calls; ++call) {
      run.see("results", callable({run.random({2})}));
      run.see("sum", sum);
    }
    callable.expect_replays(calls);
  });
}

TEST_P(ControlFlow, WithoutACallable) {
  const Tensor x = at::ones({2}, device());
  EXPECT_FALSE(if_else(x[0], [&] { return x; }, [&] { return x + 1; }).is_alias_of(x));
  EXPECT_TRUE(while_loop([](const Tensor& y) { return y[0] < 9; }, [](const Tensor& y) { return y * 2; }, x, 20).equal(x * 16));
  EXPECT_TRUE(x.equal(at::ones_like(x)));
  EXPECT_THROW(if_else(x, [&] { return x; }, [&] { return x; }), Error);
  EXPECT_THROW(if_else(Tensor(), [&] { return x; }, [&] { return x; }), Error);
  EXPECT_THROW(if_else(x[0], [] { return Tensor(); }, [&] { return x; }), Error);
  EXPECT_THROW(while_loop([](const Tensor& y) { return y[0] < 9; }, [](const Tensor& y) { return y.sum(); }, x, 20), Error);
  EXPECT_THROW(while_loop([](const Tensor& y) { return y < 9; }, [](const Tensor& y) { return y + 1; }, x, 20), Error);
  EXPECT_THROW(while_loop([](const Tensor& y) { return y[0] < 9; }, [](const Tensor& y) { return y + 1; }, x, -1), Error);
}

TEST_P(ControlFlow, InAStandAloneCapture) {
  const Tensor x = at::ones({2}, device());
  Tensor y;
  Graph graph(device(), /*keep_graph=*/true);
  {
    const CaptureGuard scope(graph);
    y = while_loop([](const Tensor& now) { return now[0] < 100; }, [](const Tensor& now) { return now * 3; }, x * 2, 50);
    y = if_else(y[0] > 200, [&] { return y + 1; }, [&] { return at::zeros_like(y); });
  }
  const auto& counts = graph.node_counts();
  if (device().is_cpu()) {
    EXPECT_EQ(counts.at("graphed::while_loop"), 1U);
    EXPECT_EQ(counts.at("graphed::if_else"), 1U);
  } else {
    EXPECT_EQ(counts.at("conditional"), 2U);
  }
  const std::string file = ::testing::TempDir() + "control_flow_" + GetParam() + ".dot";
  graph.debug_dump(file);
  EXPECT_TRUE(std::filesystem::file_size(file) > 0 && std::filesystem::remove(file));
  for (int value = 1; value < 20; ++value) {
    ExecutableGraph replays = graph.instantiate();
    x.fill_(value);
    replays.replay();
    replays.replay();
    float expected = 2.0F * static_cast<float>(value);
    while (expected < 100) {
      expected *= 3;
    }
    EXPECT_TRUE(y.equal(at::full({2}, expected > 200 ? expected + 1 : 0.0F, y.options()))) << value << y;
  }
}

}  // namespace control_flow_test
