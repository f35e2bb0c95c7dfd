// SPDX-License-Identifier: Apache-2.0
//
// Operators of other libraries that write what their schemas do not say, return nothing or what they were given, or have no kernel for a
// device. Replays run them as well, or no capture is made.
#include "support/autocast.h"
#include "support/calls.h"
#include "support/library.h"

#include <graphed/control_flow.h>

#include <ATen/ops/_assert_async.h>
#include <torch/autograd.h>

#include <algorithm>
#include <string>

namespace library_write_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(LibraryWrite);

void turn(const Tensor& x, double by) { x.mul_(by); }
Tensor turned(const Tensor& x, double by) { return x.mul_(by); }
void turn_first(at::TensorList all, double by) { all[0].mul_(by); }
Tensor noisy(const Tensor& x) { return x + at::rand_like(x); }
Tensor product(const Tensor& x, const Tensor& y) { return x.mm(y); }

Tensor slope(const Tensor& x) {
  const at::AutoGradMode with_history(true);
  const Tensor y = x.detach().requires_grad_();
  return torch::autograd::grad({y.pow(3).sum()}, {y})[0].detach();
}

// Past LibTorch's operators, as many libraries compute on a CPU.
Tensor doubled(const Tensor& x) {
  const Tensor from = x.contiguous();
  Tensor made = at::empty_like(from);
  for (int64_t i = 0; i < from.numel(); ++i) {
    made.mutable_data_ptr<float>()[i] = 2 * from.data_ptr<float>()[i];
  }
  return made;
}
Tensor added(const Tensor& x) {
  Tensor sum = at::zeros({1}, x.options());
  const Tensor from = x.contiguous();
  for (int64_t i = 0; i < from.numel(); ++i) {
    sum.mutable_data_ptr<float>()[0] += from.data_ptr<float>()[i];
  }
  return sum;
}
int64_t positives(const Tensor& x) {
  const Tensor from = x.contiguous();
  return std::count_if(from.data_ptr<float>(), from.data_ptr<float>() + from.numel(), [](float each) { return each > 0; });
}
Tensor of_parts(const Tensor& x) {
  Tensor made = at::empty_like(x);
  made.copy_(x * 3);
  return made + x;
}

TORCH_LIBRARY(library_write_test, library) {
  library.def("turn(Tensor x, float by) -> ()");
  library.def("turned(Tensor x, float by) -> Tensor");
  library.def("turn_first(Tensor[] all, float by) -> ()");
  library.def("noisy(Tensor x) -> Tensor");
  library.def("product(Tensor x, Tensor y) -> Tensor");
  library.def("slope(Tensor x) -> Tensor");
  register_kernel(library, "turn", turn);
  register_kernel(library, "turned", turned);
  register_kernel(library, "turn_first", turn_first);
  register_kernel(library, "noisy", noisy);
  register_kernel(library, "product", product);
  register_kernel(library, "slope", slope);
  library.def("doubled(Tensor x) -> Tensor", doubled);
  library.def("added(Tensor x) -> Tensor", added);
  library.def("positives(Tensor x) -> int", positives);
  library.def("of_parts(Tensor x) -> Tensor", of_parts);
}

Tensor apply(const char* op, const Tensor& x) {
  return call_library<Tensor(const Tensor&)>((std::string("library_write_test::") + op).c_str(), x);
}
void call_turn(const Tensor& x, double by) { call_library<void(const Tensor&, double)>("library_write_test::turn", x, by); }

TEST_P(LibraryWrite, OfTheCallablesOwnTensors) {
  expect_same_calls(device(), {{"x", {7, 9}}}, [](tensor_list& in) {
    const Tensor y = in[0].clone(), z = in[0] + 1, u = in[0] * 2;
    call_turn(y, 0.5);
    const Tensor w = call_library<Tensor(const Tensor&, double)>("library_write_test::turned", z, 3.0);
    call_library<void(at::TensorList, double)>("library_write_test::turn_first", tensor_list{u, y}, -1.0);
    return tensor_list{y * 2, w + z, z, u.sum()};
  });
}

TEST_P(LibraryWrite, OfAViewOfTheCallablesOwn) {
  expect_same_calls(device(), {{"x", {7, 9}}}, [](tensor_list& in) {
    const Tensor y = in[0] + 1;
    call_turn(y[2], 5.0);
    return tensor_list{y * 2};
  });
}

TEST_P(LibraryWrite, OfATensorFromOutside) {
  expect_same([](scenario& run) {
    const Tensor total = run.random({8});
    subject f(run, {{"x", {8}}}, [&](tensor_list& in) {
      call_turn(total, 0.5);
      return tensor_list{total + in[0]};
    });
    for (int call = 0; call < 7; ++call) {
      run.see("result", f({run.random({8})}));
      run.see("total", total);
    }
    f.expect_replays(5);
  });
}

TEST_P(LibraryWrite, IsTakenBackByPrepare) {
  if (!device().is_cpu()) {
    GTEST_SKIP() << "nothing shows it on a GPU";
  }
  const scenario run(device(), true);
  const Tensor total = run.random({8}), before = total.clone();
  test_callable f({{"x", {8}}}, [&](tensor_list& in) {
    call_turn(total, 0.5);
    return tensor_list{total + in[0]};
  });
  const Tensor x = run.random({8});
  f.prepare({x});
  EXPECT_TRUE(same_bits(total, before));
  EXPECT_TRUE(same_bits(f({x})[0], before * 0.5 + x));
  EXPECT_TRUE(same_bits(total, before * 0.5));
}

TEST_P(LibraryWrite, OfAnArgumentThatIsMarked) {
  if (!device().is_cpu()) {
    GTEST_SKIP() << "nothing shows it on a GPU";
  }
  expect_same_calls(device(), {{"x", {8}, at::kFloat, /*grad=*/false, /*inplace=*/true}}, [](tensor_list& in) {
    call_turn(in[0], 0.5);
    return tensor_list{in[0] + 1};
  });
}

void expect_never_captured(c10::Device device, const argument& x, const test_callable::body& body) {
  expect_same(device, [&](scenario& run) {
    subject f(run, {x}, body);
    const Tensor same = run.random({8});  // as a `static` argument is
    for (int call = 0; call < 5; ++call) {
      run.see("result", f({same}));
      run.see("x", same);
    }
    f.expect_replays(0);
  });
}

TEST_P(LibraryWrite, OfAnArgumentThatIsNotMarkedIsRefused) {
  if (!device().is_cpu()) {
    GTEST_SKIP() << "nothing shows it on a GPU";
  }
  const auto body = [](tensor_list& in) {
    call_turn(in[0], 0.5);
    return tensor_list{in[0] + 1};
  };
  expect_never_captured(device(), {"x", {8}}, body);
  EXPECT_EQ(warnings_.count({"library_write_test::turn", "writes to the argument 'x'", "its schema does not say"}), 1U) << warnings_.all();
  expect_never_captured(device(), {"x", {8}, at::kFloat, false, false, flags::static_address}, body);
}

TEST_P(LibraryWrite, InBodiesOfABranchAndALoop) {
  expect_same([](scenario& run) {
    const Tensor ups = run.random({2}), downs = run.random({2}), turns = run.random({2});
    subject f(run, {{"x", {2}}}, [&](tensor_list& in) {
      const Tensor y = in[0] * 2;
      if_else(in[0].sum() > 0, [&] { call_turn(ups, 2.0); }, [&] { call_turn(downs, 0.5); });
      const Tensor z = while_loop([](const Tensor& now) { return now.abs().sum() > 0.1; },
                                  [&](const Tensor& now) {
                                    call_turn(turns, -0.5);
                                    return now * 0.5;
                                  },
                                  y, 20);
      return tensor_list{z + ups};
    });
    for (int call = 0; call < 8; ++call) {
      run.see("result", f({run.random({2})}));
      run.see("outside", tensor_list{ups, downs, turns});
    }
    if (run.device().is_cpu()) {
      f.expect_replays(6);
    }
  });
}

TEST_P(LibraryWrite, DrawsThatNoTagTells) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {8}}}, [](tensor_list& in) {
      const Tensor y = apply("noisy", in[0]);
      return tensor_list{y + at::rand_like(y), apply("noisy", y)};
    });
    for (int call = 0; call < 7; ++call) {
      run.see("result", f({run.random({8})}));
    }
    if (run.device().is_cpu()) {
      f.expect_replays(5);
    }
  });
}

// What a kernel calls meets autocast in a replay, as it does in the capture.
TEST_P(LibraryWrite, KernelsUnderAutocast) {
  expect_same([](scenario& run) {
    const autocast halves(run.device().type(), at::kBFloat16);
    const Tensor w = run.random({4, 4});
    subject f(run, {{"x", {4, 4}}}, [&](tensor_list& in) {
      return tensor_list{call_library<Tensor(const Tensor&, const Tensor&)>("library_write_test::product", in[0], w).to(at::kFloat)};
    });
    for (int call = 0; call < 6; ++call) {
      run.see("result", f({run.random({4, 4})}));
    }
    f.expect_replays(4);
  });
}

TEST_P(LibraryWrite, KernelsThatUseAutograd) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {8}}}, [](tensor_list& in) { return tensor_list{apply("slope", in[0] + 1)}; });
    for (int call = 0; call < 6; ++call) {
      run.see("result", f({run.random({8})}));
    }
    if (run.device().is_cpu()) {
      f.expect_replays(4);
    }
  });
}

// The history that it makes has saved tensors that a replay does not make again.
TEST_P(LibraryWrite, KernelsThatMakeAHistoryAreRefused) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({4, 4});
    subject f(run, {{"x", {4, 4}}}, [&](tensor_list& in) {
      return tensor_list{call_library<Tensor(const Tensor&, const Tensor&)>("library_write_test::product", in[0], w).exp()};
    });
    for (int call = 0; call < 6; ++call) {
      const Tensor y = f({run.random({4, 4})})[0];
      run.see("y", y);
      y.sum().backward();
      run.see_grad("w", w);
    }
    if (run.device().is_cpu()) {
      f.expect_replays(0);
    }
  });
  if (device().is_cpu()) {
    EXPECT_EQ(warnings_.count({"library_write_test::product", "makes a history"}), 1U) << warnings_.all();
  }
}

TEST_P(LibraryWrite, WithoutAKernelForTheDevice) {
  expect_same_calls(device(), {{"x", {8}}}, [](tensor_list& in) { return tensor_list{apply("of_parts", in[0]) * 2}; });
}

TEST_P(LibraryWrite, WhatTheHostComputesBetweenPartsIsRefused) {
  if (!device().is_cpu()) {
    GTEST_SKIP() << "the host cannot read a GPU's memory";
  }
  const auto refused = [&](const char* op, const test_callable::body& body) {
    SCOPED_TRACE(op);
    expect_same([&](scenario& run) {
      subject f(run, {{"x", {8}}}, body);
      for (int call = 0; call < 5; ++call) {
        run.see("result", f({run.random({8})}));
      }
      f.expect_replays(0);
    });
    EXPECT_EQ(warnings_.count({op, "has no kernel for the CPU"}), 1U) << warnings_.all();
  };
  refused("library_write_test::doubled", [](tensor_list& in) { return tensor_list{apply("doubled", in[0])}; });
  refused("library_write_test::added", [](tensor_list& in) { return tensor_list{in[0] / apply("added", in[0])}; });
  refused("library_write_test::positives", [](tensor_list& in) {
    return tensor_list{call_library<int64_t(const Tensor&)>("library_write_test::positives", in[0]) > 9 ? in[0] : in[0].sin()};
  });
}

// LibTorch's own that has no results.
TEST_P(LibraryWrite, AssertionsHoldInReplays) {
  if (!device().is_cpu()) {
    GTEST_SKIP() << "a failed assertion is the end of a CUDA context";
  }
  expect_same([](scenario& run) {
    subject f(run, {{"x", {8}}}, [](tensor_list& in) {
      at::_assert_async(in[0].sum() > 0);
      return tensor_list{in[0] * 2};
    });
    for (int call = 0; call < 9; ++call) {
      const Tensor x = call > 3 && call % 2 == 0 ? -at::ones({8}) : run.random({8}).abs();
      EXPECT_EQ(call > 3 && call % 2 == 0, run.see_error("call", [&] { run.see("result", f({x})); }));
    }
  });
}

}  // namespace library_write_test
