// SPDX-License-Identifier: Apache-2.0
//
// Failures inside the capture of a backward: the gradients are eager's, and later backwards try again where that may help.
#include "support/device_test.h"

#include <graphed/capture.h>

#include <c10/util/Exception.h>

#include <functional>
#include <stdexcept>

namespace backward_failure_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(BackwardFailure);

TEST_P(BackwardFailure, IsEagersBackward) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 8}}, {"w", {8, 8}, at::kFloat, true}}, [](tensor_list& in) {
      const Tensor y = in[0].matmul(in[1]);
      y.register_hook([](const Tensor& gradient) { return gradient * (gradient.sum().item<float>() > 0 ? 2 : 3); });
      return tensor_list{y.tanh()};
    });
    const Tensor w = run.leaf({8, 8});
    for (int step = 0; step < 8; ++step) {
      const Tensor y = f({run.random({16, 8}), w})[0];
      (step % 2 == 0 ? y.sum() : -y.sum()).backward();
      run.see_grad("w.grad", w);
    }
    f.expect_replays(6, 0);
  });
  EXPECT_EQ(warnings_.count({"test_callable", "backward", "aten::_local_scalar_dense", link_to("explanation/failure.md")}), 1U)
      << warnings_.all();
}

/// A callable whose backward's captures fail as `sabotage` does.
tensor_list with_a_hook(tensor_list& in, const std::function<void(const Tensor& gradient)>& sabotage) {
  const Tensor y = in[0] * in[1];
  y.register_hook([=](const Tensor& gradient) {
    sabotage(gradient);
    return gradient * 2;
  });
  return {y.tanh()};
}

TEST_P(BackwardFailure, WithoutMemoryIsTriedAgain) {
  expect_same([](scenario& run) {
    bool has_memory = false;
    subject f(run, {{"x", {4}}, {"w", {4}, at::kFloat, true}}, [&](tensor_list& in) {
      return with_a_hook(in, [&](const Tensor& gradient) {
        if (!has_memory && is_current_stream_capturing(gradient.device())) {
          throw c10::OutOfMemoryError({__func__, __FILE__, __LINE__}, "the device is full");
        }
      });
    });
    const Tensor w = run.leaf({4});
    constexpr int calls = 42;
    const auto call_all = [&] {
      for (int call = 0; call < calls; ++call) {
        f({run.random({4}), w})[0].sum().backward();
        run.see_grad("w.grad", w);
      }
    };
    call_all();
    if (run.graphed()) {
      EXPECT_EQ(f.stats().failed_captures, 7U) << "by calls 3, 4, 6, 9, 14, 23 and 40: " << f.stats();
      const std::string told = f.explain();
      EXPECT_NE(told.find("a backward by eager autograd: its capture failed"), std::string::npos) << told;
      EXPECT_NE(told.find("the device is full; the next try comes after 30 backwards"), std::string::npos) << told;
    }
    has_memory = true;
    call_all();
    if (run.graphed()) {
      EXPECT_EQ(f.stats().backward_captures, 1U) << f.stats();
      EXPECT_EQ(f.explain().find("by eager autograd"), std::string::npos) << f.explain();
    }
    f.expect_replays(2 * calls - 2, calls - 30);
  });
  EXPECT_EQ(warnings_.count({"the device is full", "later backwards try again", link_to("explanation/failure.md")}), 1U) << warnings_.all();
}

TEST_P(BackwardFailure, ThatTheAllocatorRefusesIsTriedAgain) {
  expect_same([](scenario& run) {
    int refused = 0;
    subject f(run, {{"x", {4}}, {"w", {4}, at::kFloat, true}}, [&](tensor_list& in) {
      return with_a_hook(in, [&](const Tensor& gradient) {
        if (refused < 4 && is_current_stream_capturing(gradient.device())) {
          ++refused;
          at::empty({int64_t{1} << 58}, gradient.options());
        }
      });
    });
    const Tensor w = run.leaf({4});
    for (int call = 0; call < 20; ++call) {
      f({run.random({4}), w})[0].sum().backward();
      run.see_grad("w.grad", w);
    }
    if (run.graphed()) {
      EXPECT_EQ(f.stats().failed_captures, run.device().is_cuda() ? 3U : 4U)
          << "a GPU's first one is made again without branches: " << f.stats();
      EXPECT_EQ(f.stats().backward_captures, 1U) << f.stats();
      EXPECT_GT(f.stats().backward_replays, 0U) << f.stats();
    }
  });
}

TEST_P(BackwardFailure, OfEachGivesUpForAWhile) {
  expect_same([](scenario& run) {
    bool reads = true;
    subject f(run, {{"x", {2}}, {"w", {2}, at::kFloat, true}}, [&](tensor_list& in) {
      return with_a_hook(in, [&](const Tensor& gradient) { static_cast<void>(reads && gradient.sum().item<float>() > 0); });
    });
    const Tensor w = run.leaf({2});
    for (int call = 0; call < 1040; ++call) {
      reads = call < 900;
      f({run.random({2}), w})[0].sum().backward();
      run.see_grad("w.grad", w);
      if (run.graphed() && call == 100) {
        EXPECT_EQ(f.stats().failed_captures, 3U) << f.stats();
        const std::string told = f.explain();
        EXPECT_NE(told.find("no other is tried in the next 928 backwards of the pattern"), std::string::npos) << told;
      }
    }
    f.expect_replays(1038, 1040 - 5 - 1023);
  });
  EXPECT_EQ(warnings_.count({"test_callable", "in its backward captures failed 3 times", link_to("explanation/failure.md")}), 1U)
      << warnings_.all();
}

// Of those that fail, sixteen patterns have tries of their own, and the others share theirs.
TEST_P(BackwardFailure, OfOneTakesNoPlaceOfAnother) {
  expect_same([](scenario& run) {
    constexpr std::size_t count = 6, patterns = std::size_t{1} << count;
    subject f(run, {{"x", {4}}, {"w", {4}, at::kFloat, true}}, [](tensor_list& in) {
      tensor_list results;
      for (std::size_t i = 0; i < count; ++i) {
        results.push_back(
            with_a_hook(in, [=](const Tensor& gradient) { static_cast<void>(i == 0 && gradient.sum().item<float>() > 0); }).front());
      }
      return results;
    });
    const Tensor w = run.leaf({4});
    const auto go_back = [&](std::size_t pattern) {
      const tensor_list results = f({run.random({4}), w});
      Tensor loss = at::zeros({}, run.options());
      for (std::size_t i = 0; i < count; ++i) {
        loss = (pattern >> i) % 2 != 0 ? loss + results[i].sum() : loss;
      }
      loss.backward();
      run.see_grad("w.grad", w);
    };
    const auto go_back_often = [&](std::size_t first, std::size_t end) {
      for (int turn = 0; turn < 5; ++turn) {
        for (std::size_t pattern = first; pattern < end; pattern += 2) {
          go_back(pattern);
        }
      }
    };
    const auto expect = [&](uint64_t failures, uint64_t captures) {
      if (run.graphed()) {
        EXPECT_EQ(f.stats().failed_captures, failures) << f.stats();
        EXPECT_EQ(f.stats().backward_captures, captures) << f.stats();
      }
    };
    go_back_often(1, 31);
    expect(15 * 3, 0);
    go_back_often(2, 18);
    expect(15 * 3, 8);
    go_back_often(31, patterns);
    expect(17 * 3, 8);
  });
  EXPECT_EQ(warnings_.count({"in its backward captures failed 3 times"}), 1U) << warnings_.all();
}

TEST_P(BackwardFailure, ThatEagerHasTooEndsNoReplays) {
  expect_same([](scenario& run) {
    bool broken = false;
    subject f(run, {{"x", {4}}, {"w", {4}, at::kFloat, true}}, [&](tensor_list& in) {
      return with_a_hook(in, [&](const Tensor& /*gradient*/) {
        if (broken) {
          throw std::out_of_range("eager's own exception");
        }
      });
    });
    const Tensor w = run.leaf({4});
    for (int step = 0; step < 12; ++step) {
      broken = step >= 2 && step < 7;
      const Tensor y = f({run.random({4}), w})[0];
      EXPECT_EQ(broken, run.see_error("backward", [&] { y.sum().backward(); }));
      run.see_grad("w.grad", w);
    }
    f.expect_replays(10, 5);
  });
  EXPECT_EQ(warnings_.count({"captures failed 3 times"}), 0U) << warnings_.all();
}

}  // namespace backward_failure_test
