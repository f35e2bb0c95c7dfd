// SPDX-License-Identifier: Apache-2.0
//
// What generated code may not name or must not call.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error:
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

class Model {
  // CHECK: :[[#@LINE+1]]:36: error: 'secret' is private: generated code cannot name it; write 'friend struct graphed::access;' in its class, or make it public [graphed-access]
  GRAPHED(x: f32[2]) torch::Tensor secret(torch::Tensor x);
  struct Inner {
    // CHECK: :[[#@LINE+1]]:38: error: 'Inner' is private: generated code cannot name it; make it public [graphed-access]
    GRAPHED(x: f32[2]) torch::Tensor forward(torch::Tensor x);
  };

 protected:
  // CHECK: :[[#@LINE+1]]:36: error: 'guarded' is protected: generated code cannot name it; write 'friend struct graphed::access;' in its class, or make it public [graphed-access]
  GRAPHED(x: f32[2]) torch::Tensor guarded(torch::Tensor x);

 public:
  // CHECK: :[[#@LINE+1]]:36: error: 'consumes' is '&&'-qualified: it may consume its object, which a graph uses again [graphed-rvalue-method]
  GRAPHED(x: f32[2]) torch::Tensor consumes(torch::Tensor x) &&;
};

// CHECK: :[[#@LINE+1]]:41: error: 'internal' has internal linkage in a header: each source file has a function of its own, and generated code would call another; make it 'inline' [graphed-linkage]
GRAPHED(x: f32[2]) static torch::Tensor internal(torch::Tensor x) { return x; }

namespace {
// CHECK: :[[#@LINE+1]]:34: error: 'anonymous' has internal linkage in a header: {{.*}} [graphed-linkage]
GRAPHED(x: f32[2]) torch::Tensor anonymous(torch::Tensor x) { return x; }
struct Hidden {
  // CHECK: :[[#@LINE+1]]:36: error: 'forward' has internal linkage in a header: {{.*}} [graphed-linkage]
  GRAPHED(x: f32[2]) torch::Tensor forward(torch::Tensor x) { return x; }
};
}  // namespace

// Its body is checked.
class Checked {
  // CHECK: :[[#@LINE+1]]:36: error: 'read' is private: generated code cannot name it; {{.*}} [graphed-access]
  GRAPHED(x: f32[2]) torch::Tensor read(torch::Tensor x) {
    // CHECK: :[[#@LINE+1]]:7: error: 'item' reads a tensor's value on the host
    x.item<float>();
    return x;
  }
};
