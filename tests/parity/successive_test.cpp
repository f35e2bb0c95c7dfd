// SPDX-License-Identifier: Apache-2.0
//
// Several callables one after the other, mixed with eager work, in the order of their captures and in others.
#include "support/device_test.h"

#include <thread>

namespace successive_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Successive);

const std::vector<argument> vector{{"x", {1000}}};

Tensor with_temporaries(const Tensor& t, double value) {
  const Tensor x = t.clone() + value, y = t.clone() + value;
  return x + y;
}

tensor_list five_times(tensor_list& in) {
  Tensor x = in[0];
  for (int i = 0; i < 5; ++i) {
    x = with_temporaries(x, 1);
  }
  return {x};
}

// test_cuda.py, test_graph_capture_simple and test_accelerator_graph_simple: ten additions to one are eleven.
TEST_P(Successive, ChainOfAdditions) {
  scenario run(device(), true);
  subject f(run, vector, [](tensor_list& in) {
    Tensor b = in[0];
    for (int i = 0; i < 10; ++i) {
      b = b + 1;
    }
    return tensor_list{b};
  });
  for (int step = 0; step < 5; ++step) {
    EXPECT_EQ(f({at::ones({1000}, run.options())})[0].sum().item<float>(), 11000.0F);
  }
  f.expect_replays(3);
}

// test_cuda.py, test_graph_two_successive: one graph goes on from the other's result, eager work between them.
TEST_P(Successive, TwoMixedWithEagerWork) {
  scenario run(device(), true);
  subject first(run, vector, five_times), second(run, vector, five_times);
  for (int step = 0; step < 5; ++step) {
    const Tensor ones = at::ones({1000}, run.options());
    Tensor c = with_temporaries(with_temporaries(ones, 3), 3);
    Tensor b = first({ones})[0];
    c = with_temporaries(with_temporaries(c, 3), 3);
    b = second({b})[0];
    c = with_temporaries(with_temporaries(c, 3), 3);
    EXPECT_EQ(b.sum().item<double>(), 1000.0 * 3070);
    EXPECT_EQ(c.sum().item<double>(), 1000.0 * 442);
  }
  first.expect_replays(3);
  second.expect_replays(3);
}

struct three_callables {
  explicit three_callables(const scenario& run)
      : a(run, vector, [](tensor_list& in) { return tensor_list{in[0] + 1, in[0] + 2}; }),
        b(run, vector, [](tensor_list& in) { return tensor_list{in[0] + 3}; }),
        c(run, vector, [](tensor_list& in) { return tensor_list{in[0] + 4}; }) {}
  subject a, b, c;
};

// test_cuda.py, test_graph_three_successive: in the order of the captures.
TEST_P(Successive, ThreeInTheOrderOfTheirCaptures) {
  expect_same([](scenario& run) {
    three_callables all(run);
    for (int step = 0; step < 6; ++step) {
      const tensor_list y = all.a({run.random({1000})});
      run.see("b", all.b({y[0]}));
      run.see("c", all.c({y[1]}));
    }
  });
}

// test_cuda.py, test_graph_three_successive: in another order, which corrupts what shares a pool there.
TEST_P(Successive, ThreeInAnotherOrder) {
  expect_same([](scenario& run) {
    three_callables all(run);
    for (int step = 0; step < 8; ++step) {
      const tensor_list y = all.a({run.random({1000})});
      if (step % 2 == 1) {
        run.see("c", all.c({y[1]}));
        run.see("b", all.b({y[0]}));
      } else {
        run.see("b", all.b({y[0]}));
        run.see("c", all.c({y[1]}));
      }
      run.see("y", y);
    }
    all.c.expect_replays(6);
  });
}

// test_cuda.py, test_graph_memory_stats_and_use_result_after_destroy_graph: a result is used after its graph is gone.
TEST_P(Successive, ResultsOutliveTheirCallable) {
  expect_same([](scenario& run) {
    for (const int64_t size : {128, 262144, 262272}) {
      Tensor result;
      {
        subject f(run, {{"x", {size}}}, [](tensor_list& in) {
          Tensor b = in[0].clone();
          for (int i = 0; i < 5; ++i) {
            b = b.clone() + 1;
          }
          return tensor_list{b};
        });
        for (int step = 0; step < 4; ++step) {
          result = f({run.random({size})})[0];
        }
        f.expect_replays(2);
      }
      run.random({size});
      run.see("result", result);
    }
  });
}

// test_cuda.py, test_graph_capture_reset_recapture and test_cuda_graph_raw_graph_reset_and_recapture.
TEST_P(Successive, ResetAndCapturedAnew) {
  expect_same([](scenario& run) {
    double step_size = 1;
    subject f(run, vector, [&](tensor_list& in) { return tensor_list{in[0] + step_size}; });
    for (int round = 0; round < 3; ++round) {
      for (int step = 0; step < 5; ++step) {
        run.see("y", f({run.random({1000})}));
      }
      f.expect_captures(1);
      f.reset();
      step_size *= 2;
    }
  });
}

// test_cuda.py, test_graph_warn_if_has_zero_nodes: nothing to do is nothing to warn of here, and the result is the argument itself.
TEST_P(Successive, CallableThatDoesNothing) {
  expect_same([](scenario& run) {
    subject nothing(run, vector, [](tensor_list&) { return tensor_list{}; });
    subject identity(run, vector, [](tensor_list& in) { return tensor_list{in[0]}; });
    for (int step = 0; step < 6; ++step) {
      const Tensor x = run.random({1000});
      EXPECT_TRUE(nothing({x}).empty());
      const Tensor same = identity({x})[0];
      run.see("shares memory", same.is_alias_of(x));
      run.see("same", same);
    }
  });
}

// test_cuda.py, test_graph_capture_oom: the capture gives up, eager's result comes, and a later capture works.
TEST_P(Successive, OutOfMemoryInTheCapture) {
  expect_same([](scenario& run) {
    int calls = 0;
    subject f(run, vector, [&](tensor_list& in) {
      if (run.graphed() && ++calls == 3) {
        at::empty({int64_t{1} << 50}, in[0].options());
      }
      return tensor_list{at::dropout(in[0], 0.5, true)};
    });
    for (int step = 0; step < 7; ++step) {
      run.see("y", f({run.random({1000})}));
    }
    f.expect_misses(Miss::CaptureFailed, 1);
    f.expect_captures(1);
  });
}

// test_cuda.py, test_graph_capture_oom: what eager cannot allocate either is eager's exception.
TEST_P(Successive, OutOfMemoryOfThePlainCallable) {
  scenario run(device(), true);
  subject f(run, vector, [](tensor_list& in) { return tensor_list{at::empty({int64_t{1} << 50}, in[0].options()) + in[0]}; });
  for (int step = 0; step < 5; ++step) {
    EXPECT_THROW(f({run.random({1000})}), c10::Error);
  }
  subject good(run, vector, five_times);
  const Tensor x = run.random({1000});
  tensor_list arguments{x};
  for (int step = 0; step < 4; ++step) {
    EXPECT_TRUE(same_bits(good({x})[0], five_times(arguments)[0]));
  }
  good.expect_replays(2);
}

// test_cuda.py, test_repeat_graph_capture_cublas_workspace_memory: a hundred captures of one product, each gone before the next.
TEST_P(Successive, HundredCapturesOfOneProduct) {
  scenario run(device(), true);
  const Tensor a = run.random({128, 64}), b = run.random({64, 32}), expected = a.matmul(b);
  subject f(run, {{"a", {128, 64}}, {"b", {64, 32}}}, [](tensor_list& in) { return tensor_list{in[0].matmul(in[1])}; }, {1});
  uint64_t held = 0;
  for (int round = 0; round < 100; ++round) {
    f({a, b});
    EXPECT_TRUE(same_bits(f({a, b})[0], expected));
    EXPECT_TRUE(same_bits(f({a, b})[0], expected));
    if (round == 0) {
      held = f.stats().bytes_held;
    }
    EXPECT_EQ(f.stats().bytes_held, held) << "round " << round;
    f.reset();
  }
}

// test_cuda.py, test_graph_concurrent_replay: two graphs at the same time, which corrupts what shares a pool there.
TEST_P(Successive, TwoAtTheSameTime) {
  scenario run(device(), true);
  subject first(run, vector, five_times), second(run, vector, [](tensor_list& in) { return tensor_list{with_temporaries(in[0], 2)}; });
  const Tensor x = run.random({1000});
  tensor_list arguments{x};
  const Tensor expected = five_times(arguments)[0], other_expected = with_temporaries(x, 2);
  for (int step = 0; step < 3; ++step) {
    first({x});
    second({x});
  }
  const auto expect_all = [&](subject& f, const Tensor& result) {
    for (int step = 0; step < 50; ++step) {
      const Tensor y = f({x})[0];
      if (!run.device().is_cpu()) {
        torch::cuda::synchronize();
      }
      EXPECT_TRUE(same_bits(y, result)) << "step " << step;
    }
  };
  std::thread other([&] { expect_all(second, other_expected); });
  expect_all(first, expected);
  other.join();
}

// test_cuda.py, test_cuda_graph_error_options: another thread allocates during the capture, which its mode allows.
TEST_P(Successive, AnotherThreadAllocatesDuringTheCapture) {
  scenario run(device(), true);
  subject f(run, vector, [&](tensor_list& in) {
    const Tensor y = in[0] + 1;
    std::thread([&] { at::empty({1024}, run.options()); }).join();
    return tensor_list{y * 2};
  });
  for (int step = 0; step < 5; ++step) {
    const Tensor x = run.random({1000});
    EXPECT_TRUE(same_bits(f({x})[0], (x + 1) * 2));
  }
  f.expect_captures(1);
  f.expect_replays(3);
}

// test_cudagraph_trees.py, test_live_outputs_multiple_graphs and test_function_compiled_multiple_times: f(f(x)) and their sum.
TEST_P(Successive, CallableOfItsOwnResult) {
  expect_same([](scenario& run) {
    subject cube(run, vector, [](tensor_list& in) { return tensor_list{in[0] * in[0] * in[0]}; });
    for (int step = 0; step < 7; ++step) {
      const Tensor once = cube({run.random({1000})})[0], twice = cube({once})[0];
      run.see("sum", once + twice);
    }
    cube.expect_replays(12);
  });
}

// test_cudagraph_trees.py, test_end_recording_early: a second callable is captured while the first one is at its later calls.
TEST_P(Successive, OneCapturedWhileAnotherIsInUse) {
  expect_same([](scenario& run) {
    subject first(run, vector, [](tensor_list& in) { return tensor_list{in[0] * in[0] * in[0] + in[0]}; });
    subject second(run, vector, [](tensor_list& in) { return tensor_list{in[0] + 4}; });
    for (int step = 0; step < 9; ++step) {
      run.see("first", first({run.random({1000})}));
      if (step > 2) {
        run.see("second", second({run.random({1000})}));
      }
    }
    second.expect_replays(4);
  });
}

}  // namespace successive_test
