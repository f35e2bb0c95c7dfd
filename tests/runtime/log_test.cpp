// SPDX-License-Identifier: Apache-2.0
//
// A handler takes the runtime's lines. Those that GRAPHED_LOG adds are environment_test's, the end of the process is process_exit's.
#include "support/device_test.h"
#include "support/log_lines.h"
#include "support/standalone.h"
#include "support/step.h"

#include <graphed/disable.h>
#include <graphed/error.h>
#include <graphed/hooks.h>
#include <graphed/optim/adam.h>

#include <atomic>
#include <thread>

namespace log_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

const std::vector<argument> arguments{{"x", {16, 8}}};

tensor_list doubled(tensor_list& in) { return {in[0] * 2}; }

class Log : public device_test {
 protected:
  void TearDown() override {
    set_log_handler({});
    device_test::TearDown();
  }
  Tensor zeros(at::IntArrayRef sizes) const { return at::zeros(sizes, at::TensorOptions(device())); }
  /// A call that warns, of a callable of its own.
  void miss_once() const {
    test_callable f(arguments, doubled);
    EXPECT_TRUE(same_bits(f({zeros({3, 8})})[0], zeros({3, 8})));
  }
};
GRAPHED_INSTANTIATE_DEVICE_TESTS(Log);

TEST_P(Log, AHandlerTakesWarningsInPlaceOfLibTorch) {
  const collected_lines lines;
  miss_once();
  ASSERT_EQ(lines.all().size(), 1U);
  EXPECT_EQ(lines.all()[0].level, LogLevel::Warnings);
  EXPECT_EQ(lines.all()[0].text,
            "graphed: test_callable (test.cpp:1): parameter 'x': expected [16, 8], got [3, 8]; the original function runs for such calls" +
                link_to("explanation/guards.md#what-to-do"));
  EXPECT_EQ(warnings_.count(), 0U) << warnings_.all();
}

TEST_P(Log, AnEmptyHandlerGoesBackToLibTorch) {
  const collected_lines lines;
  set_log_handler({});
  miss_once();
  EXPECT_EQ(lines.all().size(), 0U);
  EXPECT_EQ(warnings_.count({"parameter 'x'"}), 1U) << warnings_.all();
}

TEST_P(Log, TheFormerHandlerIsReturned) {
  std::vector<std::string> taken;
  EXPECT_FALSE(set_log_handler([&](LogLevel, std::string_view) { taken.emplace_back("first"); }));
  const LogHandler first = set_log_handler([&](LogLevel, std::string_view) { taken.emplace_back("second"); });
  miss_once();
  const LogHandler second = set_log_handler(first);
  miss_once();
  EXPECT_EQ(taken, (std::vector<std::string>{"second", "first"}));
  second(LogLevel::Warnings, "");
  EXPECT_EQ(taken.back(), "second");
}

TEST_P(Log, AHandlerDiesWhenAnotherOneIsSet) {
  const auto held = std::make_shared<int>();
  set_log_handler([held](LogLevel, std::string_view) {});
  EXPECT_EQ(held.use_count(), 2);
  set_log_handler({});
  EXPECT_EQ(held.use_count(), 1);
}

TEST_P(Log, ACaptureThatFails) {
  const collected_lines lines;
  test_callable f(arguments, [](tensor_list& in) { return tensor_list{in[0] * in[0].sum().item<float>()}; });
  for (int call = 0; call < 3; ++call) {
    EXPECT_TRUE(same_bits(f({zeros({16, 8})})[0], zeros({16, 8})));
  }
  EXPECT_EQ(lines.count(LogLevel::Warnings, "the capture failed at operator aten::_local_scalar_dense"), 1U);
  EXPECT_EQ(lines.count(LogLevel::Warnings, link_to("explanation/failure.md")), 1U);
  EXPECT_EQ(lines.all().size(), 1U);
  EXPECT_EQ(f.stats().failed_captures, 1U) << f.stats();
  EXPECT_GT(f.stats().capture_microseconds, 0) << "its time counts as well";
}

// Each line reaches one of two handlers that another thread exchanges meanwhile.
TEST_P(Log, LinesOfSeveralThreads) {
  constexpr int threads = 4, lines_of_each = 25;
  std::atomic<int> first{0}, second{0}, ended{0};
  set_log_handler([&](LogLevel, std::string_view) { ++first; });
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) {
    running.emplace_back([&] {
      for (int line = 0; line < lines_of_each; ++line) {
        miss_once();
      }
      ++ended;
    });
  }
  while (ended < threads) {
    set_log_handler([&](LogLevel, std::string_view) { ++second; });
    set_log_handler([&](LogLevel, std::string_view) { ++first; });
  }
  for (auto& thread : running) {
    thread.join();
  }
  EXPECT_EQ(first + second, threads * lines_of_each);
  EXPECT_EQ(warnings_.count(), 0U) << warnings_.all();
}

TEST_P(Log, AHandlerThatThrowsIsRemoved) {
  int calls = 0;
  set_log_handler([&](LogLevel, std::string_view) {
    ++calls;
    throw std::runtime_error("the disk is full");
  });
  miss_once();
  EXPECT_EQ(warnings_.count({"parameter 'x'"}), 1U) << warnings_.all();
  EXPECT_EQ(warnings_.count({"graphed: the log handler threw and is removed: the disk is full"}), 1U) << warnings_.all();
  miss_once();
  EXPECT_EQ(warnings_.count({"parameter 'x'"}), 2U) << warnings_.all();
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(set_log_handler({}));
}

TEST_P(Log, AHandlerThatThrowsWhatIsNoStdException) {
  set_log_handler([](LogLevel, std::string_view) { throw 1; });
  miss_once();
  EXPECT_EQ(warnings_.count({"the log handler threw and is removed: an exception that is not a std::exception"}), 1U) << warnings_.all();
}

TEST_P(Log, AHandlerThatWasSetMeanwhileStays) {
  int taken = 0;
  set_log_handler([&](LogLevel, std::string_view) {
    set_log_handler([&](LogLevel, std::string_view) { ++taken; });
    throw std::runtime_error("and leaves");
  });
  miss_once();
  miss_once();
  EXPECT_EQ(taken, 1);
}

TEST_P(Log, InsideAHandlerNothingIsCaptured) {
  test_callable f(arguments, doubled);
  Graph graph(device());
  std::string refusal;
  uint64_t calls = 0;
  set_log_handler([&](LogLevel, std::string_view) {
    EXPECT_TRUE(is_disabled());
    EXPECT_TRUE(same_bits(f({zeros({16, 8})})[0], zeros({16, 8})));
    calls = f.stats().calls;
    refusal = text_of<Error>([&] { graphed::CaptureGuard scope(graph); });
  });
  EXPECT_TRUE(same_bits(f({zeros({3, 8})})[0], zeros({3, 8})));
  EXPECT_FALSE(is_disabled());
  EXPECT_EQ(calls, 2U);
  EXPECT_EQ(f.misses(Miss::Shape), 1U) << f.stats();
  EXPECT_EQ(f.misses(Miss::Disabled), 1U) << f.stats();
  EXPECT_TRUE(contains(refusal, "Graph::capture_begin: not inside a log handler"));
}

// A hook that throws makes a line.
TEST_P(Log, LinesThatComeUpInsideAHandlerDoNotComeToIt) {
  const Tensor x = zeros({4});
  Tensor y;
  auto inner = make_graph(device(), [&] { y = x + x; });
  int taken = 0;
  set_log_handler([&](LogLevel, std::string_view) {
    ++taken;
    inner.replay();
  });
  const auto throwing = add_hook(GraphEvent::ReplayBegin, [](const EventInfo&) { throw std::runtime_error("from the hook"); });
  miss_once();
  EXPECT_EQ(taken, 1);
  EXPECT_EQ(warnings_.count(), 1U) << warnings_.all();
  EXPECT_EQ(warnings_.count({"a hook on replay_begin threw"}), 1U) << warnings_.all();
}

// A step whose optimizer's frozen numbers change: what that warns of comes with a call, which has let go of the callable's lock.
TEST_P(Log, AHandlerMayUseTheCallableThatAnOptimizersWarningIsAbout) {
  torch::nn::Linear net(4, 2);
  net->to(device());
  optim::Adam optimizer(net->parameters(), optim::AdamOptions(0.01));
  test_callable f(
      batch,
      [&](tensor_list& in) {
        optimizer.zero_grad();
        const Tensor loss = (net->forward(in[0]) - in[1]).square().mean();
        loss.backward();
        optimizer.step();
        return tensor_list{loss.detach()};
      },
      of_a_step(), net.get());
  const tensor_list given{zeros({8, 4}), zeros({8, 2})};
  std::string told, explained;
  set_log_handler([&](LogLevel, std::string_view line) {
    told = line;
    f(given);
    explained = f.explain();
  });
  for (int change = 1; change < 5; ++change) {
    static_cast<optim::AdamOptions&>(optimizer.param_groups()[0].options()).weight_decay(0.01 * change);
    for (int call = 0; call < 5; ++call) {
      f(given);
    }
  }
  EXPECT_TRUE(contains(told, "numbers that a capture freezes")) << told;
  EXPECT_TRUE(contains(explained, "test_callable (test.cpp:1)")) << explained;
  EXPECT_EQ(f.misses(Miss::Disabled), 1U) << f.stats();
}

// What a warm-up has used from outside may end with the next one, and with it what its owner runs then.
TEST_P(Log, WhatATensorRunsAtItsEndMayUseTheCallable) {
  bool has_ended = false;
  Tensor outside;
  test_callable f(arguments, [&](tensor_list& in) { return tensor_list{in[0] * outside}; }, {4});
  std::string explained;
  const auto made = [&](bool is_told) {
    std::shared_ptr<void> told(nullptr, [&, is_told](void*) {
      if (is_told) {
        explained = f.explain();
        has_ended = true;
      }
    });
    Tensor kept = zeros({16, 8});
    return at::from_blob(kept.data_ptr(), {16, 8}, [kept, told](void*) {}, kept.options());
  };
  outside = made(true);
  f({zeros({16, 8})});
  outside = made(false);
  EXPECT_FALSE(has_ended);
  f({zeros({16, 8})});
  EXPECT_TRUE(has_ended);
  EXPECT_TRUE(contains(explained, "test_callable")) << explained;
}

}  // namespace log_test
