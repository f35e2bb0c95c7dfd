// SPDX-License-Identifier: Apache-2.0
//
// What bodies of graphed::if_else and graphed::while_loop make, and what they write of others.
#include "support/flow.h"
#include "support/warnings.h"

#include <graphed/host.h>

#include <torch/csrc/autograd/autograd.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace flow_memory_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(FlowMemory);

TEST_P(FlowMemory, WhatABodyLeavesBehindEndsTheCapture) {
  const named cases[] = {
      {"assigned, then used",
       [](const Tensor& x, const Tensor&) {
         Tensor y = x;
         if_else(x[0][0] > 0, [&] { y = y * 2; }, [&] { y = y * 3; });
         return y + 1;
       }},
      {"assigned, then returned",
       [](const Tensor& x, const Tensor&) {
         Tensor y;
         if_else(x[0][0] > 0, [&] { y = x * 2; }, [&] { y = x * 3; });
         return y;
       }},
      {"assigned by the first body alone",
       [](const Tensor& x, const Tensor&) {
         Tensor y = x;
         if_else(x[0][0] > 0, [&] { y = x * 2; }, [] {});
         return y.sin();
       }},
      {"with a gradient",
       [](const Tensor& x, const Tensor& weight) {
         Tensor y = x.mm(weight);
         if_else(x[0][0] > 0, [&] { y = y * 2; }, [&] { y = y.exp(); });
         return y + weight;
       }},
      {"a view of what was there",
       [](const Tensor& x, const Tensor&) {
         const Tensor y = x * 2;
         Tensor row;
         if_else(x[0][0] > 0, [&] { row = y[0]; }, [&] { row = y[1]; });
         return row + y;
       }},
      {"assigned, and returned otherwise",
       [](const Tensor& x, const Tensor&) {
         std::optional<Tensor> kept;
         const Tensor z = if_else(x[0][0] > 0, [&] { return *(kept = x * 2) + 1; }, [&] { return *(kept = x.exp()) - 1; });
         return z + *kept;
       }},
      {"a body within a body",
       [](const Tensor& x, const Tensor&) {
         Tensor y = x;
         return if_else(
             x[0][0] > 0,
             [&] {
               if_else(x[1][1] > 0, [&] { y = x * 2; }, [&] { y = x * 3; });
               return y + 1;
             },
             [&] { return x * 4; });
       }},
      {"the result of a body within a body",
       [](const Tensor& x, const Tensor&) {
         Tensor kept = x;
         const Tensor z = if_else(
             x[0][0] > 0,
             [&] {
               kept = if_else(x[1][1] > 0, [&] { return x * 2; }, [&] { return x * 3; });
               return kept + 1;
             },
             [&] { return x * 4; });
         return z + kept;
       }},
      {"the state of a loop",
       [](const Tensor& x, const Tensor&) {
         Tensor last;
         const Tensor y = while_loop([](const Tensor& now) { return now.abs().sum() < 50; },
                                     [&](const Tensor& now) {
                                       last = now;
                                       return now * 2 + 1;
                                     },
                                     x, 20);
         return last.defined() ? y - last : y;
       }},
      {"a view of the state of a loop",
       [](const Tensor& x, const Tensor&) {
         Tensor row = x;
         const Tensor y = while_loop([](const Tensor& now) { return now.abs().sum() < 50; },
                                     [&](const Tensor& now) {
                                       row = now[0];
                                       return now * 2 + 1;
                                     },
                                     x, 20);
         return y - row;
       }},
      {"what a loop's condition computes",
       [](const Tensor& x, const Tensor&) {
         Tensor norm;
         return while_loop(
             [&](const Tensor& now) {
               norm = now.norm();
               return norm < 50;
             },
             [&](const Tensor& now) { return now * 2 + norm; }, x, 20);
       }},
      {"the truth that ended a loop",
       [](const Tensor& x, const Tensor&) {
         Tensor goes_on;
         const Tensor y =
             while_loop([&](const Tensor& now) { return goes_on = now.norm() < 2; }, [](const Tensor& now) { return now * 2 + 1; }, x, 20);
         return at::where(goes_on, y, y + 1);
       }},
      {"the norm that ended a loop",
       [](const Tensor& x, const Tensor&) {
         Tensor norm;
         const Tensor y = while_loop(
             [&](const Tensor& now) {
               norm = now.norm();
               return norm < 50;
             },
             [](const Tensor& now) { return now * 2 + 1; }, x, 20);
         return y / norm;
       }},
  };
  for (const auto& [name, body] : cases) {
    SCOPED_TRACE(name);
    const collected_warnings warnings;
    expect_same([&body = body](scenario& run) { see_calls(run, body, /*is_captured=*/false); });
    EXPECT_EQ(warnings.count({"a body of graphed::if_else or graphed::while_loop has made or was given, and has not returned",
                              "test_callable", "the original function runs"}),
              1U)
        << warnings.all();
  }
}

TEST_P(FlowMemory, AWriteThatNoReplayRepeatsEndsTheCapture) {
  const std::pair<named, const char*> cases[] = {{{"of a history",
                                                   [](const Tensor& x, const Tensor& weight) {
                                                     const Tensor y = x.mm(weight);
                                                     if_else(x[0][0] > 0, [&] { y.mul_(2); }, [&] { y.sub_(1); });
                                                     return y * x;
                                                   }},
                                                  "aten::mul_.Scalar writes a tensor from outside"},
                                                 {{"of a view's history",
                                                   [](const Tensor& x, const Tensor& weight) {
                                                     const Tensor y = x.mm(weight);
                                                     if_else(x[0][0] > 0, [&] { y[0].exp_(); }, [] {});
                                                     return y * x;
                                                   }},
                                                  "aten::exp_ writes a tensor from outside"},
                                                 {{"that gives a history",
                                                   [](const Tensor& x, const Tensor& weight) {
                                                     const Tensor y = x * 2;
                                                     if_else(x[0][0] > 0, [&] { y.add_(weight); }, [&] { y.sub_(weight); });
                                                     return y * x;
                                                   }},
                                                  "aten::add_.Tensor writes a tensor from outside"},
                                                 {{"of a shape",
                                                   [](const Tensor& x, const Tensor&) {
                                                     const Tensor y = x * 2;
                                                     if_else(x[0][0] > 0, [&] { y.t_(); }, [] {});
                                                     return y + x;
                                                   }},
                                                  "aten::t_ changes the shape of a tensor from outside"},
                                                 {{"of a shape, as a result",
                                                   [](const Tensor& x, const Tensor&) {
                                                     Tensor y = at::empty({0}, x.options());
                                                     if_else(x[0][0] > 0, [&] { at::exp_out(y, x); }, [] {});
                                                     return at::cat({x.flatten(), y.flatten()}).sum() + x;
                                                   }},
                                                  "aten::exp.out changes the shape of a tensor from outside"},
                                                 {{"of the shape of a view",
                                                   [](const Tensor& x, const Tensor&) {
                                                     const Tensor y = (x * 2).t();
                                                     if_else(x[0][0] > 0, [&] { y.transpose_(0, 1); }, [] {});
                                                     return y + x;
                                                   }},
                                                  "aten::transpose_ changes the shape of a tensor from outside"},
                                                 {{"of a count, in a condition",
                                                   [](const Tensor& x, const Tensor&) {
                                                     const Tensor n = at::zeros({}, x.options());
                                                     const Tensor y = while_loop(
                                                         [&](const Tensor& now) {
                                                           n.add_(1);
                                                           return now.abs().sum() >= 0;
                                                         },
                                                         [](const Tensor& now) { return now * 0.5; }, x, 3);
                                                     return y + n;
                                                   }},
                                                  "aten::add_.Scalar writes a tensor in the condition of graphed::while_loop"},
                                                 {{"of the state, in a condition",
                                                   [](const Tensor& x, const Tensor&) {
                                                     return while_loop(
                                                         [](const Tensor& now) {
                                                           now[0].add_(1);
                                                           return now.abs().sum() >= 0;
                                                         },
                                                         [](const Tensor& now) { return now * 0.5; }, x, 3);
                                                   }},
                                                  "aten::add_.Scalar writes a tensor in the condition of graphed::while_loop"},
                                                 {{"of a count, in a branch of a condition",
                                                   [](const Tensor& x, const Tensor&) {
                                                     const Tensor n = at::zeros({}, x.options());
                                                     const Tensor y = while_loop(
                                                         [&](const Tensor& now) {
                                                           if_else(now.sum() > 0, [&] { n.add_(1); }, [] {});
                                                           return now.abs().sum() >= 0;
                                                         },
                                                         [](const Tensor& now) { return now * 0.5; }, x, 0);
                                                     return y + n;
                                                   }},
                                                  "aten::add_.Scalar writes a tensor in the condition of graphed::while_loop"}};
  for (const auto& [which, words] : cases) {
    SCOPED_TRACE(which.name);
    const collected_warnings warnings;
    expect_same([&body = which.body](scenario& run) { see_calls(run, body, /*is_captured=*/false); });
    EXPECT_EQ(warnings.count({words, "test_callable", "the original function runs"}), 1U) << warnings.all();
  }
}

TEST_P(FlowMemory, WhatABodyMayDo) {
  const named cases[] = {
      {"writes its own, where a gradient goes",
       [](const Tensor& x, const Tensor& weight) {
         return if_else(
             x[0][0] > 0,
             [&] {
               Tensor y = x.mm(weight);
               y.mul_(2);
               y[0].exp_();
               return y.t().contiguous();
             },
             [&] { return (weight * 2).t().contiguous(); });
       }},
      {"has variables of its own",
       [](const Tensor& x, const Tensor& weight) {
         const Tensor z = x.mm(weight);
         return if_else(
                    x[0][0] > 0,
                    [&] {
                      Tensor y = z;
                      for (int i = 0; i < 3; ++i) {
                        y = y.mm(weight);
                      }
                      return y;
                    },
                    [&] { return z.sin(); }) +
                z;
       }},
      {"writes outside without a history",
       [](const Tensor& x, const Tensor& weight) {
         const Tensor count = at::zeros({2}, x.options());
         const Tensor y = if_else(
             x[0][0] > 0,
             [&] {
               count[0].add_(1);
               return x.mm(weight);
             },
             [&] {
               count[1].add_(2);
               {
                 const c10::NoGradGuard values_alone;
                 count.add_(weight[0]);
               }
               return weight * 2;
             });
         return y + count;
       }},
      {"holds others, which use what it has made",
       [](const Tensor& x, const Tensor& weight) {
         return if_else(
             x[0][0] > 0,
             [&] {
               const Tensor y = x.mm(weight), z = y.exp();
               const Tensor inner = if_else(x[1][1] > 0, [&] { return y * z; }, [&] { return z - y; });
               return inner.mm(weight) + z;
             },
             [&] { return weight.clone(); });
       }},
      {"writes what its condition has made",
       [](const Tensor& x, const Tensor&) {
         const c10::NoGradGuard no_grad;
         return while_loop(
             [](const Tensor& now) {
               Tensor sum = now.abs().sum();
               const Tensor scale = if_else(
                   sum > 2,
                   [&] {
                     const Tensor twice = sum * 2;
                     return twice.add_(1);
                   },
                   [&] { return sum + 1; });
               sum.mul_(scale);
               return sum > 0.5;
             },
             [](const Tensor& now) { return now * 0.5; }, x, 50);
       }},
      {"differentiates",
       [](const Tensor& x, const Tensor&) {
         const c10::NoGradGuard outside;
         return while_loop([](const Tensor& now) { return now.abs().sum() > 0.1; },
                           [&](const Tensor& now) {
                             const c10::AutoGradMode inside(true);
                             const Tensor at = now.detach().requires_grad_();
                             const Tensor energy = (at * at).sum() + (at[0] * at[1]).sum();
                             return (now - torch::autograd::grad({energy}, {at})[0] * 0.2).detach();
                           },
                           x, 50);
       }},
  };
  for (const auto& [name, body] : cases) {
    SCOPED_TRACE(name);
    expect_same([&body = body](scenario& run) { see_calls(run, body, /*is_captured=*/true); });
  }
}

// A step holds the backward, whose bodies use what those of the forward have saved.
TEST_P(FlowMemory, TheBackwardOfAStep) {
  expect_same([](scenario& run) {
    const Tensor weight = run.leaf({2, 2});
    subject step(
        run, {{"x", {2, 2}}},
        [&weight](tensor_list& in) {
          const Tensor y = if_else(
              in[0][0][0] > 0,
              [&] {
                const Tensor z = in[0].mm(weight).exp();
                return if_else(in[0][1][1] > 0, [&] { return z.tanh() * z; }, [&] { return z.mm(weight); });
              },
              [&] { return in[0].mm(weight).sigmoid(); });
          weight.mutable_grad().reset();
          const Tensor loss = y.pow(2).mean();
          loss.backward();
          const c10::NoGradGuard no_grad;
          weight.sub_(weight.grad() * 0.1);
          return tensor_list{loss.detach()};
        },
        of_a_step());
    for (int call = 0; call < 2 * calls; ++call) {
      run.see("loss", step({run.random({2, 2})}));
      run.see("weight", weight);
    }
    step.expect_replays(2 * calls - 2);
  });
}

// What the thread runs then is not of that body.
TEST_P(FlowMemory, ACallableThatAnEagerBodyCalls) {
  expect_same([](scenario& run) {
    subject inner(run, {{"x", {2}}}, [](tensor_list& in) {
      const Scalar sum = host([y = in[0] * 2] { return y.sum().item<double>(); });
      return tensor_list{at::relu(in[0]) + sum.like(in[0]) + at::rand_like(in[0])};
    });
    for (int call = 0; call < calls; ++call) {
      const Tensor x = run.random({2});
      run.see("y", if_else(at::ones({}, run.options()), [&] { return inner({x})[0]; }, [&] { return x; }));
    }
    inner.expect_replays(calls - 2);
  });
}

}  // namespace flow_memory_test
