// SPDX-License-Identifier: Apache-2.0
//
// What fails at which stage of a call, and how that ends: the table of docs/explanation/failure.md, each of its cells in a process of its
// own.
#include "support/ending.h"
#include "support/device_test.h"
#include "support/room.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

namespace ending_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Ending);

// An operator.

void expect_ending_of_an_operator(c10::Device device, stage now) {
  staged_program program(device);
  const auto fail = [] {
    in_the_operator = {};
    throw std::runtime_error("the operator fails");
  };
  program.run_up_to(now);
  const auto error = error_of([&] {
    program.run(now, [&] {
      if (is_replay(now)) {
        in_the_operator = fail;  // which a GPU's graph does not come to
      } else if (now == stage::before_the_calls) {
        in_the_operator = fail;
        expect_error(error_of([&] { call_operator(program.x()); }), {"the operator fails"});
      } else {
        fail();
      }
    });
  });
  if (now == stage::warm_up || (is_replay(now) && device.is_cpu())) {
    expect_error(error, {"the operator fails"});
  } else {
    expect(!error, "no error, got " + error.value_or(""));
  }
  expect(!program.has_gradient(), "no gradient of a backward that failed");
  expect_to_go_on(program, now, /*has_failed=*/true);
}

TEST_P(Ending, OperatorBeforeTheCalls) { EXPECT_ENDS_WELL(expect_ending_of_an_operator(device(), stage::before_the_calls)); }
TEST_P(Ending, OperatorInAWarmUp) { EXPECT_ENDS_WELL(expect_ending_of_an_operator(device(), stage::warm_up)); }
TEST_P(Ending, OperatorInTheForwardsCapture) { EXPECT_ENDS_WELL(expect_ending_of_an_operator(device(), stage::forward_capture)); }
TEST_P(Ending, OperatorInTheBackwardsCapture) { EXPECT_ENDS_WELL(expect_ending_of_an_operator(device(), stage::backward_capture)); }
TEST_P(Ending, OperatorInTheFirstReplay) { EXPECT_ENDS_WELL(expect_ending_of_an_operator(device(), stage::first_replay)); }
TEST_P(Ending, OperatorInALaterReplay) { EXPECT_ENDS_WELL(expect_ending_of_an_operator(device(), stage::later_replay)); }
TEST_P(Ending, OperatorInTheBackward) { EXPECT_ENDS_WELL(expect_ending_of_an_operator(device(), stage::backward)); }

// Memory.

void expect_ending_without_memory(c10::Device device, stage now) {
  staged_program program(device);
  program.run_up_to(now);
  give_back_cached_memory(device);
  const auto error = error_of([&] {
    const auto fill = [&] {
      set_room(device, false);
      if (now == stage::before_the_calls) {
        expect_error(error_of([&] { call_operator(program.x()); }), {"out of memory", "DefaultCPUAllocator"});
        set_room(device, true);
      }
    };
    program.run(now, fill, [&] { set_room(device, true); });
  });
  // A GPU's replay allocates nothing; on the tape operators run, which may.
  if (now == stage::before_the_calls || now == stage::destruction || (is_replay(now) && !device.is_cpu())) {
    expect(!error, "no error, got " + error.value_or(""));
  } else {
    expect_error(error, {"out of memory", "DefaultCPUAllocator"});
  }
  set_room(device, true);
  expect_to_go_on(program, now, /*has_failed=*/true);
}

TEST_P(Ending, MemoryBeforeTheCalls) { EXPECT_ENDS_WELL(expect_ending_without_memory(device(), stage::before_the_calls)); }
TEST_P(Ending, MemoryInAWarmUp) { EXPECT_ENDS_WELL(expect_ending_without_memory(device(), stage::warm_up)); }
TEST_P(Ending, MemoryInTheForwardsCapture) { EXPECT_ENDS_WELL(expect_ending_without_memory(device(), stage::forward_capture)); }
TEST_P(Ending, MemoryInTheBackwardsCapture) { EXPECT_ENDS_WELL(expect_ending_without_memory(device(), stage::backward_capture)); }
TEST_P(Ending, MemoryInTheFirstReplay) { EXPECT_ENDS_WELL(expect_ending_without_memory(device(), stage::first_replay)); }
TEST_P(Ending, MemoryInALaterReplay) { EXPECT_ENDS_WELL(expect_ending_without_memory(device(), stage::later_replay)); }
TEST_P(Ending, MemoryWhileArgumentsAreStaged) { EXPECT_ENDS_WELL(expect_ending_without_memory(device(), stage::staging)); }
TEST_P(Ending, MemoryInTheBackward) { EXPECT_ENDS_WELL(expect_ending_without_memory(device(), stage::backward)); }
TEST_P(Ending, MemoryAtTheDestruction) { EXPECT_ENDS_WELL(expect_ending_without_memory(device(), stage::destruction)); }

// A fork. Parent and child both go on.

/// In the child of CPU tensors the calls go on, on CUDA each throws, as eager's operators do. Where LibTorch sees a GPU, eager's backwards
/// throw in a child.
void expect_ending_of_a_fork(c10::Device device, stage now) {
  staged_program program(device);
  program.run_up_to(now);
  pid_t child = -1;
  const auto error = error_of([&] {
    program.run(now, [&] {
      child = fork();
      if (child == 0 && !device.is_cpu() && (now == stage::warm_up || now == stage::backward || is_capture(now))) {
        expect_error(error_of([&] { call_operator(program.x()); }), {"CUDA", "initialization error"});
        std::_Exit(EXIT_SUCCESS);  // it may be autograd's thread, and a child has no other
      }
    });
  });
  const bool is_child = child == 0;
  if (is_child && !device.is_cpu() && now != stage::destruction) {
    expect_error(error, {"CUDA", "initialization error"});
    expect_error(error_of([&] { program.run_calls(1); }), {"CUDA", "initialization error"});
  } else if (is_child && at::hasCUDA() && now != stage::destruction) {
    const std::string of_eager = "Unable to handle autograd's threading in combination with fork-based multiprocessing";
    expect(!error || error->find(of_eager) != std::string::npos, "eager's error or none, got " + error.value_or(""));
    expect_error(error_of([&] { program.run_calls(1); }), {of_eager});
  } else {
    expect(!error, "no error, got " + error.value_or(""));
    expect_to_go_on(program, now, /*has_failed=*/false);
  }
  if (is_child) {
    std::_Exit(EXIT_SUCCESS);
  }
  int status = -1;
  expect(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS, "the child to end well");
}

TEST_P(Ending, ForkBeforeTheCalls) { EXPECT_ENDS_WELL(expect_ending_of_a_fork(device(), stage::before_the_calls)); }
TEST_P(Ending, ForkInAWarmUp) { EXPECT_ENDS_WELL(expect_ending_of_a_fork(device(), stage::warm_up)); }
TEST_P(Ending, ForkInTheForwardsCapture) { EXPECT_ENDS_WELL(expect_ending_of_a_fork(device(), stage::forward_capture)); }
TEST_P(Ending, ForkInTheBackwardsCapture) { EXPECT_ENDS_WELL(expect_ending_of_a_fork(device(), stage::backward_capture)); }
TEST_P(Ending, ForkInTheFirstReplay) { EXPECT_ENDS_WELL(expect_ending_of_a_fork(device(), stage::first_replay)); }
TEST_P(Ending, ForkInALaterReplay) { EXPECT_ENDS_WELL(expect_ending_of_a_fork(device(), stage::later_replay)); }
TEST_P(Ending, ForkWhileArgumentsAreStaged) { EXPECT_ENDS_WELL(expect_ending_of_a_fork(device(), stage::staging)); }
TEST_P(Ending, ForkInTheBackward) { EXPECT_ENDS_WELL(expect_ending_of_a_fork(device(), stage::backward)); }
TEST_P(Ending, ForkAtTheDestruction) { EXPECT_ENDS_WELL(expect_ending_of_a_fork(device(), stage::destruction)); }

}  // namespace ending_test
