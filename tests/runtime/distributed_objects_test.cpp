// SPDX-License-Identifier: Apache-2.0
//
// Several objects of one method: ranks that call them in another order would average the gradients of one with those of another.
#include "support/rank_failure.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace distributed_objects_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

class DistributedObjects : public rank_test {};
INSTANTIATE_TEST_SUITE_P(, DistributedObjects, ::testing::Values("cpu", "cuda"), name_of_device);

// "rank 1 is at <where>, callable 2 of 2 with this name, and rank 0 at <where>, callable 1 of 2 with this name: ..."
std::vector<std::string> words_of_swap(const std::string& where) {
  return {"rank 1 is at " + where + ", callable 2 of 2 with this name, and rank 0 at " + where +
          ", callable 1 of 2 with this name: all ranks must call the same in the same order"};
}

GRAPHED_RANK_PROGRAM(swaps_the_first_step) {
  trainer one(group), other(group);
  (group.rank() == 0 ? one : other).run(5);
  (group.rank() == 0 ? other : one).run(5);
}

TEST_P(DistributedObjects, InAnotherOrderFromTheFirstStep) {
  for (const auto& end : run("swaps_the_first_step")) {
    expect_fails(end,
                 words_of_swap("a comparison of the parameters in average_gradients in a call of 'test_callable' that runs the original "
                               "function (it warms up, call 1 of 2)"));
    expect_fails(end, {"and make callables of one name in the same order"});
  }
}

GRAPHED_RANK_PROGRAM(swaps_the_second_step) {
  trainer one(group), other(group);
  one.run(1);
  other.run(1);
  (group.rank() == 0 ? one : other).run(1);
}

TEST_P(DistributedObjects, InAnotherOrderInAWarmUp) {
  for (const auto& end : run("swaps_the_second_step")) {
    expect_fails(end, words_of_swap("a call of 'test_callable' that is not replayed (it warms up, call 2 of 2)"));
  }
}

GRAPHED_RANK_PROGRAM(swaps_a_replay) {
  trainer one(group), other(group);
  one.run(5);
  other.run(5);
  (group.rank() == 0 ? one : other).run(1);
}

// NCCL takes what it gets.
TEST(StoreCollectives, NameTheObjectsOfReplaysInAnotherOrder) {
  for (const auto& end : run_ranks("swaps_a_replay", 2, "cpu")) {
    expect_fails(end, words_of_swap("all_reduce_ in a replay of 'test_callable'"));
    EXPECT_EQ(end.output.find("frame #"), std::string::npos) << end.output;
  }
}

/// Adds over the ranks. All are of one name.
std::unique_ptr<test_callable> adder(ProcessGroup& group) {
  return std::make_unique<test_callable>(std::vector<argument>{{"x", {2}}}, [&group](tensor_list& in) {
    const Tensor sum = in[0] * 1;
    group.all_reduce_(sum);
    return tensor_list{sum};
  });
}

tensor_list ones(ProcessGroup& group) { return {at::ones({2}, at::TensorOptions(group.device()))}; }

// Which are called in the same order, but not made.
GRAPHED_RANK_PROGRAM(makes_in_another_order) {
  std::unique_ptr<test_callable> one, other;
  if (group.rank() == 0) {
    one = adder(group);
  }
  other = adder(group);
  if (group.rank() == 1) {
    one = adder(group);
  }
  group.barrier();
  (*one)(ones(group));
  (*one)(ones(group));
}

TEST_P(DistributedObjects, ThatAreMadeInAnotherOrder) {
  for (const auto& end : run("makes_in_another_order")) {
    expect_fails(end,
                 {"callable 2 of 2 with this name", "callable 1 of 2 with this name", "and make callables of one name in the same order"});
  }
}

// One rank has a callable more, as for an evaluation of its own: those that meet belong together.
void go_on_with_one_more(ProcessGroup& group, bool swaps) {
  const test_callable more({{"x", {2}}}, [](tensor_list& in) { return tensor_list{in[0] * 2}; });
  std::optional<test_callable> of_rank_1;
  if (group.rank() == 1) {
    of_rank_1.emplace(std::vector<argument>{{"x", {2}}}, [](tensor_list& in) { return tensor_list{in[0] * 2}; });
  }
  const auto one = adder(group), other = adder(group);
  for (int call = 0; call < 6; ++call) {
    require_that(torch::equal((*one)(ones(group))[0], ones(group)[0] * group.size()), "the sum");
    require_that(torch::equal((*other)(ones(group))[0], ones(group)[0] * group.size()), "the sum");
    if (of_rank_1) {
      (*of_rank_1)(ones(group));
    }
  }
  require_that(one->stats().replays == 4 && other->stats().replays == 4, "replays, got " + one->stats().to_json());
  if (swaps) {
    one->reset();
    other->reset();
    (*(group.rank() == 0 ? one : other))(ones(group));
  }
}

GRAPHED_RANK_PROGRAM(makes_one_more) {
  go_on_with_one_more(group, false);
  const auto made_later = adder(group);
  for (int call = 0; call < 4; ++call) {
    (*made_later)(ones(group));
  }
  group.shutdown();
}

TEST_P(DistributedObjects, OfWhichOneRankHasMoreAreCalled) { expect_ranks_end_well("makes_one_more", 2, GetParam()); }

TEST(StoreCollectives, AreCalledByFourRanksOfWhichOneHasMoreObjects) { expect_ranks_end_well("makes_one_more", 4, "cpu"); }

GRAPHED_RANK_PROGRAM(makes_one_more_and_swaps) { go_on_with_one_more(group, true); }

TEST_P(DistributedObjects, OfWhichOneRankHasMoreAreToldApartWhenTheyHaveMet) {
  for (const auto& end : run("makes_one_more_and_swaps")) {
    expect_fails(end,
                 {"rank 1 is at a call of 'test_callable' that is not replayed (reset() was called: it warms up, call 1 of 2), callable "
                  "4 of 4 with this name, and rank 0 at a call of 'test_callable' that is not replayed (reset() was called: it warms "
                  "up, call 1 of 2), callable 2 of 3 with this name: all ranks must call the same in the same order"});
  }
}

}  // namespace distributed_objects_test
