// SPDX-License-Identifier: Apache-2.0
//
// What changes from call to call in bodies of graphed::if_else and graphed::while_loop, or by them, without an operator.
#include "support/autocast.h"
#include "support/flow.h"
#include "support/warnings.h"

#include <graphed/optim.h>

#include <string>
#include <utility>

namespace flow_state_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(FlowState);

// By no operator. Which bodies the warm-ups run makes no difference.
TEST_P(FlowState, AVariableThatGetsAnotherTensorOrNumberEndsTheCapture) {
  const named cases[] = {
      {"one of two tensors",
       [](const Tensor& x, const Tensor&) {
         const Tensor a = x * 1, b = x * 7;
         Tensor c;
         if_else(x[0][0] > 0, [&] { c = a; }, [&] { c = b; });
         return c * 2;
       }},
      {"one of two rows",
       [](const Tensor& x, const Tensor&) {
         const Tensor a = x * 3, first = a[0], second = a[1];
         Tensor c;
         if_else(x[0][0] > 0, [&] { c = first; }, [&] { c = second; });
         return c * 2;
       }},
      {"a number",
       [](const Tensor& x, const Tensor&) {
         int number = 0;
         if_else(x[0][0] > 0, [&] { number = 2; }, [&] { number = 3; });
         return x * number;
       }},
      {"one of two tensors, which is returned",
       [](const Tensor& x, const Tensor&) {
         const Tensor a = x * 1, b = x * 7;
         Tensor c;
         if_else(x[0][0] > 0, [&] { c = a; }, [&] { c = b; });
         return c;
       }},
      {"one of two tensors, which a loop begins with",
       [](const Tensor& x, const Tensor&) {
         const Tensor a = x * 1, b = x * 7;
         Tensor c;
         if_else(x[0][0] > 0, [&] { c = a; }, [&] { c = b; });
         return while_loop([](const Tensor& y) { return y.abs().sum() < 50; }, [](const Tensor& y) { return y * 2; }, c, 9);
       }},
      {"one of two tensors, which a body returns",
       [](const Tensor& x, const Tensor&) {
         const Tensor a = x * 1, b = x * 7;
         Tensor c;
         if_else(x[0][0] > 0, [&] { c = a; }, [&] { c = b; });
         return if_else(x[0][1].abs() > 0, [&] { return c; }, [&] { return x; });
       }},
      {"one of two predicates",
       [](const Tensor& x, const Tensor&) {
         const Tensor a = x[0][0] > 0.3, b = x[0][1] > 0.3;
         Tensor c;
         if_else(x[0][0] > 0, [&] { c = a; }, [&] { c = b; });
         return if_else(c, [&] { return x * 2; }, [&] { return x * 3; });
       }},
      {"whether there is one",
       [](const Tensor& x, const Tensor&) {
         const Tensor a = x * 1;
         Tensor c;
         if_else(x[0][0] > 0, [&] { c = a; }, [&] { c.reset(); });
         return c.defined() ? c + 1 : x * 9;
       }},
  };
  for (const auto& [name, body] : cases) {
    for (int first = 0; first < 4; ++first) {
      SCOPED_TRACE(std::string(name) + ", " + std::to_string(first));
      expect_same([&body = body, first](scenario& run) {
        subject callable(run, {{"x", {2, 2}}}, [&](tensor_list& in) { return tensor_list{body(in[0], in[0])}; });
        for (int call = 0; call < calls; ++call) {
          const bool is_positive = call < 2 ? (first >> call) % 2 != 0 : call % 2 == 0;
          const Tensor x = run.random({2, 2}).abs() + 0.1;
          run.see("y", callable({is_positive ? x : -x}));
        }
        callable.expect_replays(0);
      });
    }
  }
}

TEST_P(FlowState, AVariableThatGetsAnotherArgumentEndsTheCapture) {
  for (const bool is_returned : {true, false}) {
    for (int first = 0; first < 4; ++first) {
      SCOPED_TRACE(std::to_string(is_returned) + ", " + std::to_string(first));
      expect_same([=](scenario& run) {
        subject callable(run, {{"x", {2}}, {"y", {2}}}, [=](tensor_list& in) {
          Tensor chosen;
          if_else(in[0][0] > 0, [&] { chosen = in[0]; }, [&] { chosen = in[1]; });
          return tensor_list{is_returned ? chosen : chosen * 2};
        });
        for (int call = 0; call < calls; ++call) {
          const bool is_positive = call < 2 ? (first >> call) % 2 != 0 : call % 2 == 0;
          const Tensor all = run.random({2, 2}).abs() + 0.1;  // the arguments show parts of it in every third call
          const Tensor x = is_positive ? all[0] : -all[0];
          run.see("result", callable({call % 3 == 0 ? x : x.clone(), all[1].clone()}));
        }
        callable.expect_replays(0);
      });
    }
  }
}

// Parts of some memory, at other places in each call.
TEST_P(FlowState, ArgumentsThatAreParts) {
  expect_same([](scenario& run) {
    subject callable(run, {{"x", {2}}, {"y", {2}}}, [](tensor_list& in) {
      return tensor_list{if_else(in[0][0] > 0, [&] { return in[0] * in[1]; }, [&] { return in[1] - 1; }) + in[0]};
    });
    const Tensor all = run.random({calls + 1, 2});
    for (int call = 0; call < calls; ++call) {
      run.see("of one", callable({all[call], all[call + 1]}));
      run.see("of another one", callable({all[call].clone(), all[call + 1]}));
    }
    callable.expect_replays(2 * calls - 2);
  });
}

TEST_P(FlowState, WhatAnIterationLeavesForTheNextEndsTheCapture) {
  const std::pair<named, const char*> cases[] = {
      {{"two buffers that take turns",
        [](const Tensor& x, const Tensor&) {
          Tensor a = x * 1, b = x * 7;
          const Tensor n = while_loop([](const Tensor& k) { return k < 2; },
                                      [&](const Tensor& k) {
                                        a.copy_(b.sin());
                                        std::swap(a, b);
                                        return k + 1;
                                      },
                                      at::zeros({}, x.options()), 9);
          return a - b + n;
        }},
       "takes a tensor of shape [2, 2] that the callable has made, and took a different one in the first iteration of a loop"},
      {{"a number",
        [](const Tensor& x, const Tensor&) {
          double factor = 1;
          return while_loop([](const Tensor& y) { return y.abs().sum() < 1e3; }, [&](const Tensor& y) { return y * (factor += 1); }, x, 20);
        }},
       "and took 2. in the first iteration of a loop"},
      {{"which branch comes next",
        [](const Tensor& x, const Tensor&) {
          int turn = 0;
          return while_loop([](const Tensor& y) { return y.abs().sum() > 1e-3; },
                            [&](const Tensor& y) { return ++turn % 2 == 0 ? y * 0.5 : y - y * 0.25; }, x, 3);
        }},
       "and took 0.25 in the first iteration of a loop"},
  };
  for (const auto& [which, words] : cases) {
    SCOPED_TRACE(which.name);
    const collected_warnings warnings;
    expect_same([&body = which.body](scenario& run) { see_calls(run, body, /*is_captured=*/false); });
    EXPECT_EQ(warnings.count({words, "part of the loop's state", "test_callable", "the original function runs"}), 1U) << warnings.all();
  }
}

TEST_P(FlowState, AMemberThatABodyAssignsEndsTheCapture) {
  const collected_warnings warnings;
  expect_same([](scenario& run) {
    const Tensor weight = run.leaf({2});
    subject step(
        run, {{"x", {2}}},
        [&weight](tensor_list& in) {
          const Tensor y = in[0] * 3;
          if_else(y[0] > 0, [&] { weight.mutable_grad() = y * 2; }, [&] { weight.mutable_grad() = y * 3; });
          const c10::NoGradGuard no_grad;
          weight.mul_(0.5);
          return tensor_list{y};
        },
        of_a_step());
    for (int call = 0; call < calls; ++call) {
      run.see("y", step({run.random({2})}));
      run.see_grad("weight", weight);
    }
    step.expect_replays(0);
  });
  EXPECT_EQ(warnings.count({"in a member or a .grad, a tensor that a body of graphed::if_else or graphed::while_loop has made",
                            "the original function runs"}),
            1U)
      << warnings.all();
}

TEST_P(FlowState, AGradThatABodyReplacesEndsTheCapture) {
  for (int first = 0; first < 4; ++first) {
    SCOPED_TRACE(first);
    const collected_warnings warnings;
    expect_same([first](scenario& run) {
      const Tensor weight = run.leaf({2});
      weight.mutable_grad() = at::zeros({2}, run.options());
      subject step(
          run, {{"x", {2}}},
          [&weight](tensor_list& in) {
            const Tensor loss = (in[0] * weight).exp().sum();
            if_else(in[0][0] > 0, [&] { weight.mutable_grad().reset(); }, [] {});
            loss.backward();
            return tensor_list{loss.detach()};
          },
          of_a_step());
      for (int call = 0; call < calls; ++call) {
        const bool is_positive = call < 2 ? (first >> call) % 2 != 0 : call % 2 == 0;
        const Tensor x = run.random({2}).abs() + 0.1;
        run.see("loss", step({is_positive ? x : -x}));
        run.see("grad", weight.grad());
      }
      step.expect_replays(0);
    });
    EXPECT_GE(warnings.count({"test_callable", "the original function runs"}), 1U) << warnings.all();
    if (first == 3) {
      EXPECT_EQ(warnings.count({"gives a tensor of shape [2] another .grad, or none", "zero_grad(/*set_to_none=*/false)"}), 1U)
          << warnings.all();
    }
  }
}

TEST_P(FlowState, AGradWhoseValuesABodyWrites) {
  expect_same([](scenario& run) {
    const Tensor weight = run.leaf({2});
    weight.mutable_grad() = at::zeros({2}, run.options());
    subject step(
        run, {{"x", {2}}},
        [&weight](tensor_list& in) {
          if_else(in[0][0] > 0, [&] { weight.mutable_grad().zero_(); }, [] {});
          const Tensor loss = (in[0] * weight).exp().sum();
          loss.backward();
          return tensor_list{loss.detach()};
        },
        of_a_step());
    for (int call = 0; call < calls; ++call) {
      run.see("loss", step({run.random({2})}));
      run.see("grad", weight.grad());
    }
    step.expect_replays(calls - 2);
  });
}

TEST_P(FlowState, ALoopOfOtherLengthInEachCallEndsTheCapture) {
  const collected_warnings warnings;
  expect_same([](scenario& run) {
    int64_t at_most = 0;
    subject callable(run, {{"x", {2}}}, [&](tensor_list& in) {
      return tensor_list{
          while_loop([](const Tensor& y) { return y.sum() < 100; }, [](const Tensor& y) { return y + 1; }, in[0], ++at_most)};
    });
    for (int call = 0; call < calls; ++call) {
      at_most = call % 4;
      run.see("y", callable({run.random({2})}));
    }
    callable.expect_replays(0);
  });
  EXPECT_EQ(warnings.count({"graphed::while_loop takes the number", "in the call before", "a number marked `live` or `key`"}), 1U)
      << warnings.all();
}

// One warm-up comes to each body, so that the capture alone shows it. Further tries would run host code that counts once more each.
TEST_P(FlowState, ANumberThatChangesBetweenAWarmUpAndTheCapture) {
  const collected_warnings warnings;
  expect_same([](scenario& run) {
    double number = 0;
    Tensor sum;
    subject callable(run, {{"x", {2}}}, [&](tensor_list& in) {
      return tensor_list{if_else(
          in[0][0] > 0,
          [&] {
            sum = sum.defined() ? sum : at::ones_like(in[0]);  // by the first visit alone
            return in[0] * number;
          },
          [&] { return -in[0]; })};
    });
    for (int call = 0; call < calls; ++call) {
      number = call + 1;
      const Tensor x = run.random({2}).abs();
      run.see("y", callable({call % 2 == 0 ? x : -x}));
    }
    callable.expect_replays(0);
    EXPECT_EQ(callable.stats().failed_captures, run.graphed() ? 1U : 0U);
  });
  EXPECT_EQ(warnings.count({"takes the number 3", "and took 1", "in a call before", "a number marked `live` or `key`"}), 1U)
      << warnings.all();
}

// The numbers of the warm-ups are not those of the capture that comes after.
TEST_P(FlowState, WhatOthersReplaceIsCapturedAgain) {
  expect_same([](scenario& run) {
    const Tensor weight = run.leaf({2});
    graphed::optim::SGD optimizer({weight}, 0.1);
    subject step(
        run, {{"x", {2}}},
        [&](tensor_list& in) {
          optimizer.zero_grad();
          (in[0] * weight).exp().sum().backward();
          if_else(in[0][0] > 0, [&] { optimizer.step(); }, [] {});
          return tensor_list{weight.detach() * 2};
        },
        of_a_step());
    const Tensor factor = run.random({2});
    subject callable(run, {{"x", {2}}}, [&](tensor_list& in) {
      return tensor_list{if_else(in[0].sum() > 0, [&] { return in[0] * factor; }, [&] { return in[0] - factor; }) + factor};
    });
    for (int call = 0; call < 3 * calls; ++call) {
      if (call == calls) {
        factor.set_data(factor * 2);
        static_cast<torch::optim::SGDOptions&>(optimizer.param_groups()[0].options()).weight_decay(0.5);
      }
      run.see("weight", step({run.random({2})}));
      run.see("y", callable({run.random({2})}));
    }
    callable.expect_captures(2);
    step.expect_captures(2);
  });
}

TEST_P(FlowState, AGradModeThatABodyLeavesEndsTheCapture) {
  const collected_warnings warnings;
  expect_same([](scenario& run) {
    const Tensor weight = run.leaf({2});
    subject callable(run, {{"x", {2}}}, [&weight](tensor_list& in) {
      const c10::AutoGradMode put_back(true);
      const Tensor y = if_else(
          in[0][0] > 0,
          [&] {
            c10::GradMode::set_enabled(false);
            return in[0] * 2;
          },
          [&] { return in[0] * 3; });
      return tensor_list{y * weight};
    });
    for (int call = 0; call < calls; ++call) {
      run.see("y", callable({run.random({2})}));
    }
    callable.expect_replays(0);
  });
  EXPECT_EQ(warnings.count({"leaves grad mode changed", "set it by a guard", "the original function runs"}), 1U) << warnings.all();
}

// Autocast caches casts of weights: each body has its own.
TEST_P(FlowState, AWeightThatAutocastCastsInBodies) {
  expect_same([](scenario& run) {
    const Tensor weight = run.leaf({4, 4});
    const auto type = run.device().type();
    subject callable(run, {{"x", {4, 4}}}, [&](tensor_list& in) {
      const Tensor y = if_else(in[0][0][0] > 0, [&] { return in[0].mm(weight); }, [&] { return (in[0] * 2).mm(weight).mm(weight); });
      return tensor_list{y.mm(weight)};
    });
    subject loop(run, {{"x", {4, 4}}}, [&](tensor_list& in) {
      const c10::NoGradGuard no_history;
      return tensor_list{while_loop([&](const Tensor& y) { return y.abs().max() < 100; },
                                    [&](const Tensor& y) { return y.mm(weight).to(at::kFloat) * 3; }, in[0], 5)};
    });
    for (int call = 0; call < calls; ++call) {
      const autocast lower(type, at::kBFloat16);
      const Tensor x = run.random({4, 4});
      const Tensor y = callable({x})[0];
      run.see("y", y);
      y.sum().backward();
      run.see_grad("weight", weight);
      run.see("loop", loop({x}));
    }
    callable.expect_replays(calls - 2, calls - 2);
    loop.expect_replays(calls - 2);
  });
}

}  // namespace flow_state_test
