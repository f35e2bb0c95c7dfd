// SPDX-License-Identifier: Apache-2.0
//
// `policy = auto`: a key whose replays are slower goes back to the plain callable.
#include "support/device_test.h"


#include <chrono>
#include <thread>

namespace policy_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Policy);

// 1 GiB, on a CPU 16 MiB, which a replay copies, and of which the plain callable reads four elements.
int64_t large(const scenario& run) { return int64_t{1} << (run.device().is_cpu() ? 22 : 28); }
constexpr int warmups = 2;
constexpr int rounds = 3;
constexpr int replays = 1 + rounds * 8 + (rounds - 1) * (1 + 8);  // the captured call, three rounds, and those between them
constexpr int plain_calls = rounds * 3;
constexpr int trial_calls = warmups + replays + plain_calls;

settings automatic() {
  settings made;
  made.warmup = warmups;
  made.policy = replay_policy::automatic;
  return made;
}

settings with(settings made, void (*change)(settings&)) {
  change(made);
  return made;
}

Tensor large_input(const scenario& run, int64_t missing = 0) {
  const Tensor x = at::zeros({large(run) - missing}, run.options());
  x.narrow(0, 0, 4).copy_(run.random({4}));
  return x;
}

tensor_list first_elements(tensor_list& in) { return {at::dropout(in[0].narrow(0, 0, 4), 0.5, /*train=*/true) + 1}; }

// Reading each result waits for the device, so that what was timed is known at the next call.
void call_often(scenario& run, subject& f, const Tensor& x, int calls) {
  for (int step = 0; step < calls; ++step) {
    run.see("y", f({x}));
  }
}

void expect_gone_back(const subject& f, uint64_t calls) {
  f.expect_replays(replays);
  f.expect_misses(miss::timing, plain_calls);
  f.expect_misses(miss::slower, calls - trial_calls);
}

void expect_kept(const subject& f, uint64_t calls, uint64_t warmups_made = warmups) {
  f.expect_replays(calls - warmups_made);
  f.expect_misses(miss::timing, 0);
  f.expect_misses(miss::slower, 0);
}

TEST_P(Policy, ReplaysThatAreSlowerGoBack) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {large(run)}}}, first_elements, automatic());
    const Tensor x = large_input(run);
    call_often(run, f, x, trial_calls + 5);
    expect_gone_back(f, trial_calls + 5);
    EXPECT_EQ(f.stats().bytes_held, 0U) << f.stats();
  });
  EXPECT_EQ(warnings_.count({"test_callable (test.cpp:1): a replay takes ", "s, the plain callable ", "`policy = always`",
                             link_to("promises/never-slower.md")}),
            1U)
      << warnings_.all();
}

TEST_P(Policy, AlwaysKeepsThem) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {large(run)}}}, first_elements, with(automatic(), [](settings& made) { made.policy = replay_policy::always; }));
    const Tensor x = large_input(run);
    call_often(run, f, x, trial_calls + 5);
    expect_kept(f, trial_calls + 5);
  });
}

TEST_P(Policy, StrictKeepsThem) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {large(run)}}}, first_elements, with(automatic(), [](settings& made) { made.strict = true; }));
    const Tensor x = large_input(run);
    call_often(run, f, x, trial_calls + 5);
    expect_kept(f, trial_calls + 5);
  });
}

TEST_P(Policy, ReplaysThatAreFasterStay) {
  expect_same([](scenario& run) {
    const auto slow_on_the_host = [](tensor_list& in) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      return tensor_list{in[0].tanh()};
    };
    subject f(run, {{"x", {4}}}, slow_on_the_host, automatic());
    const Tensor x = run.random({4});
    call_often(run, f, x, trial_calls + 5);
    expect_kept(f, trial_calls + 5);
  });
}

TEST_P(Policy, CallsWithABackwardStay) {
  expect_same([](scenario& run) {
    subject f(
        run, {{"x", {large(run)}}, {"w", {4}, at::kFloat, /*grad=*/true}},
        [](tensor_list& in) { return tensor_list{in[0].narrow(0, 0, 4) * in[1]}; }, automatic());
    const Tensor x = large_input(run), w = run.leaf({4});
    for (int step = 0; step < trial_calls + 5; ++step) {
      f({x, w})[0].sum().backward();
      run.see_grad("w", w);
    }
    f.expect_replays(trial_calls + 5 - warmups, trial_calls + 5 - warmups);
    f.expect_misses(miss::timing, 0);
  });
}

TEST_P(Policy, NothingIsKnownWithoutWarmUps) {
  expect_same([](scenario& run) {
    subject cold(run, {{"x", {large(run)}}}, first_elements, with(automatic(), [](settings& made) { made.warmup = 0; }));
    const Tensor x = large_input(run);
    call_often(run, cold, x, trial_calls + 5);
    expect_kept(cold, trial_calls + 5, 0);
    subject prepared(run, {{"x", {large(run)}}}, first_elements, automatic());
    prepared.prepare({x});
    call_often(run, prepared, x, trial_calls + 5);
    expect_kept(prepared, trial_calls + 5, 0);
  });
}

TEST_P(Policy, PaddedCallsTellNothing) {
  expect_same([](scenario& run) {
    settings padded = automatic();
    padded.sizes = {large(run)};
    padded.pad = pad_fill::zero;
    const auto first = [](tensor_list& in) { return tensor_list{in[0].narrow(0, 0, 4) + 1}; };
    subject f(run, {{"x", {B}}}, first, padded);
    call_often(run, f, large_input(run, 1), trial_calls + 5);
    f.expect_misses(miss::timing, 0);
    f.expect_misses(miss::slower, 0);
  });
}

TEST_P(Policy, EachKeyIsDecidedAlone) {
  expect_same([](scenario& run) {
    settings two_sizes = automatic();
    two_sizes.sizes = {4, large(run)};
    subject f(run, {{"x", {B}}}, first_elements, two_sizes);
    call_often(run, f, large_input(run), trial_calls + 5);
    expect_gone_back(f, trial_calls + 5);
    call_often(run, f, run.random({4}), warmups + 3);
    f.expect_replays(replays + 3);
  });
}

TEST_P(Policy, ResetBeginsAnew) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {large(run)}}}, first_elements, automatic());
    const Tensor x = large_input(run);
    for (int round = 0; round < 2; ++round) {
      call_often(run, f, x, trial_calls + 1);
      expect_gone_back(f, trial_calls + 1);
      f.reset();
    }
  });
}

TEST_P(Policy, PreparingAKeyThatHasGoneBackCapturesNothing) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {large(run)}}}, first_elements, automatic());
    const Tensor x = large_input(run);
    call_often(run, f, x, trial_calls + 1);
    f.prepare({x});
    call_often(run, f, x, 2);
    f.expect_captures(1);
    expect_gone_back(f, trial_calls + 3);
  });
}

TEST_P(Policy, AStepGoesOnWhereItsReplaysLeftOff) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({4});
    const auto learn = [&](tensor_list& in) {
      const at::AutoGradMode no_grad(false);
      w.mutable_grad() = in[0].narrow(0, 0, 4) * w;
      w.sub_(w.grad());
      return tensor_list{w * 2};
    };
    subject f(run, {{"x", {large(run)}}}, learn, with(automatic(), [](settings& made) { made.step = true; }));
    const Tensor x = large_input(run);
    for (int step = 0; step < trial_calls + 5; ++step) {
      run.see("y", f({x}));
      run.see("w", w);
      run.see("gradient", w.grad());
    }
    expect_gone_back(f, trial_calls + 5);
  });
}

TEST_P(Policy, ResultsThatAreHeldOutliveTheCapture) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {large(run)}}}, first_elements, automatic());
    const Tensor x = large_input(run);
    std::vector<Tensor> held;
    for (int step = 0; step < trial_calls + 5; ++step) {
      held.push_back(f({x})[0]);
      run.see("now", held.back());
    }
    run.see("held", held);
    expect_gone_back(f, trial_calls + 5);
  });
}

}  // namespace policy_test
