// SPDX-License-Identifier: Apache-2.0
//
// Operators that a tape replays in another way than it recorded them, into the memory of their results. The bits are the same, whatever the
// operator, its numbers, and the strides of its results. On a GPU the same programs are graphs.
#include "support/calls.h"

#include <torch/library.h>

#include <algorithm>
#include <limits>

namespace direct_replay_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(DirectReplay);

const std::vector<argument> arguments{{"x", {7, 9}}, {"y", {7, 9}}};

TEST_P(DirectReplay, OperatorsWithAnOverloadForGivenResults) {
  expect_same_calls(device(), arguments, [](tensor_list& in) {
    const Tensor &x = in[0], &y = in[1];
    const auto [values, indices] = x.sort(/*stable=*/true, 1);
    const auto [largest, at] = (x * y).topk(3);
    return tensor_list{x + y,
                       x.sub(y, 3),
                       x / y,
                       x.exp(),
                       x.sigmoid(),
                       x.matmul(y.t()),
                       at::cat({x, y}, 1),
                       x.softmax(1),
                       x.log_softmax(0),
                       x.sum(1),
                       x.amax(0),
                       x.mean(0),
                       std::get<0>(x.max(1)),
                       x.cumsum(0),
                       x < y,
                       x.pow(2),
                       at::gelu(x),
                       values,
                       indices,
                       largest,
                       at,
                       x.any(),
                       x.tril(),
                       at::atan2(x, y),
                       x.clamp(-1, 1),
                       at::leaky_relu(y)};
  });
}

TEST_P(DirectReplay, OperatorsWithoutOne) {
  expect_same_calls(device(), arguments, [](tensor_list& in) {
    const Tensor &x = in[0], &y = in[1];
    const auto parts = at::split_with_sizes_copy(x + 1, {2, 5});
    return tensor_list{at::where(x < y, x, y),
                       x.clone(),
                       x.to(at::kDouble),
                       at::zeros_like(x) + y,
                       x.std(0),
                       parts[0] * parts[1].narrow(0, 0, 2),
                       std::get<0>(at::native_layer_norm(x, {9}, {}, {}, 1e-5)),
                       x.roll(2),
                       x.flip(1),
                       at::mse_loss(x, y),
                       at::smooth_l1_loss(x, y),
                       at::mse_loss(x, y, at::Reduction::None)};
  });
}

TEST_P(DirectReplay, OneHotOfAGivenCount) {
  expect_same_calls(device(), {{"x", {7}}}, [](tensor_list& in) {
    const Tensor labels = in[0].gt(0).to(at::kLong);
    return tensor_list{at::one_hot(labels, 3), at::one_hot(labels, 2).sum(0)};
  });
}

// The largest class decides on the shape.
TEST_P(DirectReplay, OneHotOfAnUnknownCount) {
  expect_same([](scenario& run) {
    subject callable(run, {{"x", {7}}}, [](tensor_list& in) { return tensor_list{at::one_hot(in[0].gt(0).to(at::kLong))}; });
    for (int call = 0; call < 4; ++call) {
      run.see("result", callable({run.random({7})}));
    }
    callable.expect_replays(0);
  });
}

TEST_P(DirectReplay, NoWarningThatAResultWasResized) {
  expect_same_calls(device(), arguments,
                    [](tensor_list& in) { return tensor_list{at::mse_loss(in[0], in[1]), at::smooth_l1_loss(in[0], in[1])}; });
  EXPECT_EQ(warnings_.count({"resized"}), 0U) << warnings_.all();
}

TEST_P(DirectReplay, ResultsWithOtherStrides) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {2, 3, 5, 4}, at::kFloat, false, false, flags::channels_last}, {"y", {7, 9}}}, [](tensor_list& in) {
      const Tensor t = in[1].t();
      return tensor_list{in[0] * 2,
                         in[0] + in[0].permute({0, 1, 2, 3}).contiguous(),
                         t.exp(),
                         t + t,
                         t.relu(),
                         t / 3,
                         in[1].expand({3, 7, 9}) + 1,
                         in[0].mean(1),
                         in[1].narrow(1, 2, 5).tanh()};
    });
    for (int step = 0; step < 6; ++step) {
      run.see("results", f({run.random({2, 3, 5, 4}).contiguous(at::MemoryFormat::ChannelsLast), run.random({7, 9})}));
    }
    f.expect_replays(4);
  });
}

/// Arithmetic of `x` with numbers of every type, some that its type cannot hold.
tensor_list with_numbers(const Tensor& x) {
  const double large = 1e300, third = 1.0 / 3;
  const int64_t many = (int64_t{1} << 53) + 1;
  tensor_list results{x + 1,     x - third, x * third,           x / 3,         1 - x, third / x, x + true,
                      x + large, x * many,  x.add(third, third), x.sub(many, 2)};
  Tensor y = x.clone();
  y.add_(third).mul_(3).sub_(large).div_(third);
  results.push_back(y);
  return results;
}

TEST_P(DirectReplay, NumbersBesideTensorsOfEveryType) {
  for (const auto dtype : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16, at::kComplexFloat}) {
    SCOPED_TRACE(dtype);
    expect_same_calls(device(), {{"x", {7, 9}, dtype}}, [](tensor_list& in) { return with_numbers(in[0]); });
    expect_same_calls(device(), {{"x", {}, dtype}}, [](tensor_list& in) { return with_numbers(in[0]); });
  }
  for (const auto dtype : {at::kLong, at::kByte, at::kBool}) {
    SCOPED_TRACE(dtype);
    expect_same_calls(device(), {{"x", {7, 9}, dtype}},
                      [](tensor_list& in) { return tensor_list{in[0] + 0.5, in[0] * 3, in[0] / 3, in[0] + 1}; });
  }
}

TEST_P(DirectReplay, ComplexNumbersBesideRealTensors) {
  expect_same_calls(device(), {arguments[0]},
                    [](tensor_list& in) { return tensor_list{in[0] * c10::complex<double>(1, 2), in[0] + c10::complex<float>(0, 1)}; });
}

TEST_P(DirectReplay, NumbersThatNobodyRounds) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {40}}},
              [](tensor_list& in) { return tensor_list{in[0] * 0.1, in[0] * 0.1 == in[0] * 0.1F, in[0].to(at::kDouble) * 0.1}; });
    for (int step = 0; step < 6; ++step) {
      run.see("results", f({run.random({40}) * 1e30}));
    }
    f.expect_replays(4);
  });
}

TEST_P(DirectReplay, ReluOfWhatIsNoNumber) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {67}}},
              [](tensor_list& in) { return tensor_list{in[0].relu(), in[0].to(at::kLong).relu(), in[0].to(at::kHalf).relu()}; });
    constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    for (int step = 0; step < 6; ++step) {
      Tensor x = run.random({67});
      const Tensor special = at::tensor({nan, -nan, inf, -inf, -0.0F, 0.0F}, run.options());
      x.narrow(0, 10 * step, 6).copy_(special);
      run.see("results", f({x.nan_to_num(1, 2, -2)}));
      run.see("special", f({x})[0]);
    }
    f.expect_replays(10);
  });
}

TEST_P(DirectReplay, ResultsThatAreWrittenAgain) {
  expect_same([](scenario& run) {
    const Tensor total = at::zeros({7, 9}, run.options());
    subject f(run, arguments, [&](tensor_list& in) {
      Tensor y = in[0] + 1;
      const Tensor before = y * in[1];
      y.mul_(2).add_(before);
      total.add_(0.5).add_(y);
      const Tensor row = y[3];
      row.zero_();
      return tensor_list{y, before, total + y, row + 1};
    });
    for (int step = 0; step < 7; ++step) {
      run.see("results", f({run.random({7, 9}), run.random({7, 9})}));
      run.see("total", total);
    }
    f.expect_replays(5);
  });
}

Tensor half(const Tensor& x) { return x / 2; }
// Other bits than half(), as a library may have them.
Tensor& other_half(const Tensor& x, Tensor& out) { return out.copy_(x * 0.5F + 1); }

TORCH_LIBRARY(direct_replay_test, library) {
  library.def("half(Tensor x) -> Tensor");
  library.def("half.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)");
  for (const auto key : {c10::DispatchKey::CPU, c10::DispatchKey::CUDA, c10::DispatchKey::CompositeExplicitAutogradNonFunctional}) {
    library.impl("half", torch::dispatch(key, TORCH_FN(half)));
    library.impl("half.out", torch::dispatch(key, TORCH_FN(other_half)));
  }
}

TEST_P(DirectReplay, OperatorsOfOtherLibrariesAreCalledAsRecorded) {
  const auto op = c10::Dispatcher::singleton().findSchemaOrThrow("direct_replay_test::half", "").typed<Tensor(const Tensor&)>();
  expect_same_calls(device(), arguments, [&](tensor_list& in) { return tensor_list{op.call(in[0]), op.call(in[1] + 1) * 2}; });
}

TEST_P(DirectReplay, ListsOfViews) {
  expect_same_calls(device(), arguments, [](tensor_list& in) {
    const auto parts = (in[0] + 1).unsafe_split(3);
    const Tensor before = parts[0] * in[1].narrow(0, 0, 3);
    parts[0].mul_(2);
    return tensor_list{before, parts[0] + parts[1], at::cat(parts)};
  });
}

TEST_P(DirectReplay, MemoryThatTheHostFillsFirst) {
  if (!device().is_cpu()) {
    GTEST_SKIP() << "the host cannot write it";
  }
  expect_same_calls(device(), arguments, [](tensor_list& in) {
    const auto filled = [](float value) {
      Tensor made = at::empty({7, 9});
      std::fill_n(made.mutable_data_ptr<float>(), made.numel(), value);
      return made;
    };
    const Tensor read = filled(3), in_part = filled(4), whole = filled(5), noise = at::empty({7, 9});
    in_part.narrow(0, 0, 2).zero_();
    whole.fill_(6);
    noise.bernoulli_(0.5);
    const tensor_list results{read * in[0], in_part * in[0], whole * in[0], noise * in[0]};
    for (const Tensor& each : {read, in_part, whole, noise}) {
      each.add_(in[1]);  // each replay begins with what was there before
    }
    return results;
  });
}

TEST_P(DirectReplay, ForwardAndBackward) {
  expect_same_calls(device(), {{"x", {7, 9}}, {"w", {9, 9}, at::kFloat, true}, {"b", {9}, at::kFloat, true}}, [](tensor_list& in) {
    const Tensor hidden = at::addmm(in[2], in[0], in[1]).relu();
    return tensor_list{at::linear(hidden, in[1], in[2]).tanh() * 0.5, hidden.softmax(1).log()};
  });
}

TEST_P(DirectReplay, HeldResultsOfEarlierCalls) {
  expect_same([](scenario& run) {
    subject f(run, arguments, [](tensor_list& in) { return tensor_list{in[0] + 1, (in[0] * in[1]).relu()}; });
    tensor_list held;
    for (int step = 0; step < 8; ++step) {
      for (const Tensor& result : f({run.random({7, 9}), run.random({7, 9})})) {
        held.push_back(result);
      }
    }
    run.see("held", held);
    f.expect_replays(6);
  });
}

TEST_P(DirectReplay, AnOperatorThatFailsInTheMiddle) {
  if (!device().is_cpu()) {
    GTEST_SKIP() << "an index out of range is the end of a CUDA context";
  }
  expect_same([](scenario& run) {
    subject f(run, {{"x", {7, 9}}, {"at", {7, 9}, at::kLong}}, [](tensor_list& in) {
      const Tensor y = in[0] + 1;
      return tensor_list{y, y.gather(0, in[1]) * 2};
    });
    tensor_list held;
    for (int step = 0; step < 10; ++step) {
      const Tensor x = run.random({7, 9}), at = at::randint(7, {7, 9}, run.options(at::kLong));
      if (step % 4 == 3) {
        at[6][8] = 7;
        EXPECT_THROW(f({x, at}), c10::Error);
        continue;
      }
      const tensor_list results = f({x, at});
      held.insert(held.end(), results.begin(), results.end());
    }
    run.see("held", held);
    f.expect_replays(6);
  });
}

}  // namespace direct_replay_test
