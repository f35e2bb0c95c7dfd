// SPDX-License-Identifier: Apache-2.0
//
// What no graph can hold: reads on the host, shapes that depend on values, other devices. The original function runs, and the operator is
// named.
#include "support/device_test.h"

#include <torch/library.h>
#include <torch/types.h>

namespace incompatible_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Incompatible);

/// Six calls of `body` on what `make` makes, none of them captured.
void expect_never_captured(c10::Device device, const argument& x, const std::function<Tensor(const scenario&, int)>& make,
                           const test_callable::body& body) {
  expect_same(device, [&](scenario& run) {
    subject f(run, {x}, body);
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({make(run, step)}));
      run.see("random", run.random({2}));
    }
    f.expect_captures(0);
    f.expect_replays(0);
  });
}

// test_cudagraph_trees.py, test_incompatible_cudagraph_ops_item.
TEST_P(Incompatible, ItemReadOnTheHost) {
  expect_never_captured(
      device(), {"x", {}, at::kLong}, [](const scenario& run, int step) { return at::full({}, 3 * step, run.options(at::kLong)); },
      [](tensor_list& in) { return tensor_list{at::full({2}, in[0].item<int64_t>(), in[0].options())}; });
  EXPECT_EQ(warnings_.count({"capture failed", "aten::_local_scalar_dense"}), 1U) << warnings_.all();
}

Tensor negated(const Tensor& x) { return at::neg(x); }

TORCH_LIBRARY(graphed_parity, library) {
  library.def("unsafe(Tensor x) -> Tensor", {at::Tag::cudagraph_unsafe});
  library.impl("unsafe", c10::DispatchKey::CPU, TORCH_FN(negated));
  library.impl("unsafe", c10::DispatchKey::CUDA, TORCH_FN(negated));
}

// test_skip_cudagraph_unsafe_ops: an operator that its author says no graph may hold.
TEST_P(Incompatible, OperatorTaggedUnsafe) {
  const auto unsafe = c10::Dispatcher::singleton().findSchemaOrThrow("graphed_parity::unsafe", "").typed<Tensor(const Tensor&)>();
  expect_never_captured(
      device(), {"x", {4}}, [](const scenario& run, int) { return run.random({4}); },
      [unsafe](tensor_list& in) { return tensor_list{unsafe.call(in[0]) + 1}; });
  EXPECT_EQ(warnings_.count({"capture failed", "graphed_parity::unsafe", "cudagraph_unsafe"}), 1U) << warnings_.all();
}

// test_cuda.py, test_cuda_graph_tensor_item_not_allowed: an element is the index of another tensor's element.
TEST_P(Incompatible, TensorAsAnIndexOnTheHost) {
  expect_same([](scenario& run) {
    const Tensor b = run.random({50, 50});
    subject f(run, {{"a", {50, 50}, at::kFloat, false, /*inplace=*/true}, {"permutation", {50}, at::kLong}}, [&](tensor_list& in) {
      in[0][0].mul_(b[in[1][0].item<int64_t>()]);
      return tensor_list{in[0]};
    });
    for (int step = 0; step < 6; ++step) {
      const Tensor a = run.random({50, 50});
      f({a, at::randperm(50, run.options(at::kLong))});
      run.see("a", a);
    }
    f.expect_captures(0);
  });
  EXPECT_EQ(warnings_.count({"capture failed", "aten::_local_scalar_dense"}), 1U) << warnings_.all();
}

// Its item() is inside of the operator, where a tape sees nothing: the capture's answer would be that of each replay.
TEST_P(Incompatible, TensorsComparedOnTheHost) {
  expect_never_captured(
      device(), {"x", {3}}, [](const scenario& run, int step) { return at::full({3}, step % 2, run.options()); },
      [](tensor_list& in) { return tensor_list{at::allclose(in[0], at::ones_like(in[0])) ? in[0] * 2 : in[0] - 1}; });
  EXPECT_EQ(warnings_.count({"capture failed", "aten::allclose"}), 1U) << warnings_.all();
}

// test_incompatible_cudagraph_ops_nonzero and _backend: another number of rows in each call.
TEST_P(Incompatible, ShapeThatDependsOnValues) {
  expect_never_captured(
      device(), {"x", {3}, at::kLong}, [](const scenario& run, int step) { return at::arange(3, run.options(at::kLong)) % (step % 3 + 1); },
      [](tensor_list& in) { return tensor_list{in[0].nonzero()}; });
  EXPECT_EQ(warnings_.count({"capture failed", "aten::nonzero"}), 1U) << warnings_.all();
}

// test_incompatible_cudagraph_ops_nonzero_graph_breaks: two such operators, of which the first one is named.
TEST_P(Incompatible, TwoShapesThatDependOnValues) {
  expect_never_captured(
      device(), {"x", {3}, at::kLong}, [](const scenario& run, int step) { return at::arange(3, run.options(at::kLong)) % (step % 3 + 1); },
      [](tensor_list& in) { return tensor_list{in[0].nonzero().nonzero(), in[0].masked_select(in[0] > 0)}; });
  EXPECT_EQ(warnings_.count({"capture failed", "aten::nonzero"}), 1U) << warnings_.all();
}

// test_graph_partition and test_graph_partition_custom_op: halfway through, the host computes. There the graph is split, here eager runs.
TEST_P(Incompatible, HostComputesHalfway) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {2, 2}}, {"y", {2, 2}}}, [&](tensor_list& in) {
      const Tensor y = in[1] + 1, on_host = y.to(at::kCPU) + 1;
      return tensor_list{in[0] + 1 + y + in[0].matmul(in[1]) + on_host.to(run.device())};
    });
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({run.random({2, 2}), run.random({2, 2})}));
    }
    f.expect_replays(run.device().is_cpu() ? 4 : 0);
  });
}

// test_graph_partition_forward_backward: the same with a backward.
TEST_P(Incompatible, HostComputesHalfwayWithABackward) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {4, 4}}, {"w", {4, 4}, at::kFloat, true}}, [&](tensor_list& in) {
      const Tensor y = in[0].matmul(in[1]);
      return tensor_list{y + (y.to(at::kCPU) * 2).to(run.device())};
    });
    const Tensor w = run.leaf({4, 4});
    for (int step = 0; step < 6; ++step) {
      f({run.random({4, 4}), w})[0].pow(2).sum().backward();
      run.see_grad("w.grad", w);
    }
  });
}

// test_graph_partition_cpu_scalar_device_put: a host tensor goes to the device and back.
TEST_P(Incompatible, ToTheDeviceAndBack) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {}, at::kLong}}, [&](tensor_list& in) { return tensor_list{in[0].to(run.device()).to(at::kCPU)}; });
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({at::full({}, step, at::TensorOptions(at::kLong))}));
    }
  });
}

// test_cuda.py, TestCachingHostAllocatorCudaGraph.test_unpinned_memory_use: ordinary host memory, filled again in each call, is copied in.
TEST_P(Incompatible, CopyFromOrdinaryHostMemory) {
  expect_same([](scenario& run) {
    float value = 0.5F;
    subject f(run, {{"x", {8}}}, [&](tensor_list& in) { return tensor_list{in[0] + torch::tensor({value, 1.0F}).sum().to(run.device())}; });
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({run.random({8})}));
    }
  });
}

// test_unpinned_memory_use_device_to_host: the other way, into a host tensor that is kept outside.
TEST_P(Incompatible, CopyIntoOrdinaryHostMemory) {
  expect_same([](scenario& run) {
    const Tensor host = at::zeros({8});
    subject f(run, {{"x", {8}}}, [&](tensor_list& in) {
      host.copy_(in[0]);
      return tensor_list{in[0] * 2};
    });
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({run.random({8})}));
      run.see("host", host);
    }
  });
}

// A callable that throws in some calls, of its own accord: the exception is the user's, and later calls are graphed.
TEST_P(Incompatible, ExceptionOfTheUsersOwn) {
  expect_same([](scenario& run) {
    bool broken = false;
    subject f(run, {{"x", {8}}}, [&](tensor_list& in) {
      TORCH_CHECK(!broken, "the user's own check");
      return tensor_list{in[0] * 2};
    });
    for (int step = 0; step < 9; ++step) {
      broken = step == 1 || step == 2;
      run.see_error("call", [&] { run.see("y", f({run.random({8})})); });
    }
    f.expect_captures(1);
    f.expect_replays(6);
  });
}

}  // namespace incompatible_test
