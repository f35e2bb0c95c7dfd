// SPDX-License-Identifier: Apache-2.0
//
// Graphs captured by hand: replays are eager's bits, and what is done in another order than documented is refused.
#include "support/autocast.h"
#include "support/standalone.h"

#include <graphed/error.h>
#include <graphed/future.h>
#include <graphed/hooks.h>

#include <ATen/ThreadLocalState.h>
#include <torch/autograd.h>

#include <cstdio>
#include <fstream>
#include <sstream>

namespace standalone_graph_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

class StandaloneGraph : public device_test {
 protected:
  at::TensorOptions options() const { return at::TensorOptions(at::kFloat).device(device()); }
  Tensor random(at::IntArrayRef sizes = {16, 8}) const { return at::randn(sizes, options()); }
  ExecutableGraph make(const std::function<void()>& body, const PoolHandle& pool = {}) const { return make_graph(device(), body, pool); }
};
INSTANTIATE_TEST_SUITE_P(, StandaloneGraph, ::testing::Values("cpu", "cuda"), [](const auto& info) { return std::string(info.param); });

TEST_P(StandaloneGraph, ReplaysAreEagersBits) {
  const Tensor x = random();
  const Tensor w = random({8, 4});
  const auto program = [&] { return at::dropout(x.matmul(w).relu(), 0.4, true).softmax(1); };
  Tensor y;
  auto graph = make([&] { y = program(); });
  const void* const address = y.data_ptr();
  for (uint64_t step = 0; step < 4; ++step) {
    x.copy_(random());
    at::manual_seed(step);
    graph.replay();
    const Tensor after = random();
    at::manual_seed(step);
    const Tensor expected = program();
    EXPECT_TRUE(same_bits(y, expected)) << step;
    EXPECT_TRUE(same_bits(after, random())) << "the random stream, step " << step;
    EXPECT_EQ(y.data_ptr(), address);
  }
}

TEST_P(StandaloneGraph, ACaptureLeavesNoTrace) {
  const Tensor counter = at::zeros({4}, options());
  at::manual_seed(7);
  const Tensor expected = random();
  at::manual_seed(7);
  auto graph = make([&] { counter.add_(at::bernoulli(at::ones({4}, options()), 1.0)); });
  EXPECT_TRUE(same_bits(random(), expected));
  EXPECT_TRUE(same_bits(counter, at::zeros({4}, options())));
  for (int replay = 1; replay <= 3; ++replay) {
    graph.replay();
    EXPECT_TRUE(same_bits(counter, at::full({4}, replay, options())));
  }
}

TEST_P(StandaloneGraph, AWholeTrainingStep) {
  const Tensor x = random();
  const Tensor start = random({8, 4});
  const auto step = [&](Tensor& w) {
    w.mutable_grad().reset();
    x.matmul(w).tanh().pow(2).sum().backward();
    const at::NoGradGuard no_grad;
    w.sub_(w.grad() * 0.1);
  };
  Tensor eager = start.clone().requires_grad_();
  Tensor graphed = start.clone().requires_grad_();
  auto graph = make([&] { step(graphed); });
  for (int i = 0; i < 4; ++i) {
    x.copy_(random());
    step(eager);
    graph.replay();
    EXPECT_TRUE(same_bits(graphed.detach(), eager.detach())) << i;
    EXPECT_TRUE(same_bits(graphed.grad(), eager.grad())) << i;
  }
}

// The nodes through which leaves get their gradients belong to the stream of the graph that has made them, and live as long as it.
TEST_P(StandaloneGraph, AWholeTrainingStepAfterAnEagerOneWhoseLossLives) {
  const Tensor x = random(), start = random({8, 4}), bias = random({4});
  const auto loss_of = [&](const std::vector<Tensor>& leaves) { return (x.matmul(leaves[0]) + leaves[1]).tanh().pow(2).sum(); };
  const auto step = [&](std::vector<Tensor>& leaves) {
    loss_of(leaves).backward({}, std::nullopt, false, leaves);
    const Tensor more = torch::autograd::grad({leaves[0].pow(3).sum()}, {leaves[0]})[0];
    const at::NoGradGuard no_grad;
    leaves[0].sub_(leaves[0].grad() * 0.1 + more * 0.01);
    leaves[1].sub_(leaves[1].grad() * 0.1);
    for (auto& leaf : leaves) {
      leaf.mutable_grad().reset();
    }
  };
  std::vector<Tensor> eager{start.clone().requires_grad_(), bias.clone().requires_grad_()};
  std::vector<Tensor> graphed{start.clone().requires_grad_(), bias.clone().requires_grad_()};
  step(eager);
  step(graphed);
  const Tensor eager_loss = loss_of(eager), living_loss = loss_of(graphed);
  auto graph = make([&] { step(graphed); });
  for (int i = 0; i < 3; ++i) {
    x.copy_(random());
    step(eager);
    graph.replay();
    EXPECT_TRUE(same_bits(graphed[0].detach(), eager[0].detach())) << i;
    EXPECT_TRUE(same_bits(graphed[1].detach(), eager[1].detach())) << i;
  }
  for (const Tensor& loss : {eager_loss, living_loss}) {
    EXPECT_TRUE(contains(text_of<c10::Error>([&] { loss.backward(); }), "modified by an inplace operation")) << "as before the capture";
  }
  const Tensor after = loss_of(graphed), expected = loss_of(eager);
  after.backward();
  expected.backward();
  EXPECT_TRUE(same_bits(graphed[0].grad(), eager[0].grad()));
}

TEST_P(StandaloneGraph, KeepsTheTensorsThatItUses) {
  Tensor x = random({1 << 16});
  const Tensor expected = x * x;
  Tensor y;
  auto graph = make([&] { y = x * x; });
  x.reset();
  std::vector<Tensor> others;
  for (int i = 0; i < 8; ++i) {
    others.push_back(random({1 << 16}));
  }
  graph.replay();
  EXPECT_TRUE(same_bits(y, expected));
}

TEST_P(StandaloneGraph, ReadsWeightsAnewUnderAutocast) {
  const Tensor x = random();
  const Tensor w = random({8, 4}).requires_grad_();
  const autocast half(device().type(), at::kBFloat16);
  const Tensor cached = at::linear(x, w.t());
  Tensor y;
  auto graph = make([&] { y = at::linear(x, w.t()); });
  {
    const at::NoGradGuard no_grad;
    w.mul_(-2);
  }
  graph.replay();
  at::autocast::clear_cache();
  EXPECT_TRUE(same_bits(y.detach(), at::linear(x, w.t()).detach()));
}

TEST_P(StandaloneGraph, BeginAndEndByHand) {
  if (!device().is_cpu()) {
    GTEST_SKIP() << "needs a stream: see cuda/standalone_test.cpp";
  }
  const Tensor x = random();
  Tensor y;
  Graph graph(device());
  EXPECT_FALSE(graph.capturing());
  EXPECT_FALSE(is_current_stream_capturing(device()));
  graph.capture_begin();
  EXPECT_TRUE(graph.capturing());
  EXPECT_TRUE(is_current_stream_capturing(device()));
  y = x + x;
  graph.capture_end();
  EXPECT_FALSE(graph.capturing());
  EXPECT_FALSE(is_current_stream_capturing(device()));
  auto run = graph.instantiate();
  x.fill_(3);
  run.replay();
  EXPECT_TRUE(same_bits(y, at::full({16, 8}, 6, options())));
}

TEST_P(StandaloneGraph, CountsItsNodesByKind) {
  const Tensor x = random();
  Graph graph(device());
  Tensor y;
  {
    const graphed::CaptureGuard scope(graph);
    y = (x + x) * x * x;
  }
  using counts = std::map<std::string, std::size_t>;
  EXPECT_EQ(graph.node_counts(), device().is_cpu() ? (counts{{"aten::add.Tensor", 1}, {"aten::mul.Tensor", 2}}) : (counts{{"kernel", 3}}));
  const auto run = graph.instantiate();
  EXPECT_EQ(graph.node_counts().size(), device().is_cpu() ? 2U : 1U) << "as captured, after instantiate() too";
}

TEST_P(StandaloneGraph, IsWrittenAsDot) {
  const Tensor x = random();
  Graph graph(device());
  {
    const graphed::CaptureGuard scope(graph);
    const Tensor y = (x + x) * x;
  }
  const std::string path = ::testing::TempDir() + "standalone_graph_" + device().str() + ".dot";
  graph.debug_dump(path);
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  std::remove(path.c_str());
  EXPECT_TRUE(contains(text.str(), "digraph"));
  if (device().is_cpu()) {
    EXPECT_TRUE(contains(text.str(), "n0 [label=\"aten::add.Tensor\\nFloat [16, 8]\"]"));
    EXPECT_TRUE(contains(text.str(), "n0 -> n1;"));
  }
  EXPECT_TRUE(contains(text_of<Error>([&] { graph.debug_dump("/no/such/folder/graph.dot"); }), "/no/such/folder/graph.dot"));
}

TEST_P(StandaloneGraph, HasRawHandlesOnCudaOnly) {
  const Tensor x = random();
  Graph graph(device(), /*keep_graph=*/true);
  Tensor y;
  {
    const graphed::CaptureGuard scope(graph);
    y = x + x;
  }
  const auto run = graph.instantiate();
  if (device().is_cpu()) {
    EXPECT_TRUE(contains(text_of<Error>([&] { graph.raw_cuda_graph(); }), "tape of operators: there is no cudaGraph_t"));
    EXPECT_TRUE(contains(text_of<Error>([&] { run.raw_cuda_graph_exec(); }), "tape of operators: there is no cudaGraphExec_t"));
  } else {
    EXPECT_NE(graph.raw_cuda_graph(), nullptr);
    EXPECT_NE(run.raw_cuda_graph_exec(), nullptr);
  }
}

TEST_P(StandaloneGraph, IsInstantiatedOnceOrAsOftenAsItIsKept) {
  const Tensor x = random();
  for (const bool keep : {false, true}) {
    Graph graph(device(), keep);
    Tensor y;
    {
      const graphed::CaptureGuard scope(graph);
      y = at::dropout(x, 0.5, true);
    }
    auto first = graph.instantiate();
    if (!keep) {
      EXPECT_TRUE(contains(text_of<Error>([&] { graph.instantiate(); }), "made without keep_graph"));
      EXPECT_TRUE(contains(text_of<Error>([&] { graph.debug_dump("unused"); }), "made without keep_graph"));
      EXPECT_TRUE(contains(text_of<Error>([&] { graph.raw_cuda_graph(); }), "made without keep_graph"));
      continue;
    }
    auto second = graph.instantiate();
    graph.reset();
    for (auto* run : {&first, &second}) {
      at::manual_seed(3);
      run->replay();
      at::manual_seed(3);
      EXPECT_TRUE(same_bits(y, at::dropout(x, 0.5, true)));
    }
    first.reset();
    at::manual_seed(4);
    second.replay();
    at::manual_seed(4);
    EXPECT_TRUE(same_bits(y, at::dropout(x, 0.5, true)));
  }
}

TEST_P(StandaloneGraph, RefusesTheWrongOrder) {
  Graph graph(device());
  EXPECT_TRUE(contains(text_of<Error>([&] { graph.capture_end(); }), "Graph::capture_end: no capture was begun"));
  EXPECT_TRUE(contains(text_of<Error>([&] { graph.instantiate(); }), "Graph::instantiate: nothing was captured"));
  EXPECT_TRUE(contains(text_of<Error>([&] { graph.node_counts(); }), "nothing was captured"));
  EXPECT_TRUE(contains(text_of<Error>([&] { graph.debug_dump("unused"); }), "nothing was captured"));
  EXPECT_TRUE(contains(text_of<Error>([&] { graph.raw_cuda_graph(); }), "nothing was captured"));
  EXPECT_TRUE(contains(text_of<Error>([&] { graph.pool(); }), "nothing was captured"));
  {
    const Tensor x = random();
    const graphed::CaptureGuard scope(graph);
    const Tensor y = x + x;
  }
  EXPECT_TRUE(contains(text_of<Error>([&] { graphed::CaptureGuard again(graph); }), "captured already"));
  ExecutableGraph none;
  EXPECT_FALSE(none);
  EXPECT_TRUE(contains(text_of<Error>([&] { none.replay(); }), "ExecutableGraph::replay: the object holds no graph"));
  EXPECT_TRUE(contains(text_of<Error>([&] { none.raw_cuda_graph_exec(); }), "holds no graph"));
}

TEST_P(StandaloneGraph, RefusesTheDefaultStreamAndOtherDevices) {
  Graph graph(device());
  const c10::Stream stream(c10::Stream::DEFAULT, device());
  const std::string refusal = text_of<Error>([&] { graphed::CaptureGuard scope(graph, {stream}); });
  EXPECT_TRUE(contains(refusal, device().is_cpu() ? "a CPU has no streams to choose from" : "the default stream cannot be captured"));
  if (!device().is_cpu()) {
    EXPECT_TRUE(contains(text_of<Error>([&] { graph.capture_begin(); }), "the default stream cannot be captured"));
    const auto pool = graph_pool_handle(at::kCPU);
    EXPECT_TRUE(
        contains(text_of<Error>([&] { graphed::CaptureGuard scope(graph, {std::nullopt, pool}); }), "expected a pool on device cuda:0"));
  }
  EXPECT_TRUE(contains(text_of<Error>([] { Graph other(at::kMeta); }), "nothing captures on device meta"));
  EXPECT_TRUE(contains(text_of<Error>([] { graph_pool_handle(c10::Device(at::kCUDA, 99)); }), "cuda:99"));
  const Tensor x = random();
  Tensor y;
  {
    const graphed::CaptureGuard scope(graph);
    y = x + x;
  }
  graph.instantiate().replay();
  EXPECT_TRUE(same_bits(y, x + x)) << "what was refused left the graph as it was";
}

TEST_P(StandaloneGraph, RefusesCapturesAndReplaysInsideACapture) {
  const Tensor x = random();
  Tensor a;
  Tensor b;
  auto first = make([&] { a = x + x; });
  Graph kept(device(), /*keep_graph=*/true);
  {
    const graphed::CaptureGuard scope(kept);
    const Tensor c = x * x;
  }
  auto second = make([&] {
    Graph inner(device());
    EXPECT_TRUE(contains(text_of<CaptureError>([&] { graphed::CaptureGuard scope(inner); }), "inside a capture already"));
    EXPECT_TRUE(contains(text_of<CaptureError>([&] { kept.instantiate(); }), "inside a capture already"));
    EXPECT_TRUE(contains(text_of<Error>([&] { first.replay(); }), "not inside a capture"));
    b = x * x;
  });
  x.fill_(3);
  second.replay();
  EXPECT_TRUE(same_bits(b, x * x));
  first.replay();
  EXPECT_TRUE(same_bits(a, x + x));
}

// As work that is passed to a thread runs there with the state of the thread that passed it.
TEST_P(StandaloneGraph, RefusesACaptureInsideACaptureUnderAnotherThreadState) {
  const at::ThreadLocalState before;
  make([&] {
    const at::ThreadLocalStateGuard as_before(before);
    Graph inner(device());
    const std::string message = text_of<CaptureError>([&] { graphed::CaptureGuard scope(inner); });
    EXPECT_TRUE(contains(message, "inside a capture already")) << message;
  });
}

TEST_P(StandaloneGraph, WarnsOfAnEmptyCapture) {
  auto graph = make([] {});
  EXPECT_EQ(warnings_.count({"the captured graph is empty", link_to("reference/standalone.md")}), 1U) << warnings_.all();
  graph.replay();
  const Tensor x = random();
  make([&] { const Tensor y = x + x; });
  EXPECT_EQ(warnings_.count(), 1U) << warnings_.all();
}

TEST_P(StandaloneGraph, AGraphedCallableInsideRunsPlainly) {
  scenario run(device(), true);
  subject f(run, {{"x", {16, 8}}}, [](tensor_list& in) { return tensor_list{in[0].tanh()}; });
  const Tensor x = random();
  Tensor y;
  auto graph = make([&] { y = f({x})[0]; });
  f.expect_misses(Miss::Nested, 1);
  for (int step = 0; step < 5; ++step) {
    x.copy_(random());
    graph.replay();
    EXPECT_TRUE(same_bits(y, x.tanh()));
    f({x});
  }
  f.expect_replays(3);
}

TEST_P(StandaloneGraph, CanBeMovedAndReset) {
  const Tensor x = random();
  Tensor y;
  Graph graph(device());
  {
    const graphed::CaptureGuard scope(graph);
    y = x + x;
  }
  Graph other = std::move(graph);
  ExecutableGraph run = other.instantiate();
  other.reset();
  other = Graph(device());
  Tensor z;
  {
    const graphed::CaptureGuard scope(other);
    z = x * x;
  }
  other.reset();
  {
    const graphed::CaptureGuard scope(other);
    z = x * x * x;
  }
  ExecutableGraph moved = std::move(run);
  EXPECT_FALSE(run);
  moved.replay();
  EXPECT_TRUE(same_bits(y, x + x));
  moved = other.instantiate();
  moved.replay();
  EXPECT_TRUE(same_bits(z, x * x * x));
}

TEST_P(StandaloneGraph, AnObjectThatWasMovedFromThrows) {
  Graph graph(device());
  Graph other = std::move(graph);
  const std::string words = "the Graph was moved from";
  EXPECT_TRUE(contains(text_of<Error>([&] { graph.device(); }), "Graph::device: " + words));
  EXPECT_TRUE(contains(text_of<Error>([&] { graph.capture_begin(); }), "Graph::capture_begin: " + words));
  EXPECT_TRUE(contains(text_of<Error>([&] { graph.capture_end(); }), "Graph::capture_end: " + words));
  EXPECT_TRUE(contains(text_of<Error>([&] { graph.instantiate(); }), "Graph::instantiate: " + words));
  EXPECT_TRUE(contains(text_of<Error>([&] { graph.node_counts(); }), "Graph::node_counts: " + words));
  EXPECT_TRUE(contains(text_of<Error>([&] { graph.debug_dump("unused"); }), "Graph::debug_dump: " + words));
  EXPECT_TRUE(contains(text_of<Error>([&] { graph.raw_cuda_graph(); }), "Graph::raw_cuda_graph: " + words));
  EXPECT_TRUE(contains(text_of<Error>([&] { graph.pool(); }), "Graph::pool: " + words));
  EXPECT_TRUE(contains(text_of<Error>([&] { graphed::CaptureGuard scope(graph); }), "Graph::capture_begin: " + words));
  EXPECT_FALSE(graph.capturing());
  graph.reset();
  graph = std::move(other);
  EXPECT_EQ(graph.device().type(), device().type());

  MemPool memory(device());
  const MemPool moved = std::move(memory);
  EXPECT_TRUE(contains(text_of<Error>([&] { MemPoolGuard scope(memory); }), "names no pool"));
  EXPECT_TRUE(contains(text_of<Error>([&] { memory.device(); }), "names no pool"));
  EXPECT_EQ(memory.bytes_held(), 0U);

  HookHandle hook = add_hook(GraphEvent::CaptureEnd, [](const EventInfo&) {});
  HookHandle moved_hook = std::move(hook);
  hook.remove();

  future<int> coming(5);
  future<int> moved_future = std::move(coming);
  EXPECT_FALSE(coming.valid());
  EXPECT_FALSE(coming.ready());
  EXPECT_TRUE(contains(text_of<Error>([&] { coming.get(); }), "was taken before"));
  EXPECT_EQ(moved_future.get(), 5);
}

TEST_P(StandaloneGraph, AScopeWhoseGraphIsMovedEndsNothing) {
  const Tensor x = random();
  Tensor y;
  Graph graph(device());
  Graph other(device());
  {
    const graphed::CaptureGuard scope(graph);
    y = x + x;
    other = std::move(graph);
  }
  EXPECT_TRUE(other.capturing());
  other.capture_end();
  other.instantiate().replay();
  EXPECT_TRUE(same_bits(y, x + x));
}

}  // namespace standalone_graph_test
