// SPDX-License-Identifier: Apache-2.0
//
// What no body of graphed::if_else and graphed::while_loop can hold, and bodies that fail.
#include "support/device_test.h"
#include "support/warnings.h"

#include <graphed/control_flow.h>
#include <graphed/host.h>

#include <c10/core/CachingDeviceAllocator.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace flow_failure_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(FlowFailure);

constexpr int calls = 10;

TEST_P(FlowFailure, OtherShapesAreAnError) {
  const collected_warnings warnings;
  expect_same([](scenario& run) {
    subject callable(run, {{"x", {2}}}, [](tensor_list& in) {
      return tensor_list{if_else(in[0][0] > 0, [&] { return in[0] * 2; }, [&] { return in[0].sum().to(at::kDouble); })};
    });
    for (int call = 0; call < calls; ++call) {
      run.see("results", callable({run.random({2})}));
    }
    callable.expect_replays(0);
  });
  const std::string where = device().str();
  EXPECT_EQ(
      warnings.count({"failed at operator graphed::if_else, in ", "flow_failure_test.cpp:",
                      "graphed::if_else: result 0: expected f32[2] on " + where + ", as the first body returns, got f64[] on " + where,
                      link_to("how-to/control-flow.md"), "the original function runs"}),
      1U)
      << warnings.all();
}

TEST_P(FlowFailure, OtherStridesAreNotCaptured) {
  const collected_warnings warnings;
  const std::function<Tensor(const Tensor&)> bodies[] = {
      [](const Tensor& x) { return if_else(x[0][0] > 0, [&] { return x * 2; }, [&] { return x.t() + 1; }); },
      [](const Tensor& x) {
        return while_loop([](const Tensor& y) { return y.sum() < 9; }, [](const Tensor& y) { return y.t() + 1; }, x, 5);
      }};
  for (const auto& body : bodies) {
    expect_same([&](scenario& run) {
      subject callable(run, {{"x", {3, 3}}}, [&](tensor_list& in) { return tensor_list{body(in[0])}; });
      for (int call = 0; call < calls; ++call) {
        run.see("results", callable({run.random({3, 3})}));
      }
      callable.expect_replays(0);
    });
  }
  EXPECT_EQ(
      warnings.count({"graphed::if_else: result 0: expected strides [3, 1], as the first body returns, got [1, 3]: return contiguous()"}),
      1U)
      << warnings.all();
  EXPECT_EQ(warnings.count({"graphed::while_loop: result 0: expected strides [3, 1], as the state has them, got [1, 3]"}), 1U)
      << warnings.all();
}

TEST_P(FlowFailure, RandomNumbersHostPartsAndReadsAreRefused) {
  const collected_warnings warnings;
  const std::pair<const char*, std::function<Tensor(const Tensor&)>> refused[] = {
      {"draws random numbers", [](const Tensor& x) { return x + at::rand_like(x); }},
      {"is a host part", [](const Tensor& x) { return host([x] { return x * 2; }); }},
      {"_local_scalar_dense", [](const Tensor& x) { return x * x[0].item<float>(); }}};
  for (const auto& [words, body] : refused) {
    expect_same([&body = body](scenario& run) {
      subject callable(run, {{"x", {2}}}, [&body](tensor_list& in) {
        return tensor_list{if_else(in[0][0] > 0, [&] { return in[0] * 2; }, [&] { return body(in[0]); })};
      });
      for (int call = 0; call < calls; ++call) {
        run.see("results", callable({run.random({2})}));
      }
      callable.expect_replays(0);
    });
    EXPECT_GE(warnings.count({words, "test_callable", "flow_failure_test.cpp", "the original function runs"}), 1U)
        << words << warnings.all();
  }
}

TEST_P(FlowFailure, ANumberThatChangesInABodyIsNotCaptured) {
  const collected_warnings warnings;
  expect_same([](scenario& run) {
    double number = 0;
    subject callable(run, {{"x", {2}}}, [&number](tensor_list& in) {
      return tensor_list{if_else(in[0].sum() < 100, [&] { return in[0] * number; }, [&] { return in[0] * 2; })};
    });
    for (int call = 0; call < calls; ++call) {
      number = call;
      run.see("results", callable({run.random({2})}));
    }
    callable.expect_replays(0);
  });
  EXPECT_GE(warnings.count({"operator aten::mul.Scalar takes the number"}), 1U) << warnings.all();
}

// In its second body: the process goes on, the call is an eager one, and a later capture works.
TEST_P(FlowFailure, AFailureInTheSecondBody) {
  const collected_warnings warnings;
  expect_same([](scenario& run) {
    bool fails = true;
    int runs = 0;
    subject callable(run, {{"x", {2}}}, [&](tensor_list& in) {
      const Tensor y = if_else(in[0].sum() < 100, [&] { return in[0] * 3; }, [&] { return in[0] * 4; });
      return tensor_list{if_else(
                             y.sum() < 100, [&] { return y + 1; },
                             [&] {
                               ++runs;
                               const Tensor z = y - 1;
                               if (fails) {
                                 throw std::runtime_error("the second body fails");
                               }
                               return z;
                             }) *
                         y};
    });
    for (int call = 0; call < 2 * calls; ++call) {
      run.see("results", callable({run.random({2})}));
      fails = call < 2;
    }
    callable.expect_replays(2 * calls - 3);
    EXPECT_EQ(runs, run.graphed() ? 2 : 0);
    EXPECT_EQ(callable.stats().failed_captures, run.graphed() ? 1U : 0U);
  });
  EXPECT_EQ(warnings.count({"the second body fails", "the original function runs"}), 1U) << warnings.all();
}

int64_t allocated_bytes(c10::Device device) {
  return device.is_cpu() ? 0 : at::getDeviceAllocator(device.type())->getDeviceStats(device.index()).allocated_bytes[0].current;
}

TEST_P(FlowFailure, FailuresLeaveNothingBehind) {
  const collected_warnings warnings;
  const auto fail = [this] {
    scenario run(device(), /*graphed=*/true);
    subject callable(run, {{"x", {64, 64}}}, [](tensor_list& in) {
      const Tensor y = if_else(in[0][0][0] > 0, [&] { return in[0].mm(in[0]); }, [&] { return in[0] + 1; });
      return tensor_list{if_else(in[0][0][0] > 100, [&] { return y + 1; }, [&] { return y.sum().item<float>() > 0 ? y * 2 : y * 3; })};
    });
    for (int call = 0; call < 4; ++call) {
      const Tensor x = run.random({64, 64}), y = callable({x})[0];
      EXPECT_EQ(y.sizes(), x.sizes());
    }
    EXPECT_GE(callable.stats().failed_captures, 1U);
  };
  fail();
  const int64_t before = allocated_bytes(device());
  for (int i = 0; i < 20; ++i) {
    fail();
  }
  EXPECT_EQ(allocated_bytes(device()), before);
}

TEST_P(FlowFailure, WhatAnEagerBodyThrowsEndsTheCall) {
  const Tensor x = at::ones({2}, device());
  EXPECT_THROW(if_else(x[0] > 0, []() -> Tensor { throw std::runtime_error("no"); }, [&] { return x; }), std::runtime_error);
  EXPECT_TRUE(if_else(x[0] > 2, [&] { return x; }, [&] { return x + 1; }).equal(x + 1));
}

// Eager calls go on without the branch; a graph cannot.
TEST_P(FlowFailure, ACallableThatCatchesWhatABodyThrowsIsNotCaptured) {
  const collected_warnings warnings;
  expect_same([](scenario& run) {
    subject callable(run, {{"x", {2}}}, [](tensor_list& in) {
      try {
        return tensor_list{if_else(in[0].sum() < 100, [&] { return in[0] + 1; }, []() -> Tensor { throw std::runtime_error("not so"); })};
      } catch (const std::runtime_error&) {
        return tensor_list{in[0] * 2};
      }
    });
    for (int call = 0; call < calls; ++call) {
      run.see("results", callable({run.random({2})}));
    }
    callable.expect_replays(0);
  });
  EXPECT_GE(warnings.count({"not so", "the original function runs"}), 1U) << warnings.all();
}

TEST_P(FlowFailure, NorOneThatCatchesWhatIsNoException) {
  const collected_warnings warnings;
  expect_same([](scenario& run) {
    subject callable(run, {{"x", {2}}}, [](tensor_list& in) {
      try {
        return tensor_list{if_else(in[0].sum() < 100, [&] { return in[0] + 1; }, []() -> Tensor { throw 42; })};
      } catch (int) {
        return tensor_list{in[0] * 2};
      }
    });
    for (int call = 0; call < calls; ++call) {
      run.see("results", callable({run.random({2})}));
    }
    callable.expect_replays(0);
  });
  EXPECT_GE(warnings.count({"throws something that is not a std::exception", "the original function runs"}), 1U) << warnings.all();
}

}  // namespace flow_failure_test
