// SPDX-License-Identifier: Apache-2.0
//
// GRAPHED_VERIFY: environment_test.cpp runs each suite with a value of it.
#include "support/device_test.h"
#include "support/others_draw.h"

#include <graphed/error.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>

namespace {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Verified);
GRAPHED_DEVICE_TEST_SUITE(VerifiedAtTimes);

const std::vector<argument> arguments{{"x", {16, 8}, at::kFloat, true}};

tensor_list layer(tensor_list& in) { return {in[0].tanh()}; }

TEST_P(Verified, RightCallablesHaveNoDifference) {
  expect_same([](scenario& run) {
    const Tensor mean = at::zeros({8}, run.options()), variance = at::ones({8}, run.options());
    subject f(run, arguments, [=](tensor_list& in) {
      const Tensor normal = at::batch_norm(in[0], {}, {}, mean, variance, /*training=*/true, 0.1, 1e-5, /*cudnn_enabled=*/false);
      return tensor_list{at::dropout(normal, 0.5, /*train=*/true), normal};
    });
    for (int step = 0; step < 6; ++step) {
      const Tensor x = run.leaf({16, 8});
      const auto y = f({x});
      run.see("y", y);
      (y[0] * y[1]).sum().backward();
      run.see_grad("x", x);
      run.see("mean", mean);
      run.see("random", run.random({2}));
    }
    if (run.graphed()) {
      EXPECT_EQ(f.stats().verified, 6U) << f.stats();
      EXPECT_EQ(f.stats().differences, 0U) << f.stats();
    }
  });
  EXPECT_EQ(warnings_.count(), 0U) << warnings_.all();
}

// As LibTorch makes cuDNN's weights of those of a recurrent module, which are in one memory: before anything else uses them.
TEST_P(Verified, MemoryThatATensorIsSetToIsPutBack) {
  expect_same([](scenario& run) {
    const Tensor all = run.random({12}), first = all.narrow(0, 0, 4), second = all.narrow(0, 4, 8);
    subject f(run, {{"x", {12}}}, [=](tensor_list& in) {
      const Tensor flat = at::empty({0}, first.options()).set_(first.storage(), 0, {12}, {1});
      const Tensor y = in[0] * flat;
      first.mul_(2);
      second.add_(in[0].narrow(0, 0, 8));
      return tensor_list{y};
    });
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({run.random({12})}));
      run.see("all", all);
    }
    if (run.graphed()) {
      EXPECT_EQ(f.stats().verified, 3U) << f.stats();
      EXPECT_EQ(f.stats().differences, 0U) << f.stats();
    }
  });
  EXPECT_EQ(warnings_.count(), 0U) << warnings_.all();
}

TEST_P(Verified, AFrozenNumberIsADifference) {
  double factor = 1;
  test_callable f(arguments, [&](tensor_list& in) { return tensor_list{in[0] + 1, in[0] * factor}; });
  const Tensor x = at::ones({16, 8}, at::TensorOptions(device())).requires_grad_();
  for (int step = 0; step < 5; ++step) {
    factor = std::max(step, 2);
    f({x});
  }
  EXPECT_EQ(f.stats().differences, 2U) << f.stats();  // the capture is the third call
  EXPECT_EQ(
      warnings_.count({"test_callable (test.cpp:1): GRAPHED_VERIFY: result 1 differs at element 0 of shape [16, 8]: eager 3, graphed 2"}),
      1U)
      << warnings_.all();
}

// One warning for a result, whatever its numbers are, which distinguishes the last bits.
TEST_P(Verified, DifferencesOfAResultAreToldOnceWithAllDigits) {
  double factor = 1;
  test_callable f({{"x", {4}}}, [&](tensor_list& in) { return tensor_list{in[0] * factor}; });
  for (int step = 0; step < 8; ++step) {
    factor = step < 3 ? 1 : 1 + 1.2e-7 * (step - 2);
    f({at::ones({4}, at::TensorOptions(device()))});
  }
  EXPECT_EQ(f.stats().differences, 5U) << f.stats();
  EXPECT_EQ(warnings_.count({"GRAPHED_VERIFY"}), 1U) << warnings_.all();
  EXPECT_EQ(
      warnings_.count({"result 0 differs at element 0 of shape [4]: eager 1.00000012, graphed 1; the largest difference is 1.19209e-07"}),
      1U)
      << warnings_.all();
}

settings padded_to_eight() {
  settings chosen;
  chosen.sizes = {8};
  chosen.pad = PadFill::Zero;
  return chosen;
}

// The last bits of a padded call may be others, in results, gradients and what is written. Other things may not.
TEST_P(Verified, LastBitsOfAPaddedCallAreNoDifference) {
  for (const auto dtype : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16}) {
    const double last_bit = dtype == at::kFloat ? 0x1p-23 : dtype == at::kDouble ? 0x1p-52 : dtype == at::kHalf ? 0x1p-10 : 0x1p-7;
    const Tensor w = at::ones({4}, at::TensorOptions(device()).dtype(dtype)).requires_grad_();
    test_callable f(
        {{"x", {B, 4}, dtype, true}},
        [&](tensor_list& in) {
          const double size = in[0].size(0) == 8 ? 1 + 2 * last_bit : 1;
          return tensor_list{in[0] * size * w};
        },
        padded_to_eight());
    for (int step = 0; step < 6; ++step) {
      const Tensor x = at::ones({5, 4}, at::TensorOptions(device()).dtype(dtype)).requires_grad_();
      f({x})[0].sum().backward();
    }
    EXPECT_GE(f.stats().verified, 6U) << f.stats();
    EXPECT_EQ(f.stats().differences, 0U) << f.stats();
  }
  EXPECT_EQ(warnings_.count(), 0U) << warnings_.all();
}

TEST_P(Verified, WrongPaddingIsADifferenceThatIsToldOnce) {
  test_callable f({{"x", {B, 4}}}, [&](tensor_list& in) { return tensor_list{in[0] * 2, in[0] - in[0].mean(0)}; }, padded_to_eight());
  for (int step = 0; step < 8; ++step) {
    f({at::full({5, 4}, 1.0 + step, at::TensorOptions(device()))});
  }
  EXPECT_GE(f.stats().differences, 3U) << f.stats();
  EXPECT_EQ(warnings_.count({"GRAPHED_VERIFY"}), 1U) << warnings_.all();
  EXPECT_EQ(warnings_.count({"result 1 differs at element 0 of shape [5, 4]: eager 0, graphed ", "; the largest difference is "}), 1U)
      << warnings_.all();
}

TEST_P(Verified, WrongNumbersThatAreNotFiniteAreDifferences) {
  test_callable f({{"x", {B, 4}}}, [&](tensor_list& in) { return tensor_list{in[0] / (8 - in[0].size(0))}; }, padded_to_eight());
  for (int step = 0; step < 5; ++step) {
    f({at::ones({5, 4}, at::TensorOptions(device()))});
  }
  EXPECT_EQ(warnings_.count({"eager 0.333333343, graphed inf; see"}), 1U) << warnings_.all();
}

// The call that throws has its slot no more, and no call after it has it twice.
TEST_P(Verified, AStrictCallThatDiffersFreesItsSlotOnce) {
  double factor = 1;
  test_callable f(arguments, [&](tensor_list& in) { return tensor_list{in[0] * factor}; }, {2, OutputPolicy::Keep, /*strict=*/true, 1});
  const Tensor x = at::ones({16, 8}, at::TensorOptions(device())).requires_grad_();
  for (int step = 0; step < 3; ++step) {
    f({x});
  }
  factor = 2;
  EXPECT_THROW(f({x}), VerifyError);
  factor = 1;
  for (int step = 0; step < 3; ++step) {
    EXPECT_TRUE(same_bits(f({x})[0].detach(), x.detach()));
  }
  EXPECT_EQ(f.misses(Miss::Slots), 0U) << f.stats();
  EXPECT_EQ(f.stats().captures, 1U) << f.stats();
}

TEST_P(Verified, AGradientThatDiffers) {
  double factor = 1;
  test_callable f(arguments, [&](tensor_list& in) {
    const double now = factor;
    const Tensor y = in[0] * 1;
    if (y.requires_grad()) {
      y.register_hook([now](const Tensor& gradient) { return gradient * now; });
    }
    return tensor_list{y * 1};
  });
  const Tensor x = at::ones({16, 8}, at::TensorOptions(device())).requires_grad_();
  for (int step = 0; step < 4; ++step) {
    factor = step;
    f({x})[0].sum().backward();
  }
  EXPECT_EQ(warnings_.count({"GRAPHED_VERIFY: in the backward, the gradient of argument 'x' differs at element 0"}), 1U) << warnings_.all();
}

TEST_P(Verified, AStateThatDiffers) {
  const Tensor state = at::zeros({4}, at::TensorOptions(device()));
  double step = 0;
  test_callable f(arguments, [&](tensor_list& in) {
    state.add_(step);
    return tensor_list{in[0] * 2};
  });
  const Tensor x = at::ones({16, 8}, at::TensorOptions(device())).requires_grad_();
  for (int call = 0; call < 4; ++call) {
    step = std::max(call, 2);
    f({x});
  }
  EXPECT_EQ(warnings_.count({"a tensor from outside that it writes, of shape [4] differs at element 0 of shape [4]: eager 9, graphed 8"}),
            1U)
      << warnings_.all();
  EXPECT_EQ(state[0].item<float>(), 8);  // as the graph leaves it: what the comparison did is restored
}

TEST_P(Verified, AnArgumentThatDiffers) {
  double step = 0;
  test_callable f({{"x", {16, 8}}, {"total", {4}, at::kFloat, false, /*inplace=*/true}}, [&](tensor_list& in) {
    in[1].add_(step);
    return tensor_list{in[0] * 2};
  });
  const auto options = at::TensorOptions(device());
  const Tensor x = at::ones({16, 8}, options), total = at::zeros({4}, options);
  for (int call = 0; call < 4; ++call) {
    step = std::max(call, 2);
    f({x, total});
  }
  EXPECT_EQ(warnings_.count({"GRAPHED_VERIFY: argument 'total' differs at element 0 of shape [4]: eager 9, graphed 8"}), 1U)
      << warnings_.all();
  EXPECT_TRUE(same_bits(total, at::full({4}, 8.0, options)));  // as the graph leaves it
}

TEST_P(Verified, ARandomStateThatDiffers) {
  int draws = 0;
  test_callable f(arguments, [&](tensor_list& in) {
    for (int i = 0; i < draws; ++i) {
      at::rand_like(in[0]);
    }
    return tensor_list{in[0] * 2};
  });
  const Tensor x = at::ones({16, 8}, at::TensorOptions(device())).requires_grad_();
  for (int call = 0; call < 4; ++call) {
    draws = std::max(call, 2);
    f({x});
  }
  EXPECT_EQ(f.stats().differences, 1U) << f.stats();
  EXPECT_EQ(warnings_.count({"GRAPHED_VERIFY: the random state differs at element"}), 1U) << warnings_.all();
}

// Their numbers are not the callable's, and no difference.
TEST_P(Verified, NumbersThatOtherThreadsDrawMeanwhile) {
  for (const bool draws : {false, true}) {
    numbers_of_others others(device());
    int runs = 0;
    test_callable f(arguments, [&](tensor_list& in) {
      const Tensor scale = draws ? at::rand_like(in[0]) : in[0];
      if (++runs > 3) {  // the two warm-ups and the capture have come
        others.draw(3);
      }
      return tensor_list{in[0] * (draws ? at::rand_like(in[0]) + scale : scale)};
    });
    const Tensor x = at::ones({16, 8}, at::TensorOptions(device())).requires_grad_();
    for (int call = 0; call < 8; ++call) {
      const Tensor y = f({x})[0];
      EXPECT_TRUE(draws || same_bits(y, x * x));
      y.sum().backward();
    }
    EXPECT_EQ(f.stats().replays, 6U) << f.stats();
    others.draw(1000);
    EXPECT_GE(others.count(), 1012U);
    EXPECT_EQ(others.drawn_twice(), 0U) << draws;
    EXPECT_EQ(f.stats().differences, 0U) << f.stats();
  }
  EXPECT_EQ(warnings_.count(), 0U) << warnings_.all();
}

TEST_P(Verified, ACallableThatThrowsOnTheHost) {
  bool broken = false;
  test_callable f(arguments, [&](tensor_list& in) {
    if (broken) {
      throw std::runtime_error("broken");
    }
    return layer(in);
  });
  const Tensor x = at::ones({16, 8}, at::TensorOptions(device())).requires_grad_();
  for (int call = 0; call < 4; ++call) {
    broken = call == 3;
    f({x});
  }
  EXPECT_EQ(warnings_.count({"GRAPHED_VERIFY: the original function throws: broken"}), 1U) << warnings_.all();
}

// A replay copies an argument of which the original function reads four elements.
TEST_P(Verified, CallsThatAreComparedAreNotTimed) {
  constexpr int64_t large = int64_t{1} << 22;
  test_callable f({{"x", {large}}}, [](tensor_list& in) { return tensor_list{in[0].narrow(0, 0, 4) + 1}; });
  const Tensor x = at::ones({large}, at::TensorOptions(device()));
  for (int call = 0; call < 80; ++call) {
    EXPECT_TRUE(same_bits(f({x})[0], at::full({4}, 2.0, x.options())));
  }
  EXPECT_EQ(f.stats().replays, 78U) << f.stats();
  EXPECT_EQ(warnings_.count(), 0U) << warnings_.all();
}

/// What a recurrent network remembers from one call to the next.
struct memory {
  Tensor h, c;
};
constexpr const char* names_of_memory[] = {"h", "c"};
void watch_memory(WatchedMembers& members, const memory& of) { members.visit<WatchedMember<&memory::h>, WatchedMember<&memory::c>>(of); }

// The comparison with the original function's backward comes when the calls are over.
TEST_P(Verified, MembersThatAMethodReplacesWithAHistory) {
  expect_same([](scenario& run) {
    const Tensor of_input = run.leaf({32, 8}), of_state = run.leaf({32, 8});
    memory state;
    subject f(run, {{"x", {4, 8}}},
              [&](tensor_list& in) {
                std::tie(state.h, state.c) = at::lstm_cell(in[0], {state.h, state.c}, of_input, of_state);
                return tensor_list{state.h * 2};
              },
              {2, OutputPolicy::Keep, /*strict=*/false, /*slots=*/4}, nullptr, {state, names_of_memory, watch_memory});
    for (int episode = 0; episode < 5; ++episode) {
      state = {at::zeros({4, 8}, run.options()), at::zeros({4, 8}, run.options())};
      Tensor loss = at::zeros({}, run.options());
      for (int step = 0; step < 3; ++step) {
        loss = loss + f({run.random({4, 8})})[0].square().mean();
      }
      loss.backward();
      run.see("loss", loss);
      run.see_grad("of_input", of_input);
      run.see_grad("of_state", of_state);
    }
    if (run.graphed()) {
      EXPECT_GE(f.stats().verified, 18U) << f.stats();  // nine calls, each with its backward
      EXPECT_EQ(f.stats().differences, 0U) << f.stats();
    }
  });
  EXPECT_EQ(warnings_.count(), 0U) << warnings_.all();
}

// Neither the callable nor the sample that was made for the call's size is there when the backward comes.
TEST_P(Verified, ACallableThatEndsBeforeItsBackward) {
  settings of_any_size;
  of_any_size.any = 4;
  const Tensor w = at::ones({4}, at::TensorOptions(device())).requires_grad_();
  Tensor y;
  {
    test_callable f({{"x", {B, 4}, at::kFloat, true}}, [=](tensor_list& in) { return tensor_list{in[0] * w}; }, of_any_size);
    for (int64_t size = 1; size < 4; ++size) {
      for (int call = 0; call < 4; ++call) {
        y = f({at::full({size, 4}, 2.0, at::TensorOptions(device())).requires_grad_()})[0];
      }
    }
    EXPECT_EQ(f.stats().verified, 3U) << f.stats();
  }
  y.sum().backward();
  EXPECT_TRUE(same_bits(w.grad(), at::full({4}, 6.0, w.options().requires_grad(false))));
  EXPECT_EQ(warnings_.count(), 0U) << warnings_.all();
}

TEST_P(VerifiedAtTimes, TheFirstNAndEveryNth) {
  test_callable f(arguments, layer);
  const Tensor x = at::ones({16, 8}, at::TensorOptions(device()));
  const c10::AutoGradMode no_grad(false);
  for (int call = 0; call < 2 + 10; ++call) {
    f({x});
  }
  EXPECT_EQ(f.stats().verified, 3U + 2U) << f.stats();  // of the nine after the capture: 0, 1, 2, and 3, 6
}

}  // namespace
