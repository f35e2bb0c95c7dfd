// SPDX-License-Identifier: Apache-2.0
//
// Pools that callables, graphs and eager operators share. Upstream: test_cuda.py, the tests that share memory, make_graphed_callables and
// TestMemPool.
#include "support/group.h"
#include "support/standalone.h"

#include <torch/nn.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>

namespace pool_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Pool);

GraphedOptions of_pool(const scenario& run) {
  GraphedOptions options;
  options.pool = graph_pool_handle(run.device());
  return options;
}

/// Leaves temporaries of the result's size behind.
OriginalCallable plus(double value) {
  return {[value](const tensor_list& in) {
    Tensor x = in[0];
    for (int i = 0; i < 5; ++i) {
      x = (x.clone() + value) + (x.clone() + value);
    }
    return tensor_list{x};
  }};
}

std::vector<tensor_list> samples(const scenario& run, std::size_t count) { return {count, {at::zeros({1000}, run.options())}}; }

// test_graph_two_successive, share_memory: two graphs of one pool between eager work, each on what the other one made.
TEST_P(Pool, TwoMixedWithEagerWork) {
  expect_same([](scenario& run) {
    const group f(run, {plus(1), plus(2)}, samples(run, 2), of_pool(run));
    for (int step = 0; step < 6; ++step) {
      const Tensor x = run.random({1000}), y = f(0, {x.clone() + 1})[0], z = f(1, {y.clone() * 0.5})[0];
      run.see("between", at::dropout(y - x, 0.5, true));
      run.see("z", z);
    }
    f.expect_replays(0, 6, 0);
    f.expect_replays(1, 6, 0);
  });
}

// test_graph_concurrent_replay, share_memory: two in flight without a wait in between, which corrupts there.
TEST_P(Pool, TwoInFlight) {
  expect_same([](scenario& run) {
    const group f(run, {plus(1), plus(2)}, samples(run, 2), of_pool(run));
    tensor_list held;
    for (int step = 0; step < 10; ++step) {
      const Tensor x = run.random({1000});
      held.push_back(f(0, {x})[0]);
      held.push_back(f(1, {x})[0]);
    }
    run.see("held", held);
  });
}

// test_graph_three_successive, share_memory: in the order of their captures, and in the others, which corrupt there.
TEST_P(Pool, ThreeInAnyOrder) {
  expect_same([](scenario& run) {
    const group f(run, {plus(1), plus(2), plus(3)}, samples(run, 3), of_pool(run));
    std::vector<std::size_t> order{0, 1, 2};
    do {
      std::vector<Tensor> results(3);
      Tensor x = run.random({1000});
      for (const std::size_t i : order) {
        x = results[i] = f(i, {x})[0];
      }
      run.see("results", results);
    } while (std::next_permutation(order.begin(), order.end()));
  });
}

// test_graph_make_graphed_callables_same_pool: three modules, one pool, each with gradients of its own.
TEST_P(Pool, ThreeModules) {
  expect_same([](scenario& run) {
    std::vector<torch::nn::Linear> nets;
    std::vector<OriginalCallable> callables;
    for (int i = 0; i < 3; ++i) {
      nets.push_back(on(run.device(), torch::nn::Linear(8, 8)));
      callables.emplace_back(nets.back());
    }
    const group f(run, callables, {3, {run.random({16, 8})}}, of_pool(run));
    torch::manual_seed(1);
    for (int step = 0; step < 4; ++step) {
      for (std::size_t i = 0; i < 3; ++i) {
        const Tensor y = f(i, {run.random({16, 8})})[0];
        run.see("y", y);
        y.norm().backward();
        run.see_grad("weight", nets[i]->weight);
        run.see_grad("bias", nets[i]->bias);
      }
    }
    for (std::size_t i = 0; i < 3; ++i) {
      f.expect_replays(i, 4, 4);
    }
  });
}

// test_graph_make_graphed_callables_without_amp_allow_unused_input: as there, one call makes all five of them.
TEST_P(Pool, FiveCallablesInOneTrainingStep) {
  expect_same([](scenario& run) {
    auto first = on(run.device(), torch::nn::Sequential(torch::nn::Linear(24, 12), torch::nn::Dropout(0.1)));
    auto second = on(run.device(), torch::nn::Sequential(torch::nn::Linear(12, 6), torch::nn::Dropout(0.2)));
    const auto forward = [](torch::nn::Sequential net) {
      return OriginalCallable([net](const tensor_list& in) mutable { return tensor_list{net->forward(in[0])}; }, net.ptr());
    };
    const OriginalCallable relu([](const tensor_list& in) { return tensor_list{in[0].relu()}; });
    const OriginalCallable reversed([](const tensor_list& in) { return tensor_list{in[0].flip(0)}; });
    const OriginalCallable loss([](const tensor_list& in) { return tensor_list{at::mse_loss(in[0], in[1])}; });
    const Tensor hidden = run.leaf({16, 12}), logits = run.leaf({16, 6});
    const group f(run, {forward(first), forward(second), relu, reversed, loss},
                  {{run.random({16, 24}), run.random({16, 12})}, {hidden}, {logits}, {logits}, {logits, run.random({16, 6})}},
                  of_pool(run));
    torch::manual_seed(2);
    const auto descend = [](torch::nn::Module& net) {
      const at::NoGradGuard no_history;
      for (Tensor& parameter : net.parameters()) {
        parameter.sub_(parameter.grad(), 0.1);
        parameter.mutable_grad() = Tensor();
      }
    };
    for (int step = 0; step < 6; ++step) {
      const tensor_list prediction = f(3, f(2, f(1, f(0, {run.random({16, 24}), run.random({16, 12})}))));
      const Tensor error = f(4, {prediction[0], run.random({16, 6})})[0];
      run.see("prediction", prediction);
      run.see("error", error);
      error.backward();
      descend(*first);
      descend(*second);
      run.see("first", first->parameters());
      run.see("second", second->parameters());
    }
    for (std::size_t i = 0; i < 5; ++i) {
      f.expect_replays(i, 6, 6);
    }
  });
}

// Beyond upstream: a callable may die while the others of its pool go on, and so may the results and the handle.
TEST_P(Pool, CallablesDieInAnyOrder) {
  const Tensor x = at::randn({1000}, at::TensorOptions(device()));
  const std::vector<OriginalCallable> originals{plus(1), plus(2), plus(3)};
  std::vector<std::size_t> order{0, 1, 2};
  do {
    GraphedOptions options;
    options.pool = graph_pool_handle(device());
    auto made = make_graphed_callables(originals, {3, {x}}, options);
    options.pool = {};
    std::vector<std::optional<GraphedCallable>> graphed(made.begin(), made.end());
    made.clear();
    tensor_list held;
    for (const std::size_t dies : order) {
      for (std::size_t i = 0; i < 3; ++i) {
        if (graphed[i]) {
          EXPECT_TRUE(same_bits((*graphed[i])({x})[0], originals[i]({x})[0])) << i << " before " << dies;
        }
      }
      held.push_back((*graphed[dies])({x})[0]);
      graphed[dies].reset();
    }
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_TRUE(same_bits(held[i], originals[order[i]]({x})[0])) << order[i];
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

// Beyond upstream: a thread for each callable of one pool.
TEST_P(Pool, CallablesInAThreadEach) {
  const Tensor zeros = at::zeros({1000}, at::TensorOptions(device()));
  const std::vector<OriginalCallable> originals{plus(1), plus(2), plus(3)};
  GraphedOptions options;
  options.pool = graph_pool_handle(device());
  const auto graphed = make_graphed_callables(originals, {3, {zeros}}, options);
  std::atomic<int> different{0};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      const collected_warnings quiet;
      for (int step = 0; step < 50; ++step) {
        const Tensor x = zeros + step;
        different += same_bits(graphed[i]({x})[0], originals[i]({x})[0]) ? 0 : 1;
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(different, 0);
  EXPECT_GT(graphed[0].stats().replays + graphed[1].stats().replays + graphed[2].stats().replays, 0U);
}

// TestMemPool.test_mempool_id.
TEST_P(Pool, HandlesAreDistinct) {
  const PoolHandle first = graph_pool_handle(device()), second = graph_pool_handle(device());
  const MemPool third(device()), fourth(device());
  const std::vector<PoolHandle> all{first, second, third.handle(), fourth.handle()};
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < all.size(); ++j) {
      EXPECT_EQ(all[i] == all[j], i == j) << i << " and " << j;
    }
  }
  const PoolHandle copy = first;
  EXPECT_EQ(copy, first);
}

// TestMemPool.test_mempool_multithread and TestBlockStateAbsorption.test_allocate_in_thread_to_pool: threads that each allocate from a pool
// of their own, and a capture into one of them in another thread.
TEST_P(Pool, EachUsedByAThread) {
  constexpr std::size_t count = 4;
  std::vector<MemPool> pools;
  for (std::size_t i = 0; i < count; ++i) {
    pools.emplace_back(device());
  }
  std::vector<Tensor> tensors(count);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      const MemPoolGuard scope(pools[i]);
      tensors[i] = at::full({1 << 20}, static_cast<double>(i), at::TensorOptions(device()));
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!device().is_cpu()) {
      EXPECT_GE(pools[i].bytes_held(), tensors[i].nbytes()) << i;
      EXPECT_LT(pools[i].bytes_held(), 2 * tensors[i].nbytes() + (20 << 20)) << i;
    }
    Tensor doubled;
    auto graph = make_graph(device(), [&] { doubled = tensors[i] * 2; }, pools[i].handle());
    graph.replay();
    EXPECT_TRUE(same_bits(doubled, at::full({1 << 20}, 2.0 * static_cast<double>(i), at::TensorOptions(device())))) << i;
    EXPECT_GE(pools[i].bytes_held(), doubled.nbytes()) << i;
  }
}

// TestMemPool.test_nested_mempool: the innermost scope's pool, then the outer one's again. A CPU has no memory pools to choose from.
TEST_P(Pool, Nested) {
  constexpr int64_t megabytes = 1 << 20;
  const std::vector<MemPool> pools{MemPool(device()), MemPool(device()), MemPool(device())};
  tensor_list all;
  const auto allocate = [&](int64_t size) {
    all.push_back(at::full({size * megabytes}, size, at::TensorOptions(at::kByte).device(device())));
  };
  const auto held = [&] {
    std::vector<uint64_t> bytes;
    for (const auto& pool : pools) {
      bytes.push_back(pool.bytes_held() / megabytes);
    }
    return bytes;
  };
  {
    const MemPoolGuard outer(pools[0]);
    allocate(20);
    {
      const MemPoolGuard middle(pools[1]);
      allocate(22);
      {
        const MemPoolGuard inner(pools[2]);
        allocate(24);
      }
      allocate(26);
    }
    allocate(28);
  }
  allocate(30);
  EXPECT_EQ(held(), device().is_cpu() ? (std::vector<uint64_t>{0, 0, 0}) : (std::vector<uint64_t>{20 + 28, 22 + 26, 24}));
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_TRUE(at::all(all[i] == 20 + 2 * static_cast<int64_t>(i)).item<bool>()) << i;
  }
}

}  // namespace pool_test
