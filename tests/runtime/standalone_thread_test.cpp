// SPDX-License-Identifier: Apache-2.0
//
// Graphs captured by hand, and several threads.
#include "support/standalone.h"

#include <graphed/error.h>
#include <graphed/host.h>

#include <chrono>
#include <future>
#include <mutex>
#include <thread>

namespace standalone_thread_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

class StandaloneThread : public device_test {
 protected:
  Tensor random() const { return at::randn({16, 8}, at::TensorOptions(at::kFloat).device(device())); }
};
INSTANTIATE_TEST_SUITE_P(, StandaloneThread, ::testing::Values("cpu", "cuda"), [](const auto& info) { return std::string(info.param); });

TEST_P(StandaloneThread, ReplaysInAnotherThread) {
  const Tensor x = random();
  Tensor y;
  ExecutableGraph graph;
  std::thread([&] { graph = make_graph(device(), [&] { y = x.matmul(x.t()).relu(); }); }).join();
  for (int i = 0; i < 3; ++i) {
    x.copy_(random());
    graph.replay();
    EXPECT_TRUE(same_bits(y, x.matmul(x.t()).relu()));
  }
  std::thread([&] { graph.replay(); }).join();
}

TEST_P(StandaloneThread, CapturesOfSeveralThreadsTakeTurns) {
  constexpr std::size_t threads = 4;
  std::vector<Tensor> x;
  for (std::size_t i = 0; i < threads; ++i) {
    x.push_back(random());
  }
  std::vector<Tensor> y(threads);
  std::vector<ExecutableGraph> graphs(threads);
  std::vector<std::thread> workers;
  for (std::size_t i = 0; i < threads; ++i) {
    workers.emplace_back([&, i] {
      for (int round = 0; round < 5; ++round) {
        graphs[i] = make_graph(device(), [&] { y[i] = (x[i] * x[i]).sum(0); });
        graphs[i].replay();
      }
    });
  }
  for (auto& worker : workers) {
    worker.join();
  }
  for (std::size_t i = 0; i < threads; ++i) {
    x[i].mul_(2);
    graphs[i].replay();
    EXPECT_TRUE(same_bits(y[i], (x[i] * x[i]).sum(0)));
  }
}

TEST_P(StandaloneThread, EndsOnTheThreadThatItBeganOn) {
  const Tensor x = random();
  Tensor y;
  Graph graph(device());
  {
    const graphed::CaptureGuard scope(graph);
    std::string refusal;
    std::thread([&] { refusal = text_of<Error>([&] { graph.capture_end(); }); }).join();
    EXPECT_TRUE(contains(refusal, "ends on the thread that it began on"));
    y = x + x;
  }
  graph.instantiate().replay();
  EXPECT_TRUE(same_bits(y, x + x));
}

TEST_P(StandaloneThread, IsNotResetOnAnotherThread) {
  const Tensor x = random();
  Tensor y;
  Graph graph(device());
  {
    const graphed::CaptureGuard scope(graph);
    std::thread([&] {
      const collected_warnings warnings;
      graph.reset();
      EXPECT_EQ(warnings.count({"was reset on another thread", "that capture stays open"}), 1U) << warnings.all();
    }).join();
    EXPECT_TRUE(graph.capturing());
    y = x + x;
  }
  graph.instantiate().replay();
  EXPECT_TRUE(same_bits(y, x + x));
  graph.reset();
  EXPECT_FALSE(graph.capturing());
}

// Each replay reads a state, runs a host part, and writes the state.
TEST_P(StandaloneThread, ReplaysOfAGraphWithAHostPartTakeTurns) {
  constexpr int threads = 4, replays = 25;
  const Tensor state = at::zeros({1024}, at::TensorOptions(at::kFloat).device(device()));
  Graph graph(device(), /*keep_graph=*/true);
  {
    const graphed::CaptureGuard scope(graph);
    const Tensor next = state + 1;
    host([] { std::this_thread::sleep_for(std::chrono::microseconds(200)); });
    state.copy_(next);
  }
  std::vector<ExecutableGraph> made;  // of one capture: their temporaries are the same memory
  made.push_back(graph.instantiate());
  made.push_back(graph.instantiate());
  std::vector<std::thread> workers;
  for (std::size_t i = 0; i < threads; ++i) {
    workers.emplace_back([&, i] {
      for (int replay = 0; replay < replays; ++replay) {
        made[i % 2].replay();
      }
    });
  }
  for (auto& worker : workers) {
    worker.join();
  }
  EXPECT_TRUE(same_bits(state, at::full_like(state, threads * replays))) << state[0].item<float>();
}

TEST_P(StandaloneThread, AnotherGraphOfThePoolWaitsForAReplayWithAHostPart) {
  const Tensor x = at::ones({1 << 16}, at::TensorOptions(at::kFloat).device(device())), z = at::full_like(x, 1000);
  const PoolHandle pool = graph_pool_handle(device());
  std::function<void()> within = [] {};
  Tensor y, w;
  auto first = make_graph(
      device(),
      [&] {
        const Tensor t = x + 1;
        host([&within] { within(); });
        y = t * 2;
      },
      pool);
  auto second = make_graph(
      device(),
      [&] {
        const Tensor t = z - 5;
        w = t * 3;
      },
      pool);
  std::atomic<bool> has_ended{false};
  int overtaken = 0;
  for (int i = 0; i < 5; ++i) {
    x.fill_(i);
    has_ended = false;
    std::thread other;
    within = [&] {
      other = std::thread([&] {
        second.replay();
        overtaken += has_ended ? 0 : 1;
        EXPECT_TRUE(same_bits(w, (z - 5) * 3));
      });
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      has_ended = true;
    };
    first.replay();
    other.join();
    EXPECT_TRUE(same_bits(y, (x + 1) * 2)) << i;
  }
  EXPECT_EQ(overtaken, 0);
}

TEST_P(StandaloneThread, AHostPartThatNeedsAMutexOfAThreadThatReplaysGetsIt) {
  const Tensor x = random();
  std::function<void()> within = [] {};
  Tensor y;
  auto graph = make_graph(device(), [&] {
    const Tensor t = x + 1;
    host([&within] { within(); });
    y = t * 2;
  });
  std::mutex users;
  std::promise<void> is_within, has_mutex;
  within = [&] {
    is_within.set_value();
    has_mutex.get_future().wait();
    const std::lock_guard lock(users);
  };
  std::string refusal;
  std::thread other([&] {
    is_within.get_future().wait();
    const std::lock_guard lock(users);
    has_mutex.set_value();
    refusal = text_of<Error>([&] { graph.replay(); });
  });
  graph.replay();
  other.join();
  EXPECT_TRUE(contains(refusal, "waited 5 seconds for a host part of another thread's replay"));
  EXPECT_TRUE(contains(refusal, "hold no lock that the host part takes"));
  EXPECT_TRUE(contains(refusal, link_to("reference/standalone.md#host-parts")));
  EXPECT_TRUE(same_bits(y, (x + 1) * 2));
  within = [] {};
  x.fill_(3);
  graph.replay();
  EXPECT_TRUE(same_bits(y, (x + 1) * 2));
}

TEST_P(StandaloneThread, AHostPartCannotReplayAGraphOfItsPool) {
  const Tensor x = random();
  const PoolHandle pool = graph_pool_handle(device());
  std::function<void()> within = [] {};
  Tensor y, z, w;
  const auto doubled = [&] {
    const Tensor t = x + 1;
    host([&within] { within(); });
    y = t * 2;
  };
  auto graph = make_graph(device(), doubled, pool);
  auto of_pool = make_graph(device(), [&] { z = x * x; }, pool);
  auto of_another = make_graph(device(), [&] { w = x * x * x; });
  std::string itself, other;
  within = [&] {
    itself = text_of<Error>([&] { graph.replay(); });
    other = text_of<Error>([&] { of_pool.replay(); });
    of_another.replay();
  };
  graph.replay();
  EXPECT_TRUE(contains(itself, "a host part replays its own graph"));
  EXPECT_TRUE(contains(other, "a host part replays another graph of its graph's pool"));
  EXPECT_TRUE(contains(other, "capture that graph into another pool"));
  EXPECT_TRUE(same_bits(y, (x + 1) * 2));
  EXPECT_TRUE(same_bits(w, x * x * x));
  within = [&] { graph.replay(); };
  EXPECT_TRUE(contains(text_of<Error>([&] { graph.replay(); }), "a host part replays its own graph"));
  within = [] {};
  x.fill_(3);
  graph.replay();
  of_pool.replay();
  EXPECT_TRUE(same_bits(y, (x + 1) * 2)) << "the exception has freed the pool";
  EXPECT_TRUE(same_bits(z, x * x));
}

TEST_P(StandaloneThread, AHostPartThatThrowsLetsOtherThreadsReplay) {
  const Tensor x = random();
  bool throws = false;
  Tensor y;
  auto graph = make_graph(device(), [&] {
    const Tensor t = x + 1;
    host([&throws, t] {
      t.mul_(3);
      if (throws) {
        throw std::runtime_error("no token");
      }
    });
    y = t * 2;
  });
  for (int i = 0; i < 10; ++i) {
    throws = i % 2 == 0;
    const auto replay = [&] {
      EXPECT_EQ(text_of<std::runtime_error>([&] { graph.replay(); }), throws ? "no token" : "nothing was thrown");
    };
    std::thread(replay).join();
    if (!throws) {
      EXPECT_TRUE(same_bits(y, (x + 1) * 3 * 2));
    }
  }
}

TEST_P(StandaloneThread, AHostPartMayResetItsOwnGraph) {
  const Tensor x = random();
  std::function<void()> within = [] {};
  Tensor y;
  auto graph = make_graph(device(), [&] {
    const Tensor t = x + 1;
    host([&within] { within(); });
    y = t * 2;
  });
  within = [&] { graph.reset(); };
  graph.replay();
  EXPECT_FALSE(graph);
  EXPECT_TRUE(same_bits(y, (x + 1) * 2));
}

}  // namespace standalone_thread_test
