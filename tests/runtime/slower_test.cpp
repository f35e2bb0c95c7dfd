// SPDX-License-Identifier: Apache-2.0
//
// A graph that is slower than the original function: one warning, and no call runs another way.
#include "support/device_test.h"

#include <chrono>
#include <thread>

namespace slower_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Slower);

// 1 GiB, on a CPU 16 MiB, which a replay copies, and of which the original function reads four elements.
int64_t large(const scenario& run) { return int64_t{1} << (run.device().is_cpu() ? 22 : 28); }
constexpr int warmups = 2;
constexpr int replays = 1 + 64 + 5;  // the captured call, those that are timed, and some more
constexpr int calls = warmups + replays;

Tensor large_input(const scenario& run, int64_t missing = 0) {
  const Tensor x = at::zeros({large(run) - missing}, run.options());
  x.narrow(0, 0, 4).copy_(run.random({4}));
  return x;
}

tensor_list first_elements(tensor_list& in) { return {at::dropout(in[0].narrow(0, 0, 4), 0.5, /*train=*/true) + 1}; }

// Reading each result waits for the device, so that what was timed is known at the next call.
void call_often(scenario& run, subject& f, const Tensor& x, int times = calls) {
  for (int step = 0; step < times; ++step) {
    run.see("y", f({x}));
  }
}

const std::vector<std::string> warning{"test_callable (test.cpp:1): a replay takes ", "s, a warm-up of the original function ",
                                       "the graph is slower than the function, but calls still use it",
                                       link_to("explanation/performance.md#when-a-graph-is-slower")};

// Each replay copies 1 GiB, on any machine. Of several warm-ups one is fast, also where other processes use the GPU.
TEST_P(Slower, GraphIsToldOnceAndStays) {
  expect_same([](scenario& run) {
    settings two_sizes;
    two_sizes.warmup = 16;
    two_sizes.sizes = {large(run) - 8, large(run)};
    subject f(run, {{"x", {B}}}, first_elements, two_sizes);
    call_often(run, f, large_input(run), two_sizes.warmup + replays);
    call_often(run, f, large_input(run, 8), two_sizes.warmup + replays);
    f.expect_replays(2 * replays);
    if (run.graphed()) {
      EXPECT_EQ(f.stats().miss_count(), 0U) << f.stats();
    }
  });
  EXPECT_EQ(warnings_.count(warning), 1U) << warnings_.all();
}

TEST_P(Slower, IsNoGraphThatIsFaster) {
  expect_same([](scenario& run) {
    const auto slow_on_the_host = [](tensor_list& in) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      return tensor_list{in[0].tanh()};
    };
    subject f(run, {{"x", {4}}}, slow_on_the_host);
    call_often(run, f, run.random({4}));
    f.expect_replays(calls - warmups);
  });
  EXPECT_EQ(warnings_.count(), 0U) << warnings_.all();
}

// The backward gains as well, and is not a part of the call.
TEST_P(Slower, IsNotSaidOfCallsWithABackward) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {large(run)}}, {"w", {4}, at::kFloat, /*grad=*/true}},
              [](tensor_list& in) { return tensor_list{in[0].narrow(0, 0, 4) * in[1]}; });
    const Tensor x = large_input(run), w = run.leaf({4});
    for (int step = 0; step < calls; ++step) {
      f({x, w})[0].sum().backward();
      run.see_grad("w", w);
    }
    f.expect_replays(calls - warmups, calls - warmups);
  });
  EXPECT_EQ(warnings_.count(), 0U) << warnings_.all();
}

TEST_P(Slower, IsNotSaidWhereNoWarmUpWasTimed) {
  expect_same([](scenario& run) {
    settings cold_start;
    cold_start.warmup = 0;
    subject cold(run, {{"x", {large(run)}}}, first_elements, cold_start);
    const Tensor x = large_input(run);
    call_often(run, cold, x);
    cold.expect_replays(calls);
    subject prepared(run, {{"x", {large(run)}}}, first_elements);
    prepared.prepare({x});
    call_often(run, prepared, x);
    prepared.expect_replays(calls);
  });
  EXPECT_EQ(warnings_.count(), 0U) << warnings_.all();
}

TEST_P(Slower, IsNotSaidOfPaddedCalls) {
  expect_same([](scenario& run) {
    settings padded;
    padded.sizes = {large(run)};
    padded.pad = PadFill::Zero;
    const auto first = [](tensor_list& in) { return tensor_list{in[0].narrow(0, 0, 4) + 1}; };
    subject f(run, {{"x", {B}}}, first, padded);
    call_often(run, f, large_input(run, 1));
  });
  EXPECT_EQ(warnings_.count(), 0U) << warnings_.all();
}

// What a machine does beside the program changes the times of its calls, and no count.
TEST_P(Slower, TwoRunsOfOneProgramHaveTheSameStatistics) {
  const auto counts_of_a_run = [&](int slow_calls) {
    scenario run(device(), true);
    int runs_of_the_body = 0;
    subject f(run, {{"x", {large(run)}}, {"w", {4}, at::kFloat, /*grad=*/true}}, [&](tensor_list& in) {
      if (runs_of_the_body++ < slow_calls) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
      return tensor_list{in[0].narrow(0, 0, 4) * in[1]};
    });
    const Tensor x = large_input(run), short_x = large_input(run, 1), w = run.leaf({4});
    for (int step = 0; step < calls; ++step) {
      const at::AutoGradMode grad(step % 2 == 0);
      const Tensor y = f({step % 10 == 9 ? short_x : x, w})[0];
      if (y.requires_grad()) {
        y.sum().backward();
      }
    }
    Statistics counts = f.stats();
    counts.capture_microseconds = 0;  // which alone is a time
    return counts.to_json();
  };
  const std::string first = counts_of_a_run(0);
  EXPECT_EQ(counts_of_a_run(0), first);
  EXPECT_EQ(counts_of_a_run(1000), first) << "with slow warm-ups, as the replays are the faster ones";
}

}  // namespace slower_test
