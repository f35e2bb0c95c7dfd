// SPDX-License-Identifier: Apache-2.0
//
// A callable that closes over two leaves, and how many of their gradients a backward left to autograd's engine.
#pragma once

#include "device_test.h"

namespace graphed::testing {

class layer {
 public:
  explicit layer(scenario& run, c10::ScalarType dtype = at::kFloat)
      : w(run.leaf({8, 4}, dtype)),
        b(run.leaf({16, 4}, dtype)),
        run_(run),
        call_(run, {{"x", {16, 8}, dtype}}, [this](tensor_list& in) { return tensor_list{(in[0].matmul(w) + b).tanh()}; }) {}

  at::Tensor operator()() { return call_({run_.random({16, 8}, w.scalar_type())})[0]; }

  /// What a reader of `.grad` can notice.
  void see_gradients() {
    for (const at::Tensor& leaf : {w, b}) {
      see_gradient(run_, leaf);
    }
  }
  void drop_gradients() {
    w.mutable_grad().reset();
    b.mutable_grad().reset();
  }
  static void see_gradient(scenario& run, const at::Tensor& leaf) {
    const at::Tensor& gradient = leaf.grad();
    run.see("gradient", gradient);
    if (gradient.defined()) {
      run.see("metadata", gradient.unsafeGetTensorImpl()->allow_tensor_metadata_change());
      run.see("view", gradient.is_view());
    }
  }

  /// Once the calls are replays: how many edges a backward has left at the node of this result, which others may hold.
  void expect_left(const at::Tensor& result, std::size_t count) const {
    if (run_.graphed() && call_.stats().backward_replays > 0) {
      EXPECT_EQ(result.grad_fn()->num_outputs(), count);
      ++checked_;
    }
  }
  /// That the above was looked at.
  void expect_checked(int count) const {
    if (run_.graphed()) {
      EXPECT_GE(checked_, count) << call_.stats();
    }
  }

  const at::Tensor w, b;

 private:
  scenario& run_;
  subject call_;
  mutable int checked_ = 0;
};

}  // namespace graphed::testing
