// SPDX-License-Identifier: Apache-2.0
//
// Large arguments of callables that have no backward: on CUDA, the static inputs of all of them are in one place.
#include "support/device_test.h"

#include <graphed/host.h>

#include <c10/core/InferenceMode.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/nn.h>
#include <torch/optim.h>

#include <array>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace shared_input_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(SharedInput);

// 2 MiB, 1.5 MiB and an odd number of bytes.
const argument image{"image", {512, 1024}}, other_image{"other_image", {3, 131'072}}, mask{"mask", {1'500'007}, at::kByte};

tensor_list brightened(tensor_list& in) { return {(in[0] * 2 + 1).tanh(), in[0].sum(0)}; }
tensor_list masked(tensor_list& in) { return {in[0].flatten().narrow(0, 0, 1024) * in[1].narrow(0, 3, 1024), in[0].exp()}; }

TEST_P(SharedInput, CallablesTurnByTurn) {
  expect_same([](scenario& run) {
    const c10::AutoGradMode no_grad(false);
    subject f(run, {image}, brightened, {5}), g(run, {other_image, mask}, masked),
        h(run, {mask, image}, [](tensor_list& in) { return tensor_list{in[0].sum(), in[1].cos()}; });
    for (int step = 0; step < 8; ++step) {
      const Tensor x = run.random({512, 1024}), y = run.random({3, 131'072}), z = at::randint(256, {1'500'007}, run.options(at::kByte));
      const auto third = h({z, x});  // the largest is captured first: there is room for the others where its inputs are
      const auto first = f({x});
      const auto second = g({y, z});
      run.see("f", first);
      run.see("h", third);
      run.see("g", second);
      run.see("f", f({run.random({512, 1024})}));
    }
    f.expect_replays(11);
    g.expect_replays(6);
    h.expect_replays(6);
  });
}

TEST_P(SharedInput, InInferenceMode) {
  expect_same([](scenario& run) {
    const c10::InferenceMode inference;
    subject f(run, {image}, brightened), g(run, {image}, [](tensor_list& in) { return tensor_list{in[0].sigmoid().sum(1)}; });
    for (int step = 0; step < 6; ++step) {
      run.see("f", f({run.random({512, 1024})}));
      run.see("g", g({run.random({512, 1024})}));
    }
    f.expect_replays(4);
    g.expect_replays(4);
  });
}

c10::Stream new_stream(c10::Device device) {
  return device.is_cpu() ? c10::Stream(c10::Stream::DEFAULT, device) : c10::impl::VirtualGuardImpl(device.type()).getNewStream(device);
}

TEST_P(SharedInput, OnTwoStreams) {
  const std::array<c10::Stream, 2> streams{new_stream(device()), new_stream(device())};
  expect_same([&](scenario& run) {
    const c10::AutoGradMode no_grad(false);
    const auto chain = [](double by) {
      return [by](tensor_list& in) {
        Tensor y = in[0] * by;
        for (int i = 0; i < 40; ++i) {
          y = y + in[0].sin();
        }
        return tensor_list{y};
      };
    };
    subject f(run, {image}, chain(2)), g(run, {image}, chain(3));
    std::vector<tensor_list> results;
    for (int step = 0; step < 10; ++step) {
      const c10::Stream stream = streams[static_cast<std::size_t>(step % 2)];
      const c10::StreamGuard on_stream(stream);
      results.push_back((step % 2 == 0 ? f : g)({at::full({512, 1024}, step, run.options())}));
    }
    if (!device().is_cpu()) {
      torch::cuda::synchronize();
    }
    for (const auto& result : results) {
      run.see("y", result);
    }
    f.expect_replays(3);
    g.expect_replays(3);
  });
}

TEST_P(SharedInput, InTwoThreadsWithAStreamEach) {
  const scenario run(device(), true);
  const auto chain = [](tensor_list& in) {
    Tensor y = in[0];
    for (int i = 0; i < 20; ++i) {
      y = (y + in[0]) * 0.5;
    }
    return tensor_list{y};
  };
  std::array<int, 2> differences{};
  std::vector<std::thread> threads;
  for (std::size_t number = 0; number < differences.size(); ++number) {
    threads.emplace_back([&, number] {
      const c10::AutoGradMode no_grad(false);
      const collected_warnings quiet;
      const c10::StreamGuard on_stream(new_stream(device()));
      test_callable f({image}, chain);
      // While the other thread captures, calls run the original function.
      for (int step = 0; step < 40 || (step < 100'000 && f.stats().replays < 10); ++step) {
        const Tensor x = at::full({512, 1024}, 1e6 * static_cast<double>(number) + step, run.options());
        differences[number] += same_bits(f({x})[0], f.plain({x})[0]) ? 0 : 1;
      }
      EXPECT_GT(f.stats().replays, 0U) << f.stats();
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(differences, (std::array<int, 2>{}));
}

/// Calls that launch nothing in between: where they come from several threads, a difference is seen on the device.
int64_t wrong_calls(test_callable& f, const Tensor& x, const Tensor& expected, int calls) {
  const c10::AutoGradMode no_grad(false);
  Tensor wrong = at::zeros({}, expected.options().dtype(at::kLong));
  for (int call = 0; call < calls; ++call) {
    wrong += f({x})[0].ne(expected).any();
  }
  return wrong.item<int64_t>();
}

// An argument that the launch cannot copy, for want of the static input's layout, is copied in the same turn as the launch: between the
// two, another capture's replay would overwrite it. There are more captures than orders.
void expect_apart_in_threads(c10::Device device, const std::function<Tensor(const Tensor& wide)>& make) {
  constexpr int callables = 8;
  const scenario run(device, true);
  const Tensor wide = at::ones({1024, 4096}, run.options()), odd = make(wide), dense = at::full({1024, 1000}, 2.0F, run.options());
  std::vector<std::unique_ptr<test_callable>> all;
  for (int i = 0; i < callables; ++i) {
    const auto sum = [by = i + 1](tensor_list& in) { return tensor_list{in[0].sum(1) * by}; };
    all.push_back(std::make_unique<test_callable>(std::vector<argument>{{"x", {1024, 1000}}}, sum));
    EXPECT_EQ(wrong_calls(*all[static_cast<std::size_t>(i)], i == 0 ? odd : dense, (i == 0 ? odd : dense).sum(1) * (i + 1), 4), 0);
  }
  std::array<int64_t, callables> wrong{};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < callables; ++i) {
    threads.emplace_back([&, i] {
      const collected_warnings quiet;
      const Tensor& x = i == 0 ? odd : dense;
      wrong[i] = wrong_calls(*all[i], x, x.sum(1) * static_cast<int64_t>(i + 1), 300);
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(wrong, (std::array<int64_t, callables>{}));
  EXPECT_GT(all[0]->stats().replays, 200U) << all[0]->stats();
}

TEST_P(SharedInput, ASliceBesideOtherThreadsInputs) {
  expect_apart_in_threads(device(), [](const Tensor& wide) { return wide.narrow(1, 0, 1000); });
}

TEST_P(SharedInput, AnExpandedOneBesideOtherThreadsInputs) {
  expect_apart_in_threads(device(), [](const Tensor& wide) { return wide.narrow(0, 0, 1).narrow(1, 0, 1000).expand({1024, 1000}); });
}

TEST_P(SharedInput, AConjugateBesideOtherThreadsInputs) {
  expect_apart_in_threads(device(), [](const Tensor& wide) { return at::imag(at::complex(wide, wide).narrow(1, 0, 1000).conj()).neg(); });
}

// Without warm-ups, the capture is what first comes to the host part. There are more callables than orders of replays.
TEST_P(SharedInput, OthersReplayWhileAHostPartRuns) {
  expect_same([](scenario& run) {
    const c10::AutoGradMode no_grad(false);
    std::vector<std::unique_ptr<subject>> others;
    for (int i = 0; i < 8; ++i) {
      others.push_back(std::make_unique<subject>(run, std::vector<argument>{image}, brightened));
      for (int call = 0; call < 3; ++call) {
        (*others.back())({run.random({512, 1024})});
      }
    }
    settings at_once;
    at_once.warmup = 0;
    subject f(
        run, {image},
        [&others](tensor_list& in) {
          const Tensor y = in[0] * 2;
          host([&others, y] {
            for (const auto& other : others) {
              (*other)({at::full_like(y, -1)});
            }
          });
          return tensor_list{y + in[0]};
        },
        at_once);
    for (int call = 0; call < 6; ++call) {
      run.see("f", f({run.random({512, 1024})}));
    }
    f.expect_replays(6);
  });
}

TEST_P(SharedInput, ABackwardReadsItsOwn) {
  expect_same([](scenario& run) {
    subject f(run, {image, {"w", {1024, 4}, at::kFloat, true}}, [](tensor_list& in) { return tensor_list{in[0].matmul(in[1]).tanh()}; });
    subject g(run, {image}, brightened);
    const Tensor w = run.leaf({1024, 4});
    for (int step = 0; step < 6; ++step) {
      const Tensor y = f({run.random({512, 1024}), w})[0];
      {
        const c10::AutoGradMode no_grad(false);
        run.see("g", g({run.random({512, 1024})}));
      }
      y.sum().backward();
      run.see_grad("w", w);
    }
    f.expect_replays(4, 4);
    g.expect_replays(4);
  });
}

TEST_P(SharedInput, OfATrainingStep) {
  expect_same([](scenario& run) {
    torch::nn::Linear net(1024, 2);
    net->to(run.device());
    torch::optim::SGD optimizer(net->parameters(), torch::optim::SGDOptions(0.1));
    settings step_settings;
    step_settings.step = true;
    subject train(
        run, {image},
        [&](tensor_list& in) {
          optimizer.zero_grad();
          const Tensor loss = net->forward(in[0]).square().mean();
          loss.backward();
          optimizer.step();
          return tensor_list{loss.detach()};
        },
        step_settings);
    subject g(run, {image}, brightened);
    for (int step = 0; step < 6; ++step) {
      run.see("loss", train({run.random({512, 1024})}));
      const c10::AutoGradMode no_grad(false);
      run.see("g", g({run.random({512, 1024})}));
      run.see("weight", net->weight);
    }
    train.expect_replays(4);
    g.expect_replays(4);
  });
}

TEST_P(SharedInput, ResultsThatShowTheArgument) {
  expect_same([](scenario& run) {
    const c10::AutoGradMode no_grad(false);
    subject f(run, {image}, [](tensor_list& in) { return tensor_list{in[0], in[0].t(), in[0].narrow(0, 1, 3), in[0].sum()}; });
    subject g(run, {image}, brightened);
    for (int step = 0; step < 5; ++step) {
      const Tensor x = run.random({512, 1024});
      const auto results = f({x});
      run.see("g", g({run.random({512, 1024})}));
      EXPECT_TRUE(results[0].is_same(x));
      EXPECT_TRUE(results[2].is_alias_of(x));
      run.see("f", results);
    }
    f.expect_replays(3);
  });
}

TEST_P(SharedInput, WrittenArgumentBesideALargeOne) {
  expect_same([](scenario& run) {
    const c10::AutoGradMode no_grad(false);
    subject f(run, {{"sum", {512, 1024}, at::kFloat, false, true}, image}, [](tensor_list& in) {
      in[0].add_(in[1]);
      return tensor_list{};
    });
    subject g(run, {image}, brightened);
    const Tensor sum = at::zeros({512, 1024}, run.options());
    for (int step = 0; step < 6; ++step) {
      f({sum, run.random({512, 1024})});
      run.see("g", g({run.random({512, 1024})}));
      run.see("sum", sum);
    }
    f.expect_replays(4);
  });
}

// What a callable puts aside without returning it shows what its latest call had, whatever was called since.
TEST_P(SharedInput, ThatTheCallablePutsAside) {
  using way = Tensor (*)(const Tensor&);
  for (const way put : {way([](const Tensor& x) { return x; }), way([](const Tensor& x) { return x.t(); }),
                        way([](const Tensor& x) { return x.detach(); }), way([](const Tensor& x) { return x.data(); })}) {
    expect_same([&](scenario& run) {
      const c10::AutoGradMode no_grad(false);
      Tensor aside;
      subject f(run, {image}, [&](tensor_list& in) {
        aside = put(in[0]);
        return tensor_list{in[0].sum()};
      });
      subject g(run, {image}, brightened);
      for (int step = 0; step < 5; ++step) {
        const Tensor x = run.random({512, 1024});
        run.see("f", f({x}));
        run.see("g", g({run.random({512, 1024})}));
        run.see("put aside", aside.sum());
      }
      f.expect_replays(3);
      f.expect_captures(1);
      g.expect_replays(3);
    });
  }
}

TEST_P(SharedInput, OutlivesTheCaptureThatMadeTheMemory) {
  expect_same([](scenario& run) {
    const c10::AutoGradMode no_grad(false);
    subject f(run, {image, mask}, masked), g(run, {image}, brightened);
    for (int step = 0; step < 9; ++step) {
      if (step != 4 && step != 5) {
        run.see("f", f({run.random({512, 1024}), at::randint(256, {1'500'007}, run.options(at::kByte))}));
      } else {
        f.reset();
      }
      run.see("g", g({run.random({512, 1024})}));
    }
    g.expect_replays(7);
  });
}

}  // namespace shared_input_test
