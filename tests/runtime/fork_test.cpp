// SPDX-License-Identifier: Apache-2.0
//
// Processes that fork. A child has what its parent had in host memory, and none of CUDA's: each call there ends as eager's does.
#include "support/device_test.h"

#include <torch/autograd.h>

#include <sys/wait.h>
#include <unistd.h>
#include <cstdlib>
#include <functional>

namespace fork_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Fork);

/// What `computed` gives, or an undefined tensor where it throws.
Tensor result_of(const std::function<Tensor()>& computed) {
  try {
    return computed().cpu();
  } catch (const c10::Error&) {
    return {};
  }
}

/// In a child process, which ends with it.
bool holds_in_a_child(const std::function<bool()>& condition) {
  const pid_t child = fork();
  if (child == 0) {
    _exit(condition() ? EXIT_SUCCESS : EXIT_FAILURE);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
}

class weighted {
 public:
  explicit weighted(const scenario& run) : x_(run.random({16, 8})), w_(run.leaf({8, 4})) {}

  Tensor gradient(const Tensor& loss) const { return torch::autograd::grad({loss}, {w_})[0]; }
  Tensor graphed() { return callable_({x_, w_})[0]; }
  Tensor plain() { return callable_.plain({x_, w_})[0]; }
  bool ends_as_eager() {
    const Tensor expected = result_of([&] { return gradient(plain()); });
    return same_bits(result_of([&] { return gradient(graphed()); }), expected);
  }
  Statistics stats() const { return callable_.stats(); }

  std::function<void()> in_the_body = [] {};

 private:
  const Tensor x_, w_;
  test_callable callable_{{{"x", {16, 8}}, {"w", {8, 4}, at::kFloat, true}}, [this](tensor_list& in) {
                            const Tensor product = in[0].matmul(in[1]);
                            in_the_body();
                            return tensor_list{product.tanh().square().sum()};
                          }};
};

TEST_P(Fork, BeforeEachOfTheFirstCalls) {
  const scenario run(device(), true);
  weighted calls(run);
  for (int call = 0; call < 6; ++call) {
    EXPECT_TRUE(holds_in_a_child([&] { return calls.ends_as_eager() && calls.ends_as_eager(); })) << "call " << call;
    EXPECT_TRUE(calls.ends_as_eager()) << "call " << call;
  }
  EXPECT_GT(calls.stats().backward_replays, 0U) << calls.stats();
}

TEST_P(Fork, BetweenForwardAndBackward) {
  const scenario run(device(), true);
  weighted calls(run);
  for (int call = 0; call < 6; ++call) {
    const Tensor loss = calls.graphed(), expected = calls.plain();
    EXPECT_TRUE(holds_in_a_child([&] {
      const Tensor gradient = result_of([&] { return calls.gradient(loss); });
      return same_bits(gradient, result_of([&] { return calls.gradient(expected); }));
    })) << "call "
        << call;
    EXPECT_TRUE(same_bits(calls.gradient(loss), calls.gradient(expected)));
  }
}

// The child ends within the capture, as a program that another one replaces does.
TEST_P(Fork, InTheMiddleOfACapture) {
  const scenario run(device(), true);
  weighted calls(run);
  calls.in_the_body = [] { EXPECT_TRUE(holds_in_a_child([] { return true; })); };
  for (int call = 0; call < 4; ++call) {
    EXPECT_TRUE(calls.ends_as_eager());
  }
  EXPECT_EQ(calls.stats().captures, 1U) << calls.stats();
}

}  // namespace fork_test
