// SPDX-License-Identifier: Apache-2.0
//
// The end of a group: its ranks destroy their communicator together, or none does.
#include "distributed/board.h"

#include <gtest/gtest.h>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include <chrono>
#include <future>
#include <memory>
#include <string>
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

}  // namespace
}  // namespace graphed::impl
