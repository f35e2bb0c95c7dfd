// SPDX-License-Identifier: Apache-2.0
//
// Results that live on, die in between, or share memory, while further calls and captures come. Upstream: test_cudagraph_trees.py.
#include "support/device_test.h"

namespace liveness_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Liveness);

const std::vector<argument> four{{"x", {4}}};
const std::vector<argument> square{{"x", {20, 20}}};

tensor_list cubed(tensor_list& in) { return {in[0] * in[0] * in[0]}; }

// test_error_on_dealloc_use: an exception there, still the right values here.
TEST_P(Liveness, ResultReadAfterTheNextCall) {
  expect_same([](scenario& run) {
    subject f(run, four, cubed);
    for (int step = 0; step < 6; ++step) {
      const Tensor first = f({run.random({4})})[0], second = f({run.random({4})})[0];
      run.see("first", first + first);
      f({run.random({4})});
      run.see("second", second + second);
    }
    f.expect_replays(16);
  });
}

// test_error_on_dealloc_use2: the same of detached results.
TEST_P(Liveness, DetachedResultReadAfterTheNextCall) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {4}, at::kFloat, true}}, cubed);
    for (int step = 0; step < 6; ++step) {
      const Tensor first = f({run.leaf({4})})[0].detach(), second = f({run.leaf({4})})[0].detach();
      run.see("first", first + first);
      f({run.leaf({4})});
      run.see("second", second + second);
    }
  });
}

// test_peristed_output_livenes: a result, then only a view of it, keeps the memory; nothing else does.
TEST_P(Liveness, ViewKeepsWhatItsResultKept) {
  scenario run(device(), true);
  subject f(run, four, cubed);
  for (int step = 0; step < 4; ++step) {
    f({run.random({4})});
  }
  EXPECT_EQ(f.stats().kept_outputs, 0U);
  Tensor y = f({run.random({4})})[0];
  const Tensor copy = y.clone();
  Tensor view = y.slice(0, 0);
  y = Tensor();
  f({run.random({4})});
  EXPECT_EQ(f.stats().kept_outputs, 1U);
  EXPECT_TRUE(same_bits(view, copy));
  view = Tensor();
  f({run.random({4})});
  EXPECT_EQ(f.stats().kept_outputs, 1U);
}

// test_execution_into_recording: a warm-up's result lives while the capture comes, the capture's while the replay comes.
TEST_P(Liveness, ResultsOfWarmUpCaptureAndReplayTogether) {
  expect_same([](scenario& run) {
    subject f(run, four, cubed);
    tensor_list held;
    for (int step = 0; step < 5; ++step) {
      held.push_back(f({run.random({4})})[0]);
      run.see("held", held);
    }
    f.expect_replays(3);
  });
}

// test_accumulate_multiple_recordings: one result of each of three callables, of two sizes, dropped in two orders.
TEST_P(Liveness, ResultsOfSeveralCallablesAreDroppedInAnyOrder) {
  expect_same([](scenario& run) {
    subject f(run, four, cubed), g(run, {{"x", {6}}}, cubed), h(run, four, [](tensor_list& in) { return tensor_list{in[0] * 10}; });
    Tensor first, second, third;
    for (int step = 0; step < 8; ++step) {
      first = f({run.random({4})})[0];
      second = g({run.random({6})})[0];
      third = h({run.random({4})})[0];
      (step % 2 == 0 ? first : third) = Tensor();
      run.see("left", {first, second, third});
    }
  });
}

// test_tensor_dies_between_checkpoint: one of two results dies before the other goes into a callable that is captured then.
TEST_P(Liveness, SiblingDiesBeforeTheNextCapture) {
  expect_same([](scenario& run) {
    subject f(run, four, [](tensor_list& in) { return tensor_list{in[0] + 1, in[0] + 2}; }, {0});
    subject g(run, four, cubed, {0});
    for (int step = 0; step < 5; ++step) {
      const Tensor first = f({run.random({4})})[0];
      run.see("cubed", g({first}));
      run.see("first", first);
    }
    f.expect_replays(5);
    g.expect_replays(5);
  });
}

// test_aliased_output_checkpoint: the same, where a sibling and a view of it die.
TEST_P(Liveness, AliasedSiblingsDieBeforeTheNextCapture) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {4, 4}}},
              [](tensor_list& in) {
                const Tensor y = in[0] + 2;
                return tensor_list{in[0] + 1, y, y[0]};
              },
              {0});
    subject g(run, {{"x", {4, 4}}}, cubed, {0});
    for (int step = 0; step < 5; ++step) {
      run.see("cubed", g({f({run.random({4, 4})})[0]}));
    }
  });
}

// test_checkpoint_shared_output_storage_deallocation: two results in one storage, which lives as long as the later of them.
TEST_P(Liveness, TwoResultsInOneStorage) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {2, 2}}}, [](tensor_list& in) {
      const Tensor y = in[0] + 1;
      return tensor_list{y[0], y[1]};
    });
    for (int step = 0; step < 6; ++step) {
      tensor_list y = f({run.random({2, 2})});
      run.see("one storage", y[0].is_alias_of(y[1]));
      f({run.random({2, 2})});
      y[0] = Tensor();
      f({run.random({2, 2})});
      run.see("the other", y[1]);
    }
  });
}

// test_aliased_storage_single_weakref: five results over two storages.
TEST_P(Liveness, FiveResultsInTwoStorages) {
  expect_same([](scenario& run) {
    subject f(run, square, [](tensor_list& in) {
      const Tensor x = in[0] * 20, y = in[0] * 10;
      return tensor_list{x, x[0], x.slice(0, 4), y[0], y.slice(0, 4)};
    });
    for (int step = 0; step < 6; ++step) {
      const tensor_list y = f({run.random({20, 20})});
      for (std::size_t i = 0; i < 5; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          EXPECT_EQ(y[i].is_alias_of(y[j]), (i < 3) == (j < 3)) << i << " and " << j;
        }
      }
      f({run.random({20, 20})});
      run.see("y", y);
    }
  });
}

// test_tensor_no_longer_in_pool: first the other callable's result goes in, then a tensor from elsewhere.
TEST_P(Liveness, InputFromElsewhereAfterAResult) {
  expect_same([](scenario& run) {
    subject f(run, four, [](tensor_list& in) { return tensor_list{in[0] + 1, in[0] + 2}; });
    subject g(run, four, cubed);
    for (int step = 0; step < 8; ++step) {
      const tensor_list y = f({run.random({4})});
      run.see("cubed", g({step % 2 == 0 ? y[0] : at::zeros_like(y[0])}));
    }
    g.expect_captures(1);
    g.expect_replays(6);
  });
}

// test_cleanup: results outlive everything that made them.
TEST_P(Liveness, ResultsAfterResetAndDestruction) {
  expect_same([](scenario& run) {
    tensor_list left;
    for (const bool reset : {true, false}) {
      subject f(run, four, [](tensor_list& in) { return tensor_list{in[0] + 1 + 2, in[0] * 10}; });
      tensor_list y;
      for (int step = 0; step < 4; ++step) {
        y = f({run.random({4})});
      }
      if (reset) {
        f.reset();
        run.see("after reset", f({run.random({4})}));
      }
      left.insert(left.end(), y.begin(), y.end());
    }
    run.random({1000});
    run.see("left", left);
  });
}

// test_forward_backward_not_called: of two graphed forwards only one is followed by its backward.
TEST_P(Liveness, OneBackwardNeverComes) {
  expect_same([](scenario& run) {
    const std::vector<argument> leaf{{"x", {20, 20}, at::kFloat, true}};
    subject f(run, leaf, cubed), g(run, leaf, cubed);
    for (int step = 0; step < 6; ++step) {
      const Tensor x = run.leaf({20, 20}), y = run.leaf({20, 20});
      const Tensor fx = f({x})[0], gy = g({y})[0];
      fx.sum().backward();
      run.see_grad("x.grad", x);
      run.see("y.grad", y.grad());
      run.see("results", {fx, gy});
    }
    f.expect_replays(4, 4);
    g.expect_replays(4, 0);
  });
}

// test_warn_on_pending_backward: forwards whose backwards are still to come, held all the while.
TEST_P(Liveness, PendingBackwards) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {4, 4}, at::kFloat, true}}, cubed);
    std::vector<std::pair<Tensor, Tensor>> pending;
    for (int step = 0; step < 9; ++step) {
      const Tensor x = run.leaf({4, 4});
      pending.emplace_back(x, f({x})[0]);
    }
    for (auto& [x, y] : pending) {
      run.see("y", y);
      y.sum().backward();
      run.see_grad("x.grad", x);
    }
    f.expect_captures(2);
    f.expect_misses(Miss::Slots, 5);
  });
}

// test_forward_generation: g(f(x)), backward, both again without keeping anything, then f without gradients.
TEST_P(Liveness, GenerationsOfForwardsAndBackwards) {
  expect_same([](scenario& run) {
    const std::vector<argument> leaf{{"x", {4, 4}, at::kFloat, true}};
    subject f(run, leaf, cubed), g(run, leaf, [](tensor_list& in) { return tensor_list{in[0] * 12}; });
    const Tensor ones = at::ones({4, 4}, run.options()).requires_grad_();
    for (int step = 0; step < 6; ++step) {
      {
        const Tensor fx = f({ones})[0], gx = g({fx})[0];
        gx.sum().backward();
        run.see("results", {fx, gx});
      }
      run.see_grad("gradient", ones);
      g(f({ones}))[0].sum().backward();
      run.see_grad("gradient", ones);
      run.see("without gradients", f({ones.detach()}));
    }
  });
}

// test_forward_with_skipped_cudagraphed_backward and its twin for graph partition: a gradient whose elements overlap in memory.
TEST_P(Liveness, BackwardFromAnOverlappingGradient) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {20, 20}, at::kFloat, true}}, cubed);
    for (int step = 0; step < 6; ++step) {
      const Tensor x = run.leaf({20, 20});
      const Tensor overlapping = run.random({20}).as_strided({20, 20}, {0, 1});
      f({x})[0].backward(overlapping);
      run.see_grad("x.grad", x);
    }
    f.expect_replays(4, 4);
  });
}

// test_forward_backward: dropout's mask and the sine's argument die in the backward, the result does not.
TEST_P(Liveness, SavedTensorsDieInTheBackward) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {4, 4}, at::kFloat, true}},
              [](tensor_list& in) { return tensor_list{at::sin(in[0] * 2) * at::dropout(in[0], 0.4, true)}; }, {0});
    tensor_list results;
    for (int step = 0; step < 5; ++step) {
      const Tensor x = run.leaf({4, 4});
      results.push_back(f({x})[0]);
      results.back().sum().backward();
      run.see_grad("x.grad", x);
    }
    run.see("results", results);
    f.expect_replays(5, 5);
  });
}

// test_empty_storage: results without elements, one of them a slice of a tensor with elements.
TEST_P(Liveness, ResultsWithoutElements) {
  expect_same([](scenario& run) {
    subject f(run, four, [&](tensor_list& in) {
      return tensor_list{in[0] + in[0] + in[0], at::zeros({0}, run.options()), at::zeros({100}, run.options()).slice(0, 0, 0)};
    });
    tensor_list held;
    for (int step = 0; step < 6; ++step) {
      const tensor_list y = f({run.random({4})});
      held.insert(held.end(), y.begin(), y.end());
    }
    run.see("held", held);
    f.expect_replays(4);
  });
}

// test_empty_storage: an input without elements beside a result that has some.
TEST_P(Liveness, InputWithoutElements) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {0}}}, [&](tensor_list& in) { return tensor_list{in[0] + in[0], at::rand({4}, run.options()) + 10}; });
    tensor_list held;
    for (int step = 0; step < 6; ++step) {
      held.push_back(f({run.random({0})})[1]);
    }
    run.see("held", held);
  });
}

// test_empty_cpu_tensor: a result in host memory without elements beside one on the device.
TEST_P(Liveness, EmptyResultInHostMemory) {
  expect_same([](scenario& run) {
    subject f(run, four, [](tensor_list& in) { return tensor_list{in[0].dot(in[0]), at::empty({0}, at::TensorOptions(at::kCPU))}; });
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({run.random({4})}));
    }
  });
}

TEST_P(Liveness, ResultResizedByItsHolder) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 8}}}, [](tensor_list& in) { return tensor_list{in[0].tanh()}; });
    tensor_list held;
    for (int step = 0; step < 8; ++step) {
      Tensor y = f({run.random({16, 8})})[0];
      if (step % 2 == 0) {
        y.resize_({64, 64});
        y.narrow(0, 2, 62).zero_();
      }
      held.push_back(y);
    }
    run.see("held", held);
  });
}

}  // namespace liveness_test
