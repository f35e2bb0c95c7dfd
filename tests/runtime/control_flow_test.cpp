// SPDX-License-Identifier: Apache-2.0
//
// graphed::if_else and graphed::while_loop: a tensor's value decides, in a graph on the device.
#include "support/device_test.h"
#include "support/warnings.h"

#include <graphed/capture.h>
#include <graphed/control_flow.h>
#include <graphed/host.h>

#include <c10/core/CachingDeviceAllocator.h>

#include <array>
#include <filesystem>
#include <functional>
#include <stdexcept>
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

TEST_P(ControlFlow, GradientsOfTheBodyThatRan) {
  expect_same([](scenario& run) {
    const Tensor weight = run.leaf({4, 4}), shift = run.leaf({4});
    subject callable(run, {{"x", {2, 4}, at::kFloat, /*grad=*/true}}, [&](tensor_list& in) {
      const Tensor y = in[0].mm(weight).tanh();
      const auto both = if_else(
          y.sum() > 0, [&] { return tensor_list{(y * shift).exp(), y + in[0]}; },
          [&] { return tensor_list{(y - shift).sin() * 2, in[0] * in[0] + y}; });
      return tensor_list{(both[0] * both[1]).sum(), both[1]};
    });
    for (int call = 0; call < 203; ++call) {
      const Tensor x = run.leaf({2, 4});
      const tensor_list results = callable({x});
      run.see("results", results);
      if (call % 3 == 0) {
        (results[0] + results[1].sum()).backward();
      } else {
        results[0].backward();
      }
      run.see_grad("x", x);
      run.see_grad("weight", weight);
      run.see_grad("shift", shift);
    }
    callable.expect_replays(201, 201);
  });
}

// What one body alone uses has a gradient of zeros where the other one has run; in an eager call it has none.
TEST_P(ControlFlow, GradientsOfWhatOneBodyUses) {
  expect_same([](scenario& run) {
    const Tensor ups = run.leaf({2}), downs = run.leaf({2});
    subject callable(run, {{"x", {2}}}, [&](tensor_list& in) {
      const Tensor sum = in[0].sum();
      const Tensor y = if_else(sum > 0, [&] { return ups * in[0]; }, [&] { return downs.exp(); });
      return tensor_list{if_else(sum > 1, [&] { return y; }, [&] { return in[0] * ups; })};
    });
    for (int call = 0; call < 4 * calls; ++call) {
      callable({run.random({2})})[0].sum().backward();
      for (const Tensor* leaf : {&ups, &downs}) {
        run.see("gradient", leaf->grad().defined() ? leaf->grad().clone() : at::zeros_like(*leaf));
        leaf->mutable_grad().reset();
      }
    }
    if (run.graphed()) {
      EXPECT_GE(callable.stats().replays, static_cast<uint64_t>(3 * calls)) << callable.explain();
      EXPECT_GE(callable.stats().backward_replays, static_cast<uint64_t>(3 * calls)) << callable.explain();
    }
  });
}

TEST_P(ControlFlow, GradientsOfTwoInEachOfTwo) {
  expect_same([](scenario& run) {
    subject callable(run, {{"x", {2}}, {"y", {2, 2}, at::kFloat, /*grad=*/true}},
                     [](tensor_list& in) { return tensor_list{of_four(in[0], in[1]).pow(2)}; });
    for (int call = 0; call < 4 * calls; ++call) {
      const Tensor y = run.leaf({2, 2});
      const tensor_list results = callable({run.random({2}), y});
      run.see("results", results);
      results[0].backward(at::ones_like(results[0]));
      run.see_grad("y", y);
    }
    callable.expect_replays(4 * calls - 2, 4 * calls - 2);
  });
}

TEST_P(ControlFlow, GradientsInAStep) {
  expect_same([](scenario& run) {
    const Tensor weight = run.leaf({2, 2});
    settings of_a_step;
    of_a_step.step = true;
    subject step(
        run, {{"x", {2, 2}}},
        [&weight](tensor_list& in) {
          const Tensor y = in[0].mm(weight);
          const Tensor loss = if_else(in[0].sum() > 0, [&] { return y.pow(2).sum(); }, [&] { return (y.exp() - weight).abs().sum(); });
          weight.mutable_grad().reset();
          loss.backward();
          const c10::NoGradGuard no_grad;
          weight.sub_(weight.grad() * 0.01);
          return tensor_list{loss.detach()};
        },
        of_a_step);
    for (int call = 0; call < 2 * calls; ++call) {
      run.see("loss", step({run.random({2, 2}).abs() * (call % 2 == 0 ? 1 : -1)}));
      run.see("weight", weight);
    }
    step.expect_replays(2 * calls - 2);
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

TEST_P(ControlFlow, OtherShapesAreAnError) {
  const collected_warnings warnings;
  expect_same([](scenario& run) {
    subject callable(run, {{"x", {2}}}, [](tensor_list& in) {
      return tensor_list{if_else(in[0][0] > 0, [&] { return in[0] * 2; }, [&] { return in[0].sum().to(at::kDouble); })};
    });
    for (int call = 0; call < calls; ++call) {
      run.see("results", callable({run.random({2})}));
    }
    callable.expect_replays(0);
  });
  const std::string where = device().str();
  EXPECT_EQ(
      warnings.count({"graphed::if_else: result 0: expected f32[2] on " + where + ", as the first body returns, got f64[] on " + where,
                      "the original function runs"}),
      1U)
      << warnings.all();
}

TEST_P(ControlFlow, RandomNumbersHostPartsAndReadsAreRefused) {
  const collected_warnings warnings;
  const std::pair<const char*, std::function<Tensor(const Tensor&)>> refused[] = {
      {"draws random numbers", [](const Tensor& x) { return x + at::rand_like(x); }},
      {"is a host part", [](const Tensor& x) { return host([x] { return x * 2; }); }},
      {"_local_scalar_dense", [](const Tensor& x) { return x * x[0].item<float>(); }}};
  for (const auto& [words, body] : refused) {
    expect_same([&body = body](scenario& run) {
      subject callable(run, {{"x", {2}}}, [&body](tensor_list& in) {
        return tensor_list{if_else(in[0][0] > 0, [&] { return in[0] * 2; }, [&] { return body(in[0]); })};
      });
      for (int call = 0; call < calls; ++call) {
        run.see("results", callable({run.random({2})}));
      }
      callable.expect_replays(0);
    });
    EXPECT_GE(warnings.count({words, "test_callable", "control_flow_test.cpp", "the original function runs"}), 1U)
        << words << warnings.all();
  }
}

TEST_P(ControlFlow, ANumberThatChangesInABodyIsNotCaptured) {
  const collected_warnings warnings;
  expect_same([](scenario& run) {
    double number = 0;
    subject callable(run, {{"x", {2}}}, [&number](tensor_list& in) {
      return tensor_list{if_else(in[0].sum() < 100, [&] { return in[0] * number; }, [&] { return in[0] * 2; })};
    });
    for (int call = 0; call < calls; ++call) {
      number = call;
      run.see("results", callable({run.random({2})}));
    }
    callable.expect_replays(0);
  });
  EXPECT_GE(warnings.count({"operator aten::mul.Scalar takes the number"}), 1U) << warnings.all();
}

// In its second body: the process goes on, the call is an eager one, and a later capture works.
TEST_P(ControlFlow, AFailureInTheSecondBody) {
  const collected_warnings warnings;
  expect_same([](scenario& run) {
    bool fails = true;
    int runs = 0;
    subject callable(run, {{"x", {2}}}, [&](tensor_list& in) {
      const Tensor y = if_else(in[0].sum() < 100, [&] { return in[0] * 3; }, [&] { return in[0] * 4; });
      return tensor_list{if_else(
                             y.sum() < 100, [&] { return y + 1; },
                             [&] {
                               ++runs;
                               const Tensor z = y - 1;
                               if (fails) {
                                 throw std::runtime_error("the second body fails");
                               }
                               return z;
                             }) *
                         y};
    });
    for (int call = 0; call < 2 * calls; ++call) {
      run.see("results", callable({run.random({2})}));
      fails = call < 2;
    }
    callable.expect_replays(2 * calls - 3);
    EXPECT_EQ(runs, run.graphed() ? 2 : 0);
    EXPECT_EQ(callable.stats().failed_captures, run.graphed() ? 1U : 0U);
  });
  EXPECT_EQ(warnings.count({"the second body fails", "the original function runs"}), 1U) << warnings.all();
}

int64_t allocated_bytes(c10::Device device) {
  return device.is_cpu() ? 0 : at::getDeviceAllocator(device.type())->getDeviceStats(device.index()).allocated_bytes[0].current;
}

TEST_P(ControlFlow, FailuresLeaveNothingBehind) {
  const collected_warnings warnings;
  const auto fail = [this] {
    scenario run(device(), /*graphed=*/true);
    subject callable(run, {{"x", {64, 64}}}, [](tensor_list& in) {
      const Tensor y = if_else(in[0][0][0] > 0, [&] { return in[0].mm(in[0]); }, [&] { return in[0] + 1; });
      return tensor_list{if_else(in[0][0][0] > 100, [&] { return y + 1; }, [&] { return y.sum().item<float>() > 0 ? y * 2 : y * 3; })};
    });
    for (int call = 0; call < 4; ++call) {
      const Tensor x = run.random({64, 64}), y = callable({x})[0];
      EXPECT_EQ(y.sizes(), x.sizes());
    }
    EXPECT_GE(callable.stats().failed_captures, 1U);
  };
  fail();
  const int64_t before = allocated_bytes(device());
  for (int i = 0; i < 20; ++i) {
    fail();
  }
  EXPECT_EQ(allocated_bytes(device()), before);
}

TEST_P(ControlFlow, WhatAnEagerBodyThrowsEndsTheCall) {
  const Tensor x = at::ones({2}, device());
  EXPECT_THROW(if_else(x[0] > 0, []() -> Tensor { throw std::runtime_error("no"); }, [&] { return x; }), std::runtime_error);
  EXPECT_TRUE(if_else(x[0] > 2, [&] { return x; }, [&] { return x + 1; }).equal(x + 1));
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

TEST_P(ControlFlow, ALoopHasNoGradient) {
  const Tensor x = at::ones({2}, device()).requires_grad_(), weight = at::full({2}, 2.0F, device()).requires_grad_();
  const auto is_small = [](const Tensor& y) { return y[0] < 9; };
  EXPECT_THROW(while_loop(is_small, [](const Tensor& y) { return y * 2; }, x, 20), Error);
  EXPECT_THROW(while_loop(is_small, [&](const Tensor& y) { return y * weight; }, x.detach(), 20), Error);
  const c10::NoGradGuard no_grad;
  EXPECT_TRUE(while_loop(is_small, [&](const Tensor& y) { return y * weight; }, x, 20).equal(x * 16));
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
