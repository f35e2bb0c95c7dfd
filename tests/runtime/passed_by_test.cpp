// SPDX-License-Identifier: Apache-2.0
//
// Arguments that get no gradient in a backward: what is upstream of them is treated as eager does.
#include "support/seen_calls.h"
#include "support/trained.h"

#include <torch/autograd.h>
#include <torch/cuda.h>

namespace passed_by_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

GRAPHED_DEVICE_TEST_SUITE(PassedBy);

/// Doubles; where it gets no gradient, but is come to, it makes zeros.
struct zero_maker : torch::autograd::Function<zero_maker> {
  static Tensor forward(AutogradContext* /*context*/, const Tensor& x) { return x * 2; }
  static variable_list backward(AutogradContext* /*context*/, const variable_list& gradients) { return {gradients[0] * 2}; }
};

/// Two arguments with histories of their own, whose hooks see what comes to them. The results have the weight in common, or nothing.
class two_histories {
 public:
  explicit two_histories(scenario& run, bool is_one_part = true, settings settings = {})
      : a(run.leaf({4, 8})),
        b(run.leaf({4, 8})),
        weight(run.leaf({8})),
        f(
            run, {{"h", {4, 8}, at::kFloat, true}, {"k", {4, 8}, at::kFloat, true}},
            [this, is_one_part](tensor_list& in) {
              return tensor_list{(in[0] * weight).tanh(), is_one_part ? (in[1] * weight).exp() : in[1].exp()};
            },
            settings),
        run_(run) {}

  tensor_list operator()() { return (*this)(zero_maker::apply(a), zero_maker::apply(b)); }
  tensor_list operator()(const Tensor& h, const Tensor& k) {
    of_h.watch(h);
    of_k.watch(k);
    return f({h, k});
  }
  void see() {
    run_.see_grad("a.grad", a);
    run_.see_grad("b.grad", b);
    run_.see_grad("weight.grad", weight);
    of_h.take(run_);
    of_k.take(run_);
  }

  const Tensor a, b, weight;
  seen_calls of_h, of_k;
  subject f;

 private:
  scenario& run_;
};

TEST_P(PassedBy, IsNotComeTo) {
  for (const bool is_one_part : {true, false}) {
    for (const settings& chosen : {settings(), in_graph()}) {
      expect_same([&](scenario& run) {
        two_histories call(run, is_one_part, chosen);
        for (std::size_t step = 0; step < 8; ++step) {
          call()[step % 2].sum().backward();
          call.see();
        }
        call.f.expect_replays(6, 6);
      });
    }
  }
}

TEST_P(PassedBy, IsComeToFromTheRestOfTheLoss) {
  for (const bool is_first : {true, false}) {
    expect_same([is_first](scenario& run) {
      two_histories call(run);
      for (int step = 0; step < 6; ++step) {
        const Tensor h = zero_maker::apply(call.a), k = zero_maker::apply(call.b);
        const Tensor before = (k * 3).sum();
        const Tensor result = call(h, k)[0].sum();
        (result + (is_first ? before : (k * 3).sum())).backward();
        call.see();
      }
      call.f.expect_replays(4, 4);
    });
  }
}

// Eager comes to what both come from once, with the sum of what was come to.
TEST_P(PassedBy, SharesWhatItComesFrom) {
  for (const bool is_k_first : {true, false}) {
    expect_same([is_k_first](scenario& run) {
      two_histories call(run);
      seen_calls of_base, of_leaf(call.a);
      for (int step = 0; step < 6; ++step) {
        const Tensor base = zero_maker::apply(call.a);
        of_base.watch(base);
        const Tensor early = is_k_first ? (base * call.b).sigmoid() : Tensor();
        const Tensor h = base.tanh() * base;
        const Tensor k = is_k_first ? early : (base * call.b).sigmoid();
        const Tensor after = (base * 5).sum();
        (call(h, k)[0].sum() + after).backward();
        call.see();
        of_base.take(run);
        of_leaf.take(run);
      }
      call.f.expect_replays(4, 4);
    });
  }
}

TEST_P(PassedBy, ByTwoCallsOfOneLoss) {
  expect_same([](scenario& run) {
    two_histories call(run);
    for (int step = 0; step < 6; ++step) {
      const Tensor h = zero_maker::apply(call.a), k = zero_maker::apply(call.b).tanh();
      const Tensor one = call(h, k)[0], other = call(h * 2, k)[0];
      (one.sum() + other.sum()).backward();
      call.see();
    }
    call.f.expect_replays(10, 10);
  });
}

TEST_P(PassedBy, IsComeToByALaterBackward) {
  for (const bool is_one_part : {true, false}) {
    expect_same([is_one_part](scenario& run) {
      two_histories call(run, is_one_part);
      for (int step = 0; step < 6; ++step) {
        const tensor_list results = call();
        results[0].sum().backward({}, /*retain_graph=*/is_one_part);
        call.see();
        results[1].sum().backward();
        call.see();
      }
      call.f.expect_replays(4, 8);
    });
  }
}

TEST_P(PassedBy, IsComeToAfterABackwardThatFailed) {
  expect_same([](scenario& run) {
    two_histories call(run);
    for (int step = 0; step < 6; ++step) {
      const Tensor h = zero_maker::apply(call.a);
      bool fails = true;
      h.register_hook([&](const Tensor& /*gradient*/) { TORCH_CHECK(!fails, "stop"); });
      const tensor_list results = call(h, zero_maker::apply(call.b));
      EXPECT_TRUE(run.see_error("failed", [&] { results[0].sum().backward({}, /*retain_graph=*/true); }));
      if (!run.device().is_cpu()) {
        torch::cuda::synchronize();  // a backward that throws has the caller's stream wait for no other
      }
      fails = false;
      results[1].sum().backward({}, /*retain_graph=*/true);
      call.see();
      results[0].sum().backward();
      call.see();
    }
    call.f.expect_replays(4, 12);
  });
}

TEST_P(PassedBy, OfChosenGradients) {
  expect_same([](scenario& run) {
    two_histories call(run);
    for (int step = 0; step < 6; ++step) {
      const tensor_list results = call();
      run.see("chosen", torch::autograd::grad({results[0].sum()}, {call.a, call.b}, {}, /*retain_graph=*/true,
                                              /*create_graph=*/false, /*allow_unused=*/true));
      call.see();
      results[1].sum().backward();
      call.see();
    }
    call.f.expect_replays(4, 8);
  });
}

TEST_P(PassedBy, IsAnotherCall) {
  expect_same([](scenario& run) {
    two_histories call(run);
    const Tensor w = run.leaf({8});
    subject before(run, {{"x", {4, 8}, at::kFloat, true}}, [&](tensor_list& in) { return tensor_list{in[0].sin() * w}; });
    for (int step = 0; step < 6; ++step) {
      const Tensor k = before({zero_maker::apply(call.b)})[0];
      call(zero_maker::apply(call.a), k)[0].sum().backward();
      call.see();
      run.see_grad("w", w);
      k.sum().backward();
      call.see();
      run.see_grad("w", w);
    }
    before.expect_replays(4, 4);
  });
}

TEST_P(PassedBy, OneTensorForBoth) {
  expect_same([](scenario& run) {
    two_histories call(run);
    for (int step = 0; step < 6; ++step) {
      const Tensor both = zero_maker::apply(call.a);
      call(both, both)[static_cast<std::size_t>(step % 2)].sum().backward();
      call.see();
    }
    call.f.expect_replays(4, 4);
  });
}

}  // namespace passed_by_test
