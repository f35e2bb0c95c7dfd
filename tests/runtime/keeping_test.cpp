// SPDX-License-Identifier: Apache-2.0
//
// How long outputs and gradients stay valid: keep, alias, clone.
#include "support/device_test.h"

namespace keeping_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Keeping);

const std::vector<argument> arguments{{"x", {16, 8}}};

tensor_list body(tensor_list& in) { return {in[0].tanh()}; }

TEST_P(Keeping, OutputHeldAcrossTenFurtherCalls) {
  expect_same([](scenario& run) {
    subject f(run, arguments, body);
    tensor_list held;
    for (int step = 0; step < 14; ++step) {
      held.push_back(f({run.random({16, 8})})[0]);
    }
    run.see("held", held);
    f.expect_replays(12);
    if (run.graphed()) {
      EXPECT_EQ(f.stats().kept_outputs, 11U);
    }
  });
}

TEST_P(Keeping, DroppedOutputsAreNotMoved) {
  expect_same([](scenario& run) {
    subject f(run, arguments, body);
    for (int step = 0; step < 14; ++step) {
      run.see("y", f({run.random({16, 8})})[0]);
    }
    f.expect_replays(12);
    EXPECT_EQ(f.stats().kept_outputs, 0U);
  });
}

// So the runtime has a reference to it, which use_count() counts.
TEST_P(Keeping, DroppedOutputIsReturnedAgain) {
  const scenario run(device(), true);
  const c10::AutoGradMode no_grad(false);
  subject f(run, arguments, body);
  for (int step = 0; step < 3; ++step) {
    f({run.random({16, 8})});
  }
  Tensor y = f({run.random({16, 8})})[0];
  EXPECT_EQ(y.use_count(), 2U);
  EXPECT_EQ(y.storage().use_count(), 1U);
  const auto* const first = y.unsafeGetTensorImpl();
  y.reset();
  y = f({run.random({16, 8})})[0];
  EXPECT_EQ(y.unsafeGetTensorImpl(), first);
  const Tensor held = y, after = f({run.random({16, 8})})[0];
  EXPECT_FALSE(after.is_same(held));
  EXPECT_EQ(held.storage().use_count(), 1U);
}

TEST_P(Keeping, ViewsOfAnOutputFollow) {
  expect_same([](scenario& run) {
    subject f(run, arguments, body);
    for (int step = 0; step < 4; ++step) {
      f({run.random({16, 8})});
    }
    const Tensor row = f({run.random({16, 8})})[0][3];
    const Tensor transposed = f({run.random({16, 8})})[0].t();
    const Tensor detached = f({run.random({16, 8})})[0].detach();
    for (int step = 0; step < 10; ++step) {
      f({run.random({16, 8})});
    }
    run.see("row", row);
    run.see("transposed", transposed);
    run.see("detached", detached);
  });
}

// Results of calls that no gradient goes through: whatever their last holder did to them, the next are as new.
TEST_P(Keeping, OutputsThatWereChangedAndDropped) {
  expect_same([](scenario& run) {
    subject f(run, arguments, body);
    const auto call = [&] {
      const Tensor y = f({run.random({16, 8})})[0];
      run.see("y", y);
      EXPECT_EQ(y.sizes(), (std::vector<int64_t>{16, 8}));
      EXPECT_EQ(y.strides(), (std::vector<int64_t>{8, 1}));
      EXPECT_EQ(y._version(), 0U);
      EXPECT_FALSE(y.requires_grad());
      EXPECT_FALSE(y.grad().defined());
      return y;
    };
    for (int step = 0; step < 4; ++step) {
      call();
    }
    call().add_(1);
    call().requires_grad_().pow(2).sum().backward();
    call().t_();
    call().resize_({4, 4});
    call().set_data(at::ones({3}, run.options()));
    call().set_(at::ones({3}, run.options()));
    call().unsafeGetTensorImpl()->set_allow_tensor_metadata_change(false);
    const Tensor base = call();
    const Tensor row = call()[3];
    const c10::weak_intrusive_ptr<c10::TensorImpl> weak(call().getIntrusivePtr());
    call().resize_({16, 8});
    run.see("base", base);
    run.see("row", row);
    f.expect_replays(13);
  });
}

TEST_P(Keeping, OutputsThatWereDroppedInInferenceMode) {
  expect_same([](scenario& run) {
    const c10::InferenceMode inference;
    subject f(run, arguments, body);
    for (int step = 0; step < 6; ++step) {
      const Tensor y = f({run.random({16, 8})})[0];
      EXPECT_TRUE(y.is_inference());
      run.see("y", y);
      y.t_();
    }
    f.expect_replays(4);
  });
}

TEST_P(Keeping, OutputSavedByALaterNode) {
  expect_same([](scenario& run) {
    subject f(run, arguments, body);
    const Tensor w = run.leaf({8, 4});
    Tensor loss = at::zeros({}, run.options());
    for (int step = 0; step < 14; ++step) {
      loss = loss + f({run.random({16, 8})})[0].matmul(w).pow(2).sum();
    }
    run.see("loss", loss);
    loss.backward();
    run.see_grad("w.grad", w);
    f.expect_replays(12);
  });
}

TEST_P(Keeping, OutputChangedInPlaceByItsHolder) {
  expect_same([](scenario& run) {
    subject f(run, arguments, body);
    for (int step = 0; step < 4; ++step) {
      f({run.random({16, 8})});
    }
    Tensor y = f({run.random({16, 8})})[0];
    y.add_(1);
    const Tensor next = f({run.random({16, 8})})[0];
    y.mul_(2);
    run.see("y", y);
    run.see("next", next);
    run.see("after", f({run.random({16, 8})})[0]);
  });
}

TEST_P(Keeping, OutputPassedBackAsTheNextInput) {
  expect_same([](scenario& run) {
    subject f(run, arguments, [](tensor_list& in) { return tensor_list{in[0].sin() * 1.5}; });
    Tensor state = run.random({16, 8});
    tensor_list states;
    for (int step = 0; step < 12; ++step) {
      states.push_back(state = f({state})[0]);
    }
    run.see("states", states);
    f.expect_replays(10);
  });
}

/// A cell whose two states go round by `next`, which may hold some.
void expect_state_goes_round(c10::Device device, const std::function<void(scenario&, int, tensor_list&, tensor_list&)>& next,
                             uint64_t moved) {
  expect_same(device, [&](scenario& run) {
    subject f(run, {{"x", {16, 8}}, {"h", {16, 8}}, {"c", {16, 8}}}, [](tensor_list& in) {
      const Tensor c = in[2] * 0.5 + in[0].tanh();
      return tensor_list{in[0].sin() + in[1] * c.tanh(), c};
    });
    tensor_list state{run.random({16, 8}), run.random({16, 8})}, held;
    for (int step = 0; step < 12; ++step) {
      tensor_list made = f({run.random({16, 8}), state[0], state[1]});
      run.see("before", state);
      next(run, step, state, made);
      state = std::move(made);
    }
    run.see("after", state);
    f.expect_replays(10);
    if (run.graphed()) {
      EXPECT_EQ(f.stats().kept_outputs, moved);
      EXPECT_EQ(f.stats().bytes_moved, moved * 512);
    }
  });
}

TEST_P(Keeping, StateThatGoesRoundIsNotMoved) {
  expect_state_goes_round(device(), [](scenario&, int, tensor_list&, tensor_list&) {}, 0);
}
TEST_P(Keeping, StatesThatChangePlaces) {
  expect_state_goes_round(device(), [](scenario&, int, tensor_list&, tensor_list& made) { std::swap(made[0], made[1]); }, 0);
}
TEST_P(Keeping, StateThatIsGivenTwice) {
  expect_state_goes_round(device(), [](scenario&, int, tensor_list&, tensor_list& made) { made[1] = made[0]; }, 0);
}
TEST_P(Keeping, StateThatItsHolderChangesAfterItWentRound) {
  expect_state_goes_round(
      device(),
      [](scenario& run, int, tensor_list& state, tensor_list& made) {
        state[0].add_(1);
        run.see("made", made);
      },
      0);
}
TEST_P(Keeping, StateThatGoesRoundAgain) {
  expect_state_goes_round(
      device(),
      [](scenario&, int step, tensor_list& state, tensor_list& made) {
        if (step % 4 == 3) {
          made = state;
        }
      },
      4);
}
TEST_P(Keeping, StateThatGoesRoundAndIsHeld) {
  tensor_list held;
  expect_state_goes_round(
      device(),
      [&](scenario& run, int step, tensor_list& state, tensor_list&) {
        if (step == 0) {
          held.clear();
        }
        held.push_back(state[0]);
        run.see("held", held);
      },
      8);
}

TEST_P(Keeping, StateThatGoesRoundWithoutItsHistory) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({8, 8});
    subject f(run, {{"x", {16, 8}}, {"h", {16, 8}}, {"w", {8, 8}, at::kFloat, true}},
              [](tensor_list& in) { return tensor_list{(in[0] + in[1].matmul(in[2])).tanh()}; });
    Tensor state = run.random({16, 8});
    for (int step = 0; step < 12; ++step) {
      const Tensor made = f({run.random({16, 8}), state, w})[0];
      made.square().mean().backward();
      run.see("state", state);
      run.see_grad("w.grad", w);
      state = made.detach();
    }
    f.expect_replays(10, 10);
    if (run.graphed()) {
      EXPECT_EQ(f.stats().bytes_moved, 0U);
    }
  });
}

// Its static input may be where the callable that was captured first has temporaries.
TEST_P(Keeping, StateThatGoesRoundBesideAnotherCallableOfItsPool) {
  expect_same([](scenario& run) {
    settings of_one_pool;
    of_one_pool.pool = "a state that goes round";
    subject other(
        run, {{"x", {16, 8}}}, [](tensor_list& in) { return tensor_list{((in[0] * 2).sin() + (in[0] * 3).cos()).tanh()}; }, of_one_pool);
    subject f(run, {{"h", {16, 8}}}, [](tensor_list& in) { return tensor_list{in[0].sin() * 1.5}; }, of_one_pool);
    Tensor state = run.random({16, 8});
    for (int step = 0; step < 10; ++step) {
      const Tensor before = state;
      state = f({before})[0];
      run.see("other", other({run.random({16, 8})}));
      run.see("before", before);
      run.see("state", state);
    }
    f.expect_replays(8);
  });
}

// The earlier one has temporaries where the later one has its result.
TEST_P(Keeping, OutputOfACaptureThatEndsBesideAnEarlierOneOfItsPool) {
  expect_same([](scenario& run) {
    const c10::AutoGradMode no_grad(false);
    settings pooled;
    pooled.pool = "an output outlives its capture";
    subject earlier(
        run, {{"x", {256, 64}}},
        [](tensor_list& in) {
          Tensor y = in[0];
          for (int i = 0; i < 6; ++i) {
            y = (y + 1) * 0.5;
          }
          return tensor_list{y};
        },
        pooled);
    subject later(run, {{"x", {256, 64}}}, [](tensor_list& in) { return tensor_list{in[0] * 3}; }, pooled);
    for (int call = 0; call < 4; ++call) {
      earlier({run.random({256, 64})});
    }
    Tensor held;
    for (int call = 0; call < 4; ++call) {
      held = later({run.random({256, 64})})[0];
    }
    later.reset();
    run.see("of the earlier one", earlier({run.random({256, 64})}));
    run.see("held", held);
  });
}

TEST_P(Keeping, GradientHeldAcrossTenFurtherSteps) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 8}}, {"w", {8, 4}, at::kFloat, true}}, [](tensor_list& in) { return tensor_list{in[0].matmul(in[1])}; });
    const Tensor w = run.leaf({8, 4});
    tensor_list held;
    for (int step = 0; step < 14; ++step) {
      f({run.random({16, 8}), w})[0].pow(2).sum().backward();
      held.push_back(w.grad());
      w.mutable_grad() = Tensor();
    }
    run.see("held", held);
    f.expect_replays(12, 12);
  });
}

TEST_P(Keeping, TwoOutputsHeldApart) {
  expect_same([](scenario& run) {
    subject f(run, arguments, [](tensor_list& in) { return tensor_list{in[0].tanh(), in[0].exp()}; });
    tensor_list held;
    for (int step = 0; step < 10; ++step) {
      held.push_back(f({run.random({16, 8})})[static_cast<std::size_t>(step % 2)]);
    }
    run.see("held", held);
  });
}

TEST_P(Keeping, AliasShowsTheNextCallsResult) {
  scenario run(device(), true);
  subject f(run, arguments, body, {2, OutputPolicy::Alias});
  for (int step = 0; step < 3; ++step) {
    f({run.random({16, 8})});
  }
  const Tensor x = run.random({16, 8}), next = run.random({16, 8});
  const Tensor y = f({x})[0];
  EXPECT_TRUE(same_bits(y, x.tanh()));
  const Tensor after = f({next})[0];
  EXPECT_TRUE(same_bits(y, next.tanh()));
  EXPECT_EQ(y.const_data_ptr(), after.const_data_ptr());
  EXPECT_EQ(f.stats().kept_outputs, 0U);
}

TEST_P(Keeping, AliasTrains) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 8}}, {"w", {8, 4}, at::kFloat, true}},
              [](tensor_list& in) { return tensor_list{in[0].matmul(in[1]).tanh()}; }, {2, OutputPolicy::Alias});
    const Tensor w = run.leaf({8, 4});
    for (int step = 0; step < 6; ++step) {
      const Tensor y = f({run.random({16, 8}), w})[0];
      run.see("y", y);
      y.sum().backward();
      run.see_grad("w.grad", w);
    }
    f.expect_replays(4, 4);
  });
}

TEST_P(Keeping, CloneIsACopyOnEachCall) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 8}}, {"w", {8, 4}, at::kFloat, true}},
              [](tensor_list& in) { return tensor_list{in[0].matmul(in[1]).tanh()}; }, {2, OutputPolicy::Clone});
    const Tensor w = run.leaf({8, 4});
    tensor_list held, gradients;
    for (int step = 0; step < 8; ++step) {
      held.push_back(f({run.random({16, 8}), w})[0]);
      held.back().sum().backward();
      gradients.push_back(w.grad());
      w.mutable_grad() = Tensor();
    }
    run.see("held", held);
    run.see("gradients", gradients);
    f.expect_replays(6, 6);
    EXPECT_EQ(f.stats().kept_outputs, 0U);
  });
}

// Which shares memory until a tensor is written by an operator: a replay is none.
TEST_P(Keeping, LazyCloneOfAnOutput) {
  for (const OutputPolicy policy : {OutputPolicy::Keep, OutputPolicy::Alias, OutputPolicy::Clone}) {
    expect_same([&](scenario& run) {
      const c10::AutoGradMode no_grad(false);
      subject f(run, arguments, body, {2, policy});
      tensor_list clones;
      for (int step = 0; step < 6; ++step) {
        const Tensor y = f({run.random({16, 8})})[0];
        clones.push_back(y._lazy_clone());
        clones.push_back(y.slice(0, 2, 12, 3).t()._lazy_clone());
        y.neg_();
        run.see("y", y);
        clones.front().add_(1);
      }
      run.see("clones", clones);
      f.expect_replays(4);
    });
  }
}

TEST_P(Keeping, LazyCloneOfAnOutputHasAGradient) {
  expect_same([](scenario& run) {
    subject f(run, {{"w", {8, 4}, at::kFloat, true}}, body);
    const Tensor w = run.leaf({8, 4});
    for (int step = 0; step < 4; ++step) {
      f({w})[0]._lazy_clone().pow(2).sum().backward();
      run.see_grad("w.grad", w);
    }
    f.expect_replays(2, 2);
  });
}

TEST_P(Keeping, ClonesShareMemoryAndLieInItAsTheResultsDo) {
  const auto parts = [](tensor_list& in) {
    const Tensor whole = in[0].neg();
    return tensor_list{whole, whole.t(), whole.slice(1, 0, 8, 2), whole[0].expand({3, 8})};
  };
  expect_same([&](scenario& run) {
    subject f(run, arguments, parts, {1, OutputPolicy::Clone});
    for (int step = 0; step < 4; ++step) {
      const tensor_list results = f({run.random({16, 8})});
      results[0].mul_(0.5);
      run.see("results", results);
    }
    f.expect_replays(3);
  });
}

}  // namespace keeping_test
