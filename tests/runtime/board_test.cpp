// SPDX-License-Identifier: Apache-2.0
//
// The end of a group: its ranks destroy their communicator together, or none does.
#include "distributed/board.h"
#include "distributed/monitor.h"

#include <gtest/gtest.h>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace graphed::impl {
namespace {

using std::chrono::milliseconds;

struct ranks_in_threads {
  explicit ranks_in_threads(int size, milliseconds timeout) {
    const auto store = c10::make_intrusive<c10d::HashStore>();
    for (int rank = 0; rank < size; ++rank) {
      boards.push_back(std::make_unique<board>(store, rank, size, timeout, /*keeps_store=*/rank == 0));
    }
  }
  std::future<bool> leave(std::size_t rank) {
    return std::async(std::launch::async, [this, rank] { return boards[rank]->leave(/*together=*/true); });
  }
  std::vector<std::unique_ptr<board>> boards;
};

TEST(Board, IsLeftTogetherWhereAllLeave) {
  ranks_in_threads all(3, std::chrono::minutes(1));
  auto first = all.leave(0), second = all.leave(1);
  EXPECT_EQ(first.wait_for(milliseconds(200)), std::future_status::timeout);
  EXPECT_TRUE(all.leave(2).get());
  EXPECT_TRUE(first.get());
  EXPECT_TRUE(second.get());
}

TEST(Board, IsLeftApartWhereOneStays) {
  ranks_in_threads all(2, milliseconds(300));
  EXPECT_FALSE(all.leave(1).get());
  EXPECT_FALSE(all.leave(0).get()) << "it came too late";
}

TEST(Board, IsLeftApartWhereOneHasFailed) {
  ranks_in_threads all(3, std::chrono::minutes(1));
  auto first = all.leave(1);
  EXPECT_EQ(first.wait_for(milliseconds(200)), std::future_status::timeout);
  all.boards[1]->fail("as it was told to");
  EXPECT_FALSE(first.get());
  EXPECT_FALSE(all.leave(2).get());
}

std::string text_of_meeting(board& rank, const errand& at) {
  try {
    rank.meet(at, {});
  } catch (const Error& error) {
    return error.what();
  }
  return "it was met";
}

TEST(Board, NamesTheErrandsOfBothWhereTheyDiffer) {
  ranks_in_threads two(2, std::chrono::minutes(1));
  auto first = std::async(std::launch::async, [&] { return text_of_meeting(*two.boards[0], {"a vote", " (it warms up)"}); });
  const std::string second = text_of_meeting(*two.boards[1], {"all_reduce_", " in a replay of\n'f'"});
  EXPECT_NE(second.find("rank 0 is at a vote (it warms up), and rank 1 at all_reduce_ in a replay of"), std::string::npos) << second;
  EXPECT_NE(first.get().find("rank 1 is at all_reduce_ in a replay of 'f', and rank 0 at a vote (it warms up)"), std::string::npos);
}

std::shared_ptr<const made_callable> made(uint64_t number, uint64_t ordinal, uint64_t all) {
  return std::make_shared<made_callable>(made_callable{"f", number, ordinal, std::make_shared<std::atomic<uint64_t>>(all)});
}

TEST(Board, KnowsTheCallablesThatHaveMet) {
  ranks_in_threads two(2, std::chrono::minutes(1));
  const auto meet = [&](std::shared_ptr<const made_callable> one, std::shared_ptr<const made_callable> other) {
    auto first = std::async(std::launch::async, [&] { return text_of_meeting(*two.boards[0], {"a vote", "", std::move(one)}); });
    const std::string second = text_of_meeting(*two.boards[1], {"a vote", "", std::move(other)});
    EXPECT_EQ(first.get(), second);
    return second;
  };
  const auto one = made(1, 1, 2), other = made(2, 2, 2), later = made(3, 3, 3);
  const auto its_one = made(7, 1, 2), its_other = made(8, 2, 2), its_fifth = made(9, 5, 5);
  EXPECT_EQ(
      meet(one, its_other),
      "graphed: ProcessGroup: rank 1 is at a vote, callable 2 of 2 with this name, and rank 0 at a vote, callable 1 of 2 with this name: "
      "all ranks must call the same in the same order, and make callables of one name in the same order; see "
      "https://docs.example/graphgen/how-to/distributed.md");
  EXPECT_EQ(meet(one, its_one), "it was met");
  EXPECT_NE(meet(one, its_other), "it was met") << "one has met another";
  EXPECT_EQ(meet(other, its_other), "it was met");
  EXPECT_EQ(meet(later, its_fifth), "it was met") << "the ranks have not made as many: nothing tells them apart";
  EXPECT_NE(meet(later, its_one), "it was met");
  EXPECT_EQ(meet(nullptr, its_one), "it was met") << "outside of callables";
  EXPECT_EQ(meet(one, its_one), "it was met");
}

TEST(Board, ReadsWhatARankSaysOfItsCallable) {
  const claim said = claim::of(claim{"app::f<a b>", 3, 1, 2}.text());
  EXPECT_EQ(said.name, "app::f<a b>");
  EXPECT_EQ(said.agreed, 3U);
  EXPECT_EQ(said.words(), ", callable 1 of 2 with this name");
  EXPECT_TRUE(claim::of(claim().text()).name.empty());
}

TEST(Board, CutsLongTextsBetweenCharacters) {
  EXPECT_EQ(cut_short("short"), "short");
  EXPECT_EQ(cut_short(std::string(999, 'a') + "\u00e9" + "b"), std::string(999, 'a') + "...");
  EXPECT_EQ(cut_short(std::string(2000, 'a')), std::string(1000, 'a') + "...");
}

TEST(Board, IsAheadOfARankThatWaitsForIt) {
  ranks_in_threads two(2, std::chrono::minutes(1));
  board &ahead = *two.boards[0], &behind = *two.boards[1];
  ahead.note_launch();
  behind.note_launch();
  auto meeting = std::async(std::launch::async, [&] { return text_of_meeting(behind, {"a vote"}); });
  while (behind.stands().waits_in.empty()) {
    std::this_thread::yield();
  }
  EXPECT_FALSE(ahead.is_ahead_of(behind.stands())) << "it may still come";
  ahead.note_launch();
  EXPECT_TRUE(ahead.is_ahead_of(behind.stands()));
  EXPECT_TRUE(ahead.is_ahead_of(standing::of(behind.stands().text())));
  EXPECT_EQ(text_of_meeting(ahead, {"a vote"}), "it was met");
  EXPECT_EQ(meeting.get(), "it was met");
  EXPECT_FALSE(ahead.is_ahead_of(behind.stands())) << "nobody waits";
}

// As a rank of which the device waits in a graph, and one that has dropped its capture.
TEST(Monitor, EndsAWaitThatWouldNeverEnd) {
  ranks_in_threads two(2, std::chrono::seconds(10));
  const auto none = std::make_shared<last_collective>(c10::kCPU);
  const monitor first({std::shared_ptr<board>(), two.boards[0].get()}, none), second({std::shared_ptr<board>(), two.boards[1].get()}, none);
  two.boards[0]->begin("learn");
  two.boards[0]->note_launch();
  const auto begin = std::chrono::steady_clock::now();
  const std::string text = text_of_meeting(*two.boards[1], {"a call of 'learn' that is not replayed", " (reset() was called)"});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(8));
  for (const auto& each : {text, two.boards[0]->failure()}) {
    EXPECT_NE(
        each.find("rank 1 waits in a call of 'learn' that is not replayed (reset() was called), and rank 0 has gone on to collectives "
                  "that rank 1 has not come to, in 'learn' or after it"),
        std::string::npos)
        << each;
  }
}

}  // namespace
}  // namespace graphed::impl
