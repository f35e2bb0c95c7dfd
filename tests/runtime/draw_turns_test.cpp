// SPDX-License-Identifier: Apache-2.0
#include "torch/draw_turns.h"

#include <torch/types.h>

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace draw_turns_test {

using graphed::impl::draw_turns;

/// What other threads ask of a generator, which one thread captures.
class captured {
 public:
  captured() { turns_.begin(); }
  bool is_free() const { return is_free_; }
  const std::vector<bool>& history() const { return history_; }

 private:
  const std::thread::id thread_ = std::this_thread::get_id();
  std::vector<bool> history_;
  std::atomic<bool> is_free_{true};
  draw_turns turns_{[this] { return std::this_thread::get_id() == thread_; },
                    [this](bool captured) {
                      is_free_ = !captured;
                      history_.push_back(captured);
                    }};
};

using history = std::vector<bool>;

TEST(DrawTurns, AreTheGeneratorsOnlyForOtherThreads) {
  const captured generator;
  EXPECT_EQ(generator.history(), history{true});
  at::rand({2});
  at::dropout(at::ones({4}), 0.5, /*train=*/true);
  EXPECT_EQ(generator.history(), history{true});
  std::thread([&] {
    at::ones({2}).add(1);
    EXPECT_EQ(generator.history(), history{true}) << "nothing is drawn";
    at::rand({2});
    EXPECT_EQ(generator.history(), (history{true, false, true}));
    at::dropout(at::ones({4}), 0.5, /*train=*/true);
    EXPECT_EQ(generator.history(), (history{true, false, true, false, true})) << "once, with its parts";
    EXPECT_ANY_THROW(at::multinomial(at::ones({2}), 5));
    EXPECT_EQ(generator.history(), (history{true, false, true, false, true, false, true}));
  }).join();
}

TEST(DrawTurns, EndWithTheCapture) {
  std::vector<bool> told;
  {
    draw_turns turns([] { return false; }, [&](bool captured) { told.push_back(captured); });
    turns.begin();
  }
  at::rand({2});
  EXPECT_EQ(told, (history{true, false}));
}

TEST(DrawTurns, LeaveTheGeneratorFreeBeforeTheCapture) {
  bool captured = false;
  draw_turns turns([] { return false; }, [&](bool is_captured) { captured = is_captured; });
  turns.await_earlier();
  at::rand({2});
  EXPECT_FALSE(captured);
  turns.begin();
  EXPECT_TRUE(captured);
}

TEST(DrawTurns, AreOneThreadsAtATime) {
  constexpr int threads = 4, draws = 500;
  int inside = 0, parts = 0, others = 0, overlaps = 0;
  {
    draw_turns turns(
        [&] {
          overlaps += inside != 0 ? 1 : 0;
          return ++parts % 2 == 0;
        },
        [&](bool captured) {
          inside = captured ? 0 : 1;
          others += captured ? 0 : 1;
        });
    turns.begin();
    std::vector<std::thread> drawing;
    for (int i = 0; i < threads; ++i) {
      drawing.emplace_back([] {
        for (int draw = 0; draw < draws; ++draw) {
          at::rand({2});
        }
      });
    }
    for (auto& thread : drawing) {
      thread.join();
    }
    EXPECT_EQ(parts, threads * draws);
    EXPECT_EQ(others, threads * draws / 2);
  }
  EXPECT_EQ(overlaps, 0);
}

}  // namespace draw_turns_test
