// SPDX-License-Identifier: Apache-2.0
//
// Of a template that is not instantiated explicitly, the instances that the file names or calls are captured; a name that generated code
// cannot spell is none.
// RUN: graphgen --dump-plan %s %flags | FileCheck %s --implicit-check-not='"name": "app'
#include <graphed/annotate.h>
#include <torch/torch.h>

namespace app {
// CHECK: "name": "app::scaled<float, 3>"
// CHECK: "shape": [3]
// CHECK: "name": "app::scaled<double, 4>"
// CHECK: "shape": [4]
template <class T, int N> GRAPHED(x: f32[N]) torch::Tensor scaled(torch::Tensor x) { return x * T(N); }

// CHECK: "name": "app::Sized<5>::forward"
// CHECK: "shape": [5]
template <int N>
struct Sized {
  GRAPHED(x: f32[N]) torch::Tensor forward(torch::Tensor x) { return x + N; }
};

// CHECK: "name": "app::chosen<1>"
template <int N> GRAPHED(x: f32[N]) torch::Tensor chosen(torch::Tensor x) { return x; }
template torch::Tensor chosen<1>(torch::Tensor);
}  // namespace app

#include "instances-used.graphed.h"

graphed::callable<&app::scaled<float, 3>> fast;
torch::Tensor use(torch::Tensor x) {
  struct Local {
    explicit Local(int) {}
  };
  app::Sized<5> sized;
  app::Sized<7> unused;
  return app::scaled<double, 4>(app::chosen<2>(sized.forward(x)));
}
