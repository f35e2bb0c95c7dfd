// SPDX-License-Identifier: Apache-2.0
//
// A training whose backward graph writes its leaves' gradients.
#pragma once

#include "device_test.h"

#include <cstdlib>

namespace graphed::testing {

inline settings in_graph() {
  settings made;
  made.grads_in_graph = true;
  return made;
}

inline void see_gradient(scenario& run, const at::Tensor& leaf) {
  run.see("gradient", leaf.grad());
  if (leaf.grad().defined()) {
    run.see("metadata", leaf.grad().unsafeGetTensorImpl()->allow_tensor_metadata_change());
    run.see("view", leaf.grad().is_view());
    run.see("requires grad", leaf.grad().requires_grad());
  }
}

/// A layer over two leaves. Its backward gets random numbers.
class trained {
 public:
  explicit trained(scenario& run, settings settings = in_graph(), c10::ScalarType dtype = at::kFloat)
      : w(run.leaf({8, 4}, dtype)),
        b(run.leaf({16, 4}, dtype)),
        run_(run),
        call_(run, {{"x", {16, 8}, dtype}}, [this](tensor_list& in) { return tensor_list{(in[0].matmul(w) + b).tanh()}; }, settings) {}

  at::Tensor forward() { return call_({run_.random({16, 8}, w.scalar_type())})[0]; }
  void backward(const at::Tensor& y) { y.backward(run_.random({16, 4}, w.scalar_type())); }
  void step() { backward(forward()); }
  void see() {
    for (const at::Tensor& leaf : {w, b}) {
      see_gradient(run_, leaf);
    }
  }
  void drop() {
    w.mutable_grad().reset();
    b.mutable_grad().reset();
  }
  /// Of backwards, in the graphed run; a verified call changes no `.grad` in its graph.
  void expect_captures(uint64_t backward) const {
    if (run_.graphed() && std::getenv("GRAPHED_VERIFY") == nullptr) {
      EXPECT_EQ(call_.stats().backward_captures, backward) << call_.stats();
      EXPECT_EQ(call_.stats().miss_count(), 0U) << call_.stats();
    }
  }
  void expect_moved(uint64_t gradients) const {
    if (run_.graphed() && std::getenv("GRAPHED_VERIFY") == nullptr) {
      EXPECT_EQ(call_.stats().kept_outputs, gradients) << call_.stats();
    }
  }

  const at::Tensor w, b;

 private:
  scenario& run_;
  subject call_;
};

}  // namespace graphed::testing
