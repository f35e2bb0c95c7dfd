// SPDX-License-Identifier: Apache-2.0
//
// graphed::host: callables that are captured in pieces, and run host code between them.
#include "support/device_test.h"
#include "support/warnings.h"

#include <graphed/capture.h>
#include <graphed/host.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace host_part_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(HostPart);

constexpr int calls = 8;

/// GRAPHED_VERIFY runs the callable, and what it runs on the host, once more.
bool is_verified() { return std::getenv("GRAPHED_VERIFY") != nullptr; }

/// Each entry with the value of the largest, which only the host knows.
Tensor picked(const Tensor& x) {
  const Tensor on_host = x.cpu();
  const auto best = on_host.argmax().item<int64_t>();
  return at::full({2}, on_host.flatten()[best].item<float>()).to(x.device());
}

TEST_P(HostPart, ReturnsATensor) {
  expect_same([](scenario& run) {
    subject callable(run, {{"x", {2}}}, [](tensor_list& in) {
      const Tensor y = in[0] * 2;
      const Tensor best = host([y] { return picked(y); });
      return tensor_list{best + y, y.sin()};
    });
    for (int call = 0; call < calls; ++call) {
      run.see("results", callable({run.random({2})}));
    }
    callable.expect_replays(calls - 2);
    callable.expect_captures(1);
    if (run.graphed()) {
      EXPECT_NE(callable.explain().find("slot 1: forward in 2 pieces; holds "), std::string::npos) << callable.explain();
    }
  });
}

TEST_P(HostPart, ItsResultIsTheCallables) {
  expect_same([](scenario& run) {
    subject callable(run, {{"x", {2}}}, [](tensor_list& in) { return tensor_list{host([x = in[0] * 2] { return picked(x); })}; });
    std::vector<tensor_list> held;
    for (int call = 0; call < calls; ++call) {
      held.push_back(callable({run.random({2})}));
    }
    for (const auto& results : held) {
      run.see("held", results);
    }
    callable.expect_replays(calls - 2);
  });
}

TEST_P(HostPart, SeveralOfEachForm) {
  expect_same([](scenario& run) {
    std::vector<float> seen;
    subject callable(run, {{"x", {2}}}, [&seen](tensor_list& in) {
      const Tensor y = in[0].exp();
      host([&seen, y] { seen.push_back(y.sum().item<float>()); });
      const auto [low, high] = host([y] { return std::tuple(y.min().cpu().to(y.device()), y.max() * 1); });
      const auto list = host([low = low, high = high] { return tensor_list{low + high, low - high, low * 2}; });
      const Scalar scale = host([sum = list[0]] { return sum.item<double>() > 2 ? 0.5 : 0.25; });
      const Scalar count = host([y] { return y.gt(1).sum().item<int64_t>(); });
      const Scalar is_large = host([y] { return y.sum().item<float>() > 1; });
      return tensor_list{y * scale.like(y) + count.like(y), list[1] + list[2], at::where(is_large.tensor(y.device()), y, -y)};
    });
    for (int call = 0; call < calls; ++call) {
      run.see("results", callable({run.random({2})}));
    }
    if (!is_verified()) {
      for (const float sum : seen) {
        run.see("seen", sum);
      }
    }
    callable.expect_replays(calls - 2);
  });
}

TEST_P(HostPart, WritesIntoATensorOfTheGraph) {
  expect_same([](scenario& run) {
    subject callable(run, {{"x", {2}}}, [](tensor_list& in) {
      const Tensor y = in[0] + 1, room = at::empty({2}, y.options()), ones = at::ones({2}, y.options());
      host([=] { room.copy_(picked(y)); });
      const Tensor sum = room + ones;
      host([=] { room.mul_(2); });
      return tensor_list{sum, room * 3};
    });
    for (int call = 0; call < calls; ++call) {
      run.see("results", callable({run.random({2})}));
    }
    callable.expect_replays(calls - 2);
  });
}

TEST_P(HostPart, GradientsGoAroundIt) {
  expect_same([](scenario& run) {
    const Tensor weight = run.leaf({2, 2});
    subject callable(run, {{"x", {2, 2}, at::kFloat, /*grad=*/true}}, [&weight](tensor_list& in) {
      const Tensor y = in[0].mm(weight).tanh();
      const Tensor mask = host([y] {
        EXPECT_FALSE(at::GradMode::is_enabled());
        return y.cpu().gt(0).to(y.options());
      });
      EXPECT_FALSE(mask.requires_grad());
      return tensor_list{(y * mask).sum()};
    });
    for (int call = 0; call < calls; ++call) {
      const Tensor x = run.leaf({2, 2});
      const tensor_list results = callable({x});
      run.see("loss", results);
      results[0].backward();
      run.see_grad("x", x);
      run.see_grad("weight", weight);
    }
    callable.expect_replays(calls - 2, calls - 2);
  });
}

TEST_P(HostPart, InAStep) {
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
          const Scalar rate = host([loss] { return loss.item<float>() > 1 ? 0.01 : 0.1; });
          {
            const c10::NoGradGuard no_grad;
            weight.sub_(weight.grad() * rate.like(weight));
          }
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

TEST_P(HostPart, RandomNumbersGoOn) {
  expect_same([](scenario& run) {
    subject callable(run, {{"x", {64}}}, [](tensor_list& in) {
      const Tensor y = at::dropout(in[0], 0.5, /*train=*/true);
      const Scalar mean = host([y] { return y.mean().item<double>(); });
      return tensor_list{at::dropout(y, 0.5, /*train=*/true) + mean.like(y), at::rand_like(y)};
    });
    for (int call = 0; call < calls; ++call) {
      run.see("results", callable({run.random({64})}));
    }
    callable.expect_replays(calls - 2);
  });
}

TEST_P(HostPart, InInferenceMode) {
  expect_same([](scenario& run) {
    const Tensor weight = run.random({2, 2});
    subject callable(run, {{"x", {2, 2}}}, [&weight](tensor_list& in) {
      const Tensor y = in[0].mm(weight);
      return tensor_list{y, host([y, weight] { return y.to(at::kFloat).mm(weight); })};
    });
    for (int call = 0; call < calls; ++call) {
      const Tensor x = run.random({2, 2});
      const c10::InferenceMode inference;
      const tensor_list results = callable({x});
      EXPECT_EQ(results[1].scalar_type(), at::kFloat);
      run.see("results", results);
    }
    callable.expect_replays(calls - 2);
  });
}

TEST_P(HostPart, CallsAnotherCallable) {
  expect_same([](scenario& run) {
    subject inner(run, {{"x", {2}}}, [](tensor_list& in) { return tensor_list{in[0].cos() + 1}; });
    subject outer(run, {{"x", {2}}}, [&inner](tensor_list& in) {
      const Tensor y = in[0] * 2;
      return tensor_list{host([y, &inner] { return inner({y})[0]; }) + y};
    });
    for (int call = 0; call < calls; ++call) {
      run.see("results", outer({run.random({2})}));
    }
    outer.expect_replays(calls - 2);
    if (!is_verified()) {
      inner.expect_replays(run.device().is_cpu() ? calls - 3 : calls - 2);  // on a tape the outer capture runs it, and keeps it from one
    }
  });
}

TEST_P(HostPart, WhatItThrowsEndsTheCall) {
  expect_same([](scenario& run) {
    bool throws = false;
    subject callable(run, {{"x", {2}}}, [&throws](tensor_list& in) {
      const Tensor y = in[0] * 2;
      host([&throws] {
        if (throws) {
          throw std::runtime_error("no token");
        }
      });
      return tensor_list{y + 1};
    });
    for (int call = 0; call < calls; ++call) {
      throws = call == 1 || call == 5;
      const Tensor x = run.random({2});
      EXPECT_EQ(throws, run.see_error("call", [&] { run.see("results", callable({x})); }));
    }
    if (run.graphed()) {
      EXPECT_GE(callable.stats().replays, static_cast<uint64_t>(calls - 4)) << callable.explain();
    }
  });
}

// It throws once, in the call that is captured, which runs it on a CPU.
TEST_P(HostPart, WhatItThrowsInTheCapturedCallEndsThat) {
  if (is_verified()) {
    GTEST_SKIP() << "GRAPHED_VERIFY runs it more often";
  }
  expect_same([](scenario& run) {
    int runs = 0;
    subject callable(run, {{"x", {2}, at::kFloat, /*grad=*/false, /*inplace=*/true}}, [&runs](tensor_list& in) {
      in[0].mul_(2);
      host([&runs] {
        if (++runs == 3) {
          throw std::runtime_error("no token");
        }
      });
      return tensor_list{in[0] + 1};
    });
    for (int call = 0; call < calls; ++call) {
      const Tensor x = run.random({2});
      EXPECT_EQ(call == 2, run.see_error("call", [&] { run.see("results", callable({x})); }));
      run.see("x", x);
      run.see("runs", runs);
    }
    callable.expect_captures(1);
    if (run.graphed()) {
      EXPECT_GE(callable.stats().replays, static_cast<uint64_t>(calls - 3)) << callable.explain();
    }
  });
}

// A replay has no code of the callable's to catch it.
TEST_P(HostPart, ACallableThatCatchesWhatItThrowsIsNotCaptured) {
  const std::vector<int> first_calls =
      device().is_cpu() ? std::vector<int>{0, 2} : std::vector<int>{0};  // a capture on a GPU does not run it
  for (const int first : first_calls) {
    const collected_warnings warnings;
    expect_same([first](scenario& run) {
      int call = 0;
      const auto fail = [&call, first] {
        if (call >= first) {
          throw std::runtime_error("no token");
        }
      };
      subject callable(run, {{"x", {2}}}, [&](tensor_list& in) {
        const Tensor y = in[0] * 2;
        try {
          host([fail] { fail(); });
        } catch (const std::runtime_error&) {
          return tensor_list{y - 1};
        }
        return tensor_list{y + 1};
      });
      for (; call < calls; ++call) {
        run.see("results", callable({run.random({2})}));
      }
      callable.expect_replays(0);
    });
    EXPECT_EQ(warnings.count({"a host part throws, and the callable catches it", "catch it within the host part"}), 1U) << warnings.all();
  }
}

TEST_P(HostPart, OneThatDrawsFromTheGpusGeneratorIsNotCaptured) {
  const collected_warnings warnings;
  expect_same([](scenario& run) {
    subject callable(run, {{"x", {2}}}, [](tensor_list& in) {
      const Tensor noise = host([x = in[0]] { return at::randn_like(x); });
      return tensor_list{in[0] + noise, at::rand_like(noise)};
    });
    for (int call = 0; call < calls; ++call) {
      run.see("results", callable({run.random({2})}));
    }
    callable.expect_replays(run.device().is_cpu() ? calls - 2 : 0);
  });
  EXPECT_EQ(warnings.count({"a host part draws from the GPU's random generator"}), device().is_cpu() ? 0U : 1U) << warnings.all();
}

TEST_P(HostPart, OneInASharedPoolIsNotCaptured) {
  const collected_warnings warnings;
  expect_same([](scenario& run) {
    settings shared;
    shared.pool = "host_part_test";
    subject callable(run, {{"x", {2}}}, [](tensor_list& in) { return tensor_list{host([x = in[0]] { return x + 1; }) * 2}; }, shared);
    for (int call = 0; call < calls; ++call) {
      run.see("results", callable({run.random({2})}));
    }
    callable.expect_replays(0);
  });
  EXPECT_EQ(warnings.count({"it has host parts, and other callables share its pool"}), 1U) << warnings.all();
}

// Without a warm-up the capture is what first comes to it.
TEST_P(HostPart, OneInASharedPoolIsNotCapturedWithoutWarmUpsEither) {
  const collected_warnings warnings;
  expect_same([](scenario& run) {
    settings shared;
    shared.pool = "host_part_test";
    shared.warmup = 0;
    subject callable(
        run, {{"x", {2}}},
        [](tensor_list& in) {
          const Tensor y = in[0] * 2, room = at::empty({2}, y.options());
          host([=] { room.copy_(picked(y)); });
          return tensor_list{y + room};
        },
        shared);
    for (int call = 0; call < calls; ++call) {
      run.see("results", callable({run.random({2})}));
    }
    callable.expect_replays(0);
  });
  EXPECT_EQ(warnings.count({"it has host parts, and other callables share its pool"}), 1U) << warnings.all();
}

// A capture serves one call at a time, so that no call sees another one's values while its host part runs.
TEST_P(HostPart, InASlotOfEachThread) {
  scenario run(device(), true);
  settings several;
  several.slots = 3;
  test_callable callable(
      {{"x", {1 << 12}}},
      [](tensor_list& in) {
        const Tensor y = in[0] * 2;
        const Tensor sum = host([y] {
          std::this_thread::sleep_for(std::chrono::microseconds(300));
          return y.cpu().sum().to(y.device());
        });
        return tensor_list{y + in[0] * sum};
      },
      several);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number) {
    threads.emplace_back([&, number] {
      const collected_warnings quiet;
      for (int call = 0; call < 40; ++call) {
        const Tensor x = at::full({1 << 12}, number + 1, run.options());
        wrong += callable({x})[0].equal(callable.plain({x})[0]) ? 0 : 1;
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(callable.stats().replays, 0U) << callable.explain();
}

// Each in its turn.
TEST_P(HostPart, OfSeveralSizesAndThreads) {
  expect_same([](scenario& run) {
    settings of_sizes;
    of_sizes.sizes = {2, 3};
    subject callable(
        run, {{"x", {B}}},
        [](tensor_list& in) {
          const Tensor y = in[0].sin();
          return tensor_list{host([y] { return y.cpu().cumsum(0).to(y.device()); }) + y};
        },
        of_sizes);
    std::vector<Tensor> held;
    for (int call = 0; call < 2 * calls; ++call) {
      const Tensor x = run.random({2 + call % 2});
      std::thread([&] { held.push_back(callable({x})[0].clone()); }).join();
    }
    run.see("held", held);
    if (run.graphed()) {
      EXPECT_GE(callable.stats().replays, static_cast<uint64_t>(calls)) << callable.explain();
    }
  });
}

// Warm-ups of one size, of two, and of one that is the capture's.
TEST_P(HostPart, UnderPadItsResultHasTheRowsOfTheBatch) {
  for (const std::vector<int64_t>& first : {std::vector<int64_t>{3, 3}, {3, 5}, {4, 2}, {3, 8}, {8, 1}}) {
    const collected_warnings warnings;
    expect_same([&first](scenario& run) {
      settings padded;
      padded.sizes = {8};
      padded.pad = PadFill::Zero;
      subject callable(
          run, {{"x", {B, 2}}},
          [](tensor_list& in) {
            const Tensor y = in[0] * 2;
            const auto [mask, sums, flat] = host([y] {
              const Tensor on_host = y.cpu();
              return std::tuple(on_host.gt(0).to(y.options()), on_host.sum(1).to(y.device()), on_host.flatten().to(y.device()));
            });
            return tensor_list{y * mask, sums + 1, flat.view({-1, 2}).neg()};
          },
          padded);
      std::vector<int64_t> sizes = first;
      for (const int64_t size : {8, 3, 5, 4, 2, 1, 8, 3, 5, 4, 2, 1, 8, 3}) {
        sizes.push_back(size);
      }
      for (const int64_t size : sizes) {
        run.see("results", callable({run.random({size, 2})}));
      }
      callable.expect_captures(1);
      if (run.graphed()) {
        EXPECT_GE(callable.stats().replays, 8U) << callable.stats();
      }
    });
    EXPECT_EQ(warnings.count({"the capture failed"}), 0U) << warnings.all();
    EXPECT_EQ(warnings.count({"no capture is tried"}), 0U) << warnings.all();
  }
}

TEST_P(HostPart, ResultsOfOtherShapesAreNotCaptured) {
  expect_same([](scenario& run) {
    int64_t size = 1;
    subject callable(run, {{"x", {2}}}, [&size](tensor_list& in) {
      return tensor_list{host([x = in[0], &size] { return at::ones({++size}, x.options()); }).sum() + in[0]};
    });
    for (int call = 0; call < calls; ++call) {
      run.see("results", callable({run.random({2})}));
    }
    callable.expect_replays(0);
  });
}

TEST_P(HostPart, AReplayWithAResultOfAnotherShapeThrows) {
  scenario run(device(), true);
  int64_t size = 2;
  subject callable(run, {{"x", {2}}}, [&size](tensor_list& in) {
    return tensor_list{in[0] + host([x = in[0], &size] { return at::ones({size}, x.options()); })};
  });
  for (int call = 0; call < 4; ++call) {
    callable({run.random({2})});
  }
  size = 1;
  try {
    callable({run.random({2})});
    FAIL() << "expected an error";
  } catch (const Error& error) {
    const std::string where = device().str();
    EXPECT_EQ(std::string(error.what()), "graphed: test_callable (test.cpp:1): result 0 of a host part is f32[1] on " + where +
                                             ", and was f32[2] on " + where + " at the capture; see docs/how-to/host-parts.md");
  }
  size = 2;
  const Tensor x = run.random({2});
  EXPECT_TRUE(callable({x})[0].equal(x + 1));
}

TEST_P(HostPart, WithoutACallable) {
  const Tensor x = at::ones({2}, device());
  EXPECT_TRUE(host([x] { return x + 1; }).equal(x + 1));
  EXPECT_EQ(host([] { return 2.5F; }).value().toDouble(), 2.5);
  EXPECT_FALSE(host([x] { return x; }).is_alias_of(x));
  EXPECT_THROW(host([] { return Tensor(); }), Error);
}

TEST_P(HostPart, InAStandAloneCapture) {
  const Tensor x = at::ones({2}, device()), room = at::zeros({2}, device());
  Tensor y;
  int runs = 0;
  Graph graph(device());
  {
    const CaptureGuard scope(graph);
    y = x * 2;
    host([&runs, y, room] {
      ++runs;
      room.copy_(picked(y));
    });
    y = y + room;
  }
  EXPECT_EQ(runs, device().is_cpu() ? 1 : 0);
  ExecutableGraph replays = graph.instantiate();
  runs = 0;
  for (int value = 1; value < 4; ++value) {
    x.fill_(value);
    replays.replay();
    EXPECT_TRUE(y.equal(at::full({2}, 4 * value, y.options()))) << y;
  }
  EXPECT_EQ(runs, 3);
}

}  // namespace host_part_test
