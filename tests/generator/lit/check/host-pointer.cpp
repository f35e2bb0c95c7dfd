// SPDX-License-Identifier: Apache-2.0
//
// Tensors' memory used by the host.
// RUN: not graphgen --check --diagnostics-format=json %s %flags | %singly | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <check/reads.h>
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <cstring>
#include <numeric>
#include <vector>

// CHECK: reads.h:14:{{[0-9]+}}: error: a tensor's memory is used by the host, which is not part of a graph [graphed-host-pointer]
// CHECK: reads.h:14:{{[0-9]+}}: note: the pointer is taken here
// CHECK: note: called from 'in_a_header' here
GRAPHED(x: f32[2]) void in_a_header(const torch::Tensor& x) { reads::pointer(x); }

GRAPHED(x: f32[2]) void named(const torch::Tensor& x) {
  // CHECK: host-pointer.cpp:[[#@LINE+2]]:17: error: a tensor's memory is used by the host, which is not part of a graph [graphed-host-pointer]
  // CHECK: host-pointer.cpp:[[#@LINE+1]]:19: note: the pointer is taken here
  float first = x.data_ptr<float>()[0];
  // CHECK: :[[#@LINE+1]]:14: error: a tensor's memory is used
  auto a = x.accessor<float, 1>();
  float* p = x.data_ptr<float>() + 1;
  // CHECK: :[[#@LINE+2]]:3: error: a tensor's memory is used
  // CHECK: :[[#@LINE-2]]:16: note: the pointer is taken here
  p[1] = 3;
  // CHECK: :[[#@LINE+2]]:15: error: a tensor's memory is used
  // CHECK: note: the pointer is taken here
  std::memcpy(p, x.data_ptr(), 4);
  // CHECK: :[[#@LINE+2]]:{{[0-9]+}}: error: a tensor's memory is used
  // CHECK: note: the pointer is taken here
  std::vector<float> values(p, p + 2);
}

// A pointer that is passed on is for a kernel, as far as is known.
void launch(float* values, int64_t size);
GRAPHED(x: f32[2]) void safe(const torch::Tensor& x) {
  float* p = x.data_ptr<float>();
  launch(p, x.size(0));
  if (p == nullptr || x.data_ptr() == p) {
    launch(p + 1, 1);
  }
  float values[] = {1, 2};
  values[0] = *values;
}

#define FIRST(tensor) (*(tensor).data_ptr<float>())
GRAPHED(x: f32[2]) void in_a_macro(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+2]]:17: error: a tensor's memory is used
  // CHECK: :[[#@LINE-3]]:25: note: expanded from macro 'FIRST'
  float first = FIRST(x);
}

template <class T>
void first(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+3]]:{{[0-9]+}}: error: a tensor's memory is used
  // CHECK: note: the pointer is taken here
  // CHECK: note: called from 'in_a_template' here
  (void)x.data_ptr<T>()[0];
}
GRAPHED(x: f32[2]) void in_a_template(const torch::Tensor& x) { first<float>(x); }
