// SPDX-License-Identifier: Apache-2.0
//
// Ranks that end in other ways than by shutdown(): in the middle, by an exception that nothing catches, with graphs in static storage.
#include "support/rank_failure.h"

#include <graphed/capture.h>
#include <graphed/error.h>
#include <graphed/hooks.h>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace distributed_exit_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

class DistributedExit : public rank_test {};
INSTANTIATE_TEST_SUITE_P(, DistributedExit, ::testing::Values("cpu", "cuda"), name_of_device);

/// Rank 1 does it after some steps, and a sign of life after them; the other goes on.
void go_on_without_rank_1(ProcessGroup& group, const std::function<void()>& leave) {
  trainer own(group);
  own.run(6);
  if (group.rank() == 1) {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    leave();
  }
  own.run(1000);
}

GRAPHED_RANK_PROGRAM(exits_in_the_middle) {
  go_on_without_rank_1(group, [] { std::exit(0); });  // NOLINT(concurrency-mt-unsafe): what is tested
}

TEST_P(DistributedExit, OfOneRankInTheMiddle) {
  const auto ends = run_impatiently("exits_in_the_middle");
  expect_fails(ends[0], {"rank 1 has ended, or has given no sign of life", "in 'test_callable' or after it"});
  EXPECT_LT(ends[1].seconds, 30) << ends[1].output;
}

/// Rank 1 leaves in the first step, before its collective or after it.
void leave_early(ProcessGroup& group, bool before, const std::function<void()>& leave) {
  const auto leave_on_rank_1 = [&] {
    if (group.rank() == 1) {
      leave();
    }
  };
  trainer own(group, [&](const Tensor&) {
    if (before) {
      leave_on_rank_1();
    }
  });
  own.at_the_end = leave_on_rank_1;
  own.run(1000);
}

GRAPHED_RANK_PROGRAM(exits_before_the_first_collective) {
  leave_early(group, true, [] { std::exit(0); });  // NOLINT(concurrency-mt-unsafe): what is tested
}
GRAPHED_RANK_PROGRAM(is_killed_before_the_first_collective) {
  leave_early(group, true, [] { std::raise(SIGKILL); });
}
GRAPHED_RANK_PROGRAM(exits_in_the_first_step) {
  leave_early(group, false, [] { std::exit(0); });  // NOLINT(concurrency-mt-unsafe): what is tested
}
GRAPHED_RANK_PROGRAM(is_killed_in_the_first_step) {
  leave_early(group, false, [] { std::raise(SIGKILL); });
}

TEST_P(DistributedExit, OfOneRankBeforeItsFirstCollective) {
  for (const char* const program : {"exits_before_the_first_collective", "is_killed_before_the_first_collective"}) {
    expect_fails(run_impatiently(program)[0],
                 {"rank 0 cannot go on with a comparison of the parameters in average_gradients in a call of 'test_callable' that runs the "
                  "original function (it warms up, call 1 of 2): rank 1 has ended, or has given no sign of life",
                  "before its first collective in a callable"});
  }
}

TEST_P(DistributedExit, OfOneRankInItsFirstStep) {
  for (const char* const program : {"exits_in_the_first_step", "is_killed_in_the_first_step"}) {
    expect_fails(run_impatiently(program)[0], {"rank 1 has ended, or has given no sign of life", "in 'test_callable' or after it"});
  }
}

/// How rank 2 of four ends, and when: as the variables of the environment say.
void leave_as_it_is_told() {
  const std::string how = std::getenv("GRAPHED_RANK_LEAVES_BY");
  if (how == "exit") {
    std::exit(0);  // NOLINT(concurrency-mt-unsafe): what is tested
  }
  if (how == "signal") {
    std::raise(SIGKILL);
  }
  if (how == "terminate") {
    const auto fail = [] { throw std::runtime_error("as it was told to"); };
    [&]() noexcept { fail(); }();
  }
  throw std::runtime_error("as it was told to");
}

GRAPHED_RANK_PROGRAM(leaves_somewhere) {
  const std::string where = std::getenv("GRAPHED_RANK_LEAVES");
  const auto leave_at = [&](const std::string& place) {
    if (group.rank() == 2 && place == where) {
      leave_as_it_is_told();
    }
  };
  const auto step_or_capture = [&](const std::string& place) {
    leave_at(place + (is_current_stream_capturing(group.device()) ? " in the capture" : ""));
  };
  const HookHandle after_the_agreement = add_hook(GraphEvent::CaptureBegin, [&](const EventInfo&) { leave_at("as the capture begins"); });
  group.run([&] {
    trainer own(group, [&](const Tensor&) { step_or_capture("before the collective"); });
    own.at_the_end = [&] { step_or_capture("after the collective"); };
    own.run(4);
    leave_at("after replays");
    own.run(1000);
  });
}

std::vector<rank_end> leave(const std::string& where, const std::string& how) {
  return run_ranks("leaves_somewhere", 4, "cpu",
                   {{{"GRAPHED_RANK_TIMEOUT_MS", "4000"}, {"GRAPHED_RANK_LEAVES", where}, {"GRAPHED_RANK_LEAVES_BY", how}}, 60});
}

TEST(StoreCollectives, EndOnAllRanksWhereOneLeavesSomewhere) {
  const std::vector<std::string> in_steps{"before the collective", "after the collective", "after replays"},
      in_captures{"as the capture begins", "before the collective in the capture", "after the collective in the capture"};
  const auto expect_all_end = [](const std::string& where, const std::string& how, const std::string& why) {
    const auto ends = leave(where, how);
    for (const std::size_t rank : {0, 1, 3}) {
      SCOPED_TRACE(where + " by " + how + ", rank " + std::to_string(rank));
      expect_fails(ends[rank], {"rank 2 " + why, "'test_callable'"});
    }
  };
  for (const char* const how : {"exit", "signal"}) {
    for (const auto* const places : {&in_steps, &in_captures}) {
      for (const auto& where : *places) {
        expect_all_end(where, how, "has ended, or has given no sign of life for ");
      }
    }
  }
  for (const auto& where : in_steps) {
    expect_all_end(where, "exception", "has failed, ");
  }
  for (const auto* const places : {&in_steps, &in_captures}) {
    for (const auto& where : *places) {
      expect_all_end(where, "terminate", "has ended by an exception that nothing caught, ");
    }
  }
}

// c10d would warn of each call of the store that fails.
GRAPHED_RANK_PROGRAM(sleeps_while_the_store_ends) {
  trainer own(group);
  own.run(6);
  if (group.rank() == 0) {
    std::this_thread::sleep_for(std::chrono::seconds(1));  // a call of the store that is under way then is c10d's own
    std::raise(SIGKILL);
  }
  std::this_thread::sleep_for(std::chrono::seconds(4));
  own.run(1);
}

TEST_P(DistributedExit, OfTheStoreWhileARankSleeps) {
  const auto ends = run("sleeps_while_the_store_ends", /*first_keeps_store=*/true);
  expect_fails(ends[1], {"the store that the ranks share does not answer, perhaps because the process that keeps it has ended"});
  if (std::string(GetParam()) == "cpu") {  // NCCL's own threads ask the store on a GPU
    for (const char* const of_c10d : {"frame #", "c10d"}) {
      EXPECT_EQ(ends[1].output.find(of_c10d), std::string::npos) << ends[1].output;
    }
  }
}

GRAPHED_RANK_PROGRAM(terminates) {
  const auto fail = [](const char* why) { throw std::runtime_error(why); };
  go_on_without_rank_1(group, [&]() noexcept { fail("as it was told to"); });
}

TEST_P(DistributedExit, ByAnExceptionInANoexceptFunction) {
  const auto ends = run("terminates");
  expect_fails(ends[0], {"rank 1 has ended by an exception that nothing caught, in 'test_callable' or after it: as it was told to"});
  expect_fails(ends[1], {"terminate called", "as it was told to"});
}

GRAPHED_RANK_PROGRAM(throws_out_of_main) {
  go_on_without_rank_1(group, [] { throw std::runtime_error("as it was told to"); });
}

TEST_P(DistributedExit, ByAnExceptionThatMainLetsPass) {
  const auto ends =
      run_ranks("throws_out_of_main", 2, GetParam(), {{{"GRAPHED_RANK_TIMEOUT_MS", "4000"}, {"GRAPHED_RANK_UNCAUGHT", "1"}}, 60});
  // On CUDA the host of rank 0 waits for its device, where nothing can be thrown.
  expect_fails(ends[0], {GetParam() == std::string("cpu") ? "terminate called" : "is ended, as its device waits in vain",
                         "rank 1 has ended by an exception that nothing caught, in 'test_callable' or after it: as it was told to"});
  expect_fails(ends[1], {"terminate called", "as it was told to"});
}

// A capture that a call holds, which awaits its backward when the process ends.
GRAPHED_RANK_PROGRAM(ends_with_a_held_capture) {
  static Tensor result;
  static std::optional<ProcessGroup> in_the_process;
  in_the_process.emplace(std::move(group));
  static const Tensor weight = at::ones({2}, at::TensorOptions(in_the_process->device())).requires_grad_();
  static test_callable f({{"x", {2}}}, [](tensor_list& in) {
    const Tensor sum = in[0] * 2;
    in_the_process->all_reduce_(sum);
    return tensor_list{sum * weight};
  });
  for (int i = 0; i < 5; ++i) {
    result = f({at::ones({2}, at::TensorOptions(in_the_process->device()))})[0];
  }
  require_that(f.stats().replays == 3, "replays, got " + f.stats().to_json());
}

TEST_P(DistributedExit, WithACaptureThatAwaitsItsBackward) {
  for (const auto& end : run("ends_with_a_held_capture")) {
    EXPECT_TRUE(end.ended_well) << end.output;
    EXPECT_LT(end.seconds, 30) << end.output;
    EXPECT_NE(end.output.find("a capture of 'test_callable' is still held"), std::string::npos) << end.output;
  }
}

// The child has the parent's group, and neither its thread nor a connection of its own.
GRAPHED_RANK_PROGRAM(forks) {
  trainer own(group);
  own.run(6);
  const pid_t child = ::fork();
  if (child == 0) {
    std::string text;
    try {
      group.barrier();
    } catch (const Error& error) {
      text = error.what();
    }
    const bool is_told = text.find("forked from that of rank " + std::to_string(group.rank())) != std::string::npos;
    {
      const ProcessGroup dropped = std::move(group);
    }
    ::_exit(is_told ? EXIT_SUCCESS : EXIT_FAILURE);
  }
  int status = -1;
  require_that(::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS,
               "a child that learns why it has no group");
  own.run(6);
  group.check_parameters(*own.net);
  group.shutdown();
}

TEST_P(DistributedExit, OfAForkedChildLeavesTheGroupAlone) {
  for (const auto& end : run("forks")) {
    EXPECT_TRUE(end.ended_well) << end.output;
    EXPECT_LT(end.seconds, 30) << end.output;
  }
}

// One rank makes its callable again, and with it loses the capture.
GRAPHED_RANK_PROGRAM(replaces_its_callable) {
  trainer own(group);
  own.run(6);
  if (group.rank() == 1) {
    own.make_callable_anew();
  }
  own.run(6);
}

TEST_P(DistributedExit, OfACallableThatOneRankMakesAnew) {
  for (const auto& end : run_impatiently("replaces_its_callable")) {
    expect_fails(end, {"rank 1", "in a call of 'test_callable' that runs the original function (it warms up, call 1 of 2)", "rank 0"});
  }
}

}  // namespace distributed_exit_test
