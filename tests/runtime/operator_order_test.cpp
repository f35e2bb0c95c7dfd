// SPDX-License-Identifier: Apache-2.0
//
// Operators on branches: each comes after those whose memory it uses, and nothing waits that need not.
#include <gtest/gtest.h>
#include <watch/operator_order.h>

#include <algorithm>
#include <random>
#include <vector>

namespace operator_order_test {

using namespace graphed::impl;
using accesses = std::vector<memory_access>;

constexpr uintptr_t size = 512;

memory_access read(uintptr_t place) { return {place * size + 1, (place + 1) * size, false}; }
memory_access write(uintptr_t place) { return {place * size + 1, (place + 1) * size, true}; }

TEST(OperatorOrder, AChainStaysOnOneBranch) {
  operator_order order(4);
  for (int i = 0; i < 5; ++i) {
    const auto placed = order.add(accesses{read(1), write(1)});
    EXPECT_EQ(placed.branch, 0U);
    EXPECT_TRUE(placed.after.empty());
  }
}

TEST(OperatorOrder, TwoChainsTakeABranchEachAndJoin) {
  operator_order order(2);
  EXPECT_EQ(order.add(accesses{write(1)}).branch, 0U);           // 0
  EXPECT_EQ(order.add(accesses{read(1), write(2)}).branch, 0U);  // 1
  const auto other = order.add(accesses{read(1), write(3)});     // 2: needs the first alone
  EXPECT_EQ(other.branch, 1U);
  EXPECT_EQ(other.after, std::vector<std::size_t>{0});
  EXPECT_EQ(order.add(accesses{read(2), write(2)}).branch, 0U);  // 3
  const auto more = order.add(accesses{read(3), write(3)});      // 4
  EXPECT_EQ(more.branch, 1U);
  EXPECT_TRUE(more.after.empty());
  const auto joined = order.add(accesses{read(2), read(3), write(4)});  // 5
  EXPECT_EQ(joined.branch, 1U);
  EXPECT_EQ(joined.after, std::vector<std::size_t>{3});
}

// As collectives: they wait for what they send, and nothing else comes between them.
TEST(OperatorOrder, WhatIsSetApartWaitsForItsMemoryAlone) {
  operator_order order(2);
  order.add(accesses{write(1)});                                 // 0: a gradient
  order.add(accesses{read(9), write(2)}, /*is_movable=*/false);  // 1: a later one
  const auto first = order.add_apart(accesses{write(1)});        // 2
  EXPECT_EQ(first.branch, 2U);
  EXPECT_EQ(first.after, std::vector<std::size_t>{0});
  const auto divided = order.add(accesses{read(1), write(1)});  // 3
  EXPECT_NE(divided.branch, 2U);
  EXPECT_EQ(divided.after, std::vector<std::size_t>{2});
  const auto second = order.add_apart(accesses{write(2)});  // 4
  EXPECT_EQ(second.branch, 2U);
  EXPECT_EQ(second.after, std::vector<std::size_t>{1});
}

TEST(OperatorOrder, AWriteWaitsForReaders) {
  operator_order order(2);
  order.add(accesses{write(1)});           // 0, first branch
  order.add(accesses{read(1), write(2)});  // 1, first branch
  order.add(accesses{read(1), write(3)});  // 2, second branch
  const auto placed = order.add(accesses{write(1)});
  EXPECT_EQ(placed.branch, 1U);
  EXPECT_EQ(placed.after, std::vector<std::size_t>{1});
}

TEST(OperatorOrder, PartsOfMemoryOverlap) {
  operator_order order(2);
  order.add(accesses{{0, 100, true}});
  order.add(accesses{{100, 200, true}});
  const auto placed = order.add(accesses{{99, 101, false}, {300, 301, true}});
  EXPECT_EQ(placed.branch, 1U);
  EXPECT_EQ(placed.after, std::vector<std::size_t>{0});
}

TEST(OperatorOrder, WhatIsNotMovableStaysOnTheFirstBranch) {
  operator_order order(2);
  order.add(accesses{write(1)});
  EXPECT_EQ(order.add(accesses{write(2)}).branch, 1U);
  const auto placed = order.add(accesses{read(2), write(3)}, /*is_movable=*/false);
  EXPECT_EQ(placed.branch, 0U);
  EXPECT_EQ(placed.after, std::vector<std::size_t>{1});
}

TEST(OperatorOrder, ABarrierHoldsAllUp) {
  operator_order order(3);
  order.add(accesses{write(1)});
  order.add(accesses{write(2)});
  const auto barrier = order.add_barrier();
  EXPECT_EQ(barrier.branch, 0U);
  EXPECT_EQ(barrier.after, std::vector<std::size_t>{1});
  const auto later = order.add(accesses{write(3)});
  EXPECT_TRUE(later.branch == 0 || later.after == std::vector<std::size_t>{2}) << later.branch;
}

// The allocator gives a branch what its last operator had for its own use.
TEST(OperatorOrder, MemoryThatABranchIsGivenComesAfterItsLastOperator) {
  operator_order order(2);
  order.add(accesses{write(1)});
  EXPECT_TRUE(order.add_memory(9 * size, 10 * size, 0));
  const auto placed = order.add(accesses{{9 * size, 9 * size + 8, true}, write(3)}, /*is_movable=*/true);
  EXPECT_TRUE(placed.branch == 0 || placed.after == std::vector<std::size_t>{0}) << placed.branch;
}

TEST(OperatorOrder, MemoryThatAnotherBranchMayStillUseIsNoResult) {
  operator_order order(2);
  order.add(accesses{write(1)});           // 0, first branch
  order.add(accesses{write(2), read(5)});  // 1, second branch
  order.add(accesses{read(1)});            // 2, first branch
  EXPECT_TRUE(order.add_result(7 * size, 8 * size));
  EXPECT_FALSE(order.add_result(5 * size, 6 * size));
  EXPECT_FALSE(order.add_memory(2 * size, 3 * size, 0));
  order.add_barrier();
  EXPECT_TRUE(order.add_result(5 * size, 6 * size));
}

/// Whether `first` comes before `second` by what place() said of all.
class reachability {
 public:
  void add(const operator_order::placement& placed) {
    const std::size_t op = before_.size();
    std::vector<bool> all(op);
    const auto take = [&](std::size_t other) {
      all[other] = true;
      for (std::size_t i = 0; i < other; ++i) {
        all[i] = all[i] || before_[other][i];
      }
    };
    for (const std::size_t other : placed.after) {
      take(other);
    }
    if (last_.size() <= placed.branch) {
      last_.resize(placed.branch + 1, operator_order::nobody);
    }
    if (last_[placed.branch] != operator_order::nobody) {
      take(last_[placed.branch]);
    }
    last_[placed.branch] = op;
    before_.push_back(all);
  }
  bool comes_before(std::size_t first, std::size_t second) const { return before_[second][first]; }

 private:
  std::vector<std::vector<bool>> before_;
  std::vector<std::size_t> last_;
};

bool conflict(const accesses& one, const accesses& other) {
  return std::any_of(one.begin(), one.end(), [&](const memory_access& a) {
    return std::any_of(other.begin(), other.end(),
                       [&](const memory_access& b) { return (a.writes || b.writes) && a.begin < b.end && b.begin < a.end; });
  });
}

TEST(OperatorOrder, RandomProgramsKeepEveryConflictInOrder) {
  std::mt19937 dice(1);
  const auto below = [&](unsigned end) { return static_cast<unsigned>(dice() % end); };
  for (int program = 0; program < 300; ++program) {
    operator_order order(1 + below(4));
    reachability reached;
    std::vector<accesses> all;
    std::vector<std::size_t> barriers;
    for (unsigned op = 0; op < 40; ++op) {
      if (below(25) == 0) {
        reached.add(order.add_barrier());
        barriers.push_back(all.size());
        all.emplace_back();
        continue;
      }
      accesses used;
      for (unsigned i = below(4); i-- > 0;) {
        const uintptr_t begin = 1 + below(2) * (uintptr_t{1} << 21) + below(60);
        used.push_back({begin, begin + 1 + below(8), below(3) == 0});
      }
      reached.add(order.add(used, below(5) != 0));
      if (below(3) == 0) {
        const uintptr_t begin = 1000 + uintptr_t{10} * op;
        order.add_result(begin, begin + 8);
        used.push_back({begin, begin + 8, true});
      }
      all.push_back(used);
    }
    for (std::size_t second = 0; second < all.size(); ++second) {
      for (std::size_t first = 0; first < second; ++first) {
        const bool is_barrier = std::any_of(barriers.begin(), barriers.end(), [&](std::size_t b) { return b == first || b == second; });
        if (is_barrier || conflict(all[first], all[second])) {
          ASSERT_TRUE(reached.comes_before(first, second)) << "program " << program << ", " << first << " before " << second;
        }
      }
    }
  }
}

}  // namespace operator_order_test
