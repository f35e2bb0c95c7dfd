// SPDX-License-Identifier: Apache-2.0
//
// What a callable does beside its operators, and a replay does not do again: hooks, modes, seeds, other threads. The checks of the
// generator that name them (docs/reference/checks) say so before anything runs.
#include "support/device_test.h"

#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>

#include <thread>

namespace lost_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Lost);

const std::vector<argument> arguments{{"x", {16, 8}}};
constexpr int plain_calls = 3;  // two warm-ups, and the capture

TEST_P(Lost, HookOnAMemberIsRegisteredByNoReplay) {
  const scenario run(device(), true);
  const Tensor w = run.leaf({8});
  int registered = 0;
  subject f(run, arguments, [&](tensor_list& in) {
    w.register_hook([](const Tensor& gradient) { return gradient * 2; });
    ++registered;
    return tensor_list{in[0] * w};
  });
  for (int step = 0; step < 6; ++step) {
    w.mutable_grad() = Tensor();
    f({at::ones({16, 8}, run.options())})[0].sum().backward();
  }
  f.expect_replays(4, 4);
  EXPECT_EQ(registered, plain_calls);
  const Tensor of_eager = at::full({8}, 16.0 * 64.0, run.options());  // six hooks
  EXPECT_FALSE(same_bits(w.grad(), of_eager));
}

TEST_P(Lost, RetainedGradientOfAResult) {
  const scenario run(device(), true);
  const Tensor w = run.leaf({8});
  subject f(run, arguments, [&](tensor_list& in) {
    const Tensor y = in[0] * w;
    y.retain_grad();
    return tensor_list{y};
  });
  for (int step = 0; step < 5; ++step) {
    const Tensor y = f({run.random({16, 8})})[0];
    y.sum().backward();
    EXPECT_EQ(y.retains_grad(), step < 2) << step;
  }
  f.expect_replays(3, 3);
}

TEST_P(Lost, GradModeThatIsLeftOff) {
  const scenario run(device(), true);
  subject f(run, arguments, [](tensor_list& in) {
    const Tensor y = in[0] * 2;
    c10::GradMode::set_enabled(false);
    return tensor_list{y};
  });
  for (int step = 0; step < 5; ++step) {
    const c10::AutoGradMode on(true);
    f({run.random({16, 8})});
    EXPECT_EQ(c10::GradMode::is_enabled(), step >= plain_calls) << step;
  }
  f.expect_replays(3);
}

TEST_P(Lost, SeedBeforeADrawEndsTheCapture) {
  if (!device().is_cpu()) {
    return;  // in a CUDA capture LibTorch itself refuses another seed
  }
  expect_same([](scenario& run) {
    subject f(run, arguments, [](tensor_list& in) {
      at::manual_seed(3);
      return tensor_list{in[0] + at::randn_like(in[0])};
    });
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({run.random({16, 8})}));
    }
    f.expect_captures(0);
  });
  EXPECT_EQ(warnings_.count({"sets the state of a random generator"}), 1U) << warnings_.all();
}

TEST_P(Lost, SeedOfAGeneratorOfItsOwn) {
  if (!device().is_cpu()) {
    return;  // on CUDA only the default generator may draw in a capture
  }
  const scenario run(device(), true);
  at::Generator own = at::detail::createCPUGenerator(1), seeded = at::detail::createCPUGenerator(3);
  subject f(run, arguments, [own](tensor_list& in) mutable {
    own.set_current_seed(3);
    return tensor_list{in[0] + at::rand({8}, own)};
  });
  const Tensor x = run.random({16, 8}), of_eager = x + at::rand({8}, seeded);
  for (int step = 0; step < 5; ++step) {
    EXPECT_EQ(same_bits(f({x})[0], of_eager), step < plain_calls) << step;
  }
  f.expect_replays(3);
}

TEST_P(Lost, WorkOfAThread) {
  if (!device().is_cpu()) {
    return;  // what another thread launches on a stream of its own while this one captures has no order
  }
  const scenario run(device(), true);
  subject f(run, arguments, [](tensor_list& in) {
    const Tensor y = at::zeros_like(in[0]);
    std::thread([&] { y.copy_(in[0]); }).join();
    return tensor_list{y + 1};
  });
  for (int step = 0; step < 5; ++step) {
    const Tensor x = run.random({16, 8});
    EXPECT_EQ(same_bits(f({x})[0], x + 1), step < plain_calls) << step;
  }
  f.expect_replays(3);
}

TEST_P(Lost, LoopOverMemory) {
  if (!device().is_cpu()) {
    return;  // the host cannot read a GPU's memory
  }
  const scenario run(device(), true);
  subject f(run, arguments, [](tensor_list& in) {
    const Tensor y = at::zeros_like(in[0]);
    float* to = y.data_ptr<float>();
    const float* from = in[0].data_ptr<float>();
    at::parallel_for(0, y.numel(), 16, [&](int64_t begin, int64_t end) { std::copy(from + begin, from + end, to + begin); });
    return tensor_list{y + 1};
  });
  for (int step = 0; step < 5; ++step) {
    const Tensor x = run.random({16, 8});
    EXPECT_EQ(same_bits(f({x})[0], x + 1), step < plain_calls) << step;
  }
  f.expect_replays(3);
}

TEST_P(Lost, OperatorOfAnotherDeviceEndsTheCapture) {
  if (!device().is_cpu()) {
    return;  // work of the host is frozen there, not refused
  }
  expect_same([](scenario& run) {
    subject f(run, arguments, [](tensor_list& in) {
      const Tensor other = at::empty({3, 4}, at::TensorOptions(at::kMeta));
      return tensor_list{in[0] + other.matmul(other.t()).size(0)};
    });
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({run.random({16, 8})}));
    }
    f.expect_captures(0);
  });
  EXPECT_EQ(warnings_.count({"another device"}), 1U) << warnings_.all();
}

TEST_P(Lost, GradientOfADetachedArgumentIsUndefinedAsInEager) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 8}, at::kFloat, true}}, [](tensor_list& in) { return tensor_list{in[0].detach() * 2}; });
    for (int step = 0; step < 6; ++step) {
      const Tensor y = f({run.leaf({16, 8})})[0];
      run.see("y", y);
      EXPECT_FALSE(y.requires_grad());
    }
    f.expect_replays(4);
  });
}

}  // namespace lost_test
