// SPDX-License-Identifier: Apache-2.0
//
// Arguments that the callable writes.
#include "support/device_test.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

namespace in_place_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(InPlace);

const argument written{"x", {16, 8}, at::kFloat, false, true};

TEST_P(InPlace, ArgumentWithoutGradients) {
  expect_same([](scenario& run) {
    subject f(run, {written}, [](tensor_list& in) {
      in[0].mul_(2).add_(1);
      return tensor_list{};
    });
    const Tensor x = run.random({16, 8});
    for (int step = 0; step < 6; ++step) {
      const auto version = x._version();
      EXPECT_TRUE(f({x}).empty());
      EXPECT_GT(x._version(), version);
      run.see("x", x);
    }
    f.expect_replays(4);
  });
}

TEST_P(InPlace, KeepsWhatWasWrittenBeforeAnOperatorThrows) {
  if (!device().is_cpu()) {
    return;  // an index out of range ends the process there
  }
  expect_same([](scenario& run) {
    subject f(run, {written, {"rows", {4}, at::kLong}}, [](tensor_list& in) {
      in[0].mul_(2);
      const Tensor rows = in[0].index_select(0, in[1]);
      in[0].add_(1);
      return tensor_list{rows};
    });
    for (int step = 0; step < 8; ++step) {
      const Tensor x = run.random({16, 8}), rows = at::full({4}, step == 4 || step == 5 ? 99 : step, at::kLong);
      run.see_error("call", [&] { run.see("rows", f({x, rows})); });
      run.see("x", x);
    }
    f.expect_captures(1);
  });
}

TEST_P(InPlace, ResultThatIsTheArgument) {
  expect_same([](scenario& run) {
    subject f(run, {written, {"y", {16, 8}}}, [](tensor_list& in) { return tensor_list{in[0].add_(in[1]), in[0].exp()}; });
    for (int step = 0; step < 6; ++step) {
      const Tensor x = run.random({16, 8});
      const auto results = f({x, run.random({16, 8})});
      EXPECT_TRUE(results[0].is_same(x));
      run.see("results", results);
      run.see("x", x);
    }
    f.expect_replays(4);
  });
}

TEST_P(InPlace, ArgumentGetsHistoryFromAParameter) {
  expect_same([](scenario& run) {
    subject f(run, {written, {"w", {16, 8}, at::kFloat, true}}, [](tensor_list& in) {
      in[0].mul_(in[1]).tanh_();
      return tensor_list{};
    });
    const Tensor w = run.leaf({16, 8});
    for (int step = 0; step < 6; ++step) {
      const Tensor x = run.random({16, 8});
      f({x, w});
      EXPECT_TRUE(x.requires_grad());
      EXPECT_FALSE(x.is_leaf());
      run.see("x", x);
      x.pow(2).sum().backward();
      run.see_grad("w.grad", w);
    }
    f.expect_replays(4, 4);
  });
}

TEST_P(InPlace, ArgumentWithHistoryThatIsReturned) {
  expect_same([](scenario& run) {
    subject f(run, {written, {"w", {8}, at::kFloat, true}},
              [](tensor_list& in) { return tensor_list{in[0].add_(in[1].exp()), in[1].sum()}; });
    const Tensor w = run.leaf({8});
    for (int step = 0; step < 6; ++step) {
      const Tensor x = run.random({16, 8});
      const auto results = f({x, w});
      EXPECT_TRUE(results[0].is_same(x));
      run.see("results", results);
      (results[0].pow(2).sum() + results[1]).backward();
      run.see_grad("w.grad", w);
    }
    f.expect_replays(4, 4);
  });
}

TEST_P(InPlace, CallableThatSpoilsItsOwnBackward) {
#if defined(__SANITIZE_ADDRESS__)
  // Eager leaks this by itself: matmul saved the tensor whose new history holds matmul's node.
  const __lsan::ScopedDisabler leak_of_eager;
#endif
  expect_same([](scenario& run) {
    subject f(run, {written, {"w", {8, 8}, at::kFloat, true}},
              [](tensor_list& in) { return tensor_list{in[0].add_(in[0].matmul(in[1]))}; });
    const Tensor w = run.leaf({8, 8});
    for (int step = 0; step < 6; ++step) {
      const Tensor y = f({run.random({16, 8}), w})[0];
      run.see("y", y);
      try {
        y.sum().backward();
        ADD_FAILURE() << "no error";
      } catch (const std::exception& error) {
        EXPECT_NE(message_of(error).find("modified by an inplace operation: ["), std::string::npos) << error.what();
      }
      run.see_grad("w.grad", w);
    }
  });
}

TEST_P(InPlace, ArgumentThatRequiresGradients) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 8}, at::kFloat, true, true}}, [](tensor_list& in) {
      in[0].mul_(3).sigmoid_();
      return tensor_list{};
    });
    const Tensor leaf = run.leaf({16, 8});
    for (int step = 0; step < 6; ++step) {
      const Tensor x = leaf * 2;
      run.see_error("forward", [&] { f({x}); });
      run.see("x", x);
      x.sum().backward();
      run.see_grad("leaf.grad", leaf);
    }
  });
}

TEST_P(InPlace, CounterOfAnotherType) {
  expect_same([](scenario& run) {
    subject f(run, {{"count", {4}, at::kLong, false, true}, {"x", {16, 4}}}, [](tensor_list& in) {
      in[0].add_((in[1] > 0).sum(0));
      return tensor_list{in[1] * in[0]};
    });
    const Tensor count = at::zeros({4}, run.options(at::kLong));
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({count, run.random({16, 4})}));
      run.see("count", count);
    }
    f.expect_replays(4);
  });
}

TEST_P(InPlace, ViewsOfTheArgumentSeeTheResult) {
  expect_same([](scenario& run) {
    subject f(run, {written}, [](tensor_list& in) {
      in[0].neg_();
      return tensor_list{};
    });
    const Tensor x = run.random({16, 8}), row = x[2];
    for (int step = 0; step < 5; ++step) {
      f({x});
      run.see("row", row);
    }
    f.expect_replays(3);
  });
}

TEST_P(InPlace, ArgumentThatSharesMemoryWithAnotherRunsPlainly) {
  expect_same([](scenario& run) {
    subject f(run, {written, {"y", {16, 8}}}, [](tensor_list& in) {
      in[0].add_(in[1]);
      return tensor_list{in[1] * 2};
    });
    const Tensor x = run.random({16, 8});
    for (int step = 0; step < 5; ++step) {
      run.see("y", f({x, step % 2 == 0 ? x : run.random({16, 8})}));
      run.see("x", x);
    }
    f.expect_misses(Miss::Overlap, 3);
  });
}

TEST_P(InPlace, WriteToAnUnmarkedArgumentStillReachesTheCaller) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 8}}}, [](tensor_list& in) { return tensor_list{in[0].add_(1) * 2}; });
    const Tensor x = run.random({16, 8});
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({x}));
      run.see("x", x);
    }
    f.expect_captures(0);
  });
  EXPECT_EQ(warnings_.count({"test_callable", "'x'", "inplace", "aten::add_"}), 1U) << warnings_.all();
}

TEST_P(InPlace, ArgumentAssignedAnotherTensorRunsPlainly) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 8}}}, [](tensor_list& in) {
      in[0] = in[0] * 2;
      return tensor_list{in[0] + 1};
    });
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({run.random({16, 8})}));
    }
    f.expect_captures(0);
  });
}

TEST_P(InPlace, HundredsOfArguments) {
  expect_same([](scenario& run) {
    std::vector<argument> arguments;
    for (int64_t i = 0; i < 200; ++i) {
      arguments.push_back({"x" + std::to_string(i), {i % 7, i % 11 + 1}, i % 3 == 0 ? at::kByte : at::kFloat, false, i % 4 != 1});
    }
    subject f(run, arguments, [&](tensor_list& in) {
      for (std::size_t i = 0; i < in.size(); ++i) {
        if (arguments[i].inplace) {
          in[i].mul_(3).add_(static_cast<int64_t>(i));
        }
      }
      return tensor_list{};
    });
    tensor_list given;
    for (const auto& argument : arguments) {
      given.push_back(at::randint(5, argument.shape, run.options(at::kLong)).to(argument.dtype));
    }
    for (int step = 0; step < 5; ++step) {
      f(given);
      run.see("arguments", given);
    }
    f.expect_replays(3);
  });
}

TEST_P(InPlace, ArgumentsThatDieAndChangeTheirAddress) {
  expect_same([](scenario& run) {
    const argument large{"x", {1 << 18}, at::kFloat, false, true};
    subject f(run, {large}, [](tensor_list& in) {
      in[0].sin_();
      return tensor_list{in[0].sum()};
    });
    Tensor kept = run.random({1 << 18});
    for (int step = 0; step < 8; ++step) {
      run.see("sum", f({run.random({1 << 18})}));
      const Tensor other = at::full({1 << 18}, 7.0, run.options());  // where the argument was
      run.see("kept", f({kept}));
      run.see("kept", kept);
      run.see("other", other);
    }
    f.expect_replays(14);
  });
}

TEST_P(InPlace, ChannelsLast) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {2, 3, 5, 7}, at::kFloat, false, true, flags::channels_last}}, [](tensor_list& in) {
      in[0].clamp_(-0.5, 0.5).add_(1);
      return tensor_list{};
    });
    for (int step = 0; step < 5; ++step) {
      const Tensor x = run.random({2, 3, 5, 7}).contiguous(at::MemoryFormat::ChannelsLast);
      const Tensor view = x.select(1, 1);
      f({x});
      run.see("x", x);
      run.see("view", view);
    }
    f.expect_replays(3);
  });
}

TEST_P(InPlace, ArgumentThatIsPadded) {
  expect_same([](scenario& run) {
    settings padded;
    padded.sizes = {16};
    padded.pad = PadFill::Zero;
    subject f(
        run, {{"x", {B, 8}, at::kFloat, false, true}, {"y", {B, 8}}},
        [](tensor_list& in) {
          in[0].mul_(in[1]);
          return tensor_list{in[0] + 1};
        },
        padded);
    for (const int64_t size : {16, 16, 16, 9, 9, 16, 9, 3, 3}) {
      const Tensor whole = at::ones({20, 8}, run.options()), x = whole.narrow(0, 0, size);
      const auto version = whole._version();
      const c10::AutoGradMode no_grad(false);
      run.see("y", f({x, run.random({size, 8})}));
      run.see("whole", whole);
      EXPECT_GT(whole._version(), version);
    }
    f.expect_replays(5);
  });
}

TEST_P(InPlace, SetToZeroAndToRandomNumbers) {
  expect_same([](scenario& run) {
    subject f(run, {{"zero", {1 << 16}, at::kFloat, false, true}, {"random", {333}, at::kFloat, false, true}}, [](tensor_list& in) {
      in[0].zero_();
      in[1].uniform_();
      return tensor_list{};
    });
    for (int step = 0; step < 5; ++step) {
      const Tensor zero = run.random({1 << 16}), random = run.random({333});
      f({zero, random});
      run.see("zero", zero);
      run.see("random", random);
    }
    f.expect_replays(3);
  });
}

// Storages that do not know of each other: the later argument's value is what stays in the memory that both show.
TEST_P(InPlace, ArgumentsThatOverlapBehindTheirStorages) {
  expect_same([](scenario& run) {
    constexpr int64_t size = 1 << 16;
    subject f(run, {{"x", {size}, at::kFloat, false, true}, {"y", {size}, at::kFloat, false, true}}, [](tensor_list& in) {
      in[0].fill_(3);
      in[1].fill_(4);
      return tensor_list{};
    });
    const c10::AutoGradMode no_grad(false);
    for (int step = 0; step < 8; ++step) {
      const Tensor memory = at::zeros({2 * size}, run.options());
      const Tensor y = at::from_blob(memory.data_ptr<float>() + size / 2, {size}, run.options());
      f({memory.narrow(0, 0, size), y});
      run.see("memory", memory);
    }
    f.expect_replays(6);
  });
}

TEST_P(InPlace, VersionsCountOnEachCall) {
  const scenario run(device(), true);
  test_callable f({written, {"y", {16, 8}, at::kFloat, false, true}, {"read", {16, 8}}}, [](tensor_list& in) {
    in[0].add_(in[2]);
    return tensor_list{in[1] + 1};
  });
  const Tensor x = run.random({16, 8}), y = run.random({16, 8}), read = run.random({16, 8});
  const Tensor w = run.leaf({16, 8});
  for (int step = 0; step < 5; ++step) {
    const Tensor loss = (w * x).sum() + (w * y).sum();
    const auto of_x = x._version(), of_y = y._version(), of_read = read._version();
    f({x, y, read});
    EXPECT_EQ(x._version(), of_x + 1) << step;
    EXPECT_EQ(y._version(), of_y) << step;
    EXPECT_EQ(read._version(), of_read) << step;
    EXPECT_THROW(loss.backward(), c10::Error) << "x was saved, and written";
  }
  EXPECT_EQ(f.stats().replays, 3U) << f.stats();
}

}  // namespace in_place_test
