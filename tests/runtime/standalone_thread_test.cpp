// SPDX-License-Identifier: Apache-2.0
//
// Graphs captured by hand, and several threads.
#include "support/standalone.h"

#include <graphed/error.h>

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

}  // namespace standalone_thread_test
