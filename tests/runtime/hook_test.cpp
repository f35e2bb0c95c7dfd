// SPDX-License-Identifier: Apache-2.0
//
// Hooks: called for graphs made by hand and for graphed callables, in order, and never in the way.
#include "support/standalone.h"

#include <graphed/disable.h>
#include <graphed/error.h>
#include <graphed/hooks.h>

#include <set>
#include <stdexcept>

namespace hook_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

constexpr GraphEvent all_events[] = {GraphEvent::CaptureBegin, GraphEvent::CaptureEnd, GraphEvent::Instantiate,
                                     GraphEvent::ReplayBegin,  GraphEvent::ReplayEnd,  GraphEvent::Destroy};

/// What happened, as "capture_begin, capture_end, ...".
class event_log {
 public:
  event_log() {
    for (const GraphEvent event : all_events) {
      handles_.push_back(add_hook(event, [this](const EventInfo& info) {
        text_ += (text_.empty() ? "" : ", ") + std::string(to_string(info.event)) + (info.failed ? " (failed)" : "");
        graphs_.insert(info.graph);
        last_ = info.device;
      }));
    }
  }
  std::string take() { return std::exchange(text_, ""); }
  std::size_t graphs() const { return graphs_.size(); }
  c10::Device device() const { return *last_; }

 private:
  std::string text_;
  std::set<uint64_t> graphs_;
  std::optional<c10::Device> last_;
  std::vector<HookHandle> handles_;
};

class Hook : public device_test {
 protected:
  Tensor random() const { return at::randn({16, 8}, at::TensorOptions(at::kFloat).device(device())); }
};
INSTANTIATE_TEST_SUITE_P(, Hook, ::testing::Values("cpu", "cuda"), [](const auto& info) { return std::string(info.param); });

// A capture whose weight was replaced ends within the next call: hooks hear of it where no lock is held.
TEST_P(Hook, ThatResetsTheCallableWhoseGraphEnds) {
  Tensor weight = random();
  test_callable f({{"x", {16, 8}}}, [&](tensor_list& in) { return tensor_list{in[0] * weight}; }, {1});
  const Tensor x = random();
  for (int call = 0; call < 3; ++call) {
    f({x});
  }
  ASSERT_EQ(f.stats().captures, 1U) << f.stats();
  int ended = 0;
  const HookHandle resets = add_hook(GraphEvent::Destroy, [&](const EventInfo&) {
    ++ended;
    f.reset();
  });
  weight.set_(random());
  for (int call = 0; call < 4; ++call) {
    EXPECT_TRUE(same_bits(f({x})[0], x * weight));
  }
  EXPECT_GE(ended, 1);
}

TEST_P(Hook, SeesAGraphMadeByHand) {
  const Tensor x = random();
  event_log log;
  Graph graph(device(), /*keep_graph=*/true);
  {
    const graphed::CaptureGuard scope(graph);
    EXPECT_EQ(log.take(), "capture_begin");
    const Tensor y = x + x;
  }
  EXPECT_EQ(log.take(), "capture_end");
  auto first = graph.instantiate();
  auto second = graph.instantiate();
  EXPECT_EQ(log.take(), "instantiate, instantiate");
  second.replay();
  EXPECT_EQ(log.take(), "replay_begin, replay_end");
  first.reset();
  EXPECT_EQ(log.take(), "destroy");
  graph.reset();
  EXPECT_EQ(log.take(), "");
  second.reset();
  EXPECT_EQ(log.take(), "destroy");
  EXPECT_EQ(log.graphs(), 1U) << "one capture, one number";
  EXPECT_EQ(log.device().type(), device().type());
}

TEST_P(Hook, SeesAGraphedCallable) {
  event_log log;
  {
    scenario run(device(), true);
    subject f(run, {{"x", {16, 8}, at::kFloat, true}}, [](tensor_list& in) { return tensor_list{in[0].tanh()}; });
    f({random().requires_grad_()})[0].sum().backward();
    f({random().requires_grad_()})[0].sum().backward();
    EXPECT_EQ(log.take(), "") << "warm-ups";
    const std::string replay = device().is_cpu() ? "" : ", replay_begin, replay_end";  // on a tape the recording is the call
    Tensor y = f({random().requires_grad_()})[0];
    EXPECT_EQ(log.take(), "capture_begin, capture_end, instantiate" + replay);
    y.sum().backward();
    EXPECT_EQ(log.take(), "capture_begin, capture_end, instantiate" + replay);
    y = f({random().requires_grad_()})[0];
    EXPECT_EQ(log.take(), "replay_begin, replay_end");
    y.sum().backward();
    EXPECT_EQ(log.take(), "replay_begin, replay_end");
  }
  EXPECT_EQ(log.take(), "destroy, destroy");
  EXPECT_EQ(log.graphs(), 2U);
}

TEST_P(Hook, SeesAFailedCaptureAfterItWasPutBack) {
  std::optional<bool> capturing;
  Graph graph(device());
  const Tensor x = random();
  const auto handle =
      add_hook(GraphEvent::CaptureEnd, [&](const EventInfo& info) { capturing = is_current_stream_capturing(info.device); });
  event_log log;
  EXPECT_THROW(
      {
        const graphed::CaptureGuard scope(graph);
        const Tensor y = x + x;
        throw std::runtime_error("the user's own");
      },
      std::runtime_error);
  EXPECT_EQ(log.take(), "capture_begin, capture_end (failed)");
  ASSERT_TRUE(capturing);
  EXPECT_FALSE(*capturing);
}

TEST_P(Hook, ThatThrowsIsRemovedWithAWarning) {
  const Tensor x = random();
  Tensor y;
  auto graph = make_graph(device(), [&] { y = x + x; });
  int before = 0;
  int thrown = 0;
  int after = 0;
  const auto first = add_hook(GraphEvent::ReplayBegin, [&](const EventInfo&) { ++before; });
  const auto second = add_hook(GraphEvent::ReplayBegin, [&](const EventInfo&) {
    ++thrown;
    throw std::runtime_error("from the hook");
  });
  const auto third = add_hook(GraphEvent::ReplayBegin, [&](const EventInfo&) { ++after; });
  for (int i = 0; i < 3; ++i) {
    x.copy_(random());
    graph.replay();
    EXPECT_TRUE(same_bits(y, x + x));
  }
  EXPECT_EQ(before, 3);
  EXPECT_EQ(thrown, 1);
  EXPECT_EQ(after, 3);
  EXPECT_EQ(warnings_.count({"a hook on replay_begin threw and is removed", "from the hook" + link_to("reference/standalone.md")}), 1U)
      << warnings_.all();
}

TEST_P(Hook, IsRemovedByItsHandle) {
  int calls = 0;
  const auto count = [&](const EventInfo&) { ++calls; };
  const Tensor x = random();
  auto graph = make_graph(device(), [&] { const Tensor y = x + x; });
  {
    auto handle = add_hook(GraphEvent::ReplayEnd, count);
    HookHandle moved = std::move(handle);
    handle.remove();  // names nothing any more
    graph.replay();
    EXPECT_EQ(calls, 1);
    moved.remove();
    moved.remove();
    graph.replay();
    EXPECT_EQ(calls, 1);
    moved = add_hook(GraphEvent::ReplayEnd, count);
    graph.replay();
    EXPECT_EQ(calls, 2);
  }
  graph.replay();
  EXPECT_EQ(calls, 2);
}

TEST_P(Hook, MayRemoveItself) {
  const Tensor x = random();
  auto graph = make_graph(device(), [&] { const Tensor y = x + x; });
  int calls = 0;
  HookHandle handle;
  handle = add_hook(GraphEvent::ReplayEnd, [&](const EventInfo&) {
    ++calls;
    handle.remove();
  });
  graph.replay();
  graph.replay();
  EXPECT_EQ(calls, 1);
}

TEST_P(Hook, CannotCaptureAndCallsNoHooks) {
  const Tensor x = random();
  Tensor y;
  auto inner = make_graph(device(), [&] { y = x * x; });
  Graph kept(device(), /*keep_graph=*/true);
  {
    const graphed::CaptureGuard scope(kept);
    const Tensor z = x + x;
  }
  scenario run(device(), true);
  subject f(run, {{"x", {16, 8}}}, [](tensor_list& in) { return tensor_list{in[0].tanh()}; });
  int replays = 0;
  std::string refusals;
  const auto handle = add_hook(GraphEvent::CaptureBegin, [&](const EventInfo& info) {
    Graph graph(info.device);
    refusals += text_of<Error>([&] { graphed::CaptureGuard scope(graph); }) + '\n' + text_of<Error>([&] { kept.instantiate(); });
    EXPECT_TRUE(is_disabled());
    f({x});
    inner.replay();
  });
  const auto counting = add_hook(GraphEvent::ReplayBegin, [&](const EventInfo&) { ++replays; });
  Tensor z;
  make_graph(device(), [&] { z = x - x; }).replay();
  EXPECT_TRUE(contains(refusals, "Graph::capture_begin: not inside a hook\n"));
  EXPECT_TRUE(contains(refusals, "Graph::instantiate: not inside a hook"));
  EXPECT_EQ(replays, 1) << "that of the graph itself";
  EXPECT_TRUE(same_bits(y, x * x)) << "a hook may replay";
  EXPECT_TRUE(same_bits(z, x - x));
  f.expect_misses(Miss::Disabled, 1);
  EXPECT_FALSE(is_disabled());
}

TEST(HookText, NamesEveryEvent) {
  std::set<std::string> names;
  for (const GraphEvent event : all_events) {
    names.insert(to_string(event));
  }
  EXPECT_EQ(names.size(), std::size(all_events));
  EXPECT_EQ(names.count("unknown"), 0U);
  EXPECT_TRUE(contains(text_of<Error>([] { static_cast<void>(add_hook(GraphEvent::Destroy, {})); }),
                       "add_hook: the hook on destroy is an empty function"));
}

}  // namespace hook_test
