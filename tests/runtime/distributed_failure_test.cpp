// SPDX-License-Identifier: Apache-2.0
//
// What goes wrong on one rank: the others learn of it, by a message that names the rank, the callable and the cause, within a time limit.
#include "support/rank_failure.h"
#include "support/warnings.h"

#include <graphed/capture.h>
#include <graphed/disable.h>
#include <graphed/error.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <optional>

namespace distributed_failure_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

class DistributedFailure : public rank_test {};
INSTANTIATE_TEST_SUITE_P(, DistributedFailure, ::testing::Values("cpu", "cuda"), name_of_device);

GRAPHED_RANK_PROGRAM(cannot_capture) {
  collected_warnings warnings;
  const bool reads = group.rank() == 1;
  trainer own(group, [&](const Tensor& loss) {
    if (reads && is_current_stream_capturing(group.device())) {
      loss.item<float>();
    }
  });
  own.run(12);
  const Statistics stats = own.stats();
  require_that(stats.replays == 0 && stats.captures == 0 && stats.failed_captures == 3, "three captures to fail, got " + stats.to_json());
  const std::string wanted = reads ? "the capture failed at operator aten::_local_scalar_dense" : "rank 1: the capture failed at operator ";
  require_that(warnings.count({"test_callable", wanted}) != 0, wanted + ", got " + warnings.all());
  group.check_parameters(*own.net);
}

TEST_P(DistributedFailure, OfACaptureMakesNoneOfAnyRank) {
  for (const auto& end : run("cannot_capture")) {
    EXPECT_TRUE(end.ended_well) << end.output;
  }
}

// One rank has more warm-ups than the other.
GRAPHED_RANK_PROGRAM(captures_later) {
  trainer own(group);
  own.run(3);
  if (group.rank() == 1) {
    own.reset();
  }
  const Statistics stats = own.stats();
  require_that(stats.captures == (group.rank() == 1 ? 0U : 1U), "a capture, but where it was dropped, got " + stats.to_json());
  own.run(3);
}

TEST_P(DistributedFailure, OfARankThatForgetsItsCapture) {
  const auto ends = run_impatiently("captures_later");
  for (const auto& end : ends) {
    expect_fails(end,
                 {"rank 1", "a call of 'test_callable' that is not replayed (reset() was called: it warms up, call 1 of 2)", "rank 0"});
  }
}

GRAPHED_RANK_PROGRAM(disables_its_calls) {
  trainer own(group);
  own.run(6);
  {
    const DisableGuard on_all_ranks;
    own.run(2);
  }
  own.run(2);
  std::optional<DisableGuard> on_one;
  if (group.rank() == 1) {
    on_one.emplace();
  }
  own.run(6);
}

TEST_P(DistributedFailure, OfARankThatDisablesItsCalls) {
  for (const auto& end : run_impatiently("disables_its_calls")) {
    expect_fails(end, {"rank 1", "a call of 'test_callable' that is not replayed (a DisableGuard is alive)", "rank 0"});
  }
}

GRAPHED_RANK_PROGRAM(begins) { group.barrier(); }

TEST_P(DistributedFailure, OfARankThatAloneHasGraphedDisable) {
  for (const auto& end : run_ranks("begins", 2, GetParam(), {{}, 60, false, {{"GRAPHED_DISABLE", "1"}}})) {
    expect_fails(end, {"GRAPHED_DISABLE is set on rank 1 and not on rank 0: set it on all ranks, or on none"});
  }
}

GRAPHED_RANK_PROGRAM(misses) {
  trainer own(group);
  own.run(6);
  own.run(3, group.rank() == 1 ? 3 : 4);
}

TEST_P(DistributedFailure, OfABatchThatFitsNoCapture) {
  const auto ends = run("misses");
  expect_fails(ends[1], {"test_callable", "parameter 'x': expected [4, 6], got [3, 6]", "`pad`", "drop the ragged one"});
  expect_fails(ends[0], {"rank 1", "test_callable", "expected [4, 6], got [3, 6]"});
}

GRAPHED_RANK_PROGRAM(throws) {
  bool is_told_to = false;
  trainer own(group, [&](const Tensor&) {
    if (is_told_to) {
      throw std::runtime_error("as it was told to");
    }
  });
  own.run(1);
  is_told_to = group.rank() == 1;
  own.run(6);
}

TEST_P(DistributedFailure, OfARankThatThrows) {
  const auto ends = run("throws");
  expect_fails(ends[1], {"as it was told to"});
  expect_fails(ends[0], {"rank 1 has failed by an exception", "test_callable"});
}

GRAPHED_RANK_PROGRAM(hands_over_its_exception) {
  group.run([&] {
    trainer own(group);
    own.run(6);
    if (group.rank() == 1) {
      throw std::runtime_error("as it was told to" + std::string(5000, '.'));
    }
    own.run(1000);
  });
}

TEST_P(DistributedFailure, OfARankThatHandsOverItsException) {
  const auto ends = run("hands_over_its_exception");
  expect_fails(ends[0], {"rank 1 has failed, in 'test_callable' or after it: as it was told to...."});
  EXPECT_EQ(ends[0].output.find(std::string(1100, '.')), std::string::npos) << "what the others see has a limit:\n" << ends[0].output;
}

// The error that it noted is not reported twice.
GRAPHED_RANK_PROGRAM(hands_over_its_miss) {
  group.run([&] { misses(group); });
}

TEST_P(DistributedFailure, OfARankThatHandsOverItsMiss) {
  const auto ends = run("hands_over_its_miss");
  expect_fails(ends[0], {"rank 1 has failed, in 'test_callable' or after it: graphed: test_callable", "expected [4, 6], got [3, 6]"});
  EXPECT_EQ(ends[0].output.find("after this"), std::string::npos) << ends[0].output;
}

void die_in_the_middle(ProcessGroup& group, int which) {
  trainer own(group);
  own.run(6);
  if (group.rank() == which) {
    std::raise(SIGKILL);
  }
  own.run(1000);
}

GRAPHED_RANK_PROGRAM(dies) { die_in_the_middle(group, 1); }

TEST_P(DistributedFailure, OfARankThatDies) { expect_fails(run_impatiently("dies")[0], {"rank 1 has ended"}); }

GRAPHED_RANK_PROGRAM(first_dies) { die_in_the_middle(group, 0); }

TEST_P(DistributedFailure, OfTheRankThatKeepsTheStore) {
  expect_fails(run_impatiently("first_dies", /*first_keeps_store=*/true)[1], {"the process that keeps it has ended"});
}

GRAPHED_RANK_PROGRAM(leaves) {
  trainer own(group);
  own.run(6);
  if (group.rank() == 1) {
    group.shutdown();
    own.run(1);
  }
  own.run(1000);
}

TEST_P(DistributedFailure, OfARankThatLeaves) {
  const auto ends = run("leaves");
  expect_fails(ends[1], {"it was shut down"});
  expect_fails(ends[0], {"rank 1 has left the group"});
}

GRAPHED_RANK_PROGRAM(averages_others) {
  torch::nn::Linear net(2, group.rank() + 1);
  net->to(group.device());
  net->forward(at::ones({1, 2}, at::TensorOptions(group.device()))).sum().backward();
  group.average_gradients(net->parameters());
}

TEST_P(DistributedFailure, OfGradientsThatAreNotThoseOfOtherRanks) {
  for (const auto& end : run("averages_others")) {
    expect_fails(end, {"the gradients in average_gradients of rank 1 are not those of rank 0", "FloatType [2, 2]", "FloatType [1, 2]"});
  }
}

// A call that awaits its backward holds the capture.
GRAPHED_RANK_PROGRAM(holds) {
  const Tensor weight = at::ones({2}, at::TensorOptions(group.device())).requires_grad_();
  test_callable f({{"x", {2}}}, [&](tensor_list& in) {
    const Tensor sum = in[0] * 2;
    group.all_reduce_(sum);
    return tensor_list{sum * weight};
  });
  Tensor result;
  for (int i = 0; i < 5; ++i) {
    result = f({at::ones({2}, at::TensorOptions(group.device()))})[0];
  }
  require_that(f.stats().replays == 3, "replays, got " + f.stats().to_json());
  std::string text;
  try {
    group.shutdown();
  } catch (const Error& error) {
    text = error.what();
  }
  require_that(text.find("a capture of 'test_callable' is still held") != std::string::npos, "a capture that is held, got " + text);
  result.sum().backward();
  result.reset();
  group.shutdown();
  group.shutdown();
}

// Graphs, calls and the group in static storage, and an end in the middle.
GRAPHED_RANK_PROGRAM(exits) {
  static ProcessGroup* in_the_process = nullptr;
  in_the_process = new ProcessGroup(std::move(group));
  static trainer own(*in_the_process);
  own.run(6);
  in_the_process->barrier();
  std::exit(0);  // NOLINT(concurrency-mt-unsafe): what is tested
}

TEST_P(DistributedFailure, NoneOfEndsInAnyOrder) {
  for (const char* const program : {"holds", "exits"}) {
    for (const auto& end : run(program, /*first_keeps_store=*/std::string(program) == "holds")) {
      EXPECT_TRUE(end.ended_well) << program << ": " << end.output;
      EXPECT_LT(end.seconds, 30) << program;
    }
  }
}

}  // namespace distributed_failure_test
