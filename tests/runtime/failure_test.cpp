// SPDX-License-Identifier: Apache-2.0
//
// Failures inside a capture: the call is eager's call, nothing is left behind, and a later capture works.
#include "support/autocast.h"
#include "support/device_test.h"

#include <graphed/capture.h>
#include <graphed/error.h>

#include <torch/autograd.h>
#include <torch/nn.h>

#include <new>
#include <utility>

namespace failure_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Failure);

const std::vector<argument> arguments{{"x", {16, 8}}};

/// A network with dropout and batch normalisation, whose graphed form fails in the way `sabotage` does on the calls numbered in `when`.
void expect_as_eager(c10::Device device, const std::vector<int>& when, const std::function<void(const Tensor&)>& sabotage,
                     uint64_t captures) {
  expect_same(device, [&](scenario& run) {
    torch::nn::Sequential net(torch::nn::Linear(8, 8), torch::nn::BatchNorm1d(8), torch::nn::Dropout(0.4), torch::nn::Linear(8, 4));
    net->to(run.device());
    int calls = 0;
    subject f(
        run, arguments,
        [&](tensor_list& in) {
          const Tensor y = net->forward(in[0]);
          if (run.graphed() && std::count(when.begin(), when.end(), ++calls) != 0) {
            sabotage(y);
          }
          return tensor_list{y.tanh()};
        },
        {}, net.ptr().get());
    for (int step = 0; step < 9; ++step) {
      const Tensor y = f({run.random({16, 8})})[0];
      run.see("y", y);
      run.see("random", run.random({3}));
      y.pow(2).sum().backward();
      for (const auto& parameter : net->named_parameters()) {
        run.see_grad(parameter.key(), parameter.value());
      }
      for (const auto& buffer : net->named_buffers()) {
        run.see(buffer.key(), buffer.value());
      }
    }
    f.expect_captures(captures);
    if (run.graphed()) {
      EXPECT_EQ(f.stats().failed_captures, f.stats().misses[static_cast<std::size_t>(Miss::CaptureFailed)]);
    }
  });
}

TEST_P(Failure, ExceptionOfTheUsersInTheCapture) {
  expect_as_eager(device(), {3}, [](const Tensor&) { throw std::runtime_error("the user's own"); }, 1);
  EXPECT_EQ(warnings_.count({"test_callable (test.cpp:1)", "aten::", "the user's own"}), 1U) << warnings_.all();
}

TEST_P(Failure, OfACaptureWithoutMemoryIsTriedAgain) {
  bool has_memory = false;
  const auto where = device();
  test_callable f({{"x", {4}}},
                  [&](tensor_list& in) {
                    if (!has_memory && is_current_stream_capturing(where)) {
                      throw c10::OutOfMemoryError({__func__, __FILE__, __LINE__}, "the device is full");
                    }
                    return tensor_list{in[0].tanh()};
                  },
                  {1});
  const Tensor x = at::randn({4}, at::TensorOptions(device()));
  constexpr uint64_t calls = 40;
  for (uint64_t call = 0; call < calls; ++call) {
    EXPECT_TRUE(same_bits(f({x})[0], x.tanh()));
  }
  EXPECT_EQ(f.stats().failed_captures, 7U) << "by calls 2, 3, 5, 8, 13, 22 and 39: " << f.stats();
  EXPECT_EQ(warnings_.count({"the device is full", "later calls try again", link_to("explanation/failure.md")}), 1U) << warnings_.all();
  has_memory = true;
  for (uint64_t call = 0; call < calls; ++call) {
    EXPECT_TRUE(same_bits(f({x})[0], x.tanh()));
  }
  EXPECT_EQ(f.stats().captures, 1U) << f.stats();
  EXPECT_GT(f.stats().replays, 0U) << f.stats();
}

// More often than captures are tried that fail for another reason.
TEST_P(Failure, OfACaptureThatTheAllocatorRefusesIsTriedAgain) {
  int refused = 0;
  const auto where = device();
  test_callable f({{"x", {4}}},
                  [&](tensor_list& in) {
                    if (refused < 4 && is_current_stream_capturing(where)) {
                      ++refused;
                      at::empty({int64_t{1} << 58}, in[0].options());
                    }
                    return tensor_list{in[0].tanh()};
                  },
                  {1});
  const Tensor x = at::randn({4}, at::TensorOptions(device()));
  for (int call = 0; call < 20; ++call) {
    EXPECT_TRUE(same_bits(f({x})[0], x.tanh()));
  }
  EXPECT_EQ(f.stats().failed_captures, 4U) << f.stats();
  EXPECT_EQ(f.stats().captures, 1U) << f.stats();
}

TEST_P(Failure, ExceptionThatIsNoStdException) {
  expect_as_eager(device(), {3}, [](const Tensor&) { throw 42; }, 1);
  EXPECT_EQ(warnings_.count({"test_callable (test.cpp:1)", "not a std::exception"}), 1U) << warnings_.all();
}

TEST_P(Failure, TwiceInARow) {
  expect_as_eager(device(), {3, 5}, [](const Tensor&) { throw std::runtime_error("the user's own"); }, 1);
}

TEST_P(Failure, ItemReadsAValueOnTheHost) {
  expect_as_eager(device(), {3}, [](const Tensor& y) { y.sum().item<float>(); }, 1);
  EXPECT_EQ(warnings_.count({"test_callable (test.cpp:1)", "aten::_local_scalar_dense"}), 1U) << warnings_.all();
}

TEST_P(Failure, ShapeThatDependsOnValues) {
  expect_as_eager(device(), {3}, [](const Tensor& y) { y.nonzero(); }, 1);
  EXPECT_EQ(warnings_.count({"test_callable (test.cpp:1)", "aten::nonzero", link_to("explanation/failure.md")}), 1U) << warnings_.all();
}

TEST_P(Failure, MaskAsAnIndex) {
  expect_as_eager(device(), {3}, [](const Tensor& y) { y.index({y > 0}); }, 1);
}

TEST_P(Failure, OnEveryCallGivesUp) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({8, 8});
    subject f(run, arguments, [&](tensor_list& in) {
      const Tensor y = at::dropout(in[0].matmul(w), 0.3, true);
      return tensor_list{y.sum().item<float>() > 0 ? y * 2 : y};
    });
    for (int step = 0; step < 10; ++step) {
      const Tensor y = f({run.random({16, 8})})[0];
      run.see("y", y);
      y.sum().backward();
      run.see_grad("w.grad", w);
    }
    f.expect_captures(0);
    f.expect_misses(Miss::CaptureFailed, 8);
    if (run.graphed()) {
      EXPECT_EQ(f.stats().failed_captures, 3U);
    }
  });
  EXPECT_EQ(warnings_.count(
                {"test_callable", "captures failed 3 times: no more are tried in the next 1024 calls of their key; reset() starts again" +
                                      link_to("explanation/failure.md")}),
            1U)
      << warnings_.all();
}

// The fourth try comes after 1,024 calls, and then warm-ups, as at first.
TEST_P(Failure, IsForgottenAfterManyCalls) {
  expect_same([](scenario& run) {
    bool reads = true;
    subject f(run, {{"x", {2}}},
              [&](tensor_list& in) { return tensor_list{reads && in[0].sum().item<float>() > 9 ? in[0] * 2 : in[0] * 3}; });
    for (int call = 0; call < 1036; ++call) {
      reads = call < 900;
      run.see("y", f({run.random({2})}));
    }
    f.expect_captures(1);
    f.expect_replays(1036 - 5 - 1024 - 1);
    if (run.graphed()) {
      EXPECT_EQ(f.stats().failed_captures, 3U);
    }
  });
}

TEST_P(Failure, IsToldByTheStatistics) {
  scenario run(device(), true);
  subject f(run, {{"x", {2}}}, [](tensor_list& in) { return tensor_list{in[0] * in[0].sum().item<float>()}; });
  for (int call = 0; call < 6; ++call) {
    f({run.random({2})});
  }
  const Statistics stats = f.stats();
  ASSERT_EQ(stats.capture_failures.size(), 1U) << stats;
  EXPECT_EQ(stats.capture_failures.begin()->second, 3U);
  const std::string& why = stats.capture_failures.begin()->first;
  EXPECT_EQ(why.find("the capture failed at operator aten::_local_scalar_dense"), 0U) << stats;
  EXPECT_NE(f.explain().find(why), std::string::npos) << f.explain();
}

Tensor read_on_the_host(const Tensor& y) { return y * y.sum().item<float>(); }

// Without debug information there are no lines.
TEST_P(Failure, NamesTheFunctions) {
  scenario run(device(), true);
  subject f(run, {{"x", {2}}}, [](tensor_list& in) { return tensor_list{read_on_the_host(in[0])}; });
  for (int call = 0; call < 3; ++call) {
    f({run.random({2})});
  }
  EXPECT_EQ(warnings_.count({"keep the value in a tensor",
                             "), in failure_test::read_on_the_host, called by failure_test::Failure_NamesTheFunctions_Test::TestBody: "}),
            1U)
      << warnings_.all();
}

TEST_P(Failure, ExceptionThatEagerThrowsToo) {
  expect_same([](scenario& run) {
    bool broken = false;
    subject f(run, arguments, [&](tensor_list& in) {
      const Tensor y = at::dropout(in[0], 0.3, true);
      if (broken) {
        throw std::out_of_range("eager's own exception");
      }
      return tensor_list{y};
    });
    for (int step = 0; step < 8; ++step) {
      broken = step == 2 || step == 3;
      bool caught = false;
      try {
        run.see("y", f({run.random({16, 8})}));
      } catch (const std::out_of_range& error) {
        caught = true;
        run.see("error", error.what());
      }
      EXPECT_EQ(caught, broken);
      if (caught) {
        at::manual_seed(11);  // the callable ran twice
      }
    }
    f.expect_captures(1);
  });
}

// More often than captures are tried that fail alone.
TEST_P(Failure, ExceptionsThatEagerThrowsTooEndNoReplays) {
  expect_same([](scenario& run) {
    bool broken = false;
    subject f(run, {{"x", {4}}}, [&](tensor_list& in) {
      if (broken) {
        throw std::out_of_range("eager's own exception");
      }
      return tensor_list{in[0].tanh()};
    });
    for (int step = 0; step < 12; ++step) {
      broken = step >= 2 && step < 7;
      EXPECT_EQ(broken, run.see_error("call", [&] { run.see("y", f({run.random({4})})); }));
    }
    f.expect_captures(1);
    f.expect_replays(5);
  });
  EXPECT_EQ(warnings_.count({"captures failed 3 times"}), 0U) << warnings_.all();
}

TEST_P(Failure, ExceptionInAWarmUp) {
  expect_same([](scenario& run) {
    int calls = 0;
    subject f(run, arguments, [&](tensor_list& in) {
      if (++calls == 2) {
        throw std::runtime_error("in the warm-up");
      }
      return tensor_list{in[0].tanh()};
    });
    for (int step = 0; step < 6; ++step) {
      run.see_error("call", [&] { run.see("y", f({run.random({16, 8})})); });
    }
    if (run.graphed()) {
      EXPECT_GE(f.captures(), 1U);
    }
  });
}

TEST_P(Failure, StrictThrowsACaptureError) {
  scenario run(device(), true);
  bool reads = true;
  subject f(run, arguments,
            [&](tensor_list& in) {
              if (reads) {
                in[0].sum().item<float>();
              }
              return tensor_list{in[0].tanh()};
            },
            {2, OutputPolicy::Keep, /*strict=*/true});
  for (int step = 0; step < 2; ++step) {
    f({run.random({16, 8})});
  }
  try {
    f({run.random({16, 8})});
    ADD_FAILURE() << "no error";
  } catch (const CaptureError& error) {
    EXPECT_NE(std::string(error.what()).find("test_callable (test.cpp:1)"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("aten::_local_scalar_dense"), std::string::npos) << error.what();
  }
  reads = false;
  const Tensor x = run.random({16, 8});
  EXPECT_TRUE(same_bits(f({x})[0], x.tanh()));
  f.expect_captures(1);
}

TEST_P(Failure, StrictBackwardThrowsAndTheCallableGoesOn) {
  scenario run(device(), true);
  bool reads = true;
  subject f(run, {{"x", {16, 8}}, {"w", {8, 8}, at::kFloat, true}},
            [&](tensor_list& in) {
              const Tensor y = in[0].matmul(in[1]);
              y.register_hook([&](const Tensor& gradient) { return reads ? gradient * gradient.sum().item<float>() : gradient; });
              return tensor_list{y.tanh()};
            },
            {2, OutputPolicy::Keep, /*strict=*/true});
  const Tensor w = run.leaf({8, 8});
  for (int step = 0; step < 2; ++step) {
    f({run.random({16, 8}), w})[0].sum().backward();
  }
  EXPECT_THROW(f({run.random({16, 8}), w})[0].sum().backward(), CaptureError);
  reads = false;
  w.mutable_grad() = Tensor();
  const Tensor x = run.random({16, 8});
  f({x, w})[0].sum().backward();
  EXPECT_TRUE(same_bits(w.grad(), torch::autograd::grad({x.matmul(w).tanh().sum()}, {w})[0]));
}

TEST_P(Failure, UnderAutocastLeavesNoCastBehind) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 8}}, {"w", {8, 8}, at::kFloat, true}}, [](tensor_list& in) {
      const Tensor y = in[0].matmul(in[1]);
      return tensor_list{y.sum().item<float>() > 1e30F ? y + 1 : y.tanh()};
    });
    const Tensor w = run.leaf({8, 8});
    for (int step = 0; step < 6; ++step) {
      Tensor y;
      {
        const autocast on(run.device().type(), at::kBFloat16);
        y = f({run.random({16, 8}), w})[0];
      }
      run.see("y", y);
      y.sum().backward();
      run.see_grad("w.grad", w);
    }
  });
}

TEST_P(Failure, OtherCallablesAreNotConcerned) {
  expect_same([](scenario& run) {
    subject good(run, arguments, [](tensor_list& in) { return tensor_list{at::dropout(in[0], 0.5, true)}; });
    subject bad(run, arguments, [](tensor_list& in) { return tensor_list{in[0] * in[0].sum().item<float>()}; });
    for (int step = 0; step < 8; ++step) {
      run.see("good", good({run.random({16, 8})}));
      run.see("bad", bad({run.random({16, 8})}));
    }
    good.expect_replays(6);
    bad.expect_captures(0);
  });
}

/// What a method replaces, and how many looks at it are to throw.
struct watched_memory {
  Tensor h;
  int throwing_looks = 0;
};
constexpr const char* names_of_memory[] = {"h"};
void look_at_memory(WatchedMembers& members, const watched_memory& of) {
  if (of.throwing_looks > 0) {
    --const_cast<watched_memory&>(of).throwing_looks;
    throw std::bad_alloc();
  }
  members.visit<WatchedMember<&watched_memory::h>>(of);
}

// The object is looked at after the callable has run, and once more where that failed.
TEST_P(Failure, LooksAtAnObjectThatThrow) {
  expect_same([](scenario& run) {
    watched_memory memory{at::zeros({16, 8}, run.options())};
    bool is_captured_now = false;
    subject f(run, arguments,
              [&](tensor_list& in) {
                memory.h = memory.h * 0.5 + in[0];
                memory.throwing_looks = run.graphed() && std::exchange(is_captured_now, false) ? 2 : 0;
                return tensor_list{memory.h * 2};
              },
              {}, nullptr, {memory, names_of_memory, look_at_memory});
    for (int step = 0; step < 8; ++step) {
      is_captured_now = step == 2;
      run.see("y", f({run.random({16, 8})}));
      run.see("h", memory.h);
    }
    if (run.graphed() && f.stats().verified == 0) {
      EXPECT_EQ(f.stats().failed_captures, 1U) << f.stats();
      EXPECT_EQ(f.captures(), 1U) << f.stats();
    }
  });
}

}  // namespace failure_test
