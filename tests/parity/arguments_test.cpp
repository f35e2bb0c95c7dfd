// SPDX-License-Identifier: Apache-2.0
//
// Arguments and results of every kind: expanded, misaligned, empty, on other devices, of other sizes, sparse, scalars.
#include "support/calls.h"

#include <graphed/error.h>

namespace arguments_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Arguments);

tensor_list plus_one(tensor_list& in) { return {in[0] + 1}; }

// test_cudagraph_trees.py, test_run_simple and test_separate_recordings: each of two sizes has its own callable.
TEST_P(Arguments, TwoSizesInTwoCallables) {
  expect_same_calls(device(), {{"x", {4, 4}}}, [](tensor_list& in) { return tensor_list{in[0] * in[0] * in[0]}; });
  expect_same_calls(device(), {{"x", {5, 5}}}, [](tensor_list& in) { return tensor_list{in[0] * in[0] * in[0]}; });
  expect_same_calls(device(), {{"x", {20, 20}}, {"y", {20, 20}}}, [](tensor_list& in) { return tensor_list{(in[0] + 1).matmul(in[1])}; });
  expect_same_calls(device(), {{"x", {40, 40}}, {"y", {40, 40}}}, [](tensor_list& in) { return tensor_list{(in[0] + 1).matmul(in[1])}; });
}

// test_dynamic_warmup, test_graph_partition_dynamic_shapes, test_skip_if_dynamic_shape_limit_reached: a size that is not declared runs
// eagerly, and the declared one goes on.
TEST_P(Arguments, SizesThatAreNotDeclared) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {3, 2}}}, plus_one);
    for (int step = 0; step < 24; ++step) {
      run.see("y", f({run.random({step % 4, 2})}));
    }
    f.expect_replays(4);
    f.expect_captures(1);
    f.expect_misses(Miss::Shape, 18);
  });
  EXPECT_LE(warnings_.count({"parameter 'x'"}), 3U) << warnings_.all();
}

// test_dynamic_backward: forward and backward of two sizes in turn.
TEST_P(Arguments, BackwardOfASizeThatIsNotDeclared) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {2, 4}, at::kFloat, true}}, [](tensor_list& in) {
      const Tensor x = at::cat({in[0], in[0]});
      return tensor_list{at::addmm(x, x, x).relu()};
    });
    for (int step = 0; step < 8; ++step) {
      for (const int64_t rows : {2, 3}) {
        const Tensor x = run.leaf({rows, 2 * rows}), y = f({x})[0];
        run.see("y", y);
        y.sum().backward();
        run.see_grad("x.grad", x);
      }
    }
    f.expect_replays(6, 6);
  });
}

// test_expanded_inputs.
TEST_P(Arguments, Expanded) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {4, 512}}}, [&](tensor_list& in) { return tensor_list{in[0] + 4 + at::ones({4, 512}, run.options())}; });
    for (int step = 0; step < 6; ++step) {
      run.see("expanded", f({run.random({1, 512}).expand({4, 512})}));
      run.see("contiguous", f({run.random({4, 512})}));
    }
    f.expect_replays(8);
  });
}

// test_unaligned_static_input_trees, _non_trees, _no_cudagraphs: misaligned and aligned addresses in turn.
TEST_P(Arguments, MisalignedAndAlignedInTurn) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {5, 5}}, {"y", {5, 5}}}, [](tensor_list& in) { return tensor_list{in[0] + in[1]}; });
    for (int step = 0; step < 6; ++step) {
      run.see("misaligned", f({run.random({6, 5}).slice(0, 1), run.random({6, 5}).slice(0, 1)}));
      run.see("aligned", f({run.random({5, 5}), run.random({5, 5})}));
    }
    f.expect_captures(1);
    f.expect_replays(10);
  });
}

// test_unaligned_static_parameter: every call's argument is misaligned.
TEST_P(Arguments, AlwaysMisaligned) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {19}}}, [](tensor_list& in) { return tensor_list{in[0] + in[0]}; });
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({at::ones({20}, run.options()).slice(0, 1)}));
    }
    f.expect_captures(1);
    f.expect_replays(4);
  });
}

// test_graph_partition_cpu_scalar1 to 4: a 0-dimensional tensor in host memory beside tensors of the device.
TEST_P(Arguments, ScalarTensorInHostMemory) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {2, 2}}, {"scalar", {}}}, [](tensor_list& in) { return tensor_list{in[0] + in[1], in[0] * (in[1] + 1)}; });
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({run.random({2, 2}), at::full({}, step, at::TensorOptions(at::kFloat))}));
    }
    f.expect_misses(Miss::Device, run.device().is_cpu() ? 0 : 6);
  });
}

// test_graph_partition_cpu_tensor_symints, test_graph_partition_reorder_cpu_and_gpu: work in host memory beside the device's.
TEST_P(Arguments, WorkOnHostMemoryBesideTheDevices) {
  expect_same([](scenario& run) {
    const Tensor weight = run.random({3, 3}), host_weight = at::randn({3, 3});
    subject f(run, {{"x", {3, 3}}, {"host", {3, 3}}},
              [&](tensor_list& in) { return tensor_list{(in[0] + 1).matmul(weight), (in[1] + 1).matmul(host_weight), in[0] * 2}; });
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({run.random({3, 3}), at::randn({3, 3})}));
    }
  });
}

// test_meta_tensor: one argument has no memory at all.
TEST_P(Arguments, MetaTensorBesideARealOne) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {1, 16}}, {"y", {64}}}, [](tensor_list& in) { return tensor_list{in[0] * 2, in[1] * 3}; });
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({at::empty({1, 16}, at::TensorOptions(at::kMeta)), run.random({64})}));
    }
    f.expect_misses(Miss::Device, 6);
  });
}

// test_sparsity: the result is a sparse tensor over the arguments.
TEST_P(Arguments, SparseResult) {
  expect_same([](scenario& run) {
    subject f(run, {{"indices", {1, 30}, at::kLong}, {"values", {30, 4}}}, [&](tensor_list& in) {
      return tensor_list{at::_sparse_coo_tensor_with_dims_and_tensors(
          1, 1, {100, 4}, in[0], in[1], at::TensorOptions(at::kFloat).layout(at::kSparse).device(run.device()))};
    });
    for (int step = 0; step < 6; ++step) {
      // Distinct indices: on a GPU, values of one index are added in no fixed order.
      const Tensor y = f({at::arange(30, run.options(at::kLong)).reshape({1, 30}) * 3, run.random({30, 4})})[0];
      EXPECT_TRUE(y.is_sparse());
      run.see("y", y.to_dense());
    }
  });
}

// A sparse tensor inside, dense tensors outside.
TEST_P(Arguments, SparseTensorInside) {
  expect_same([](scenario& run) {
    subject f(run, {{"values", {5}}, {"x", {6, 3}}}, [&](tensor_list& in) {
      const Tensor indices = at::arange(5, run.options(at::kLong)).repeat({2, 1});
      return tensor_list{at::sparse_coo_tensor(indices, in[0], {6, 6}, in[0].options().layout(at::kSparse)).matmul(in[1])};
    });
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({run.random({5}), run.random({6, 3})}));
    }
  });
}

// tensordict, test_td_input_non_tdmodule_nontensor: the first value of a constant holds, another one is an error that names it.
TEST_P(Arguments, ConstantThatIsNoTensor) {
  scenario run(device(), true);
  double y = 1;
  subject f(run, {{"x", {}}}, [&](tensor_list& in) { return tensor_list{in[0] + y}; });
  for (int step = 0; step < 10; ++step) {
    EXPECT_EQ(f({at::zeros({}, run.options())}, Scalars().constant("y", y))[0].item<double>(), 1.0);
  }
  y = 2;
  try {
    f({at::zeros({}, run.options())}, Scalars().constant("y", y));
    ADD_FAILURE() << "no error";
  } catch (const GuardError& error) {
    EXPECT_NE(std::string(error.what()).find("'y'"), std::string::npos) << error.what();
  }
}

// test_cudagraph_trees.py, test_execution_into_recording and test_function_compiled_multiple_times: a branch that depends on a value.
TEST_P(Arguments, BranchOnAKey) {
  expect_same([](scenario& run) {
    bool positive = false;
    subject f(run, {{"x", {4, 4}}}, [&](tensor_list& in) {
      const Tensor y = in[0] + in[0];
      return tensor_list{positive ? y + 10 : y - 10};
    });
    for (int step = 0; step < 12; ++step) {
      positive = step % 3 == 0;
      run.see("y", f({run.random({4, 4})}, Scalars().key("positive", positive)));
    }
    f.expect_captures(2);
    f.expect_replays(8);
  });
}

// test_cudagraph_trees.py, test_frozen_fn: after the capture no call captures again.
TEST_P(Arguments, NewAddressesNeedNoNewCapture) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {10, 10}}, {"w", {10, 10}, at::kFloat, true}}, [](tensor_list& in) { return tensor_list{in[0].matmul(in[1])}; });
    tensor_list alive;
    for (int step = 0; step < 12; ++step) {
      alive.push_back(run.random({10, 10}));
      alive.push_back(run.leaf({10, 10}));
      f({alive[alive.size() - 2], alive.back()})[0].sum().backward();
      run.see_grad("gradient", alive.back());
    }
    f.expect_captures(1);
    f.expect_replays(10, 10);
  });
}

TEST_P(Arguments, OfEveryType) {
  for (const auto dtype : {at::kDouble, at::kFloat, at::kHalf, at::kBFloat16, at::kComplexFloat, at::kComplexDouble, at::kLong, at::kInt,
                           at::kShort, at::kChar, at::kByte, at::kBool}) {
    SCOPED_TRACE(c10::toString(dtype));
    expect_same_calls(device(), {{"x", {3, 5}, dtype}, {"y", {3, 5}, dtype}},
                      [](tensor_list& in) { return tensor_list{in[0] * in[1], in[0].logical_or(in[1]), in[0].flip({0})}; });
  }
}

}  // namespace arguments_test
